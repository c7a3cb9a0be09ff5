#include "sim/stats.h"

#include <algorithm>
#include <charconv>

#include "sim/chance.h"

namespace assay::sim {

Stats::Flight::Flight(std::shared_ptr<Stats> stats) : stats_(std::move(stats)) {
  const std::uint64_t now = ++stats_->in_flight_;
  std::uint64_t most = stats_->most_in_flight_;
  while (most < now && !stats_->most_in_flight_.compare_exchange_weak(most, now)) {
  }
}

void Stats::Flight::land() {
  if (!landed_.exchange(true)) --stats_->in_flight_;
}

void Stats::count_answer(std::string_view route, int status) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, status).ptr;
  count_answer(route, std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void Stats::count_answer(std::string_view route, std::string_view outcome) {
  const std::lock_guard lock(mutex_);
  auto by_route = answers_.find(route);
  if (by_route == answers_.end())
    by_route = answers_.emplace(route, std::map<std::string, std::uint64_t, std::less<>>()).first;
  auto by_outcome = by_route->second.find(outcome);
  if (by_outcome == by_route->second.end()) by_outcome = by_route->second.emplace(outcome, 0).first;
  ++by_outcome->second;
}

void Stats::count_usage(const Usage& usage) {
  prompt_tokens_ += static_cast<std::uint64_t>(usage.prompt_tokens);
  completion_tokens_ += static_cast<std::uint64_t>(usage.completion_tokens);
}

void Stats::count_body(std::string_view body) {
  const std::uint64_t hash = hash_bytes(body);
  Shard& shard = bodies_[hash % bodies_.size()];
  const std::lock_guard lock(shard.mutex);
  ++shard.seen[hash];
}

Json Stats::to_json() const {
  JsonObject by_route;
  std::map<std::string, std::uint64_t> by_status;
  std::uint64_t total = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [route, outcomes] : answers_) {
      JsonObject counts;
      for (const auto& [outcome, count] : outcomes) {
        counts[outcome] = count;
        by_status[outcome] += count;
        total += count;
      }
      by_route[route] = std::move(counts);
    }
  }
  JsonObject statuses;
  for (const auto& [status, count] : by_status) statuses[status] = count;
  JsonObject faults;
  for (std::size_t i = 1; i < kFaultKinds; ++i) {
    faults[sim::to_string(static_cast<Fault>(i))] = faults_[i].load();
  }
  std::uint64_t distinct = 0;
  std::uint64_t repeated = 0;
  std::uint64_t again = 0;
  for (const Shard& shard : bodies_) {
    const std::lock_guard lock(shard.mutex);
    distinct += shard.seen.size();
    for (const auto& [hash, count] : shard.seen) {
      repeated += count > 1 ? 1U : 0U;
      again += count - 1;
    }
  }
  return JsonObject{
      {"requests",
       JsonObject{{"total", total}, {"by_route", std::move(by_route)}, {"by_status", std::move(statuses)}}},
      {"faults", std::move(faults)},
      {"tokens", JsonObject{{"prompt", prompt_tokens_.load()}, {"completion", completion_tokens_.load()}}},
      {"in_flight", JsonObject{{"now", in_flight_.load()}, {"most", most_in_flight_.load()}}},
      {"bodies", JsonObject{{"distinct", distinct}, {"repeated", repeated}, {"again", again}}}};
}

void Stats::reset() {
  {
    const std::lock_guard lock(mutex_);
    answers_.clear();
  }
  for (auto& fault : faults_) fault = 0;
  prompt_tokens_ = 0;
  completion_tokens_ = 0;
  most_in_flight_ = in_flight_.load();
  for (Shard& shard : bodies_) {
    const std::lock_guard lock(shard.mutex);
    shard.seen.clear();
  }
}

}  // namespace assay::sim
