// A model's endpoint that costs a few microseconds a request, so that a benchmark on the same cores measures
// the program that asks: one thread, epoll, HTTP/1.1 with keep-alive. It answers every POST as a judge would,
// and finds out what is asked by looking for one name in the body; nothing is parsed. Every reply has an id
// and a reason of its own, so that no client gets by with keeping one.
//
//   endpoint [--latency MS] [--port N]
//
// It prints its address; on SIGTERM what it has served and what that cost, as one line of JSON.
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBacklog = 4096;
constexpr std::size_t kEvents = 512;
constexpr std::size_t kReadAtOnce = std::size_t{256} << 10;
constexpr std::size_t kLargestHead = std::size_t{64} << 10;
// Where a reply's number goes, and how wide it is.
constexpr std::string_view kNumber = "0000000000";

[[noreturn]] void give_up(std::string_view what) {
  fmt::print(stderr, "endpoint: {}: {}\n", what, std::strerror(errno));
  std::exit(1);
}

// A whole HTTP response, in which only the number changes from one to the next.
class Reply {
 public:
  explicit Reply(std::string_view content) {
    const std::string body = fmt::format(
        R"({{"id":"chatcmpl-{}","object":"chat.completion","created":1750000000,"model":"judge",)"
        R"("choices":[{{"index":0,"message":{{"role":"assistant","content":"{}","refusal":null}},)"
        R"("logprobs":null,"finish_reason":"stop"}}],)"
        R"("usage":{{"prompt_tokens":640,"completion_tokens":36,"total_tokens":676}}}})",
        kNumber, content);
    text_ = fmt::format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                        body.size(), body);
    for (std::size_t at = text_.find(kNumber); at != std::string::npos; at = text_.find(kNumber, at + 1))
      places_.push_back(at);
  }

  std::string_view numbered(std::uint64_t number) {
    std::array<char, kNumber.size()> digits{};
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, number /= 10)
      *digit = static_cast<char>('0' + number % 10);
    for (const std::size_t place : places_) text_.replace(place, digits.size(), digits.data(), digits.size());
    return text_;
  }

 private:
  std::string text_;
  std::vector<std::size_t> places_;
};

// The judgements that it can give, by what the question's schema is called; the last one, for whoever names
// none, is what a rubric of promptfoo asks for.
struct Judgement {
  std::string_view schema;
  std::string_view content;  // inside a JSON text
};
constexpr std::string_view kSchemaName = R"("name":"rag_)";
constexpr std::array<Judgement, 4> kJudgements = {{
    {"coherence",
     R"({\"reason\": \"The answer says first how the permit is renewed and then how long that takes; )"
     R"(nothing in passage 0000000000 contradicts it.\", \"score\": 4})"},
    {"relevance_statements",
     R"({\"statements\": [\"The permit of passage 0000000000 is renewed online.\"]})"},
    {"relevance_verdicts", R"({\"verdicts\": [{\"id\": 1, \"verdict\": \"yes\", \"reason\": )"
                           R"(\"It says how, which was asked in passage 0000000000.\"}]})"},
    {"", R"({\"reason\": \"The answer says first how the permit is renewed and then how long that takes; )"
         R"(nothing in passage 0000000000 contradicts it.\", \"score\": 1, \"pass\": true})"},
}};

std::size_t judgement_for(std::string_view body) {
  const void* found = memmem(body.data(), body.size(), kSchemaName.data(), kSchemaName.size());
  if (found == nullptr) return kJudgements.size() - 1;
  body.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - body.data()) +
                     kSchemaName.size());
  for (std::size_t i = 0; i < kJudgements.size(); ++i) {
    if (body.starts_with(kJudgements[i].schema)) return i;
  }
  return kJudgements.size() - 1;
}

// The length of the body that `head` announces; none if it does not.
std::optional<std::size_t> content_length(std::string_view head) {
  constexpr std::string_view kField = "content-length:";
  while (!head.empty()) {
    const auto end = std::min(head.find("\r\n"), head.size());
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const bool named = line.size() > kField.size() &&
                       std::ranges::equal(line.substr(0, kField.size()), kField, {}, [](char letter) {
                         return std::tolower(static_cast<unsigned char>(letter));
                       });
    if (!named) continue;
    line.remove_prefix(kField.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    std::size_t length = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), length);
    if (error != std::errc{}) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

class Endpoint {
 public:
  Endpoint(std::uint16_t port, std::chrono::milliseconds latency) : latency_(latency), read_(kReadAtOnce) {
    for (const Judgement& judgement : kJudgements) replies_.emplace_back(judgement.content);
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (epoll_ < 0 || listener_ < 0) give_up("cannot open a socket");
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listener_, kBacklog) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      give_up("cannot listen");
    port_ = ntohs(address.sin_port);
    watch(listener_);
  }

  std::uint16_t port() const { return port_; }

  // Until the signal that `open` lets through has come.
  void serve(const sigset_t& open, const volatile std::sig_atomic_t& stop) {
    std::array<epoll_event, kEvents> events{};
    while (stop == 0) {
      const std::optional<timespec> wait = until_next_reply();
      const int count = epoll_pwait2(epoll_, events.data(), events.size(), wait ? &*wait : nullptr, &open);
      if (count < 0 && errno != EINTR) give_up("cannot wait");
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_) {
          accept_all();
        } else {
          read_from(fd);
        }
      }
      send_due();
    }
  }

  std::string account() const {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return fmt::format(
        R"({{"requests": {}, "connections": {}, "body_bytes": {}, "refused": {}, "cpu_seconds": {:.6f}}})",
        requests_, connections_, body_bytes_, refused_, seconds(used.ru_utime) + seconds(used.ru_stime));
  }

 private:
  struct Connection {
    std::string partial;       // a request that has come in part
    std::uint32_t serial = 0;  // of the connections that had this descriptor
  };
  // Each waits equally long, so the first to come is the first to go.
  struct Waiting {
    Clock::time_point due;
    int fd;
    std::uint32_t serial;
    std::size_t judgement;
  };

  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) give_up("cannot watch a socket");
  }

  void accept_all() {
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE) give_up("too many connections");
        return;
      }
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (static_cast<std::size_t>(fd) >= connected_.size())
        connected_.resize(static_cast<std::size_t>(fd) + 1);
      ++connections_;
      watch(fd);
    }
  }

  Connection& at(int fd) { return connected_[static_cast<std::size_t>(fd)]; }

  void drop(int fd) {
    at(fd).partial.clear();
    ++at(fd).serial;
    close(fd);
  }

  void read_from(int fd) {
    const ssize_t count = recv(fd, read_.data(), read_.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return drop(fd);
    const std::string_view come(read_.data(), static_cast<std::size_t>(count));
    Connection& connection = at(fd);
    const std::uint32_t serial = connection.serial;
    std::string whole = std::move(connection.partial);  // nearly always empty: no copy is made
    if (!whole.empty()) whole += come;
    std::string_view rest = whole.empty() ? come : std::string_view(whole);
    while (!rest.empty()) {
      const std::optional<std::size_t> used = take_request(fd, rest);
      if (!used) {
        ++refused_;
        return drop(fd);
      }
      if (at(fd).serial != serial) return;  // it went while it was answered
      if (*used == 0) break;
      rest.remove_prefix(*used);
    }
    at(fd).partial = rest;
  }

  // How many bytes the first request of `text` had; 0 if it is not all there, none if it cannot be answered.
  std::optional<std::size_t> take_request(int fd, std::string_view text) {
    const auto head = text.find("\r\n\r\n");
    if (head == std::string_view::npos) return text.size() > kLargestHead ? std::nullopt : std::optional(0UL);
    const auto length = content_length(text.substr(0, head));
    if (!text.starts_with("POST ") || !length) return std::nullopt;
    const std::size_t begin = head + 4;
    if (text.size() - begin < *length) return 0;
    body_bytes_ += *length;
    const std::size_t judgement = judgement_for(text.substr(begin, *length));
    if (latency_.count() == 0) {
      answer(fd, judgement);
    } else {
      waiting_.push_back({Clock::now() + latency_, fd, at(fd).serial, judgement});
    }
    return begin + *length;
  }

  void answer(int fd, std::size_t judgement) {
    const std::string_view reply = replies_[judgement].numbered(requests_++);
    // A reply is far smaller than a socket's buffer: a client that leaves it no room has not read for long.
    if (send(fd, reply.data(), reply.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(reply.size())) drop(fd);
  }

  void send_due() {
    if (waiting_.empty()) return;
    const auto now = Clock::now();
    for (; !waiting_.empty() && waiting_.front().due <= now; waiting_.pop_front()) {
      const Waiting& next = waiting_.front();
      if (at(next.fd).serial == next.serial) answer(next.fd, next.judgement);
    }
  }

  std::optional<timespec> until_next_reply() const {
    if (waiting_.empty()) return std::nullopt;
    const auto left = std::max(Clock::duration::zero(), waiting_.front().due - Clock::now());
    const auto nanoseconds = std::chrono::nanoseconds(left).count();
    return timespec{.tv_sec = nanoseconds / 1'000'000'000, .tv_nsec = nanoseconds % 1'000'000'000};
  }

  std::chrono::milliseconds latency_;
  std::vector<char> read_;
  std::vector<Reply> replies_;
  int epoll_ = -1;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::vector<Connection> connected_;  // by descriptor
  std::deque<Waiting> waiting_;
  std::uint64_t requests_ = 0;
  std::uint64_t connections_ = 0;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t refused_ = 0;
};

volatile std::sig_atomic_t stopped = 0;

void allow_many_connections() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

int main(int count, char** arguments) {
  unsigned latency = 0;
  unsigned port = 0;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    const auto value = i + 1 < count ? number(arguments[i + 1]) : std::nullopt;
    unsigned* key = name == "--latency" ? &latency : name == "--port" ? &port : nullptr;
    if (key == nullptr || !value || port > 65535) {
      fmt::print(stderr, "endpoint [--latency MS] [--port N]\n");
      return 2;
    }
    *key = *value;
  }
  allow_many_connections();

  // Let through only while it waits, so that the signal cannot come between looking and waiting.
  sigset_t before;
  sigset_t closed;
  sigemptyset(&closed);
  sigaddset(&closed, SIGTERM);
  sigaddset(&closed, SIGINT);
  sigprocmask(SIG_BLOCK, &closed, &before);
  for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { stopped = 1; });

  Endpoint endpoint(static_cast<std::uint16_t>(port), std::chrono::milliseconds(latency));
  fmt::print("listening on http://127.0.0.1:{}\n", endpoint.port());
  std::fflush(stdout);
  endpoint.serve(before, stopped);
  fmt::print("{}\n", endpoint.account());
}
