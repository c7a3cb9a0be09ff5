#include "service/data/retention.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "report/words.h"
#include "service/data/job_files.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kStep = 200;   // of each kind: some milliseconds of the writer's time
constexpr auto kBetweenSteps = 50ms;  // for whoever waits to write
constexpr auto kBetweenSweeps = 10min;

std::optional<std::int64_t> time_before(WallTime now, const std::optional<std::chrono::nanoseconds>& age) {
  if (!age) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>((now - *age).time_since_epoch()).count();
}

void add(Pruned& sum, Pruned step) {
  sum.items += step.items;
  sum.records += step.records;
  sum.results += step.results;
  sum.failures += step.failures;
  std::ranges::move(step.job_ids, std::back_inserter(sum.job_ids));
}

}  // namespace

KeptSince RetentionPlan::since(WallTime now) const {
  return {time_before(now, items), time_before(now, records), time_before(now, jobs)};
}

Key keep_key() {
  const auto age = [](std::string name, std::string help) {
    return Key{.name = std::move(name), .type = KeyType::duration, .help = std::move(help), .example = "90d"};
  };
  return {.name = "keep",
          .type = KeyType::object,
          .help = "How long things are kept; what is not named is kept for ever.",
          .keys = {age("records", "Results with their feedback, and failures, after they were recorded."),
                   age("jobs", "Jobs that have ended, with their snapshots and journals, after they began."),
                   age("items", "Items, after their publication.")}};
}

RetentionPlan retention_plan(const Config& config) {
  const auto age = [&](const char* key) {
    return config.has(key) ? std::optional(config.duration(key)) : std::nullopt;
  };
  return {age("keep.items"), age("keep.records"), age("keep.jobs")};
}

std::string pruned_words(const Pruned& pruned) {
  std::string words;
  const auto say = [&](const std::string& what) { words += (words.empty() ? "" : ", ") + what; };
  const auto jobs = static_cast<std::int64_t>(pruned.job_ids.size());
  if (pruned.records > 0)
    say(fmt::format("{} with {}", counted_words(pruned.records, "record", "records"),
                    counted_words(pruned.results, "verdict", "verdicts")));
  if (pruned.failures > 0) say(counted_words(pruned.failures, "failure", "failures"));
  if (pruned.items > 0) say(counted_words(pruned.items, "item", "items"));
  if (jobs > 0) say(counted_words(jobs, "job", "jobs"));
  return words;
}

Retention::Retention(RetentionPlan plan, StoreAddress address, DataStore& store, JobFiles job_files,
                     Tell tell)
    : plan_(plan),
      address_(std::move(address)),
      store_(store),
      job_files_(std::move(job_files)),
      tell_(std::move(tell)) {}

Retention::~Retention() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Retention::begin() {
  if (!plan_.empty()) thread_ = std::thread([this] { work(); });
}

Result<Pruned> Retention::due() const {
  if (plan_.empty()) return Pruned();
  return prunable(address_, plan_.since(std::chrono::system_clock::now()));
}

std::optional<Sweep> Retention::last_sweep() const {
  const std::lock_guard guard(mutex_);
  return last_;
}

bool Retention::pause(std::chrono::milliseconds time) {
  std::unique_lock guard(mutex_);
  return wake_.wait_for(guard, time, [this] { return stopping_; });
}

void Retention::work() {
  do {
    Sweep swept = sweep();
    if (!swept.problem.empty())
      tell_(fmt::format("keep: nothing more is removed for now: {}", swept.problem));
    if (const std::string words = pruned_words(swept.removed); !words.empty())
      tell_(fmt::format("keep: removed {}", words));
    const std::lock_guard guard(mutex_);
    last_ = std::move(swept);
  } while (!pause(kBetweenSweeps));
}

Sweep Retention::sweep() {
  const KeptSince since = plan_.since(std::chrono::system_clock::now());
  Sweep sweep;
  for (;;) {
    auto one = step(since);
    if (!one) sweep.problem = one.error().text();
    const bool more = one && one->more;
    if (one) {
      // The job is gone by now: if the process dies here, the next start finds its directory without one.
      for (const std::string& id : one->job_ids) job_files_.remove(id);
      add(sweep.removed, std::move(*one));
    }
    if (more && !pause(kBetweenSteps)) continue;
    sweep.ended = std::chrono::system_clock::now();
    return sweep;
  }
}

Result<Pruned> Retention::step(const KeptSince& since) {
  auto told = std::make_shared<std::promise<Result<Pruned>>>();
  auto answer = told->get_future();
  store_.prune(since, kStep, [told](Result<Pruned> pruned) { told->set_value(std::move(pruned)); });
  return answer.get();
}

}  // namespace assay
