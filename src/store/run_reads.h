// What is asked of a run's journal, on the thread that reads.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "store/run_store.h"
#include "store/sqlite.h"

namespace assay {

// See RunStore for what each gives.
class RunReads {
 public:
  explicit RunReads(Database database) : database_(std::move(database)) {}

  Result<std::vector<std::string>> notes();
  Result<std::vector<PlanText>> texts();
  Result<std::vector<EffectRow>> effects_of(std::int64_t case_index, Requests requests);
  Result<CaseStates> states(const std::vector<std::string>& outcomes_to_retry);
  Result<std::vector<OutcomeRow>> outcomes(std::int64_t first, std::size_t most);
  Result<RunTotals> totals();
  Result<std::optional<EffectRow>> find_answer(const Digest& hash, const std::string& step, int attempt);

 private:
  // The first 8 bytes of a digest are as good as random, so they are the hash.
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const {
      std::size_t value = 0;
      std::memcpy(&value, digest.data(), sizeof value);
      return value;
    }
  };

  // By hash, when the first one is asked for: a run that is not reused needs no such index.
  Status index_answers();

  Database database_;
  std::array<std::optional<Statement>, 2> effects_of_;  // without and with requests
  std::optional<Statement> outcomes_;
  std::optional<Statement> by_row_;
  std::unordered_multimap<Digest, std::int64_t, DigestHash> answers_;
};

}  // namespace assay
