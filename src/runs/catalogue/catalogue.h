// The runs of several results directories and of a store on PostgreSQL, each under an id that names it in
// addresses. One whose directory is here is listed with that; of the others the store is asked. What was read
// of a run is kept, and read again when the run has been written to, so that a thousand of them are listed in
// milliseconds. Whether somebody works on a run now is asked of its lock, whichever process has it; how fast
// it goes follows from the looks before.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "runs/catalogue/run_folders.h"
#include "runs/list.h"
#include "store/postgres/stored_runs.h"

namespace assay {

// What a run that is worked on does.
struct LiveProgress {
  std::optional<double> rate;  // cases a second; nothing: not yet known
  std::optional<double> seconds_left;
  std::vector<RunWorker> workers;  // on any machine; none if the process that has the run does all of it
  bool operator==(const LiveProgress&) const = default;
};

struct CataloguedRun {
  std::string id;       // "custom:2026-11-18T10-00-00"
  std::string version;  // changes whenever the run has been written to
  FoundRun run;
  std::optional<LiveProgress> live;  // if somebody works on it now
};

// "running" or the words of RunState.
std::string_view state_words(const CataloguedRun& one);

Json to_json(const CataloguedRun& one);

// As of one look; never changes.
class RunList {
 public:
  explicit RunList(std::vector<std::shared_ptr<const CataloguedRun>> runs);
  // Newest first.
  const std::vector<std::shared_ptr<const CataloguedRun>>& runs() const { return runs_; }
  // Null if there is none.
  std::shared_ptr<const CataloguedRun> find(std::string_view id) const;

 private:
  std::vector<std::shared_ptr<const CataloguedRun>> runs_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
};

class RunCatalogue {
 public:
  // `store` is PostgreSQL, or none.
  explicit RunCatalogue(const std::vector<std::string>& results,
                        std::optional<StoreAddress> store = std::nullopt);
  // As the directories are now. Thread-safe; locks no run and writes nothing.
  std::shared_ptr<const RunList> look();
  // One run of them as it is now, without a look at the others; null if there is none.
  std::shared_ptr<const CataloguedRun> find(const std::string& id);

 private:
  using Clock = std::chrono::steady_clock;
  struct Sample {
    Clock::time_point at;
    std::int64_t done = 0;
  };
  struct Kept {
    std::string version;
    bool settled = false;            // a change would show in the version
    Clock::time_point not_before{};  // reading took long: it is read again then, if it still runs
    bool current = false;            // what was read is of the last look's version, and a change would show
    bool has_results = false;
    bool sealed = false;
    // RunFolder::changed of the last look, if what was read was current then; 0: nothing is known by it.
    std::int64_t changed = 0;
    FoundRun run;
    std::vector<RunWorker> workers;
    std::deque<Sample> samples;
    std::shared_ptr<const CataloguedRun> last;
  };
  std::shared_ptr<const RunList> look_at_all();
  std::shared_ptr<const CataloguedRun> look_at(const std::string& directory, std::string id, Kept& kept);
  // Those of the store that are not among `runs`, asked for again after some time.
  void add_stored(std::vector<std::shared_ptr<const CataloguedRun>>& runs);
  void ask_store();
  static std::optional<LiveProgress> progress(Kept& kept, Clock::time_point now);

  std::mutex mutex_;
  std::vector<RunFolders> folders_;
  std::map<std::string, Kept> kept_;  // by directory
  std::optional<StoreAddress> store_;
  std::map<std::string, Kept> stored_;  // by the run's id: what store_ said last
  Clock::time_point store_not_before_{};
  std::shared_ptr<const RunList> last_;
};

}  // namespace assay
