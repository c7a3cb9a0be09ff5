// Threads that read runs for the routes, whose own threads must not wait for a disk. What waits is bounded:
// beyond it a request is told to come again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay {

class Readers {
 public:
  explicit Readers(int threads);
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;
  ~Readers();

  // False if too much waits, or after stop(). What throws ends itself alone.
  bool post(std::function<void()> work);
  // Ends what is being read, and forgets what waits.
  void stop();

 private:
  static constexpr std::size_t kMostWaiting = 256;
  void read();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool closing_ = false;
  std::vector<std::thread> threads_;  // last: they use everything above
};

}  // namespace assay
