// The floor: what bare libcurl needs for the same calls. One thread, one multi handle on epoll, so many POSTs
// in flight, replies kept until they are whole and then forgotten; no journal, no JSON, no limits.
//
//   floor URL REQUESTS IN_FLIGHT BODY_BYTES
//
// It prints wall and CPU seconds as one line of JSON.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(std::string_view what) {
  fmt::print(stderr, "floor: {}\n", what);
  std::exit(1);
}

class Floor {
 public:
  Floor(const char* url, long requests, std::size_t in_flight, std::size_t body_bytes) : left_(requests) {
    // Named like a judge's question, so that the answer is one.
    constexpr std::string_view kQuestion = R"({"response_format":{"name":"rag_coherence"},"filler":""})";
    body_ = kQuestion;
    body_.insert(body_.size() - 2, std::max(body_bytes, kQuestion.size()) - kQuestion.size(), 'x');
    for (const char* line : {"Content-Type: application/json", "Authorization: Bearer bench", "Expect:"})
      headers_ = curl_slist_append(headers_, line);
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Floor::watch);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Floor::set_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(in_flight));
    for (std::size_t i = 0; i < in_flight; ++i) open(url);
  }

  // Until every request has its answer.
  void run() {
    std::array<epoll_event, 256> events{};
    for (Call& call : calls_) ask(call);
    while (open_ > 0) {
      const int count = epoll_wait(epoll_, events.data(), events.size(), milliseconds_left());
      if (timer_ && *timer_ <= Clock::now()) act(CURL_SOCKET_TIMEOUT, 0);
      for (int i = 0; i < count; ++i) {
        const auto& [flags, data] = events[static_cast<std::size_t>(i)];
        const unsigned failed = flags & (EPOLLERR | EPOLLHUP);
        act(data.fd, ((flags & EPOLLIN) != 0 || failed != 0 ? CURL_CSELECT_IN : 0) |
                         ((flags & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0));
      }
    }
  }

 private:
  struct Call {
    CURL* easy = nullptr;
    std::string reply;
  };

  void open(const char* url) {
    Call& call = calls_.emplace_back(Call{curl_easy_init(), {}});
    curl_easy_setopt(call.easy, CURLOPT_URL, url);
    curl_easy_setopt(call.easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(call.easy, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(call.easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body_.size()));
    curl_easy_setopt(call.easy, CURLOPT_POSTFIELDS, body_.c_str());
    curl_easy_setopt(call.easy, CURLOPT_PRIVATE, static_cast<void*>(&call));
    curl_easy_setopt(call.easy, CURLOPT_WRITEDATA, static_cast<void*>(&call.reply));
    curl_easy_setopt(call.easy, CURLOPT_WRITEFUNCTION, &Floor::take);
  }

  void ask(Call& call) {
    if (left_ == 0) return;
    --left_;
    ++open_;
    call.reply.clear();
    curl_multi_add_handle(multi_, call.easy);
  }

  void act(curl_socket_t socket, int flags) {
    int running = 0;
    if (socket == CURL_SOCKET_TIMEOUT) timer_.reset();
    curl_multi_socket_action(multi_, socket, flags, &running);
    int queued = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &queued)) {
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;
      long status = 0;
      char* call = nullptr;
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
      curl_multi_remove_handle(multi_, easy);
      if (code != CURLE_OK || status != 200)
        give_up(fmt::format("a call failed: {}, status {}", curl_easy_strerror(code), status));
      --open_;
      ask(*reinterpret_cast<Call*>(call));
    }
  }

  int milliseconds_left() const {
    if (!timer_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*timer_ - Clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
  }

  static int watch(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* known) {
    auto& floor = *static_cast<Floor*>(self);
    epoll_event event{};
    event.events =
        ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    event.data.fd = socket;
    if (what == CURL_POLL_REMOVE) return epoll_ctl(floor.epoll_, EPOLL_CTL_DEL, socket, &event), 0;
    epoll_ctl(floor.epoll_, known != nullptr ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    if (known == nullptr) curl_multi_assign(floor.multi_, socket, self);
    return 0;
  }

  static int set_timer(CURLM* /*multi*/, long milliseconds, void* self) {
    auto& timer = static_cast<Floor*>(self)->timer_;
    timer.reset();
    if (milliseconds >= 0) timer = Clock::now() + std::chrono::milliseconds(milliseconds);
    return 0;
  }

  static std::size_t take(const char* bytes, std::size_t size, std::size_t count, void* reply) {
    static_cast<std::string*>(reply)->append(bytes, size * count);
    return size * count;
  }

  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  CURLM* multi_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::string body_;
  std::deque<Call> calls_;
  std::optional<Clock::time_point> timer_;
  long left_;
  long open_ = 0;
};

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    fmt::print(stderr, "floor URL REQUESTS IN_FLIGHT BODY_BYTES\n");
    return 2;
  }
  const long requests = std::atol(arguments[2]);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const auto begun = Clock::now();
  Floor floor(arguments[1], requests, std::strtoul(arguments[3], nullptr, 10),
              std::strtoul(arguments[4], nullptr, 10));
  floor.run();
  const std::chrono::duration<double> wall = Clock::now() - begun;
  fmt::print(R"({{"requests": {}, "wall": {:.6f}, "cpu": {:.6f}}})"
             "\n",
             requests, wall.count(), cpu_seconds());
}
