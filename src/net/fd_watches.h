// The functions of an event loop by file descriptor. Changes are gathered and told to the kernel before it is
// asked to wait, so several within one round cost one system call at most. An event carries the generation of
// its watch: one that belongs to an earlier owner of the same number is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <sys/epoll.h>

namespace assay {

class FdWatches {
 public:
  using Ready = std::function<void(std::uint32_t)>;

  explicit FdWatches(int epoll) : epoll_(epoll) {}

  void watch(int fd, std::uint32_t events, Ready ready);
  void set_events(int fd, std::uint32_t events);
  void unwatch(int fd);
  void forget(int fd);

  // The parts of a round, in this order.
  void tell_kernel();
  bool any_refused() const { return !refused_.empty(); }
  void dispatch(const epoll_event& event);
  // A watch whose fd the kernel refuses hears EPOLLERR, so that its owner meets the error instead of silence.
  void report_refused();
  // Destroys the functions that were replaced or taken away: they may have been running.
  void end_round();

  void clear();
  std::size_t size() const { return count_; }

 private:
  struct Watch {
    Ready ready;
    std::uint32_t events = 0;
    std::uint32_t registered = 0;  // what the kernel knows, if in_kernel
    std::uint32_t generation = 0;
    bool in_kernel = false;
    bool dirty = false;
  };

  Watch* find(int fd) const;
  std::unique_ptr<Watch> make();
  void apply(int fd, Watch& watch);

  int epoll_;
  std::vector<std::unique_ptr<Watch>> by_fd_;
  std::vector<std::unique_ptr<Watch>> retired_;
  std::vector<std::unique_ptr<Watch>> spare_;
  std::vector<int> dirty_;
  std::vector<int> refused_;
  std::uint32_t last_generation_ = 0;
  std::size_t count_ = 0;
};

}  // namespace assay
