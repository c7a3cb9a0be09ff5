// The cases of a run as columns in memory, so that a page of them, filtered, sorted and searched, is found
// without reading the run again: some 100 bytes a case. Of a run that is under way it is as of when it was
// made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "report/cases/case_view.h"

namespace assay {

struct CaseQuery {
  std::string outcome = {};  // as glances say it (CaseGlance::ended); empty: any
  bool failed = false;       // those only that failed or did not pass
  std::string search = {};   // in the id or anywhere in its line of results.jsonl, in any case of ASCII
  std::string sort = {};     // "", "id", "outcome", "cost", "latency", or the name of a score
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

  std::size_t size() const { return ids_.size(); }
  std::int64_t not_begun() const { return not_begun_; }
  bool finished() const { return finished_; }
  const std::vector<std::string>& scores() const { return score_names_; }
  const std::map<std::string, std::int64_t>& outcomes() const { return outcomes_; }

  // An error of kind usage names a sort that there is not. What has no value comes last. Thread-safe.
  Result<CasePage> page(const CaseQuery& query) const;

 private:
  using Row = std::uint32_t;
  using Column = std::vector<float>;  // not a number: no value

  void add(const CaseGlance& one);
  Column& column(const std::string& name);
  CaseGlance glance(Row row) const;
  Result<std::vector<Row>> rows_for(const CaseQuery& query) const;
  Result<std::vector<char>> found(const std::string& search) const;
  Status sort(std::vector<Row>& rows, const CaseQuery& query) const;

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

 private:
  static constexpr std::size_t kMost = 4;

  struct Kept {
    std::string directory;
    std::string version;
    std::shared_ptr<const CaseIndex> index;
  };
  std::mutex mutex_;
  std::vector<Kept> kept_;  // the last one used comes first
};

}  // namespace assay
