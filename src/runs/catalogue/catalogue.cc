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
                      {"seconds_left", number_or_null(one.live->seconds_left)}};
  }
  return JsonObject{{"id", one.id},
                    {"directory", run.directory},
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

RunCatalogue::RunCatalogue(const std::vector<std::string>& results) {
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

std::optional<LiveProgress> RunCatalogue::progress(Kept& kept, Clock::time_point now) {
  const std::int64_t done = kept.run.done;
  if (!kept.samples.empty() && kept.samples.back().done > done) kept.samples.clear();  // tried again
  // Looks in between that saw nothing new say nothing of their own; the first and the last do.
  kept.samples.push_back({now, done});
  while (kept.samples.size() > 2 && now - kept.samples[1].at > kWindow) kept.samples.pop_front();
  LiveProgress live;
  const Sample& first = kept.samples.front();
  const std::chrono::duration<double> span = now - first.at;
  if (span >= kShortest && done > first.done)
    live.rate = static_cast<double>(done - first.done) / span.count();
  if (live.rate && kept.run.cases > done)
    live.seconds_left = static_cast<double>(kept.run.cases - done) / *live.rate;
  return live;
}

}  // namespace assay
