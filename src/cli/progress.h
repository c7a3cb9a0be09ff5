// Progress of a run: one line redrawn on a terminal, a line now and then elsewhere, nothing with --quiet.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/terminal.h"
#include "runs/run.h"

namespace assay {

// "1,204/10,000 cases · 312/s · 64 in flight · 2 errors · 1.2M tokens · $0.42 · 28 s left". While cases are
// slow it counts requests too, and says what the oldest case waits for. The time left follows from requests,
// since cases may end in bursts. `workers`: of a run over several machines.
std::string progress_text(const RunProgress& progress, std::chrono::nanoseconds elapsed,
                          std::optional<int> workers = std::nullopt);

class ProgressLine {
 public:
  enum class Loudness { normal, quiet };
  ProgressLine(EventLoop& loop, const Terminal& terminal, Loudness loudness, const Run& run);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Clears the line, so that a message can be printed; it is redrawn with the next tick.
  void clear();

 private:
  void tick();
  void draw();

  EventLoop& loop_;
  Terminal terminal_;
  Loudness loudness_;
  const Run& run_;
  Clock::time_point started_ = Clock::now();
  EventLoop::TimerId timer_ = 0;
  bool drawn_ = false;
};

}  // namespace assay
