#include "runs/catalogue/catalogue.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/file.h"
#include "report/metric_names.h"
#include "runs/seal.h"
#include "runs/show/listed_cases.h"
#include "runs/show/run_version.h"
#include "store/run_store.h"

namespace assay {
namespace {

// A run that is slow to read is read at most this share of the time.
constexpr int kReadShare = 10;
// The rate is that of the last minute.
constexpr auto kWindow = std::chrono::seconds(60);
constexpr auto kShortest = std::chrono::milliseconds(300);

// "custom:2026-11-18T10-00-00" below the results; of a run that was named itself, its own name.
std::string id_of(const std::string& results, const std::string& directory) {
  std::string id = directory.size() > results.size()
                       ? directory.substr(results.size() + 1)
                       : std::filesystem::absolute(directory).lexically_normal().filename().string();
  if (id.empty()) id = "run";
  std::ranges::replace(id, '/', ':');
  return id;
}

Json headline_json(const std::optional<Metric>& figure) {
  if (!figure) return nullptr;
  Json estimate = to_json(figure->estimate);
  estimate.get_object().emplace("ci", nullptr);  // where there is none, it says so
  JsonObject json{{"name", figure->name},
                  {"estimate", std::move(estimate)},
                  {"form", form_name(figure->form)},
                  {"better", better_name(figure->better)}};
  if (figure->range) json["range"] = JsonArray{figure->range->low, figure->range->high};
  if (figure->reference) json["reference"] = *figure->reference;
  return json;
}

Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

// Each that takes cases has an equal share of the run's limits.
JsonArray workers_json(const std::vector<RunWorker>& workers) {
  const auto takes = std::ranges::count_if(workers, [](const RunWorker& one) { return one.words.empty(); });
  JsonArray list;
  for (const RunWorker& one : workers) {
    list.push_back(JsonObject{{"name", one.name},
                              {"share", one.words.empty() ? 1.0 / static_cast<double>(takes) : 0.0},
                              {"silent_seconds", one.silent_s},
                              {"why_not", one.words.empty() ? Json(nullptr) : Json(one.words)}});
  }
  return list;
}

JsonArray texts(const std::vector<std::string>& list) {
  JsonArray array;
  for (const std::string& text : list) array.emplace_back(text);
  return array;
}

}  // namespace

std::string_view state_words(const CataloguedRun& one) {
  return one.live ? std::string_view("running") : to_string(one.run.state());
}

Json to_json(const CataloguedRun& one) {
  const FoundRun& run = one.run;
  Json live = nullptr;
  if (one.live) {
    live = JsonObject{{"requests", run.requests},
                      {"tokens", run.tokens},
                      {"rate", number_or_null(one.live->rate)},
                      {"seconds_left", number_or_null(one.live->seconds_left)},
                      {"workers", workers_json(one.live->workers)}};
  }
  return JsonObject{{"id", one.id},
                    {"directory", run.directory},
                    {"resume", resume_words(run)},
                    {"evaluation", run.evaluation},
                    {"what", run.what},
                    {"models", texts(run.models)},
                    {"state", state_words(one)},
                    {"started", run.started},
                    {"finished", run.finished.empty() ? Json(nullptr) : Json(run.finished)},
                    {"done", run.done},
                    {"cases", run.cases},
                    {"errored", run.errored},
                    {"headline", headline_json(run.figure)},
                    {"gates", JsonObject{{"passed", run.passed_gates}, {"failed", run.failed_gates}}},
                    {"cost_usd", number_or_null(run.cost_usd)},
                    {"simulated", texts(run.simulated)},
                    {"live", std::move(live)}};
}

RunList::RunList(std::vector<std::shared_ptr<const CataloguedRun>> runs) : runs_(std::move(runs)) {
  std::ranges::sort(runs_, [](const auto& a, const auto& b) {
    return a->run.started != b->run.started ? a->run.started > b->run.started : a->id < b->id;
  });
  for (std::size_t i = 0; i < runs_.size(); ++i) by_id_.emplace(runs_[i]->id, i);
}

std::shared_ptr<const CataloguedRun> RunList::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : runs_[found->second];
}

RunCatalogue::RunCatalogue(const std::vector<std::string>& results, std::optional<StoreAddress> store)
    : store_(std::move(store)) {
  std::set<std::string> named;
  for (std::string directory : results) {
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    if (named.insert(directory).second) folders_.emplace_back(std::move(directory));
  }
}

std::shared_ptr<const RunList> RunCatalogue::look() {
  const std::lock_guard guard(mutex_);
  return look_at_all();
}

std::shared_ptr<const CataloguedRun> RunCatalogue::find(const std::string& id) {
  const std::lock_guard guard(mutex_);
  const auto known = last_ == nullptr ? nullptr : last_->find(id);
  if (known != nullptr && known->run.directory.empty()) return look_at_all()->find(id);
  const auto kept = known == nullptr ? kept_.end() : kept_.find(known->run.directory);
  if (kept == kept_.end() || !is_run_directory(kept->first)) return look_at_all()->find(id);
  return look_at(kept->first, id, kept->second);
}

std::shared_ptr<const RunList> RunCatalogue::look_at_all() {
  std::vector<std::shared_ptr<const CataloguedRun>> runs;
  std::map<std::string, Kept> kept;
  std::map<std::string, int> ids;
  for (RunFolders& folders : folders_) {
    for (const auto& [directory, changed] : folders.look()) {
      if (kept.contains(directory)) continue;  // one results directory inside another
      auto known = kept_.extract(directory);
      Kept& one = known.empty() ? kept[directory] : kept.insert(std::move(known)).position->second;
      std::string id = id_of(folders.results(), directory);
      if (const int number = ++ids[id]; number > 1) id += fmt::format("@{}", number);
      // Files of a sealed run are not written to; one that takes another's place shows in the folder.
      const bool same = one.sealed && changed != 0 && one.changed == changed && one.last->id == id;
      runs.push_back(same ? one.last : look_at(directory, std::move(id), one));
      if (!same) one.changed = one.current ? changed : 0;
    }
  }
  kept_ = std::move(kept);  // a run that has gone is forgotten
  add_stored(runs);
  last_ = std::make_shared<const RunList>(std::move(runs));
  return last_;
}

std::shared_ptr<const CataloguedRun> RunCatalogue::look_at(const std::string& directory, std::string id,
                                                           Kept& kept) {
  const auto now = Clock::now();
  // Before the files are looked at: who lets go of it has written them, so that a run is never seen as
  // interrupted when it has ended.
  const bool locked = RunStore::is_locked(directory);
  const RunVersion version = run_version(directory);
  const bool fresh = kept.last != nullptr && kept.version == version.text && kept.settled;
  bool reread = false;
  if (!fresh && (now >= kept.not_before || !locked)) {
    kept.version = version.text;
    kept.settled = version.settled;
    kept.run = read_run(directory);
    kept.workers =
        locked ? workers_of(directory).value_or(std::vector<RunWorker>()) : std::vector<RunWorker>();
    kept.has_results = has_results(directory);
    kept.sealed = kept.has_results && file_exists(fmt::format("{}/{}", directory, kSealFile));
    kept.not_before = Clock::now() + kReadShare * (Clock::now() - now);
    reread = true;
  }
  kept.current = fresh || (reread && version.settled);
  // Who works on a run with results holds its lock only to look at it, or has broken the seal before.
  std::optional<LiveProgress> live;
  if (!kept.has_results && locked) live = progress(kept, now);
  if (!live) kept.samples.clear();
  if (!reread && kept.last && kept.last->live == live && kept.last->id == id) return kept.last;
  kept.last =
      std::make_shared<const CataloguedRun>(CataloguedRun{std::move(id), kept.version, kept.run, live});
  return kept.last;
}

// What has ended, or was interrupted, is asked for once; a run that somebody works on each time.
void RunCatalogue::ask_store() {
  const auto now = Clock::now();
  if (!store_ || now < store_not_before_) return;
  auto found = stored_runs(*store_);
  std::map<std::string, Kept> kept;
  for (const StoredRun& one : found.value_or(std::vector<StoredRun>())) {
    auto known = stored_.extract(one.identity.run_id);
    Kept& mine = known.empty() ? kept[one.identity.run_id] : kept.insert(std::move(known)).position->second;
    const std::string version =
        fmt::format("{}{}", one.home ? "ended" : "open", one.worked_on ? "" : ", left");
    if (mine.version != version || one.worked_on) {
      const auto address = RunAddress::in(*store_, one.identity.run_id);
      mine.run = read_stored_run(one, *store_);
      mine.workers =
          one.worked_on ? workers_of(address).value_or(std::vector<RunWorker>()) : std::vector<RunWorker>();
      mine.version = version;
    }
    std::optional<LiveProgress> live;
    if (one.worked_on) live = progress(mine, now);
    const std::string shown = fmt::format("{}, {} done", version, mine.run.done);
    if (mine.last == nullptr || mine.last->version != shown || mine.last->live != live)
      mine.last =
          std::make_shared<const CataloguedRun>(CataloguedRun{one.identity.run_id, shown, mine.run, live});
  }
  // While it is away, its runs are as they were.
  if (found) stored_ = std::move(kept);
  store_not_before_ = Clock::now() + kReadShare * (Clock::now() - now);
}

void RunCatalogue::add_stored(std::vector<std::shared_ptr<const CataloguedRun>>& runs) {
  ask_store();
  std::set<std::string> here;
  for (const auto& one : runs) here.insert(one->run.run_id);
  for (const auto& [id, kept] : stored_) {
    if (!here.contains(id)) runs.push_back(kept.last);
  }
}

std::optional<LiveProgress> RunCatalogue::progress(Kept& kept, Clock::time_point now) {
  const std::int64_t done = kept.run.done;
  if (!kept.samples.empty() && kept.samples.back().done > done) kept.samples.clear();  // tried again
  // Looks in between that saw nothing new say nothing of their own; the first and the last do.
  kept.samples.push_back({now, done});
  while (kept.samples.size() > 2 && now - kept.samples[1].at > kWindow) kept.samples.pop_front();
  LiveProgress live;
  live.workers = kept.workers;
  const Sample& first = kept.samples.front();
  const std::chrono::duration<double> span = now - first.at;
  if (span >= kShortest && done > first.done)
    live.rate = static_cast<double>(done - first.done) / span.count();
  if (live.rate && kept.run.cases > done)
    live.seconds_left = static_cast<double>(kept.run.cases - done) / *live.rate;
  return live;
}

}  // namespace assay
