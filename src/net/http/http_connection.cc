// A Responder may be used from anywhere: it holds worker and connection weakly and passes its calls on to the
// worker's thread. Responses are put together in a buffer that is used again, and leave in one write.
#include "net/http/http_connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <sys/socket.h>

#include "net/event_loop.h"
#include "net/http/host_name.h"
#include "net/http/request_parser.h"
#include "net/http/response_writer.h"

namespace assay {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

// A connection that waits costs little; one that sends a body is read in larger pieces.
constexpr std::size_t kFirstRead = std::size_t{4} << 10;
constexpr std::size_t kReadSize = std::size_t{16} << 10;
constexpr std::size_t kKeptCapacity = std::size_t{64} << 10;
// The buffers of a socket hold as much.
constexpr std::size_t kSmallAnswer = std::size_t{64} << 10;
// A stream whose peer does not read is cut off when so much waits.
constexpr std::size_t kMostQueued = std::size_t{64} << 20;
constexpr std::string_view kStopping = "the service is stopping";

// The reasons are our own words, without anything that JSON would have to escape.
Refusal because(int status, std::string_view reason) {
  return {status,
          {{"Content-Type", "application/json"}},
          fmt::format("{{\"message\":\"{}\",\"errors\":[]}}\n", reason)};
}

class TcpConnection final : public Connection, public std::enable_shared_from_this<TcpConnection> {
 public:
  TcpConnection(const std::shared_ptr<ConnectionOwner>& owner, tcp::socket socket)
      : owner_(*owner), weak_owner_(owner), socket_(std::move(socket)) {
    error_code ignored;
    ignored = socket_.set_option(tcp::no_delay(true), ignored);
    if (const auto peer = socket_.remote_endpoint(ignored); !ignored) remote_ = peer.address().to_string();
    if (const auto own = socket_.local_endpoint(ignored); !ignored)
      local_ = plain_host(own.address().to_string());
  }
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;
  ~TcpConnection() override { release_body(); }

  void start() override {
    deadline_ = owner_.deadline(options().header_timeout);
    begin_request();
  }
  bool overdue(std::uint64_t tick) const override { return deadline_ != 0 && tick >= deadline_; }
  void time_out() override;
  void wind_up() override;
  void close();

  bool answers(std::uint64_t request) const {
    return request == request_number_ && phase_ == Phase::answering;
  }
  // The answer to the current request; see Responder.
  void send(int status, const Headers& headers, std::string body, std::optional<std::size_t> announced);
  void begin_stream(int status, const Headers& headers);
  void write_chunk(std::string_view chunk);
  void when_sent(std::function<void()> work);
  void end_stream();
  void break_off();
  void reset();

 private:
  enum class Phase { waiting, reading, answering, lingering, closed };

  const HttpServerOptions& options() const { return owner_.common().options; }
  // A callback that keeps the connection alive. What goes wrong in it ends this connection and no other.
  template <class Work>
  auto guarded(Work work) {
    return [self = shared_from_this(), work = std::move(work)](const error_code& error, auto... count) {
      if (self->phase_ == Phase::closed) return;
      try {
        work(*self, error, count...);
      } catch (...) {
        self->close();
      }
    };
  }

  void begin_request();
  asio::mutable_buffer room_for_more();
  void read_some();
  void parse();
  bool admit();
  bool hold_body();
  bool hold_answer(std::size_t size);
  void release_body();
  void begin_answer();
  void handle_request();
  void refuse(Refusal refusal);
  void watch_peer();
  void flush();
  void write_some();
  void written();
  void answer_done();
  void linger();

  ConnectionOwner& owner_;
  std::weak_ptr<ConnectionOwner> weak_owner_;
  tcp::socket socket_;
  std::string remote_;
  std::string local_;
  // Received and not yet parsed: from `in_begin_` to `in_end_`.
  std::vector<char> in_;
  std::size_t in_begin_ = 0;
  std::size_t in_end_ = 0;
  RequestParser parser_{options().max_body};
  Phase phase_ = Phase::waiting;
  std::uint64_t deadline_ = 0;  // in ticks; 0: none
  std::uint64_t request_number_ = 0;
  std::size_t held_ = 0;  // its part of ServerCommon::buffered; of the request and its answer
  bool watching_peer_ = false;
  bool refused_ = false;

  ResponseWriter answer_;
  // Being written; `sent_` bytes of both together are gone.
  std::string out_;
  std::string body_;
  std::size_t sent_ = 0;
  bool writing_ = false;
  std::function<void()> when_sent_;  // of the stream under way; may be empty
};

class Answer final : public Responder {
 public:
  Answer(std::weak_ptr<ConnectionOwner> owner, std::weak_ptr<TcpConnection> connection, std::uint64_t request)
      : owner_(std::move(owner)), connection_(std::move(connection)), request_(request) {}
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  ~Answer() override {
    if (stage_ != Stage::done) reach([](TcpConnection& connection) { connection.break_off(); });
  }

  void send(int status, Headers headers, std::string body) override {
    if (!advance(Stage::none, Stage::done)) return;
    reach([status, headers = std::move(headers), body = std::move(body)](TcpConnection& connection) mutable {
      connection.send(status, headers, std::move(body), std::nullopt);
    });
  }
  void send_truncated(int status, Headers headers, std::string body, std::size_t announced) override {
    if (!advance(Stage::none, Stage::done)) return;
    reach([=, headers = std::move(headers), body = std::move(body)](TcpConnection& connection) mutable {
      connection.send(status, headers, std::move(body), announced);
    });
  }
  void begin_stream(int status, Headers headers) override {
    if (!advance(Stage::none, Stage::streaming)) return;
    reach([status, headers = std::move(headers)](TcpConnection& connection) {
      connection.begin_stream(status, headers);
    });
  }
  void write(std::string chunk) override {
    if (stage_ != Stage::streaming) return;
    reach([chunk = std::move(chunk)](TcpConnection& connection) { connection.write_chunk(chunk); });
  }
  void when_sent(std::function<void()> work) override {
    if (stage_ != Stage::streaming) return;
    reach([work = std::move(work)](TcpConnection& connection) mutable {
      connection.when_sent(std::move(work));
    });
  }
  void end_stream() override {
    if (advance(Stage::streaming, Stage::done))
      reach([](TcpConnection& connection) { connection.end_stream(); });
  }
  bool open() const override { return stage_ != Stage::done && !connection_.expired(); }
  void drop() override {
    if (stage_.exchange(Stage::done) != Stage::done)
      reach([](TcpConnection& connection) { connection.reset(); });
  }
  void after(std::chrono::nanoseconds delay, std::function<void()> work) override {
    const auto owner = owner_.lock();
    if (!owner) return;
    auto timer = std::make_shared<asio::steady_timer>(owner->context(), EventLoop::after(delay));
    auto& waits = *timer;
    waits.async_wait([timer = std::move(timer), work = std::move(work)](const error_code& error) {
      if (!error) work();
    });
  }

 private:
  enum class Stage { none, streaming, done };

  bool advance(Stage from, Stage to) { return stage_.compare_exchange_strong(from, to); }

  // Calls `work` on the connection's thread, at once if this is it, unless the request is over.
  template <class Work>
  void reach(Work work) {
    const auto owner = owner_.lock();
    if (!owner) return;
    auto connection = connection_.lock();
    if (!connection) return;
    asio::dispatch(owner->context(), [connection = std::move(connection), request = request_,
                                      work = std::move(work)]() mutable {
      if (connection->answers(request)) work(*connection);
    });
  }

  std::weak_ptr<ConnectionOwner> owner_;
  std::weak_ptr<TcpConnection> connection_;
  std::uint64_t request_;
  std::atomic<Stage> stage_{Stage::none};
};

void TcpConnection::begin_request() {
  phase_ = Phase::waiting;
  if (in_begin_ == in_end_) {
    in_begin_ = in_end_ = 0;
    if (in_.size() > kFirstRead) in_ = std::vector<char>();
    return read_some();
  }
  phase_ = Phase::reading;
  parse();
}

asio::mutable_buffer TcpConnection::room_for_more() {
  if (in_begin_ > 0) {
    std::copy(in_.begin() + static_cast<std::ptrdiff_t>(in_begin_),
              in_.begin() + static_cast<std::ptrdiff_t>(in_end_), in_.begin());
    in_end_ -= std::exchange(in_begin_, 0);
  }
  const std::size_t size = phase_ == Phase::waiting ? kFirstRead : kReadSize;
  if (in_.size() < in_end_ + size) in_.resize(in_end_ + size);
  return {in_.data() + in_end_, size};
}

void TcpConnection::read_some() {
  socket_.async_read_some(
      room_for_more(), guarded([](TcpConnection& self, const error_code& error, std::size_t count) {
        if (self.phase_ != Phase::waiting && self.phase_ != Phase::reading) return;
        if (error) {
          // Told to wind up: what has come in the meantime is read, and answered.
          error_code ignored;
          const bool more = error == asio::error::operation_aborted && self.socket_.available(ignored) > 0;
          return more ? self.read_some() : self.close();
        }
        self.in_end_ += count;
        if (std::exchange(self.phase_, Phase::reading) == Phase::waiting && self.request_number_ > 0)
          self.deadline_ = self.owner_.deadline(self.options().header_timeout);
        self.parse();
      }));
}

void TcpConnection::parse() {
  while (true) {
    std::size_t used = 0;
    const auto state = parser_.feed({in_.data() + in_begin_, in_end_ - in_begin_}, used);
    in_begin_ += used;
    if (!hold_body()) {
      Refusal busy = because(503, "too much is being sent at once; try again");
      busy.headers.add("Retry-After", "1");
      return refuse(std::move(busy));
    }
    switch (state) {
      case RequestParser::State::needs_more:
        return read_some();
      case RequestParser::State::head:
        if (!admit()) return;
        break;
      case RequestParser::State::done:
        return handle_request();
      case RequestParser::State::refused:
        return refuse(because(parser_.status(), parser_.reason()));
    }
  }
}

// Before anything of the body is read. False: it has been answered.
bool TcpConnection::admit() {
  ServerRequest& head = parser_.request();
  head.remote = remote_;
  head.local = local_;
  std::optional<Refusal> refusal;
  if (owner_.common().refusing) {
    refusal = because(503, kStopping);
  } else if (options().admit) {
    try {
      refusal = options().admit(head);
    } catch (const std::exception&) {
      refusal = because(500, "internal error");
    }
  }
  if (!refusal) {
    if (parser_.expects_continue() && in_begin_ == in_end_) {
      answer_.say_continue();
      flush();
    }
    return true;
  }
  if (parser_.has_body()) {
    refuse(std::move(*refusal));
  } else {
    begin_answer();
    parser_.take();
    send(refusal->status, refusal->headers, std::move(refusal->body), std::nullopt);
  }
  return false;
}

// All bodies of all connections together have a bound, from the first byte to the end of the answer.
bool TcpConnection::hold_body() {
  const std::size_t now = parser_.request().body.capacity();
  if (now <= std::max(held_, std::string().capacity())) return true;
  const std::size_t more = now - held_;
  held_ = now;
  return owner_.common().buffered.fetch_add(more) + more <= options().max_buffered;
}

// So have long answers, which wait for peers that may not read; one alone may be of any length.
bool TcpConnection::hold_answer(std::size_t size) {
  if (size < kSmallAnswer) return true;
  std::atomic<std::size_t>& all = owner_.common().buffered;
  const std::size_t others = all.fetch_add(size) - held_;
  if (others > 0 && others + size > options().max_buffered) {
    all -= size;
    return false;
  }
  held_ += size;
  return true;
}

void TcpConnection::release_body() {
  owner_.common().buffered -= std::exchange(held_, 0);
}

void TcpConnection::begin_answer() {
  const ParsedRequest& parsed = parser_.parsed();
  answer_.begin({.head_only = parsed.request.method == "HEAD",
                 .old_version = parsed.http10,
                 .keep_alive = parsed.keep_alive && !owner_.common().refusing});
  phase_ = Phase::answering;
  deadline_ = 0;
  ++request_number_;
}

void TcpConnection::handle_request() {
  begin_answer();
  const auto answer = std::make_shared<Answer>(weak_owner_, weak_from_this(), request_number_);
  try {
    owner_.common().handler(parser_.take().request, answer);
  } catch (...) {
    answer->send(500, {}, "internal error\n");
  }
  if (phase_ == Phase::answering && !answer_.complete()) watch_peer();
}

// While an answer takes its time, a peer that goes away is noticed, lest its connection stay open for
// nothing. A wait left over from an earlier request does the same for this one.
void TcpConnection::watch_peer() {
  if (std::exchange(watching_peer_, true)) return;
  socket_.async_wait(tcp::socket::wait_read, guarded([](TcpConnection& self, const error_code& error) {
                       self.watching_peer_ = false;
                       if (error || self.phase_ != Phase::answering) return;
                       char byte = 0;
                       const auto count =
                           ::recv(self.socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
                       if (count > 0) return;  // the next request, sent ahead
                       if (count < 0 && errno == EAGAIN) return self.watch_peer();
                       self.close();
                     }));
}

// Nothing more can be read from this connection.
void TcpConnection::refuse(Refusal refusal) {
  begin_answer();
  parser_ = RequestParser(0);
  release_body();
  answer_.close_afterwards();
  refused_ = true;
  send(refusal.status, refusal.headers, std::move(refusal.body), std::nullopt);
}

void TcpConnection::send(int status, const Headers& headers, std::string body,
                         std::optional<std::size_t> announced) {
  if (owner_.common().refusing) answer_.close_afterwards();
  if (hold_answer(body.size())) {
    answer_.send(status, headers, std::move(body), owner_.date(), announced);
  } else {
    body = std::string();
    Refusal busy = because(503, "too much waits to be read by its clients; try again, or ask for less");
    busy.headers.add("Retry-After", "1");
    answer_.send(busy.status, busy.headers, std::move(busy.body), owner_.date(), std::nullopt);
  }
  flush();
}

void TcpConnection::begin_stream(int status, const Headers& headers) {
  answer_.begin_stream(status, headers, owner_.date());
  flush();
}

void TcpConnection::write_chunk(std::string_view chunk) {
  if (answer_.waiting() + chunk.size() > kMostQueued) return reset();
  answer_.write_chunk(chunk);
  flush();
}

// Never run at once: who makes one piece after the other would fill the stack, and hold up the thread.
void TcpConnection::when_sent(std::function<void()> work) {
  when_sent_ = std::move(work);
  if (writing_) return;
  asio::post(owner_.context(), [self = shared_from_this(), request = request_number_] {
    if (!self->answers(request) || self->writing_) return;
    try {
      if (auto next = std::exchange(self->when_sent_, nullptr)) next();
    } catch (...) {
      self->close();
    }
  });
}

void TcpConnection::end_stream() {
  answer_.end_stream();
  flush();
}

void TcpConnection::break_off() {
  answer_.break_off();
  flush();
}

void TcpConnection::flush() {
  if (writing_) return;
  if (answer_.empty()) {
    if (phase_ == Phase::answering && answer_.complete()) answer_done();
    return;
  }
  answer_.give(out_, body_);
  sent_ = 0;
  writing_ = true;
  write_some();
}

void TcpConnection::write_some() {
  if (phase_ == Phase::answering) deadline_ = owner_.deadline(options().keep_alive_timeout);
  const std::size_t of_out = std::min(sent_, out_.size());
  const std::size_t of_body = sent_ - of_out;
  const std::array<asio::const_buffer, 2> parts{
      asio::const_buffer(out_.data() + of_out, out_.size() - of_out),
      asio::const_buffer(body_.data() + of_body, body_.size() - of_body)};
  socket_.async_write_some(parts,
                           guarded([](TcpConnection& self, const error_code& error, std::size_t count) {
                             if (error) return self.close();
                             self.sent_ += count;
                             if (self.sent_ < self.out_.size() + self.body_.size()) return self.write_some();
                             self.written();
                           }));
}

void TcpConnection::written() {
  writing_ = false;
  out_.clear();
  if (out_.capacity() > kKeptCapacity) out_ = std::string();
  body_ = std::string();
  if (phase_ == Phase::answering) deadline_ = 0;
  flush();
  if (!writing_ && when_sent_) when_sent(std::exchange(when_sent_, nullptr));
  // Told to wind up while "100 Continue" was on its way.
  if (phase_ == Phase::reading && owner_.common().refusing) wind_up();
}

void TcpConnection::answer_done() {
  when_sent_ = nullptr;
  release_body();
  if (refused_) return linger();
  const bool more_came = in_begin_ < in_end_;
  if (!answer_.keep_alive() || (owner_.common().refusing && !more_came)) return close();
  deadline_ = owner_.deadline(more_came ? options().header_timeout : options().keep_alive_timeout);
  begin_request();
}

// Closing at once, with bytes of the peer unread, would reset the connection and take the refusal with it.
void TcpConnection::linger() {
  if (phase_ != Phase::lingering) {
    error_code ignored;
    ignored = socket_.shutdown(tcp::socket::shutdown_send, ignored);
    phase_ = Phase::lingering;
    deadline_ = owner_.deadline(kLingerTime);
  }
  in_begin_ = in_end_ = 0;
  socket_.async_read_some(room_for_more(),
                          guarded([](TcpConnection& self, const error_code& error, std::size_t /*count*/) {
                            if (error) return self.close();
                            self.linger();
                          }));
}

void TcpConnection::wind_up() {
  const bool begun = phase_ == Phase::reading && !writing_;
  if (!begun && phase_ != Phase::waiting) return;
  error_code ignored;
  ignored = socket_.cancel(ignored);
  if (begun) refuse(because(503, kStopping));
}

void TcpConnection::time_out() {
  if (phase_ == Phase::reading && !writing_) {
    constexpr std::string_view kTooSlow =
        "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    ::send(socket_.native_handle(), kTooSlow.data(), kTooSlow.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  close();
}

void TcpConnection::reset() {
  error_code ignored;
  ignored = socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

void TcpConnection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  const auto self = shared_from_this();
  const auto never = std::exchange(when_sent_, nullptr);
  release_body();
  owner_.forget(self);
  error_code ignored;
  ignored = socket_.close(ignored);
}

}  // namespace

std::shared_ptr<Connection> Connection::make(const std::shared_ptr<ConnectionOwner>& owner, int socket,
                                             Family family) {
  return std::make_shared<TcpConnection>(
      owner, tcp::socket(owner->context(), family == Family::ipv6 ? tcp::v6() : tcp::v4(), socket));
}

}  // namespace assay
