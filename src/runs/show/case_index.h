// The cases of a run as columns in memory, so that a page of them, filtered, sorted and searched, is found
// without reading the run again: some 150 bytes a case. Of a run that is under way it is as of when it was
// made.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "report/cases/case_view.h"

namespace assay {

struct CaseQuery {
  std::string outcome = {};  // as glances say it (CaseGlance::ended); empty: any
  bool failed = false;       // those only that failed or did not pass
  // In any case of ASCII: anywhere in its line of results.jsonl; of a run that is not finished in its id, its
  // text and its error.
  std::string search = {};
  // Traits that it must have (CaseGlance::traits): {"area", "permits"}; an empty name: any trait of that
  // value.
  std::vector<std::pair<std::string, std::string>> traits = {};
  std::string metric = {};  // a score that must lie between …
  std::optional<double> above = {};
  std::optional<double> below = {};
  std::string sort = {};  // "", "id", "outcome", "cost", "latency", or the name of a score
  bool descending = false;
  std::size_t offset = 0;
  std::size_t count = 50;

  bool same_rows(const CaseQuery& other) const;  // all but the page
};

struct CasePage {
  std::vector<CaseGlance> rows;
  std::size_t fitting = 0;
};

class CaseIndex {
 public:
  // Locks nothing and writes nothing.
  static Result<std::shared_ptr<const CaseIndex>> read(const std::string& directory);
  // Of the first rows of a finished run alone: there before all are read.
  static Result<std::shared_ptr<const CaseIndex>> read_first(const std::string& directory, std::size_t rows);

  std::size_t size() const { return ids_.size(); }
  std::int64_t not_begun() const { return not_begun_; }
  bool finished() const { return finished_; }
  const std::vector<std::string>& scores() const { return score_names_; }
  const std::map<std::string, std::int64_t>& outcomes() const { return outcomes_; }
  // What rows can be chosen by, with the values that each has: the slices that the config declares, then what
  // else tells many cases from many others. A trait of more than kMostValues is none, nor is one of which
  // most cases have a value of their own, such as ids and free texts.
  std::vector<std::pair<std::string, std::vector<std::string>>> traits() const;

  // An error of kind usage names a sort, a score or, of a finished run, a trait or its value that there is
  // not. What has no value comes last. Thread-safe.
  Result<CasePage> page(const CaseQuery& query) const;

 private:
  using Row = std::uint32_t;
  using Column = std::vector<double>;  // not a number: no value

  Status read_results(std::size_t most);
  void add(const CaseGlance& one);
  Column& column(const std::string& name);
  CaseGlance glance(Row row) const;
  Result<std::vector<Row>> rows_for(const CaseQuery& query) const;
  Result<std::vector<char>> found(const std::string& search) const;
  Status sort(std::vector<Row>& rows, const CaseQuery& query) const;
  void add_traits(const CaseGlance& one);
  Status check_traits(const CaseQuery& query) const;
  bool has_trait(Row row, const std::pair<std::string, std::string>& wanted) const;
  Status add_texts(std::vector<CaseGlance>& glances, std::span<const Row> rows) const;

  std::string directory_;
  bool finished_ = false;
  std::int64_t not_begun_ = 0;
  std::vector<std::string> ids_;
  std::vector<std::uint16_t> ended_;  // numbers of ended_names_
  std::vector<std::string> ended_names_;
  std::vector<std::string> outcome_names_;  // of the same numbers
  std::vector<char> failed_;
  Column costs_;
  Column latencies_;
  std::vector<std::string> score_names_;
  std::vector<Column> scores_;
  std::map<Row, std::string> errors_;

  // A column of numbers of `values`; 0: none.
  struct Trait {
    std::string name;
    std::vector<std::string> values;
    std::vector<std::uint8_t> column;
    bool dropped = false;  // it had too many values
  };
  static constexpr std::size_t kMostValues = 200;
  static constexpr std::size_t kMostTraits = 40;
  std::vector<Trait> traits_;
  std::vector<std::string> slices_;  // that the config declares
  // What the cases are about: of a finished run read from its lines when a page shows them.
  std::vector<std::uint64_t> places_;  // of their first bytes
  std::vector<std::string> texts_;
  std::map<std::string, std::int64_t> outcomes_;

  // The order that was asked for last: the next page is mostly of it.
  mutable std::mutex mutex_;
  mutable std::optional<CaseQuery> last_query_;
  mutable std::vector<Row> last_rows_;
};

// The indexes of the runs that were looked at last, made anew when a run has changed. Thread-safe.
class CaseIndexes {
 public:
  Result<std::shared_ptr<const CaseIndex>> of(const std::string& directory);
  // Null if it would have to be made.
  std::shared_ptr<const CaseIndex> ready(const std::string& directory);

 private:
  static constexpr std::size_t kMost = 4;

  struct Kept {
    std::string directory;
    std::string version;  // empty: it may have changed since without showing it
    std::chrono::steady_clock::time_point not_before;
    std::shared_ptr<const CaseIndex> index;
  };
  std::shared_ptr<const CaseIndex> kept(const std::string& directory, const std::string& version);

  std::mutex mutex_;
  std::vector<Kept> kept_;  // the last one used comes first
  // Who wants an index that is being made waits for it; other runs go on.
  std::array<std::mutex, 16> making_;
};

}  // namespace assay
