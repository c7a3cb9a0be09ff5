// Each worker is one thread with its own io_context, and a connection stays with its worker.
#include "net/http/http_server.h"

#include <algorithm>
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

#include "net/event_loop.h"
#include "net/http/host_name.h"
#include "net/http/http_connection.h"
#include "net/http/response_head.h"

namespace assay {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::nanoseconds kAcceptPause = std::chrono::milliseconds(50);

// Deadlines are counted in ticks of one timer per worker, so that a request costs no timer and no clock.
class Worker final : public ConnectionOwner, public std::enable_shared_from_this<Worker> {
 public:
  explicit Worker(std::shared_ptr<ServerCommon> shared);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() override;

  void start();
  void stop();
  void adopt(tcp::socket socket);
  void wind_up();

  void forget(const std::shared_ptr<Connection>& connection) override;
  asio::io_context& context() override { return context_; }
  ServerCommon& common() override { return *common_; }
  const std::string& date() const override { return date_; }
  std::uint64_t deadline(std::chrono::nanoseconds delay) const override {
    return ticks_ + 1 + static_cast<std::uint64_t>(std::max<std::int64_t>(delay / tick_, 1));
  }

 private:
  void schedule_tick();

  std::shared_ptr<ServerCommon> common_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{context_.get_executor()};
  asio::steady_timer timer_{context_};
  std::chrono::nanoseconds tick_;
  std::uint64_t ticks_ = 0;
  std::string date_ = http_date();
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::thread thread_;
};

Worker::Worker(std::shared_ptr<ServerCommon> shared) : common_(std::move(shared)) {
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
  thread_ = std::thread([this] {
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (...) {
        continue;  // what failed is lost with its own connection; all others go on
      }
    }
  });
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
  error_code error;
  const auto family = socket.local_endpoint(error).protocol() == tcp::v6() ? Connection::Family::ipv6
                                                                           : Connection::Family::ipv4;
  const int native = error ? -1 : socket.release(error);
  if (error) return common_->one_less(common_->open);  // gone already
  const auto connection = Connection::make(shared_from_this(), native, family);
  connections_.insert(connection);
  connection->start();
  if (common_->refusing) connection->wind_up();
}

void Worker::forget(const std::shared_ptr<Connection>& connection) {
  if (connections_.erase(connection) > 0) common_->one_less(common_->open);
}

void Worker::wind_up() {
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->wind_up();
  common_->one_less(common_->winding_up);
}

class AsioServer final : public HttpServer {
 public:
  AsioServer(std::shared_ptr<ServerCommon> common, std::vector<std::shared_ptr<Worker>> workers,
             tcp::acceptor acceptor)
      : common_(std::move(common)),
        workers_(std::move(workers)),
        acceptor_(std::move(acceptor)),
        pause_(workers_.front()->context()),
        port_(acceptor_.local_endpoint().port()) {
    accept();
    for (const auto& worker : workers_) worker->start();
  }
  AsioServer(const AsioServer&) = delete;
  AsioServer& operator=(const AsioServer&) = delete;
  ~AsioServer() override {
    for (const auto& worker : workers_) worker->stop();
  }

  void refuse_new() override {
    if (common_->refusing.exchange(true)) return;
    common_->winding_up = workers_.size() + 1;
    asio::post(workers_.front()->context(), [this] {
      close_doors();
      common_->one_less(common_->winding_up);
    });
    for (const auto& worker : workers_) asio::post(worker->context(), [&worker] { worker->wind_up(); });
  }
  bool drain(std::chrono::nanoseconds patience) override {
    refuse_new();
    std::unique_lock guard(common_->mutex);
    return common_->fewer.wait_for(guard, patience,
                                   [this] { return common_->open == 0 && common_->winding_up == 0; });
  }
  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override { return common_->open; }
  std::uint64_t accepted() const override { return common_->accepted; }

 private:
  void accept() {
    const std::size_t most = common_->options.max_connections;
    if (most > 0 && common_->open >= most) return pause();
    Worker& worker = *workers_[next_++ % workers_.size()];
    acceptor_.async_accept(worker.context(), [this, &worker](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
      if (error) return pause();
      pass_on(worker, std::move(socket));
      accept();
    });
  }

  void pass_on(Worker& worker, tcp::socket socket) {
    ++common_->accepted;
    ++common_->open;
    asio::dispatch(worker.context(),
                   [&worker, socket = std::move(socket)]() mutable { worker.adopt(std::move(socket)); });
  }

  // Who has connected already gets an answer too.
  void close_doors() {
    error_code error;
    pause_.cancel();
    error = acceptor_.cancel(error);
    error = acceptor_.non_blocking(true, error);
    while (!error) {
      Worker& worker = *workers_[next_++ % workers_.size()];
      tcp::socket socket = acceptor_.accept(worker.context(), error);
      if (!error) pass_on(worker, std::move(socket));
    }
    error = acceptor_.close(error);
  }

  // There are too many, or no file descriptors are left, most likely: asking again at once would only spin.
  void pause() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const error_code& error) {
      if (!error) accept();
    });
  }

  std::shared_ptr<ServerCommon> common_;
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
    return fail(ErrorKind::io, fmt::format("cannot listen on {}:{}: {}", url_host(options.host), options.port,
                                           error.message()));
  }
  return acceptor;
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, Handler handler) {
  raise_open_file_limit();
  auto common = std::make_shared<ServerCommon>();
  common->options = std::move(options);
  common->handler = std::move(handler);
  std::vector<std::shared_ptr<Worker>> workers;
  for (int i = 0; i < std::max(1, common->options.threads); ++i) {
    workers.push_back(std::make_shared<Worker>(common));
  }
  auto acceptor = listen(workers.front()->context(), common->options);
  if (!acceptor) return fail(std::move(acceptor.error()));
  return std::make_unique<AsioServer>(std::move(common), std::move(workers), std::move(*acceptor));
}

}  // namespace assay
