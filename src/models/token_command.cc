#include "models/token_command.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <coroutine>
#include <list>
#include <utility>

#include <fmt/format.h>

#include "core/json/json.h"
#include "core/text.h"
#include "net/process/subprocess.h"

namespace assay {
namespace {

constexpr std::size_t kLongestToken = 65'536;
constexpr auto kTimeout = std::chrono::seconds(60);
// A token is not used in its last moments, since a request takes a while to arrive: the last minute, of a
// short life the last quarter, so that the program is not run for each request.
constexpr auto kReserve = std::chrono::seconds(60);
constexpr int kReservedPart = 4;
constexpr double kLongestLife = 10.0 * 365 * 86400;

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::auth, std::move(message));
}

std::string text_under(const Json& json, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Json* value = find_member(json, name);
    if (value != nullptr && as_text(*value)) return std::string(trim(*as_text(*value)));
  }
  return {};
}

std::optional<WallTime> expiry_of(const Json& json, WallTime now) {
  const Json* seconds = find_member(json, "expires_in");
  const auto life = seconds != nullptr ? as_number(*seconds) : std::nullopt;
  if (life && std::isfinite(*life))
    return now +
           std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(*life, 0.0, kLongestLife) * 1000));
  const auto time = parse_iso_time(text_under(json, {"expires_at", "expiresOn", "expiry", "Expiration"}));
  return time ? std::optional<WallTime>(*time) : std::nullopt;
}

}  // namespace

Result<PrintedToken> read_token(std::string_view printed, WallTime now) {
  PrintedToken read;
  const std::string_view text = trim(printed);
  if (text.starts_with('{')) {
    const auto json = parse_json(text);
    if (!json) return wrong("what it printed begins like JSON and is none");
    read.token = text_under(*json, {"access_token", "accessToken", "token", "id_token"});
    if (read.token.empty())
      return wrong("the JSON that it printed has no access_token, accessToken or token");
    read.expires = expiry_of(*json, now);
  } else {
    read.token = text;
  }
  if (read.token.empty()) return wrong("it printed nothing");
  const bool printable = std::ranges::all_of(read.token, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!printable || read.token.size() > kLongestToken)
    return wrong("what it printed is no token: expected one word, or JSON with access_token");
  return read;
}

// What one program has given, and who waits for it.
struct TokenCommand::Run {
  std::vector<std::string> argv;
  std::function<void(std::string_view)> note;
  bool running = false;
  Result<PrintedToken> last = fail(ErrorKind::auth, "no token was asked for yet");
  WallTime printed = {};  // when it was
  std::list<Turn*> waiting = {};

  bool good(WallTime now) const {
    if (!last || !last->expires) return last.has_value();
    const auto reserve = std::min<WallTime::duration>(kReserve, (*last->expires - printed) / kReservedPart);
    return *last->expires > now + std::max(reserve, WallTime::duration::zero());
  }

  Task<Result<PrintedToken>> ask(EventLoop& loop) const {
    ProcessRequest request{.argv = argv, .timeout = kTimeout, .max_output = 1 << 20};
    auto done = co_await run_process(loop, std::move(request));
    const auto failed = [this](std::string_view why) {
      return wrong(fmt::format("api_key_command ({}): {}", argv.front(), why));
    };
    if (!done) co_return failed(done.error().message);
    // Its complaint may hold anything: only that there is one is told.
    if (done->exit_code != 0)
      co_return failed(fmt::format("it ended with the code {}; run it by hand to see why", done->exit_code));
    auto token = read_token(done->output, std::chrono::system_clock::now());
    if (!token) co_return failed(token.error().message);
    note(token->token);
    co_return token;
  }

  static Task<void> go(EventLoop& loop, std::shared_ptr<Run> run);
};

// Waits for the run that is under way.
class TokenCommand::Turn {
 public:
  explicit Turn(Run& run) : run_(run) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (handle_) run_.waiting.remove(this);
  }
  bool await_ready() const noexcept { return !run_.running; }
  void await_suspend(std::coroutine_handle<> handle) {
    handle_ = handle;
    run_.waiting.push_back(this);
  }
  void await_resume() const noexcept {}
  void go_on() { std::exchange(handle_, nullptr).resume(); }

 private:
  Run& run_;
  std::coroutine_handle<> handle_;
};

Task<void> TokenCommand::Run::go(EventLoop& loop, std::shared_ptr<Run> run) {
  run->last = co_await run->ask(loop);
  run->printed = std::chrono::system_clock::now();
  run->running = false;
  // Those who are here now; one that goes on may ask again, or end another.
  for (std::size_t left = run->waiting.size(); left > 0 && !run->waiting.empty(); --left) {
    Turn* first = run->waiting.front();
    run->waiting.pop_front();
    first->go_on();
  }
}

TokenCommand::TokenCommand(EventLoop& loop, std::vector<std::string> argv,
                           std::function<void(std::string_view)> note)
    : loop_(loop), run_(std::make_shared<Run>(std::move(argv), std::move(note))) {}

TokenCommand::~TokenCommand() = default;

Task<Result<std::string>> TokenCommand::get() {
  const std::shared_ptr<Run> run = run_;
  if (!run->good(std::chrono::system_clock::now())) {
    if (!run->running) {
      run->running = true;
      loop_.spawn(Run::go(loop_, run));
    }
    co_await Turn(*run);
  }
  if (!run->last) co_return fail(run->last.error());
  co_return run->last->token;
}

void TokenCommand::refuse(std::string_view token) {
  if (run_->last && run_->last->token == token)
    run_->last = fail(ErrorKind::auth, "the server did not take the token");
}

}  // namespace assay
