// transcripts.html: what was said and done in each run, the systems side by side, with what was expected
// beside what was answered, behind an index (transcript_index.h). Written as it comes, so that no more than
// the runs of one variation are in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/benchmark/run_file.h"
#include "evaluations/benchmark/transcript_index.h"
#include "evaluations/output_files.h"

namespace assay::benchmark {

// One run beside others of the same variation.
struct Transcript {
  std::string contender;       // "tool_calling/claude"
  std::string file;            // its output file
  std::optional<RunFile> run;  // nothing: the file cannot be read
  std::string outcome;         // "scored", or how it failed
  RunMarks marks;              // but for the verdict, which follows from the score
};

class TranscriptPage {
 public:
  TranscriptPage(OutputFiles& files, TranscriptIndex index);
  // `variation` as the index names it; `expected` is null if nothing is.
  void add(const std::string& title, const std::string& variation, const Json* expected,
           std::vector<Transcript> side_by_side);
  void finish();

 private:
  OutputFiles& files_;
  TranscriptIndex index_;
  std::size_t shown_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace assay::benchmark
