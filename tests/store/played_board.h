// A board that a test plays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/work_board.h"

namespace assay {

// Nobody works, until the test says that a case has ended.
class PlayedBoard final : public WorkBoard {
 public:
  Task<Result<std::string>> open_run(OpenRun run) override {
    open = true;
    co_return run.tag;
  }
  Task<Status> close_run(std::string) override {
    open = false;
    co_return Status();
  }
  Task<Result<std::optional<StopWish>>> stop_wish(std::string) override { co_return std::nullopt; }
  Task<Result<std::vector<EndedCase>>> ended(std::string, std::vector<std::int64_t> cases) override {
    std::vector<EndedCase> all;
    for (const std::int64_t index : cases) {
      if (all_end) all.push_back({index, "scored"});
    }
    co_return all;
  }
  Task<Result<std::vector<OpenRun>>> open_runs() override { co_return std::vector<OpenRun>(); }
  Task<Status> wish_stop(std::string, StopWish) override { co_return Status(); }
  Task<Result<RunWatch>> alive(std::string, WorkerSign) override { co_return RunWatch(); }
  Task<Status> gone(std::string, std::string) override { co_return Status(); }
  Task<Result<std::vector<WorkerSign>>> workers(std::string) override { co_return std::vector<WorkerSign>(); }

  bool open = false;
  bool all_end = false;
};

}  // namespace assay
