#include "service/data/retention.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "evaluations/persona/persona.h"
#include "report/words.h"

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

bool is_job_directory(const std::string& directory) {
  const std::string name = std::filesystem::path(directory).filename().string();
  return name.size() == persona::context_id("", "").size() &&
         name.find_first_not_of("0123456789abcdef-") == std::string::npos &&
         file_exists(directory + "/items.jsonl");
}

Retention::Retention(RetentionPlan plan, DataStore& store, std::string jobs_directory, Tell tell)
    : plan_(plan),
      store_(store),
      jobs_directory_(std::move(jobs_directory)),
      tell_(std::move(tell)),
      thread_([this] { work(); }) {}

Retention::~Retention() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool Retention::pause(std::chrono::milliseconds time) {
  std::unique_lock guard(mutex_);
  return wake_.wait_for(guard, time, [this] { return stopping_; });
}

void Retention::work() {
  do {
    const auto swept = sweep();
    if (!swept) {
      tell_(fmt::format("keep: nothing more is removed for now: {}", swept.error().text()));
    } else if (const std::string words = pruned_words(*swept); !words.empty()) {
      tell_(fmt::format("keep: removed {}", words));
    }
  } while (!pause(kBetweenSweeps));
}

Result<Pruned> Retention::sweep() {
  const KeptSince since = plan_.since(std::chrono::system_clock::now());
  Pruned sum;
  for (;;) {
    auto one = step(since);
    if (!one) return one;
    const bool more = one->more;
    // The job is gone by now: if the process dies here, the next start finds its directory without one.
    for (const std::string& id : one->job_ids) {
      const std::string directory = jobs_directory_ + "/" + id;
      std::error_code ignored;
      if (is_job_directory(directory)) std::filesystem::remove_all(directory, ignored);
    }
    add(sum, std::move(*one));
    if (!more || pause(kBetweenSteps)) return sum;
  }
}

Result<Pruned> Retention::step(const KeptSince& since) {
  auto told = std::make_shared<std::promise<Result<Pruned>>>();
  auto answer = told->get_future();
  store_.prune(since, kStep, [told](Result<Pruned> pruned) { told->set_value(std::move(pruned)); });
  return answer.get();
}

}  // namespace assay
