#include "gateway/batch_desk.h"

#include <algorithm>
#include <coroutine>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "core/later.h"
#include "core/sha256.h"

namespace assay {
namespace {

Result<HttpResponse> interrupted() {
  return fail(ErrorKind::cancelled, "interrupted");
}

constexpr std::size_t kAroundRequest = 256;  // bytes of a line beside the body, more than there can be

}  // namespace

std::string batch_item(std::int64_t case_index, std::string_view step, int attempt, std::string_view body) {
  constexpr std::size_t kLetters = 40;
  return hex(sha256(fmt::format("{}\n{}\n{}\n{}", case_index, step, attempt, body))).substr(0, kLetters);
}

std::string new_batch_mark() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

BatchDesk::BatchDesk(EventLoop& loop, BatchOptions options, BatchBook& book, std::vector<KeptBatch> kept,
                     std::function<void(Error)> broken)
    : loop_(loop), options_(options), book_(book), broken_(std::move(broken)) {
  for (KeptBatch& batch : kept) {
    Course& course = courses_.emplace_back(Course{
        .intent = std::move(batch.intent), .id = std::move(batch.id), .intended = true, .earlier = true});
    // A request that stands in two was asked again because the first had no answer.
    for (const std::string& item : course.intent.items) held_[item] = &course;
  }
}

BatchDesk::~BatchDesk() {
  for (auto& [model, tray] : trays_) loop_.cancel(tray.timer);
}

Task<Result<HttpResponse>> BatchDesk::hand_in(BatchedModel& model, std::string item, std::string body) {
  co_return co_await Later<Result<HttpResponse>>(
      [&](Done done) { receive(model, std::move(item), {std::move(body), std::move(done)}); });
}

void BatchDesk::receive(BatchedModel& model, std::string item, Order order) {
  if (stopped_) return order.done(interrupted());
  const auto held = held_.find(item);
  if (held == held_.end()) return gather(model, std::move(item), std::move(order));
  Course& course = *held->second;
  course.model = &model;
  course.waiting.insert_or_assign(std::move(item), std::move(order));
  follow(course);
}

void BatchDesk::gather(BatchedModel& model, std::string item, Order order) {
  const BatchWire& wire = model.batches();
  const std::size_t bytes = order.body.size() + kAroundRequest;
  if (Tray& tray = trays_[&model]; !tray.orders.empty() && tray.bytes + bytes > wire.most_bytes)
    send_tray(model);
  Tray& tray = trays_[&model];
  tray.last = Clock::now();
  if (tray.orders.empty()) {
    tray.first = tray.last;
    tray.timer = loop_.call_after(options_.wait / 4, [this, &model] { look_at_tray(model); });
  }
  tray.bytes += bytes;
  tray.orders.insert_or_assign(std::move(item), std::move(order));
  if (tray.orders.size() >= std::min(options_.most_requests, wire.most_requests)) send_tray(model);
}

void BatchDesk::look_at_tray(BatchedModel& model) {
  Tray& tray = trays_[&model];
  const auto now = Clock::now();
  const auto due = std::min(tray.first + options_.wait, tray.last + options_.wait / 4);
  if (now >= due) return send_tray(model);
  tray.timer = loop_.call_at(due, [this, &model] { look_at_tray(model); });
}

void BatchDesk::send_tray(BatchedModel& model) {
  Tray tray = std::exchange(trays_[&model], {});
  loop_.cancel(tray.timer);
  Course& course =
      courses_.emplace_back(Course{.intent = {.mark = new_batch_mark(), .newest = "", .items = {}}});
  course.model = &model;
  for (auto& [item, order] : tray.orders) {
    course.intent.items.push_back(item);
    held_[item] = &course;
  }
  course.waiting = std::move(tray.orders);
  follow(course);
}

void BatchDesk::follow(Course& course) {
  if (course.running) return;
  course.running = true;
  course.work.emplace(run(course));
  course.work->await_suspend(std::noop_coroutine()).resume();
}

void BatchDesk::tell_all(Course& course, const Result<HttpResponse>& answer) {
  for (auto& [item, order] : std::exchange(course.waiting, {})) order.done(answer);
}

void BatchDesk::hand_back(Course& course) {
  for (auto& [item, order] : std::exchange(course.waiting, {})) {
    held_.erase(item);
    gather(*course.model, item, std::move(order));
  }
}

void BatchDesk::let_go(Course& course) {
  course.over = true;
  for (const std::string& item : course.intent.items) {
    const auto held = held_.find(item);
    if (held != held_.end() && held->second == &course) held_.erase(held);
  }
}

void BatchDesk::hurry() {
  std::vector<BatchedModel*> models;
  for (const auto& [model, tray] : trays_) {
    if (!tray.orders.empty()) models.push_back(model);
  }
  for (BatchedModel* model : models) send_tray(*model);
}

void BatchDesk::stop() {
  stopped_ = true;
  for (auto& [model, tray] : trays_) {
    loop_.cancel(tray.timer);
    for (auto& [item, order] : tray.orders) order.done(interrupted());
  }
  trays_.clear();
  for (Course& course : courses_) tell_all(course, interrupted());
}

Task<void> BatchDesk::close() {
  if (making_ == 0) co_return;
  co_await Later<bool>([this](std::function<void(bool)> done) { closed_ = std::move(done); });
}

std::string BatchDesk::progress() const {
  std::size_t batches = 0;
  std::size_t requests = 0;
  std::int64_t done = 0;
  for (const Course& course : courses_) {
    if (!course.running || course.waiting.empty()) continue;
    ++batches;
    requests += course.intent.items.size();
    done += course.done;
  }
  if (batches == 1) return fmt::format("batch of {}: {} done", requests, done);
  if (batches > 1) return fmt::format("{} batches of {}: {} done", batches, requests, done);
  for (const auto& [model, tray] : trays_) requests += tray.orders.size();
  return requests > 0 ? fmt::format("gathering a batch: {}", requests) : std::string();
}

BatchDesk::Open BatchDesk::open() const {
  Open open;
  for (const Course& course : courses_) {
    if (course.over || course.id.empty() || course.model == nullptr) continue;
    open.ids.push_back(course.id);
    open.requests += course.intent.items.size();
  }
  return open;
}

}  // namespace assay
