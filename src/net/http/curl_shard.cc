#include "net/http/curl_shard.h"

#include <algorithm>
#include <new>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace assay {
namespace {

// Unique for each socket since the system's start, while numbers are given out again at once. 0: not a
// socket.
std::uint64_t cookie_of(int fd) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  return ::getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

}  // namespace

CurlSockets::~CurlSockets() {
  for (std::size_t fd = 0; fd < sockets_.size(); ++fd) forget(static_cast<int>(fd));
}

CurlSockets::Socket& CurlSockets::at(int fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= sockets_.size()) sockets_.resize(std::max(index + 1, sockets_.size() * 2));
  return sockets_[index];
}

curl_socket_t CurlSockets::open(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  const int fd =
      ::socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address->protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  static_cast<CurlSockets*>(self)->at(fd) = Socket{.cookie = cookie_of(fd)};
  return fd;
}

int CurlSockets::close(void* self, curl_socket_t fd) {
  static_cast<CurlSockets*>(self)->forget(fd);
  return ::close(fd);
}

void CurlSockets::forget(int fd) {
  Socket& socket = at(fd);
  if (socket.watched != 0) {
    if (still_open(fd)) {
      loop_.unwatch(fd);
    } else {
      loop_.forget(fd);
    }
  }
  socket = Socket{};
}

bool CurlSockets::still_open(int fd) const {
  const Socket& socket = sockets_[static_cast<std::size_t>(fd)];
  return socket.cookie == 0 || socket.proven || cookie_of(fd) == socket.cookie;
}

void CurlSockets::want(int fd, std::uint32_t events, CurlShard& shard) {
  Socket& socket = at(fd);
  socket.wanted = events;
  if (events == 0) {
    // libcurl's own sockets (of its resolver threads) and those that were still connecting are closed without
    // a word to us; by now the number may be another thread's.
    if (socket.cookie == 0 || !still_open(fd)) return forget(fd);
    socket.proven = true;
    // Readable is what a kept connection is not, unless the server ends it.
    if (socket.watched == 0) return;
    events = EPOLLIN;
  }
  if (socket.watched == events) return;
  if (socket.watched == 0) {
    loop_.watch(fd, events, [this, fd, &shard](std::uint32_t happened) { ready(fd, happened, shard); });
  } else {
    loop_.set_events(fd, events);
  }
  socket.watched = events;
}

void CurlSockets::ready(int fd, std::uint32_t events, CurlShard& shard) {
  Socket& socket = at(fd);
  if (socket.wanted == 0) {
    // The server has closed a kept connection. libcurl finds out when it wants to use it again.
    loop_.unwatch(fd);
    socket.watched = 0;
    return;
  }
  // An error is reported as readiness: libcurl then meets the true cause in its own call.
  const bool failed = (events & (EPOLLERR | EPOLLHUP)) != 0;
  int bits = 0;
  if ((events & EPOLLIN) != 0 || (failed && (socket.wanted & EPOLLIN) != 0)) bits |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0 || (failed && (socket.wanted & EPOLLOUT) != 0)) bits |= CURL_CSELECT_OUT;
  shard.socket_ready(fd, bits);
}

CurlShard::CurlShard(EventLoop& loop, CurlSockets& sockets, CurlShardOwner& owner, int& calls_inside,
                     std::size_t connections)
    : loop_(loop), sockets_(sockets), owner_(owner), calls_inside_(calls_inside), multi_(curl_multi_init()) {
  if (!multi_) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlShard::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlShard::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(connections));
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(connections));
}

CurlShard::~CurlShard() {
  ++calls_inside_;
  curl_multi_cleanup(multi_);
  --calls_inside_;
  loop_.cancel(timer_);
}

CURLMcode CurlShard::add(CURL* easy) {
  ++calls_inside_;
  const CURLMcode code = curl_multi_add_handle(multi_, easy);
  --calls_inside_;
  if (code == CURLM_OK) ++size_;
  return code;
}

void CurlShard::remove(CURL* easy) {
  ++calls_inside_;
  curl_multi_remove_handle(multi_, easy);
  --calls_inside_;
  --size_;
}

int CurlShard::on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* self, void* /*socket_data*/) {
  auto& shard = *static_cast<CurlShard*>(self);
  std::uint32_t events = 0;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) events |= EPOLLIN;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) events |= EPOLLOUT;
  shard.sockets_.want(fd, events, shard);
  return 0;
}

int CurlShard::on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
  auto& shard = *static_cast<CurlShard*>(self);
  if (milliseconds < 0) {
    shard.due_ = Clock::time_point::max();
  } else {
    // libcurl rounds down; a call before its time would do nothing and not be asked for again.
    shard.set_due(Clock::now() + std::chrono::milliseconds(milliseconds == 0 ? 0 : milliseconds + 1));
  }
  return 0;
}

void CurlShard::set_due(Clock::time_point due) {
  due_ = due;
  if (due_ >= timer_at_) return;
  loop_.cancel(timer_);
  timer_at_ = due_;
  timer_ = loop_.call_at(due_, [this] { timer_fired(); });
}

void CurlShard::timer_fired() {
  timer_ = 0;
  timer_at_ = Clock::time_point::max();
  if (due_ == Clock::time_point::max()) return;
  if (due_ > Clock::now()) return set_due(due_);
  due_ = Clock::time_point::max();
  drive(CURL_SOCKET_TIMEOUT, 0);
}

void CurlShard::drive(curl_socket_t fd, int events) {
  const auto alive = owner_.keep_alive();
  int running = 0;
  ++calls_inside_;
  curl_multi_socket_action(multi_, fd, events, &running);
  if (fd == CURL_SOCKET_TIMEOUT && due_ == Clock::time_point::max()) {
    // libcurl tells a deadline only when it differs from the one told before.
    long left = -1;
    if (curl_multi_timeout(multi_, &left) == CURLM_OK && left >= 0) on_timer(multi_, left, this);
  }
  --calls_inside_;
  collect();
  owner_.settled();
}

void CurlShard::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;  // the message is gone after remove()
    remove(easy);
    owner_.done(easy, code);
  }
}

}  // namespace assay
