// The cases of a run on their way, in input order, into figures and files. They are taken as their outcomes
// are there, so that a run that is still asking can be collected beside it (beside.h); what is known only
// when a run has ended comes with its end.
//
//   auto collection = Collection::begin(request);
//   co_await (*collection)->take_below(512);            as often as there is something to take
//   co_await (*collection)->take_rest(ending);          whatever is left: the store is not needed any more
//   auto collected = (*collection)->finish();            figures and files
//
// Files are invisible until finish(): destroyed before, it leaves no trace. Belongs to one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/problem.h"
#include "core/task.h"
#include "evaluations/early_stop.h"
#include "evaluations/evaluation.h"
#include "report/gates.h"
#include "report/summary.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {

// Problems are all counted, and the first thousand kept.
struct ProblemList {
  static constexpr std::size_t kKept = 1000;
  std::vector<Problem> first;
  std::int64_t count = 0;
  std::int64_t errors = 0;
  void add(Problem problem);
};

struct RunHeader {
  std::string evaluation;
  std::string what;
  std::string run_id;
  std::string started;
  std::string command;
  std::string config_yaml;
  std::vector<std::pair<std::string, std::string>> about;
};

// Invalid lines end a collection with an error of kind data unless they are to be skipped.
enum class InvalidLines { refuse, skip };

// What is known when the run begins. The evaluation and the store outlive the collection.
struct CollectRequest {
  const Evaluation& evaluation;
  RunHeader header = {};
  std::string directory = {};  // empty: no files are written
  RunStore* store = nullptr;   // null: nothing was asked outside, and cases are scored as they stand
  std::vector<Gate> gates = {};
  InvalidLines invalid_lines = InvalidLines::refuse;
  // Hears every line of results.jsonl, also where no files are written.
  std::function<void(std::string_view line)> hear_line = {};
};

// What a case without outcome is: a failure, left out by design, or one that the run has not come to.
enum class NotTaken { errored, skipped, open };

// What is known when it has ended.
struct RunEnding {
  std::optional<RunTotals> totals = {};
  NotTaken not_taken = NotTaken::errored;
  std::string not_evaluated = {};         // why, if errored
  const EarlyStop* early_stop = nullptr;  // if the run was allowed to stop early
  std::vector<Problem> warnings = {};     // of the run itself, for problems.log
  // How long the run has worked: up to `since`, and from then on.
  double worked_seconds = 0;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
};

struct Collected {
  ReportInput report;
  FileHashes files;  // that were written
};

class Collection {
 public:
  static Result<std::unique_ptr<Collection>> begin(CollectRequest request);
  ~Collection();
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  // The cases with an index below `end`, each of which has its last outcome in the store. Problems wait for
  // the warnings of the run, which come before them; too many of them are a failure.
  Task<Status> take_below(std::int64_t end);
  // All that are left. Those without an outcome are what the ending says.
  Task<Status> take_rest(RunEnding ending);
  // Of the run and of its cases; complete once all are taken.
  const ProblemList& problems() const;
  // Writes the run's files: each whole, one after the other, none if anything fails. Once.
  Result<Collected> finish();

 private:
  class Fold;
  explicit Collection(std::unique_ptr<Fold> fold);
  std::unique_ptr<Fold> fold_;
};

}  // namespace assay
