// Each worker is one thread with its own io_context, and a connection stays with its worker, so nothing of a
// connection needs a lock. A Responder may be used from anywhere: it holds worker and connection weakly and
// passes its calls on to the worker's thread. Responses are put together in a buffer that is used again, and
// leave in one write.
#include "net/http/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <sys/socket.h>

#include "net/event_loop.h"
#include "net/http/request_parser.h"
#include "net/http/response_head.h"

namespace assay {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kReadSize = std::size_t{16} << 10;
// A body up to this size is copied behind its header; a larger one is sent from where it is.
constexpr std::size_t kCopiedBody = std::size_t{16} << 10;
constexpr std::size_t kKeptCapacity = std::size_t{64} << 10;
// A stream whose peer does not read is cut off when so much waits.
constexpr std::size_t kMostQueued = std::size_t{64} << 20;
// How long a refused peer may go on sending before it must have read why.
constexpr std::chrono::nanoseconds kLingerTime = std::chrono::seconds(2);
constexpr std::chrono::nanoseconds kAcceptPause = std::chrono::milliseconds(50);

// What all workers know of their server.
struct Common {
  HttpServerOptions options;
  HttpServer::Handler handler;
  std::atomic<std::size_t> open{0};
  std::atomic<std::uint64_t> accepted{0};
};

class Connection;

// Deadlines are counted in ticks of one timer per worker, so that a request costs no timer and no clock.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  explicit Worker(std::shared_ptr<Common> shared);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void start();
  void stop();
  void adopt(tcp::socket socket);
  void forget(const std::shared_ptr<Connection>& connection);

  asio::io_context& context() { return context_; }
  Common& common() { return *common_; }
  const std::string& date() const { return date_; }
  std::uint64_t deadline(std::chrono::nanoseconds delay) const {
    return ticks_ + 1 + static_cast<std::uint64_t>(std::max<std::int64_t>(delay / tick_, 1));
  }

 private:
  void schedule_tick();

  std::shared_ptr<Common> common_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{context_.get_executor()};
  asio::steady_timer timer_{context_};
  std::chrono::nanoseconds tick_;
  std::uint64_t ticks_ = 0;
  std::string date_ = http_date();
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::thread thread_;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Worker& worker, tcp::socket socket) : worker_(worker), socket_(std::move(socket)) {
    error_code ignored;
    ignored = socket_.set_option(tcp::no_delay(true), ignored);
    const auto peer = socket_.remote_endpoint(ignored);
    if (!ignored) remote_ = peer.address().to_string();
  }

  void start() {
    deadline_ = worker_.deadline(worker_.common().options.header_timeout);
    begin_request();
  }
  bool answers(std::uint64_t request) const {
    return request == request_number_ && phase_ == Phase::answering;
  }
  bool overdue(std::uint64_t tick) const { return deadline_ != 0 && tick >= deadline_; }
  void time_out();
  void close();

  // The answer to the current request; see Responder.
  void send(int status, const Headers& headers, std::string body, std::optional<std::size_t> announced);
  void begin_stream(int status, const Headers& headers);
  void write_chunk(std::string_view chunk);
  void end_stream();
  void break_off();
  void reset();

 private:
  enum class Phase { waiting, reading, answering, lingering, closed };

  void begin_request();
  asio::mutable_buffer room_for_more();
  void read_some();
  void parse();
  void handle_request();
  void refuse(int status, std::string_view reason);
  void watch_peer();
  void flush();
  void write_some();
  void written();
  void answer_done();
  void linger();

  Worker& worker_;
  tcp::socket socket_;
  std::string remote_;
  // Received and not yet parsed: from `in_begin_` to `in_end_`.
  std::vector<char> in_;
  std::size_t in_begin_ = 0;
  std::size_t in_end_ = 0;
  RequestParser parser_{worker_.common().options.max_body};
  Phase phase_ = Phase::waiting;
  std::uint64_t deadline_ = 0;  // in ticks; 0: none
  std::uint64_t request_number_ = 0;
  bool watching_peer_ = false;

  // Of the current request and its answer.
  bool head_only_ = false;
  bool old_version_ = false;  // HTTP/1.0
  bool keep_alive_ = true;
  bool chunked_ = false;
  bool complete_ = false;  // everything is in the buffers
  bool refused_ = false;

  // To be written next: a text, and the body that follows it if that is large.
  std::string queue_;
  std::string queued_body_;
  // Being written; `sent_` bytes of both together are gone.
  std::string out_;
  std::string body_;
  std::size_t sent_ = 0;
  bool writing_ = false;
};

class Answer final : public Responder {
 public:
  Answer(std::weak_ptr<Worker> worker, std::weak_ptr<Connection> connection, std::uint64_t request)
      : worker_(std::move(worker)), connection_(std::move(connection)), request_(request) {}
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  ~Answer() override {
    if (stage_ != Stage::done) reach([](Connection& connection) { connection.break_off(); });
  }

  void send(int status, Headers headers, std::string body) override {
    if (!advance(Stage::none, Stage::done)) return;
    reach([status, headers = std::move(headers), body = std::move(body)](Connection& connection) mutable {
      connection.send(status, headers, std::move(body), std::nullopt);
    });
  }
  void send_truncated(int status, Headers headers, std::string body, std::size_t announced) override {
    if (!advance(Stage::none, Stage::done)) return;
    reach([=, headers = std::move(headers), body = std::move(body)](Connection& connection) mutable {
      connection.send(status, headers, std::move(body), announced);
    });
  }
  void begin_stream(int status, Headers headers) override {
    if (!advance(Stage::none, Stage::streaming)) return;
    reach([status, headers = std::move(headers)](Connection& connection) {
      connection.begin_stream(status, headers);
    });
  }
  void write(std::string chunk) override {
    if (stage_ != Stage::streaming) return;
    reach([chunk = std::move(chunk)](Connection& connection) { connection.write_chunk(chunk); });
  }
  void end_stream() override {
    if (advance(Stage::streaming, Stage::done))
      reach([](Connection& connection) { connection.end_stream(); });
  }
  void drop() override {
    if (stage_.exchange(Stage::done) != Stage::done)
      reach([](Connection& connection) { connection.reset(); });
  }
  void after(std::chrono::nanoseconds delay, std::function<void()> work) override {
    const auto worker = worker_.lock();
    if (!worker) return;
    auto timer = std::make_shared<asio::steady_timer>(worker->context(), EventLoop::after(delay));
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
    const auto worker = worker_.lock();
    if (!worker) return;
    auto connection = connection_.lock();
    if (!connection) return;
    asio::dispatch(worker->context(), [connection = std::move(connection), request = request_,
                                       work = std::move(work)]() mutable {
      if (connection->answers(request)) work(*connection);
    });
  }

  std::weak_ptr<Worker> worker_;
  std::weak_ptr<Connection> connection_;
  std::uint64_t request_;
  std::atomic<Stage> stage_{Stage::none};
};

void Connection::begin_request() {
  phase_ = Phase::waiting;
  if (in_begin_ == in_end_) return read_some();
  phase_ = Phase::reading;
  parse();
}

asio::mutable_buffer Connection::room_for_more() {
  if (in_begin_ > 0) {
    std::copy(in_.begin() + static_cast<std::ptrdiff_t>(in_begin_),
              in_.begin() + static_cast<std::ptrdiff_t>(in_end_), in_.begin());
    in_end_ -= std::exchange(in_begin_, 0);
  }
  if (in_.size() < in_end_ + kReadSize) in_.resize(in_end_ + kReadSize);
  return {in_.data() + in_end_, kReadSize};
}

void Connection::read_some() {
  socket_.async_read_some(
      room_for_more(), [self = shared_from_this()](const error_code& error, std::size_t count) {
        if (self->phase_ == Phase::closed) return;
        if (error) return self->close();
        self->in_end_ += count;
        if (std::exchange(self->phase_, Phase::reading) == Phase::waiting && self->request_number_ > 0) {
          self->deadline_ = self->worker_.deadline(self->worker_.common().options.header_timeout);
        }
        self->parse();
      });
}

void Connection::parse() {
  std::size_t used = 0;
  const auto state = parser_.feed({in_.data() + in_begin_, in_end_ - in_begin_}, used);
  in_begin_ += used;
  if (state == RequestParser::State::done) return handle_request();
  if (state == RequestParser::State::refused) return refuse(parser_.status(), parser_.reason());
  if (parser_.wants_continue()) {
    queue_ += "HTTP/1.1 100 Continue\r\n\r\n";
    flush();
  }
  read_some();
}

void Connection::handle_request() {
  ParsedRequest parsed = parser_.take();
  ServerRequest& request = parsed.request;
  old_version_ = parsed.http10;
  request.remote = remote_;
  head_only_ = request.method == "HEAD";
  keep_alive_ = parsed.keep_alive;
  chunked_ = complete_ = false;
  phase_ = Phase::answering;
  deadline_ = 0;
  const auto answer = std::make_shared<Answer>(worker_.weak_from_this(), weak_from_this(), ++request_number_);
  try {
    worker_.common().handler(std::move(request), answer);
  } catch (...) {
    answer->send(500, {}, "internal error\n");
  }
  if (phase_ == Phase::answering && !complete_) watch_peer();
}

// While an answer takes its time, a peer that goes away is noticed, lest its connection stay open for
// nothing. A wait left over from an earlier request does the same for this one.
void Connection::watch_peer() {
  if (std::exchange(watching_peer_, true)) return;
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    self->watching_peer_ = false;
    if (error || self->phase_ != Phase::answering) return;
    char byte = 0;
    const auto count = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count > 0) return;  // the next request, sent ahead
    if (count < 0 && errno == EAGAIN) return self->watch_peer();
    self->close();
  });
}

void Connection::refuse(int status, std::string_view reason) {
  ++request_number_;
  phase_ = Phase::answering;
  refused_ = true;
  keep_alive_ = false;
  head_only_ = false;
  // The reasons are our own words, without anything that JSON would have to escape.
  send(status, {{"Content-Type", "application/json"}},
       fmt::format("{{\"message\":\"{}\",\"errors\":[]}}\n", reason), std::nullopt);
}

void Connection::send(int status, const Headers& headers, std::string body,
                      std::optional<std::size_t> announced) {
  if (announced) keep_alive_ = false;
  append_response_head(queue_, {status, headers, worker_.date(), old_version_}, keep_alive_);
  if (may_have_body(status)) {
    fmt::format_to(std::back_inserter(queue_), "Content-Length: {}\r\n", announced.value_or(body.size()));
  }
  queue_ += "\r\n";
  if (may_have_body(status) && !head_only_) {
    if (body.size() <= kCopiedBody) {
      queue_ += body;
    } else {
      queued_body_ = std::move(body);
    }
  }
  complete_ = true;
  flush();
}

void Connection::begin_stream(int status, const Headers& headers) {
  chunked_ = may_have_body(status) && !old_version_;
  if (!chunked_ && may_have_body(status)) keep_alive_ = false;  // the end of the connection ends the body
  if (!may_have_body(status)) head_only_ = true;
  append_response_head(queue_, {status, headers, worker_.date(), old_version_}, keep_alive_);
  queue_ += chunked_ ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n";
  flush();
}

void Connection::write_chunk(std::string_view chunk) {
  if (head_only_ || chunk.empty()) return;
  if (queue_.size() + chunk.size() > kMostQueued) return reset();
  if (chunked_) fmt::format_to(std::back_inserter(queue_), "{:x}\r\n", chunk.size());
  queue_ += chunk;
  if (chunked_) queue_ += "\r\n";
  flush();
}

void Connection::end_stream() {
  if (chunked_ && !head_only_) queue_ += "0\r\n\r\n";
  complete_ = true;
  flush();
}

// What has been written still goes out.
void Connection::break_off() {
  keep_alive_ = false;
  complete_ = true;
  flush();
}

void Connection::flush() {
  if (writing_) return;
  if (queue_.empty()) {
    if (phase_ == Phase::answering && complete_) answer_done();
    return;
  }
  out_.swap(queue_);
  body_.swap(queued_body_);
  sent_ = 0;
  writing_ = true;
  write_some();
}

void Connection::write_some() {
  if (phase_ == Phase::answering) deadline_ = worker_.deadline(worker_.common().options.keep_alive_timeout);
  const std::size_t of_out = std::min(sent_, out_.size());
  const std::size_t of_body = sent_ - of_out;
  const std::array<asio::const_buffer, 2> parts{
      asio::const_buffer(out_.data() + of_out, out_.size() - of_out),
      asio::const_buffer(body_.data() + of_body, body_.size() - of_body)};
  socket_.async_write_some(parts, [self = shared_from_this()](const error_code& error, std::size_t count) {
    if (self->phase_ == Phase::closed) return;
    if (error) return self->close();
    self->sent_ += count;
    if (self->sent_ < self->out_.size() + self->body_.size()) return self->write_some();
    self->written();
  });
}

void Connection::written() {
  writing_ = false;
  out_.clear();
  if (out_.capacity() > kKeptCapacity) out_ = std::string();
  body_ = std::string();
  if (phase_ == Phase::answering) deadline_ = 0;
  flush();
}

void Connection::answer_done() {
  if (refused_) return linger();
  if (!keep_alive_) return close();
  const auto& options = worker_.common().options;
  deadline_ = worker_.deadline(in_begin_ < in_end_ ? options.header_timeout : options.keep_alive_timeout);
  begin_request();
}

// Closing at once, with bytes of the peer unread, would reset the connection and take the refusal with it.
void Connection::linger() {
  if (phase_ != Phase::lingering) {
    error_code ignored;
    ignored = socket_.shutdown(tcp::socket::shutdown_send, ignored);
    phase_ = Phase::lingering;
    deadline_ = worker_.deadline(kLingerTime);
  }
  in_begin_ = in_end_ = 0;
  socket_.async_read_some(room_for_more(),
                          [self = shared_from_this()](const error_code& error, std::size_t /*count*/) {
                            if (self->phase_ == Phase::closed) return;
                            if (error) return self->close();
                            self->linger();
                          });
}

void Connection::time_out() {
  if (phase_ == Phase::reading && !writing_) {
    constexpr std::string_view kTooSlow =
        "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    ::send(socket_.native_handle(), kTooSlow.data(), kTooSlow.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  close();
}

void Connection::reset() {
  error_code ignored;
  ignored = socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  const auto self = shared_from_this();
  worker_.forget(self);
  error_code ignored;
  ignored = socket_.close(ignored);
}

Worker::Worker(std::shared_ptr<Common> shared) : common_(std::move(shared)) {
  const auto shortest =
      std::min({common_->options.header_timeout, common_->options.keep_alive_timeout, kLingerTime});
  tick_ = std::clamp<std::chrono::nanoseconds>(shortest / 8, std::chrono::milliseconds(10),
                                               std::chrono::milliseconds(250));
}

Worker::~Worker() {
  stop();
}

void Worker::start() {
  schedule_tick();
  thread_ = std::thread([this] { context_.run(); });
}

void Worker::stop() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
  common_->open -= connections_.size();
  connections_.clear();
}

void Worker::schedule_tick() {
  timer_.expires_after(tick_);
  timer_.async_wait([this](const error_code& error) {
    if (error) return;
    ++ticks_;
    date_ = http_date();
    std::vector<std::shared_ptr<Connection>> overdue;
    for (const auto& connection : connections_) {
      if (connection->overdue(ticks_)) overdue.push_back(connection);
    }
    for (const auto& connection : overdue) connection->time_out();
    schedule_tick();
  });
}

void Worker::adopt(tcp::socket socket) {
  const auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections_.insert(connection);
  ++common_->open;
  connection->start();
}

void Worker::forget(const std::shared_ptr<Connection>& connection) {
  if (connections_.erase(connection) > 0) --common_->open;
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(std::shared_ptr<Common> common, std::vector<std::shared_ptr<Worker>> workers,
              tcp::acceptor acceptor)
      : common_(std::move(common)),
        workers_(std::move(workers)),
        acceptor_(std::move(acceptor)),
        pause_(workers_.front()->context()),
        port_(acceptor_.local_endpoint().port()) {
    accept();
    for (const auto& worker : workers_) worker->start();
  }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;
  ~BeastServer() override {
    for (const auto& worker : workers_) worker->stop();
  }

  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override { return common_->open; }
  std::uint64_t accepted() const override { return common_->accepted; }

 private:
  void accept() {
    Worker& worker = *workers_[next_++ % workers_.size()];
    acceptor_.async_accept(worker.context(), [this, &worker](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return pause();
      ++common_->accepted;
      asio::dispatch(worker.context(),
                     [&worker, socket = std::move(socket)]() mutable { worker.adopt(std::move(socket)); });
      accept();
    });
  }

  // Out of file descriptors, most likely: asking again at once would only spin.
  void pause() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const error_code& error) {
      if (!error) accept();
    });
  }

  std::shared_ptr<Common> common_;
  std::vector<std::shared_ptr<Worker>> workers_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::size_t next_ = 0;
  std::uint16_t port_;
};

Result<tcp::acceptor> listen(asio::io_context& context, const HttpServerOptions& options) {
  error_code error;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, error);
  tcp::acceptor acceptor(context);
  if (!error) {
    const tcp::endpoint endpoint = found.begin()->endpoint();
    error = acceptor.open(endpoint.protocol(), error);
    if (!error) error = acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) error = acceptor.bind(endpoint, error);
    if (!error) error = acceptor.listen(asio::socket_base::max_listen_connections, error);
  }
  if (error) {
    return fail(ErrorKind::io,
                fmt::format("cannot listen on {}:{}: {}", options.host, options.port, error.message()));
  }
  return acceptor;
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, Handler handler) {
  raise_open_file_limit();
  auto common = std::make_shared<Common>();
  common->options = std::move(options);
  common->handler = std::move(handler);
  std::vector<std::shared_ptr<Worker>> workers;
  for (int i = 0; i < std::max(1, common->options.threads); ++i) {
    workers.push_back(std::make_shared<Worker>(common));
  }
  auto acceptor = listen(workers.front()->context(), common->options);
  if (!acceptor) return fail(std::move(acceptor.error()));
  return std::make_unique<BeastServer>(std::move(common), std::move(workers), std::move(*acceptor));
}

}  // namespace assay
