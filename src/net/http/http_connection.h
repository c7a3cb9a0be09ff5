// One connection of the HTTP server: reads requests, has each admitted before its body is read, hands it to
// the handler, sends the answer, and waits for the next. Belongs to one worker and lives on its thread, so
// nothing of it needs a lock.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "net/http/http_server.h"

namespace boost::asio {
class io_context;
}

namespace assay {

// What all workers know of their server.
struct ServerCommon {
  HttpServerOptions options{};
  HttpServer::Handler handler{};
  std::atomic<std::size_t> open{0};
  std::atomic<std::uint64_t> accepted{0};
  // Bytes of bodies, from their first byte to the end of their answer, and of long answers.
  std::atomic<std::size_t> buffered{0};
  std::atomic<bool> refusing{false};       // the server takes no more requests
  std::atomic<std::size_t> winding_up{0};  // workers that have not told their connections yet
  std::mutex mutex{};
  std::condition_variable fewer{};  // connections or workers that wind up

  void one_less(std::atomic<std::size_t>& count) {
    const std::lock_guard guard(mutex);
    --count;
    fewer.notify_all();
  }
};

class Connection;

// What a connection knows of the worker that it belongs to. Deadlines are counted in the worker's ticks.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual boost::asio::io_context& context() = 0;
  virtual ServerCommon& common() = 0;
  virtual const std::string& date() const = 0;
  virtual std::uint64_t deadline(std::chrono::nanoseconds delay) const = 0;
  virtual void forget(const std::shared_ptr<Connection>& connection) = 0;
};

class Connection {
 public:
  enum class Family { ipv4, ipv6 };
  // Owns the socket.
  static std::shared_ptr<Connection> make(const std::shared_ptr<ConnectionOwner>& owner, int socket,
                                          Family family);
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual bool overdue(std::uint64_t tick) const = 0;
  virtual void time_out() = 0;
  // The server takes no more requests: what is not complete is answered 503, what is under way goes on, and
  // then the connection closes.
  virtual void wind_up() = 0;
};

// How long a refused peer may go on sending before it must have read why.
constexpr std::chrono::nanoseconds kLingerTime = std::chrono::seconds(2);

}  // namespace assay
