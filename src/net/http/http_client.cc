// The way of a request: send() puts an Exchange into the `held` list of its Destination, from where it goes
// to `waiting`, mostly at once; pump() gives it to a shard while connections are free; when libcurl is done
// with it, it goes to `ready`, and from there, never inside libcurl, its coroutine is resumed. An Exchange is
// in exactly one list at any time, and is used again for later requests.
#include "net/http/http_client.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <curl/curl.h>
#include <fmt/format.h>

#include "net/http/ca_bundle.h"
#include "net/http/curl_shard.h"
#include "net/http/opening_policy.h"
#include "net/http/transfer.h"
#include "net/http/transfer_failure.h"
#include "net/http/url.h"

namespace assay {
namespace {

constexpr std::size_t kTransfersPerShard = 256;
constexpr std::size_t kIdleExchangesKept = 1024;
constexpr std::size_t kDestinationsKept = 1024;
// Files that are not connections: journal, logs, pipes of subprocesses.
constexpr std::size_t kFilesForOthers = 64;
// Of another client's event loop, and libcurl's own there.
constexpr std::size_t kFilesOfALoop = 4;
// Silence is looked for so many times within an idle timeout: it is noticed a quarter late at most.
constexpr int kChecksPerIdleTimeout = 4;
// Of each reply, however many are large: most are no larger.
constexpr std::size_t kAlwaysTaken = std::size_t{16} << 10;
// How long a connection may take to end a reply that is whole.
constexpr Duration kEndOfReply = std::chrono::milliseconds(250);
constexpr Duration kLongest = std::chrono::hours(24 * 365);

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

std::string ca_file_of_system() {
  std::string file;
  if (CURL* easy = curl_easy_init()) {
    const char* path = nullptr;
    if (curl_easy_getinfo(easy, CURLINFO_CAINFO, &path) == CURLE_OK && path) file = path;
    curl_easy_cleanup(easy);
  }
  return system_ca_file(file);
}

void start_libcurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

Status check_parts(const HttpRequest& request) {
  if (!is_http_token(request.method)) return fail(ErrorKind::rejected, "the HTTP method is not valid");
  for (const auto& [name, value] : request.headers) {
    if (!is_http_token(name)) return fail(ErrorKind::rejected, "the name of a request header is not valid");
    if (!is_http_field_value(value)) {
      return fail(ErrorKind::rejected,
                  fmt::format("the value of the request header {} contains a line break or another control "
                              "character",
                              name));
    }
  }
  if (has_forbidden_character(request.url)) {
    return fail(ErrorKind::rejected, "the URL contains a space, a line break or another control character");
  }
  return {};
}

}  // namespace

struct HttpClient::State final : CurlShardOwner, std::enable_shared_from_this<HttpClient::State> {
  struct Waiter;
  struct Exchange;
  using Exchanges = std::list<Exchange>;

  // A host that requests go to.
  struct Destination {
    explicit Destination(Origin place) : origin(std::move(place)), policy(origin.tls) {}
    Origin origin;
    OpeningPolicy policy;
    Exchanges held;  // until the policy lets them go
  };

  struct Exchange : Transfer {
    using Transfer::Transfer;
    Exchanges* home = nullptr;
    Exchanges::iterator self;
    Waiter* waiter = nullptr;  // null: nobody waits for it any more
    Destination* destination = nullptr;
    CurlShard* shard = nullptr;  // set while libcurl has it
    bool opening = false;        // counted by the policy
    EventLoop::TimerId timer = 0;
    Clock::time_point started;
    Clock::time_point deadline;
    int quiet_checks = 0;
    std::size_t arriving = 0;  // bytes of its body so far
    bool paused = false;       // until there is room for more
  };

  // What send() awaits; lives in its frame.
  struct Waiter {
    Waiter(State& client, HttpRequest&& request_given, Destination& target)
        : loop(client.loop), state(&client), request(std::move(request_given)), destination(target) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      if (exchange) state->abandon(*exchange);
      loop.cancel(timer);
    }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> awaiter) {
      handle = awaiter;
      state->submit(*this);
    }
    Result<HttpResponse> await_resume() { return std::move(*result); }

    EventLoop& loop;
    State* state;
    HttpRequest request;
    Destination& destination;
    Exchange* exchange = nullptr;  // null once it has its result
    std::coroutine_handle<> handle;
    std::optional<Result<HttpResponse>> result;
    EventLoop::TimerId timer = 0;  // resumes it after the client has gone
  };

  State(EventLoop& event_loop, HttpClientOptions client_options);
  ~State() override;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<Destination*> destination_of(std::string_view url);
  void submit(Waiter& waiter);
  void abandon(Exchange& exchange);
  void close();
  std::size_t in_flight() const { return in_flight_; }
  std::size_t most_arriving() const { return most_arriving_; }

  EventLoop& loop;
  std::optional<Error> ca_error;

 private:
  std::shared_ptr<void> keep_alive() override { return shared_from_this(); }
  void done(CURL* easy, CURLcode code) override;
  void settled() override;

  static void move(Exchange& exchange, Exchanges& to);
  Exchange& take_idle();
  CurlShard& shard_with_room();
  void pump();
  void start(Exchange& exchange);
  void detach(Exchange& exchange);
  void opened(Exchange& exchange);
  void release(Destination& destination);
  void let_go(Exchange& exchange);
  void finish(Exchange& exchange, Result<HttpResponse> result);
  void recycle(Exchange& exchange);
  void resume_ready();
  void set_check(Exchange& exchange, Clock::time_point now);
  void check_time(Exchange& exchange);
  void await_end(Exchange& exchange);
  void end_well(Exchange& exchange);
  bool may_take(Exchange& exchange, std::size_t bytes);
  bool has_room(const Exchange& exchange, std::size_t bytes) const;
  void go_on_with_paused();
  void expire(Exchange& exchange, std::string message);
  void cancel_all(Exchanges& list);

  HttpClientOptions options_;
  std::optional<CaBundle> ca_;
  CurlSockets sockets_{loop};
  TransferSetup setup_;
  std::size_t limit_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t arriving_ = 0;  // bytes of all bodies
  std::size_t most_arriving_ = 0;
  std::size_t paused_ = 0;
  int inside_ = 0;  // calls into libcurl on the stack
  bool closing_ = false;
  std::unordered_map<std::string, std::unique_ptr<Destination>, TextHash, std::equal_to<>> destinations_;
  Exchanges idle_;
  Exchanges waiting_;  // for a free connection
  Exchanges active_;   // libcurl has it
  Exchanges dying_;    // libcurl has it, and nobody wants it
  Exchanges ready_;    // done; its coroutine is to be resumed
  EventLoop::TimerId resume_timer_ = 0;
  std::vector<std::unique_ptr<CurlShard>> shards_;
};

HttpClient::State::State(EventLoop& event_loop, HttpClientOptions client_options)
    : loop(event_loop), options_(std::move(client_options)) {
  start_libcurl();
  const std::size_t files = raise_open_file_limit();
  const std::size_t others = kFilesForOthers + (kFilesOfALoop * (options_.clients - 1));
  const std::size_t for_clients = files > 2 * others ? files - others : files / 2;
  limit_ = std::max<std::size_t>(1, std::min(options_.max_connections, for_clients / options_.clients));
  if (auto ca = CaBundle::make(options_.ca_file, ca_file_of_system())) {
    ca_ = std::move(*ca);
  } else {
    ca_error = std::move(ca.error());
  }
  // One thread, so the share needs no locks. Resuming a TLS session halves the cost of a handshake.
  setup_.share = curl_share_init();
  if (!setup_.share) throw std::bad_alloc();
  curl_share_setopt(setup_.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
  curl_share_setopt(setup_.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  if (ca_ && !ca_->path().empty()) setup_.ca_file = ca_->path().c_str();
  if (!options_.proxy.empty()) setup_.proxy = options_.proxy.c_str();
  setup_.user_agent = options_.user_agent.c_str();
  setup_.open_socket = &CurlSockets::open;
  setup_.close_socket = &CurlSockets::close;
  setup_.socket_context = &sockets_;
}

HttpClient::State::~State() {
  // close() has left only those that libcurl had in its hands.
  for (Exchange& exchange : dying_) detach(exchange);
  dying_.clear();
  idle_.clear();
  shards_.clear();
  curl_share_cleanup(setup_.share);
  loop.cancel(resume_timer_);
}

Result<HttpClient::State::Destination*> HttpClient::State::destination_of(std::string_view url) {
  const std::string_view key = url.substr(0, authority_end(url));
  if (const auto found = destinations_.find(key); found != destinations_.end()) return found->second.get();
  const auto read = parse_url(key);
  if (!read) return fail(read.error());
  if (destinations_.size() >= kDestinationsKept) {
    std::erase_if(destinations_, [](const auto& entry) { return entry.second->policy.users() == 0; });
  }
  auto& place = destinations_[std::string(key)];
  place = std::make_unique<Destination>(read->origin());
  return place.get();
}

void HttpClient::State::move(Exchange& exchange, Exchanges& to) {
  to.splice(to.end(), *exchange.home, exchange.self);
  exchange.home = &to;
}

HttpClient::State::Exchange& HttpClient::State::take_idle() {
  if (idle_.empty()) {
    Exchange& fresh = idle_.emplace_back(setup_);
    fresh.self = std::prev(idle_.end());
    fresh.home = &idle_;
  }
  return idle_.back();  // the one used last: its memory is warm
}

void HttpClient::State::submit(Waiter& waiter) {
  Exchange& exchange = take_idle();
  Destination& destination = waiter.destination;
  waiter.exchange = &exchange;
  exchange.waiter = &waiter;
  exchange.destination = &destination;
  exchange.quiet_checks = 0;
  exchange.started = Clock::now();
  exchange.deadline = exchange.started + std::clamp(waiter.request.total_timeout, Duration::zero(), kLongest);
  exchange.prepare(std::move(waiter.request), destination.origin, destination.policy.version(),
                   {.connected = [this, &exchange] { opened(exchange); },
                    .complete = [this, &exchange] { await_end(exchange); },
                    .may_take = [this, &exchange](std::size_t bytes) { return may_take(exchange, bytes); }});
  set_check(exchange, exchange.started);
  ++in_flight_;

  destination.policy.enter(exchange.started);
  move(exchange, destination.held);
  release(destination);
  pump();
}

void HttpClient::State::release(Destination& destination) {
  while (!destination.held.empty() && destination.policy.may_open()) {
    Exchange& exchange = destination.held.front();
    exchange.opening = true;
    destination.policy.begin_opening();
    move(exchange, waiting_);
  }
}

// It has a connection, or will not get one.
void HttpClient::State::opened(Exchange& exchange) {
  if (!std::exchange(exchange.opening, false)) return;
  exchange.destination->policy.end_opening(exchange.connected());
  release(*exchange.destination);
}

void HttpClient::State::pump() {
  while (inside_ == 0 && !closing_ && !waiting_.empty() && active_.size() < limit_) start(waiting_.front());
}

CurlShard& HttpClient::State::shard_with_room() {
  // The first with room, so that few shards with many kept connections are in use.
  for (auto& shard : shards_) {
    if (shard->size() < kTransfersPerShard) return *shard;
  }
  shards_.push_back(
      std::make_unique<CurlShard>(loop, sockets_, *this, inside_, std::min(kTransfersPerShard, limit_)));
  return *shards_.back();
}

void HttpClient::State::start(Exchange& exchange) {
  CurlShard& shard = shard_with_room();
  const CURLMcode code = shard.add(exchange.easy());
  if (code == CURLM_OK) {
    exchange.shard = &shard;
    return move(exchange, active_);
  }
  finish(exchange, fail(ErrorKind::internal,
                        fmt::format("cannot start an HTTP transfer: {}", curl_multi_strerror(code))));
  // Its coroutine may be the caller, on its way to sleep.
  if (resume_timer_ == 0) {
    resume_timer_ = loop.call_at(Clock::now(), [this] {
      resume_timer_ = 0;
      resume_ready();
    });
  }
}

void HttpClient::State::detach(Exchange& exchange) {
  if (exchange.shard) std::exchange(exchange.shard, nullptr)->remove(exchange.easy());
}

void HttpClient::State::done(CURL* easy, CURLcode code) {
  auto& exchange = static_cast<Exchange&>(Transfer::of(easy));
  exchange.shard = nullptr;
  if (exchange.waiter) {
    finish(exchange, exchange.result(code));
  } else {
    recycle(exchange);
  }
}

void HttpClient::State::settled() {
  while (!dying_.empty()) {
    detach(dying_.front());
    recycle(dying_.front());
  }
  go_on_with_paused();
  pump();
  resume_ready();
}

void HttpClient::State::let_go(Exchange& exchange) {
  loop.cancel(std::exchange(exchange.timer, 0));
  arriving_ -= std::exchange(exchange.arriving, 0);
  if (std::exchange(exchange.paused, false)) --paused_;
  if (!exchange.destination) return;
  opened(exchange);
  exchange.destination->policy.leave(Clock::now());
  exchange.destination = nullptr;
}

void HttpClient::State::finish(Exchange& exchange, Result<HttpResponse> result) {
  const auto now = Clock::now();
  OpeningPolicy& policy = exchange.destination->policy;
  if (result) {
    result->elapsed = now - exchange.started;
    policy.replied(result->http_version);
  } else {
    policy.failed(result.error().kind, exchange.connected(), exchange.started, now);
  }
  let_go(exchange);
  exchange.waiter->result.emplace(std::move(result));
  move(exchange, ready_);
}

void HttpClient::State::recycle(Exchange& exchange) {
  let_go(exchange);
  exchange.clear();
  move(exchange, idle_);
  if (idle_.size() > kIdleExchangesKept) idle_.pop_front();
  --in_flight_;
}

void HttpClient::State::resume_ready() {
  const auto alive = shared_from_this();
  while (!ready_.empty()) {
    Exchange& exchange = ready_.front();
    Waiter& waiter = *std::exchange(exchange.waiter, nullptr);
    waiter.exchange = nullptr;
    recycle(exchange);
    waiter.handle.resume();
  }
}

void HttpClient::State::abandon(Exchange& exchange) {
  exchange.waiter = nullptr;
  if (exchange.shard && inside_ > 0) {
    // It may be the one whose callback is running: libcurl is asked to end it, settled() removes it.
    exchange.Transfer::abandon();
    let_go(exchange);
    return move(exchange, dying_);
  }
  detach(exchange);
  recycle(exchange);
  go_on_with_paused();
  pump();
}

void HttpClient::State::set_check(Exchange& exchange, Clock::time_point now) {
  const auto step = std::clamp<Duration>(exchange.request().idle_timeout / kChecksPerIdleTimeout,
                                         std::chrono::milliseconds(1), kLongest);
  exchange.timer =
      loop.call_at(std::min(exchange.deadline, now + step), [this, &exchange] { check_time(exchange); });
}

void HttpClient::State::check_time(Exchange& exchange) {
  exchange.timer = 0;
  const HttpRequest& request = exchange.request();
  const std::string& name = exchange.destination->origin.name;
  const auto now = Clock::now();
  if (now >= exchange.deadline && exchange.complete()) return end_well(exchange);
  if (now >= exchange.deadline) {
    const char* reason = exchange.connected() ? "no complete reply from" : "no connection to";
    return expire(exchange, fmt::format("{} {} after {} (total timeout)", reason, name,
                                        in_words(request.total_timeout)));
  }
  // Before the connection stands, silence is a matter of the connect timeout.
  if (exchange.connected()) {
    // It is we who are silent if it is paused.
    exchange.quiet_checks = exchange.moved() || exchange.paused ? 0 : exchange.quiet_checks + 1;
    if (exchange.quiet_checks >= kChecksPerIdleTimeout) {
      if (exchange.complete()) return end_well(exchange);
      return expire(exchange,
                    fmt::format("{} was silent for {} (idle timeout)", name, in_words(request.idle_timeout)));
    }
  }
  set_check(exchange, now);
}

// The reply is whole; an end that follows at once leaves the connection for the next request.
void HttpClient::State::await_end(Exchange& exchange) {
  const auto now = Clock::now();
  exchange.deadline = std::min(exchange.deadline, now + kEndOfReply);
  loop.cancel(exchange.timer);
  set_check(exchange, now);
}

bool HttpClient::State::has_room(const Exchange& exchange, std::size_t bytes) const {
  if (arriving_ + bytes <= options_.max_arriving || exchange.arriving + bytes <= kAlwaysTaken) return true;
  // The oldest of the large ones goes on whatever happens, so that there is an end to all of them.
  const auto large = [](const Exchange& one) { return one.arriving > kAlwaysTaken; };
  const auto oldest = std::ranges::find_if(active_, large);
  return oldest == active_.end() || &*oldest == &exchange;
}

bool HttpClient::State::may_take(Exchange& exchange, std::size_t bytes) {
  if (!has_room(exchange, bytes)) {
    exchange.paused = true;
    ++paused_;
    return false;
  }
  exchange.arriving += bytes;
  arriving_ += bytes;
  most_arriving_ = std::max(most_arriving_, arriving_);
  return true;
}

void HttpClient::State::go_on_with_paused() {
  if (paused_ == 0 || inside_ > 0) return;
  // What a piece is given to may abandon others, which then leave the list.
  std::vector<Exchange*> waiting;
  for (Exchange& exchange : active_) {
    if (exchange.paused) waiting.push_back(&exchange);
  }
  for (Exchange* exchange : waiting) {
    if (!exchange->paused || exchange->home != &active_ || !has_room(*exchange, kAlwaysTaken)) continue;
    exchange->paused = false;
    --paused_;
    ++inside_;
    curl_easy_pause(exchange->easy(), CURLPAUSE_CONT);
    --inside_;
  }
}

void HttpClient::State::end_well(Exchange& exchange) {
  detach(exchange);
  finish(exchange, exchange.result(CURLE_OK));
  settled();
}

void HttpClient::State::expire(Exchange& exchange, std::string message) {
  detach(exchange);
  finish(exchange, fail(ErrorKind::timeout, std::move(message)));
  settled();
}

// Coroutines go on in the loop's next round: their client's owner is being destroyed just now.
void HttpClient::State::cancel_all(Exchanges& list) {
  while (!list.empty()) {
    Exchange& exchange = list.front();
    Waiter& waiter = *std::exchange(exchange.waiter, nullptr);
    if (!waiter.result) {
      waiter.result.emplace(fail(ErrorKind::cancelled, "the HTTP client was closed before the reply came"));
    }
    waiter.exchange = nullptr;
    waiter.timer = loop.call_at(Clock::now(), [&waiter] {
      waiter.timer = 0;
      waiter.handle.resume();
    });
    abandon(exchange);
  }
}

void HttpClient::State::close() {
  closing_ = true;
  for (auto& [key, destination] : destinations_) cancel_all(destination->held);
  for (Exchanges* list : {&waiting_, &active_, &ready_}) cancel_all(*list);
}

HttpClient::HttpClient(EventLoop& loop, HttpClientOptions options)
    : state_(std::make_shared<State>(loop, std::move(options))) {}

HttpClient::~HttpClient() {
  state_->close();
}

Task<Result<HttpResponse>> HttpClient::send(HttpRequest request) {
  if (auto status = check_parts(request); !status) co_return fail(std::move(status.error()));
  const auto destination = state_->destination_of(request.url);
  if (!destination) co_return fail(destination.error());
  if ((*destination)->origin.tls && state_->ca_error) co_return fail(*state_->ca_error);
  co_return co_await State::Waiter(*state_, std::move(request), **destination);
}

std::size_t HttpClient::most_arriving() const {
  return state_->most_arriving();
}

EventLoop& HttpClient::loop() const {
  return state_->loop;
}

std::size_t HttpClient::in_flight() const {
  return state_->in_flight();
}

}  // namespace assay
