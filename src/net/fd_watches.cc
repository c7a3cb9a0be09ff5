#include "net/fd_watches.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kSparesKept = 1024;

}  // namespace

void FdWatches::watch(int fd, std::uint32_t events, Ready ready) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= by_fd_.size()) by_fd_.resize(std::max(index + 1, by_fd_.size() * 2));
  auto& place = by_fd_[index];
  std::unique_ptr<Watch> fresh = make();
  if (place) {
    fresh->in_kernel = place->in_kernel;
    fresh->registered = place->registered;
    fresh->generation = place->generation;
    retired_.push_back(std::move(place));
  } else {
    fresh->generation = ++last_generation_;
    ++count_;
  }
  fresh->ready = std::move(ready);
  place = std::move(fresh);
  set_events(fd, events);
}

void FdWatches::set_events(int fd, std::uint32_t events) {
  Watch* watch = find(fd);
  if (!watch) return;
  watch->events = events;
  if (!std::exchange(watch->dirty, true)) dirty_.push_back(fd);
}

void FdWatches::unwatch(int fd) {
  Watch* watch = find(fd);
  if (!watch) return;
  if (watch->in_kernel) ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  forget(fd);
}

void FdWatches::forget(int fd) {
  if (!find(fd)) return;
  retired_.push_back(std::move(by_fd_[static_cast<std::size_t>(fd)]));
  --count_;
}

void FdWatches::tell_kernel() {
  for (const int fd : dirty_) {
    Watch* watch = find(fd);
    if (watch && std::exchange(watch->dirty, false)) apply(fd, *watch);
  }
  dirty_.clear();
}

void FdWatches::apply(int fd, Watch& watch) {
  if (watch.in_kernel && watch.registered == watch.events) return;
  if (watch.events == 0) {
    if (watch.in_kernel) ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    watch.in_kernel = false;
    return;
  }
  epoll_event event{};
  event.events = watch.events;
  event.data.u64 = (std::uint64_t{watch.generation} << 32) | static_cast<std::uint32_t>(fd);
  int result = ::epoll_ctl(epoll_, watch.in_kernel ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
  if (result != 0 && errno == ENOENT) result = ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  if (result != 0 && errno == EEXIST) result = ::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
  watch.in_kernel = result == 0;
  watch.registered = watch.events;
  if (result != 0) refused_.push_back(fd);
}

void FdWatches::dispatch(const epoll_event& event) {
  const auto fd = static_cast<int>(event.data.u64 & 0xffffffffU);
  Watch* watch = find(fd);
  if (!watch || watch->events == 0) return;
  if (watch->generation != static_cast<std::uint32_t>(event.data.u64 >> 32)) return;
  const std::uint32_t events = event.events & (watch->events | EPOLLERR | EPOLLHUP);
  if (events != 0) watch->ready(events);
}

void FdWatches::report_refused() {
  for (const int fd : std::exchange(refused_, {})) {
    if (Watch* watch = find(fd)) watch->ready(EPOLLERR);
  }
}

void FdWatches::end_round() {
  // What a function holds may take away more watches when it is destroyed.
  for (std::size_t i = 0; i < retired_.size(); ++i) {
    auto watch = std::move(retired_[i]);
    watch->ready = nullptr;
    if (spare_.size() < kSparesKept) spare_.push_back(std::move(watch));
  }
  retired_.clear();
}

void FdWatches::clear() {
  count_ = 0;
  const auto dying = std::exchange(by_fd_, {});
  const auto retired = std::exchange(retired_, {});
}

FdWatches::Watch* FdWatches::find(int fd) const {
  const auto index = static_cast<std::size_t>(fd);
  return fd >= 0 && index < by_fd_.size() ? by_fd_[index].get() : nullptr;
}

std::unique_ptr<FdWatches::Watch> FdWatches::make() {
  if (spare_.empty()) return std::make_unique<Watch>();
  auto watch = std::move(spare_.back());
  spare_.pop_back();
  *watch = Watch{};
  return watch;
}

}  // namespace assay
