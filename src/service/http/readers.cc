#include "service/http/readers.h"

#include <utility>

namespace assay {

Readers::Readers(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { read(); });
}

Readers::~Readers() {
  stop();
}

void Readers::stop() {
  {
    const std::lock_guard guard(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool Readers::post(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    if (closing_ || waiting_.size() >= kMostWaiting) return false;
    waiting_.push_back(std::move(work));
  }
  wake_.notify_one();
  return true;
}

void Readers::read() {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock guard(mutex_);
      wake_.wait(guard, [this] { return closing_ || !waiting_.empty(); });
      if (closing_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      work();
    } catch (...) {
      continue;  // what was read is lost with it, and whoever waits for an answer sees it break off
    }
  }
}

}  // namespace assay
