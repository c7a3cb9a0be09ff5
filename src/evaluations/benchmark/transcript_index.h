// The way through transcripts.html: a table of all runs that leads to each, and choices that leave only the
// runs of a system, a model, a task or a verdict. The choices are radio buttons and rules of style, so that
// they work without a script; sorting and searching the table are the report's script.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::benchmark {

enum class RunVerdict { passed, partly, failed, unscored };  // score 1, between, 0, none
std::string_view to_string(RunVerdict verdict);
RunVerdict verdict_of(const std::optional<double>& score);

// Where a run stands in the plan.
struct RunMarks {
  std::size_t system = 0;
  std::size_t model = 0;
  std::size_t task = 0;
  RunVerdict verdict = RunVerdict::unscored;
};
// "run s0 m1 t2 vfailed": what the choices go by.
std::string classes_of(const RunMarks& marks);

struct IndexedRun {
  RunMarks marks;
  std::string variation;  // "0 (a few), run 2"
  std::string file;
  std::string outcome;
  std::optional<double> score;
  std::string anchor;  // on the page; "" if it is not shown there
};

class TranscriptIndex {
 public:
  TranscriptIndex(std::vector<std::string> systems, std::vector<std::string> models,
                  std::vector<std::string> tasks);

  // The way back, the choices and their style: the page's first lines.
  std::string head() const;
  void add(IndexedRun run);
  // The table, which is written last, when all runs are known, and shown first.
  std::string table() const;

 private:
  std::vector<std::string> systems_;
  std::vector<std::string> models_;
  std::vector<std::string> tasks_;
  std::vector<IndexedRun> runs_;
  std::size_t left_out_ = 0;
};

}  // namespace assay::benchmark
