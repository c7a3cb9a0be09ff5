#include "runs/finished.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

// A finished run, as far as a comparison reads it.
class FinishedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("assay_run_files_" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    write("summary.json",
          R"({"assay": "0.1.0", "evaluation": "question_router", "run_id": "r", "started": "s",
      "finished": "f", "cases": {"total": 1, "evaluated": 1, "errored": 0, "invalid": 0}, "metrics": {},
      "tables": {}, "usage": {"requests": 0}, "gates": []})");
    write("results.jsonl", R"({"id": "1", "line": 1, "outcome": "scored", "scores": {"accuracy": 1}})"
                           "\n");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file((directory_ / name).string(), text));
  }
  std::filesystem::path directory_;
};

TEST_F(FinishedRun, IsComparedByTheKeysThatDecideAnswersOrCases) {
  write("config.yaml",
        "evaluation: question_router\nwhat: a trial\noutput_dir: x\ninput_path: data.jsonl\nseed: 3\n"
        "limits: {concurrency: 2}\nskip_invalid: true\n");
  const auto run = read_run_scores(directory_.string());
  ASSERT_TRUE(run) << run.error().text();
  for (const char* kept : {"evaluation", "input_path", "seed", "skip_invalid"})
    EXPECT_TRUE(run->config.contains(kept)) << kept;
  for (const char* left_out : {"what", "output_dir", "limits"})
    EXPECT_FALSE(run->config.contains(left_out)) << left_out;
}

}  // namespace
}  // namespace assay
