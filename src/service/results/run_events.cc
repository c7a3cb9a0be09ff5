#include "service/results/run_events.h"

#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay {
namespace {

// Of a run whose files are as they were, only its rate and the time left have changed.
constexpr auto kBetweenRates = std::chrono::seconds(2);
constexpr auto kBetweenSigns = std::chrono::seconds(15);

std::string event_text(std::string_view event, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", event, to_text(data));
}

}  // namespace

// What one listener has not been sent yet, the newest of each run.
class RunEvents::Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(std::shared_ptr<Responder> to, std::string run, std::function<bool()> allowed)
      : to_(std::move(to)), run_(std::move(run)), allowed_(std::move(allowed)) {}

  bool there() const { return to_->open(); }
  bool allowed() const { return !allowed_ || allowed_(); }
  bool wants(const std::string& id) const { return run_.empty() || run_ == id; }
  bool wants_one() const { return !run_.empty(); }
  bool greeted() { return std::exchange(greeted_, true); }

  void add(const std::string& id, Event event) {
    const std::lock_guard guard(mutex_);
    waiting_[id] = std::move(event);
  }
  void sign() {
    const std::lock_guard guard(mutex_);
    if (waiting_.empty() && !writing_) waiting_[""] = std::make_shared<const std::string>(": here\n\n");
  }
  // Sends what waits unless something is on its way; then it follows.
  void send() {
    std::string text;
    {
      const std::lock_guard guard(mutex_);
      if (writing_ || waiting_.empty()) return;
      writing_ = true;
      for (const auto& [id, event] : waiting_) text += *event;
      waiting_.clear();
    }
    to_->write(std::move(text));
    to_->when_sent([self = shared_from_this()] {
      {
        const std::lock_guard guard(self->mutex_);
        self->writing_ = false;
      }
      self->send();
    });
  }
  void end() { to_->end_stream(); }

 private:
  std::shared_ptr<Responder> to_;
  std::string run_;
  std::function<bool()> allowed_;
  bool greeted_ = false;  // of the watching thread
  std::mutex mutex_;
  std::map<std::string, Event> waiting_;  // by run
  bool writing_ = false;
};

RunEvents::RunEvents(RunCatalogue& catalogue, std::chrono::milliseconds every)
    : catalogue_(catalogue), every_(every), thread_([this] { watch(); }) {}

RunEvents::~RunEvents() {
  stop();
  thread_.join();
}

void RunEvents::stop() {
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    const std::lock_guard guard(mutex_);
    closing_ = true;
    listeners.swap(listeners_);
  }
  wake_.notify_all();
  for (const auto& one : listeners) one->end();
}

std::size_t RunEvents::listeners() const {
  const std::lock_guard guard(mutex_);
  return listeners_.size();
}

bool RunEvents::listen(const std::shared_ptr<Responder>& responder, std::string run,
                       std::function<bool()> allowed) {
  {
    const std::lock_guard guard(mutex_);
    if (closing_ || listeners_.size() >= kMostListeners) return false;
    responder->begin_stream(
        200,
        {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}});
    responder->write(": listening\n\n");
    listeners_.push_back(std::make_shared<Listener>(responder, std::move(run), std::move(allowed)));
  }
  wake_.notify_all();
  return true;
}

void RunEvents::watch() {
  std::unique_lock guard(mutex_);
  while (!closing_) {
    std::erase_if(listeners_, [](const auto& one) {
      if (one->there() && one->allowed()) return false;
      one->end();
      return true;
    });
    if (listeners_.empty()) {
      told_.clear();
      looked_ = false;
      wake_.wait(guard, [this] { return closing_ || !listeners_.empty(); });
      continue;
    }
    const auto listeners = listeners_;
    guard.unlock();
    look(listeners);
    guard.lock();
    const std::size_t count = listeners_.size();
    wake_.wait_for(guard, every_, [&] { return closing_ || listeners_.size() > count; });
  }
}

std::map<std::string, RunEvents::Event> RunEvents::changes(const RunList& list, Clock::time_point now) {
  std::map<std::string, Event> events;
  const bool first = !std::exchange(looked_, true);
  for (const auto& run : list.runs()) {
    Told& told = told_[run->id];
    if (told.run == run) continue;
    const bool same_but_rate = told.run != nullptr && told.run->version == run->version &&
                               state_words(*told.run) == state_words(*run);
    if (same_but_rate && now - told.at < kBetweenRates) continue;
    told = {run, now};
    if (!first) events[run->id] = std::make_shared<const std::string>(event_text("run", to_json(*run)));
  }
  for (auto one = told_.begin(); one != told_.end();) {
    if (list.find(one->first) != nullptr) {
      ++one;
      continue;
    }
    events[one->first] =
        std::make_shared<const std::string>(event_text("gone", JsonObject{{"id", one->first}}));
    one = told_.erase(one);
  }
  return events;
}

void RunEvents::look(const std::vector<std::shared_ptr<Listener>>& listeners) {
  const auto now = Clock::now();
  const auto list = catalogue_.look();
  const auto events = changes(*list, now);
  const bool sign = now - last_sign_ > kBetweenSigns;
  if (sign) last_sign_ = now;
  for (const auto& listener : listeners) {
    if (!listener->greeted()) {
      for (const auto& run : list->runs()) {
        if (listener->wants(run->id) && (listener->wants_one() || run->live))
          listener->add(run->id, std::make_shared<const std::string>(event_text("run", to_json(*run))));
      }
    }
    for (const auto& [id, event] : events) {
      if (listener->wants(id)) listener->add(id, event);
    }
    if (sign) listener->sign();
    listener->send();
  }
}

}  // namespace assay
