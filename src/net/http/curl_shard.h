// One libcurl multi handle driven by the event loop. libcurl says which sockets and which deadline it waits
// for; the loop calls it back. Nothing of the outside is called while libcurl is on the stack, except the
// callbacks of the transfers themselves: finished transfers are reported after libcurl has returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <curl/curl.h>

#include "net/event_loop.h"

namespace assay {

class CurlShard;

// The sockets of all shards as the event loop knows them. One that libcurl keeps for reuse stays registered,
// so a request on a kept connection needs no epoll_ctl at all.
class CurlSockets {
 public:
  explicit CurlSockets(EventLoop& loop) : loop_(loop) {}
  ~CurlSockets();
  CurlSockets(const CurlSockets&) = delete;
  CurlSockets& operator=(const CurlSockets&) = delete;

  // CURLOPT_OPENSOCKETFUNCTION and CURLOPT_CLOSESOCKETFUNCTION; `self` is the CurlSockets.
  static curl_socket_t open(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int close(void* self, curl_socket_t fd);
  // `events` is what libcurl waits for now; 0: nothing.
  void want(int fd, std::uint32_t events, CurlShard& shard);

 private:
  struct Socket {
    std::uint32_t wanted = 0;   // by libcurl; 0: unused, perhaps kept for reuse
    std::uint32_t watched = 0;  // by the loop; 0: not at all
    std::uint64_t cookie = 0;   // the kernel's name of it, if made by open(); 0: libcurl's own
    bool proven = false;        // has served a request, so that its end will be told to close()
  };
  Socket& at(int fd);
  bool still_open(int fd) const;
  void ready(int fd, std::uint32_t events, CurlShard& shard);
  void forget(int fd);

  EventLoop& loop_;
  std::vector<Socket> sockets_;
};

class CurlShardOwner {
 public:
  virtual ~CurlShardOwner() = default;
  // Called before libcurl, released after everything that follows from the call: the owner may be let go by
  // what it calls.
  virtual std::shared_ptr<void> keep_alive() = 0;
  // A transfer has ended and is out of the shard.
  virtual void done(CURL* easy, CURLcode code) = 0;
  // After libcurl has returned and all that ended has been reported.
  virtual void settled() = 0;
};

class CurlShard {
 public:
  // `calls_inside` counts the calls into libcurl on the stack, over all shards of an owner.
  CurlShard(EventLoop& loop, CurlSockets& sockets, CurlShardOwner& owner, int& calls_inside,
            std::size_t connections);
  ~CurlShard();  // all transfers have been removed
  CurlShard(const CurlShard&) = delete;
  CurlShard& operator=(const CurlShard&) = delete;

  // Neither may be called while libcurl is on the stack.
  CURLMcode add(CURL* easy);
  void remove(CURL* easy);
  std::size_t size() const { return size_; }

  void socket_ready(int fd, int events) { drive(fd, events); }

 private:
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* socket_data);
  static int on_timer(CURLM* multi, long milliseconds, void* self);

  void drive(curl_socket_t fd, int events);
  void collect();
  void set_due(Clock::time_point due);
  void timer_fired();

  EventLoop& loop_;
  CurlSockets& sockets_;
  CurlShardOwner& owner_;
  int& calls_inside_;
  CURLM* multi_;
  std::size_t size_ = 0;
  // libcurl's deadline, and the loop's timer for it. The timer is left alone when the deadline moves back,
  // which it does all the time: too early a call costs less than a new timer for each request.
  Clock::time_point due_ = Clock::time_point::max();
  Clock::time_point timer_at_ = Clock::time_point::max();
  EventLoop::TimerId timer_ = 0;
};

}  // namespace assay
