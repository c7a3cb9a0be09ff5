// What the tests of this room share: a server under test on a free port, and a plain socket to talk to it, or
// to play a server that misbehaves.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http/http_server.h"

namespace assay {

inline std::unique_ptr<HttpServer> start_server(HttpServer::Handler handler, HttpServerOptions options = {}) {
  auto server = HttpServer::start(std::move(options), std::move(handler));
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

inline std::string url_of(const HttpServer& server, std::string_view path = "/") {
  return fmt::format("http://127.0.0.1:{}{}", server.port(), path);
}

// Blocking, with a limit on every wait, so that a broken peer fails the test instead of hanging it.
class RawSocket {
 public:
  explicit RawSocket(int fd) : fd_(fd) {}
  RawSocket(RawSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;
  ~RawSocket() { close(); }

  static RawSocket connect(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return RawSocket(fd);
  }
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  int fd() const { return fd_; }
  void send(std::string_view text) const { ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  void end_sending() const { ::shutdown(fd_, SHUT_WR); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  // Until `end` has been seen, the peer has closed, or nothing came for a while.
  std::string read_until(std::string_view end, std::chrono::milliseconds patience = kPatience) const {
    std::string text;
    char buffer[65536];
    while (end.empty() || !text.contains(end)) {
      pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return text + "[nothing more came]";
      const auto n = ::recv(fd_, buffer, sizeof buffer, 0);
      if (n < 0) return text + "[reset]";
      if (n == 0) return text + "[end]";
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }
  std::string read_all() const { return read_until(""); }

 private:
  static constexpr std::chrono::milliseconds kPatience{5000};
  int fd_;
};

// Accepts connections one after the other and hands each to `serve`, on a thread of its own.
class RawServer {
 public:
  template <class Serve>
  explicit RawServer(Serve serve) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = RawSocket::loopback(0);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd_, 16), 0);
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serve] {
      while (true) {
        const int connection = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        serve(RawSocket(connection));
      }
    });
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  std::string url(std::string_view path = "/") const {
    return fmt::format("http://127.0.0.1:{}{}", port_, path);
  }

 private:
  int fd_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace assay
