// One event loop of the gateway's, with models and connections of its own. Cases live on branches, and what
// they ask of models and services is sent and read there, so that every core has its share of the work.
// Limits, budget, circuits and retries are not a branch's: they belong to the gateway, at home.
#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "models/models.h"
#include "net/event_loop.h"

namespace assay {

class Branch {
 public:
  // The home branch: on a loop that somebody else runs, and that must outlive it.
  Branch(EventLoop& loop, std::unique_ptr<Models> models) : loop_(&loop), models_(std::move(models)) {}
  // Another one, with a thread of its own. `make` gives the models for its loop.
  template <class Make>
  explicit Branch(const Make& make) : own_(std::make_unique<EventLoop>()), loop_(own_.get()) {
    models_ = make(*loop_);
    thread_ = std::thread([this] { loop_->run(); });
  }
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;
  // What still runs there is dropped.
  ~Branch() {
    if (!thread_.joinable()) return;
    loop_->stop();
    thread_.join();
  }

  EventLoop& loop() { return *loop_; }
  Models& models() { return *models_; }

 private:
  std::unique_ptr<EventLoop> own_;
  EventLoop* loop_;
  std::unique_ptr<Models> models_;
  std::thread thread_;  // last: it uses what is above
};

}  // namespace assay
