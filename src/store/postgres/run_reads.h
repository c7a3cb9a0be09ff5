// What is asked of a run in PostgreSQL, on the thread that reads. See RunStore for what each gives.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "store/postgres/lasting_connection.h"
#include "store/postgres/run_tables.h"
#include "store/run_store.h"

namespace assay::postgres {

class RunReads {
 public:
  RunReads(LastingConnection& connection, std::int64_t run) : connection_(connection), run_(run) {}

  Result<std::vector<std::string>> notes();
  Result<std::vector<PlanText>> texts();
  Result<std::vector<EffectRow>> effects_of(std::int64_t case_index, Requests requests);
  Result<CaseStates> states(const std::vector<std::string>& outcomes_to_retry);
  Result<std::vector<OutcomeRow>> outcomes(std::int64_t first, std::size_t most);
  Result<RunTotals> totals();
  Result<std::optional<EffectRow>> find_answer(const Digest& hash, const std::string& step, int attempt);
  Result<std::optional<std::string>> file(const std::string& name);

  // A part of the journal in its order: all of some cases, about `rows` answers, with the outcomes of these
  // cases and of those before them. Nothing behind the last one.
  struct Part {
    std::vector<EffectRow> effects;
    std::vector<OutcomeRow> outcomes;
    std::int64_t next = 0;  // the case that the part after this one begins with
  };
  static constexpr std::int64_t kFirstCase = kRunItself;
  Result<std::optional<Part>> part(std::int64_t first, std::int64_t rows);
  struct Sitting {
    std::int64_t number = 0;
    std::int64_t worked_ms = 0;
    std::vector<std::string> notes = {};
  };
  Result<std::vector<Sitting>> sittings();
  // Of the run that keep_file() was called for, by name.
  Result<std::vector<std::pair<std::string, std::string>>> kept_files();
  // Of those that were kept or shared with this before their names, which are given without it.
  Result<std::vector<std::pair<std::string, std::string>>> files_below(std::string_view folder);

 private:
  Result<std::vector<std::pair<std::string, std::string>>> files(const Statement& statement,
                                                                 const Values& values);
  Result<std::vector<std::int64_t>> indices(const Statement& statement,
                                            const std::vector<std::string>& names);
  Result<std::vector<EffectRow>> effects(const Statement& statement, const Values& values, Requests requests);
  Status index_answers();

  LastingConnection& connection_;
  std::int64_t run_;
  SharedTextReader shared_;
  // The cases whose answers a request's hash has: its first 8 bytes are as good as random.
  std::optional<std::unordered_multimap<std::uint64_t, std::int64_t>> answers_;
};

}  // namespace assay::postgres
