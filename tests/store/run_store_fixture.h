// What the tests of RunStore share: a loop on which answers come back, rows, and a coroutine that is given up
// while it waits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "store/run_store.h"
#include "tests/core/mailbox.h"

namespace assay {

inline EffectRow effect(std::int64_t index, const std::string& step, int attempt = 1) {
  EffectRow row;
  row.key = {index, step, attempt};
  row.kind = "model";
  row.request = fmt::format(R"({{"q":"{}{}"}})", index, step);
  row.request_hash = sha256(row.request);
  row.reply = R"({"a":1})";
  row.model = "m";
  row.prompt_tokens = 10;
  row.completion_tokens = 5;
  row.cost_picousd = 7;
  row.tries = 2;
  row.finished = "2026-01-01T00:00:00.000Z";
  return row;
}

inline RunIdentity identity() {
  return {"run-1", "question_router", "0.1.0", "now", R"({"seed":1})", "data.jsonl", "hash"};
}

// A directory that goes with the test.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / fmt::format("assay_{}_{}", name, ::getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline Result<std::unique_ptr<RunStore>> create_run(const RunAddress& address,
                                                    const std::vector<PlanText>& texts = {}) {
  auto lock = RunStore::lock(address);
  if (!lock) return fail(std::move(lock.error()));
  return RunStore::create(address, std::move(*lock), identity(), texts);
}

inline Result<std::unique_ptr<RunStore>> resume_run(const RunAddress& address) {
  auto lock = RunStore::lock(address);
  if (!lock) return fail(std::move(lock.error()));
  return RunStore::open(address, std::move(*lock));
}

// What is wrong with the journal, or why it could not be looked at; empty: nothing.
inline std::string defect_of(const RunAddress& address) {
  const auto report = check_journal(address);
  return report ? report->defect : report.error().text();
}

}  // namespace assay
