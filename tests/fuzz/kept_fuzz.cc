// What a run has kept, changed by anybody since: outcomes and replies of the journal, summary.json, and
// results.jsonl and a baseline as `assay compare` reads them.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "engine/finished_case.h"
#include "models/chat.h"
#include "report/compare/compare.h"
#include "runs/baseline.h"
#include "runs/finished.h"
#include "tests/fuzz/require.h"

namespace {

// A finished run whose results are the input.
std::string run_with(const std::string& results) {
  static const std::string directory = [] {
    const auto path =
        std::filesystem::temp_directory_path() / ("assay_kept_fuzz_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    std::ofstream(path / "config.yaml") << "evaluation: question_router\n";
    std::ofstream(path / "summary.json")
        << R"({"assay":"0","evaluation":"question_router","run_id":"r","cases":{"total":1}})";
    return path.string();
  }();
  std::ofstream(directory + "/results.jsonl", std::ios::binary) << results;
  return directory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const FinishedCase finished = read_finished({0, "1", "scored", text});
  fuzz::require(finished.outcome.kind == OutcomeKind::scored || !finished.outcome.error.empty() ||
                parse_json(text).has_value());
  if (const auto json = parse_json(text)) {
    fuzz::require_words(reply_from_json(*json));
    const auto summary = summary_from_json(*json);
    fuzz::require_words(summary);
    if (summary) {
      const Json written = to_json(*summary);
      const auto again = summary_from_json(written);
      fuzz::require(again.has_value() && to_text(to_json(*again)) == to_text(written));
    }
  }
  const std::string directory = run_with(text);
  std::ofstream(baseline_file(directory, "b"), std::ios::binary) << text;
  fuzz::require_words(read_baseline_scores(directory, "b"));
  const auto run = read_run_scores(directory);
  fuzz::require_words(run);
  if (!run) return 0;
  const auto comparison = compare_runs(*run, *run, {});
  fuzz::require_words(comparison);
  if (comparison) fuzz::require(!comparison->regressed());
  return 0;
}
