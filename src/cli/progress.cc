#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::chrono::milliseconds kRedraw{200};
constexpr std::chrono::seconds kLogLine{10};

constexpr std::chrono::seconds kLongWait{10};

// Of this sitting; nothing if nobody knows.
std::optional<double> expected_calls_left(const RunProgress& progress) {
  if (!progress.calls_a_case) return std::nullopt;
  const auto cases = static_cast<double>(progress.total - progress.standing);
  const auto left_cases = static_cast<double>(progress.total - progress.done);
  const double left = *progress.calls_a_case * cases - static_cast<double>(progress.answers);
  // A case that is not done has something left to ask.
  return std::max(left, left_cases > 0 ? 1.0 : 0.0);
}

// By the speed of requests, or of cases where none was answered yet (they may all stand in the journal).
std::optional<double> seconds_left(const RunProgress& progress, std::optional<double> calls_left,
                                   double seconds) {
  const std::int64_t done_now = progress.done - progress.standing;
  if (progress.done == progress.total) return std::nullopt;
  if (calls_left && progress.answers > 0)
    return *calls_left * seconds / static_cast<double>(progress.answers);
  if (done_now == 0) return std::nullopt;
  return static_cast<double>(progress.total - progress.done) * seconds / static_cast<double>(done_now);
}

std::string rounded(std::int64_t count) {
  if (count < 10'000) return count_words(count);
  if (count < 10'000'000) return fmt::format("{:.0f}k", static_cast<double>(count) / 1e3);
  return fmt::format("{:.1f}M", static_cast<double>(count) / 1e6);
}

}  // namespace

std::string progress_text(const RunProgress& progress, std::chrono::nanoseconds elapsed,
                          std::optional<int> workers) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  // What stood in the journal already was not done at this sitting's speed.
  const std::int64_t done_now = progress.done - progress.standing;
  const double rate = seconds > 0 ? static_cast<double>(done_now) / seconds : 0;
  std::string text = fmt::format("{}/{} cases", count_words(progress.done), count_words(progress.total));
  const std::optional<double> calls_left = expected_calls_left(progress);
  if (rate < 1 && progress.requests > 0) {
    text += calls_left ? fmt::format(" · {}/~{} requests", count_words(progress.answers),
                                     count_words(progress.answers + std::llround(*calls_left)))
                       : fmt::format(" · {} requests", count_words(progress.answers));
  }
  if (rate > 0) text += fmt::format(" · {:.{}f}/s", rate, rate < 10 ? 1 : 0);
  if (workers) text += fmt::format(" · {}", counted_words(*workers, "worker", "workers"));
  text += fmt::format(" · {} in flight", progress.in_flight);
  if (progress.retrying > 0) text += fmt::format(" · {} retrying", progress.retrying);
  if (progress.errored > 0) text += fmt::format(" · {} errors", count_words(progress.errored));
  text += fmt::format(" · {} tokens", rounded(progress.tokens));
  if (progress.spent_picousd > 0)
    text += fmt::format(" · ${:.2f}", static_cast<double>(progress.spent_picousd) / 1e12);
  if (const auto left = seconds_left(progress, calls_left, seconds)) {
    const auto remaining = std::chrono::duration<double>(*left);
    text += fmt::format(" · {} left",
                        duration_text(std::chrono::duration_cast<std::chrono::nanoseconds>(remaining)));
  }
  if (progress.oldest && progress.oldest->since > kLongWait) {
    text += fmt::format(" · oldest: case {}, {} for {}", shorten(progress.oldest->case_id, 30),
                        progress.oldest->step, duration_text(progress.oldest->since));
  }
  if (!progress.batch.empty()) text += " · " + progress.batch;
  if (!progress.waiting_for.empty()) text += " · waiting: " + progress.waiting_for;
  return text;
}

ProgressLine::ProgressLine(EventLoop& loop, const Terminal& terminal, Loudness loudness, const Run& run)
    : loop_(loop), terminal_(terminal), loudness_(loudness), run_(run) {
  if (loudness_ == Loudness::normal) tick();
}

ProgressLine::~ProgressLine() {
  if (timer_ != 0) loop_.cancel(timer_);
  clear();
}

void ProgressLine::tick() {
  const auto interval = terminal_.is_terminal ? Duration(kRedraw) : Duration(kLogLine);
  timer_ = loop_.call_after(interval, [this] {
    draw();
    tick();
  });
}

void ProgressLine::draw() {
  const std::string text = progress_text(run_.progress(), Clock::now() - started_, run_.workers());
  if (terminal_.is_terminal) {
    print_error("\r\033[K" + shorten(text, static_cast<std::size_t>(std::max(20, terminal_.width - 1))));
    drawn_ = true;
  } else {
    print_error(text + "\n");
  }
}

void ProgressLine::clear() {
  if (drawn_) print_error("\r\033[K");
  drawn_ = false;
}

}  // namespace assay
