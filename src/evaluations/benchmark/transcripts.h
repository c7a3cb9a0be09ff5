// transcripts.html: what was said and done in each run, the systems side by side. Written as it comes, so
// that no more than the runs of one variation are in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/benchmark/run_file.h"
#include "evaluations/output_files.h"

namespace assay::benchmark {

// One run beside others of the same variation.
struct Transcript {
  std::string contender;       // "tool_calling/claude"
  std::string file;            // its output file
  std::optional<RunFile> run;  // nothing: the file cannot be read
  std::string outcome;         // "scored", or how it failed
};

class TranscriptPage {
 public:
  explicit TranscriptPage(OutputFiles& files);
  // `expected` is null if nothing is.
  void add(const std::string& title, const Json* expected, const std::vector<Transcript>& side_by_side);
  void finish();

 private:
  OutputFiles& files_;
  std::size_t shown_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace assay::benchmark
