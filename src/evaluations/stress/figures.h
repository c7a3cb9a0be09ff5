// What a judge made of changed cases, held against what it made of the same cases unchanged. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluations/stress/changes.h"
#include "evaluations/stress/stressing.h"
#include "report/summary.h"
#include "stats/judging/sway.h"

namespace assay::stress {

struct StressPlan {
  std::vector<JudgedFigure> figures;
  double moved = 0.1;  // part of a scale
  std::int64_t seed = 0;
};

// One case in one of its forms.
struct Judged {
  std::map<std::string, double, std::less<>> scores = {};  // by figure
  std::map<std::string, double, std::less<>> seats = {};   // half of what sitting first was worth
  Grounds grounds = {};
  std::string failed = {};  // how it ended, if not well
};
struct StressedCase {
  std::string id;
  std::string cluster;
  std::map<std::string, Judged, std::less<>> judged = {};  // by change, and unchanged twice
};
// In the order in which they came.
class StressedCases {
 public:
  StressedCase& of(const std::string& id, const std::string& cluster);
  const std::vector<StressedCase>& list() const { return list_; }

 private:
  std::vector<StressedCase> list_;
  std::map<std::string, std::size_t> places_;
};

// A change and a score.
struct SwayRow {
  std::string change;
  const JudgedFigure* figure = nullptr;  // of the plan
  Sway sway;
  std::optional<double> p;      // Holm's, over all rows
  std::int64_t could_rise = 0;  // cases that were not at their best already
  // What the change adds is a statement like any other to this metric: that it costs something is no
  // weakness.
  bool counted = false;
  bool moves() const { return p && *p <= 0.05; }
  bool as_it_must() const;
  bool swayed() const { return moves() && !as_it_must(); }
  bool seats() const { return change == kSeats; }
  static constexpr std::string_view kSeats = "seats";
};
struct NoticeRow {
  std::string change;
  const JudgedFigure* figure = nullptr;
  Notice notice;
};
struct MovedCase {
  std::string id;
  std::string change;
  std::string metric;
  double unchanged = 0;
  double again = 0;
  double changed = 0;
};
struct StressResult {
  std::int64_t cases = 0;
  std::vector<SwayRow> swayed;                // most telling first
  std::vector<NoticeRow> noticed;             // in the order of the table of changes
  std::vector<MovedCase> moved;               // of changes that must not matter: farthest first
  std::vector<MovedCase> missed;              // of faults: cases that could fall and did not
  std::map<std::string, std::int64_t> tried;  // by change: cases in which it was made
  std::int64_t judgements = 0;
  std::map<std::string, std::int64_t> failed;                 // those without any score, by outcome
  std::vector<std::pair<const JudgedFigure*, Estimate>> own;  // share of cases that move when judged again
  bool tried_any(Matter matter) const;
  bool all_failed() const;
};

// Whether something is told of the figure by this change: the judge sees what it changes, and a fault must
// cost it something.
bool is_about(const JudgedFigure& figure, const Change& change);

// `plan` outlives the result.
StressResult stress_result(const StressPlan& plan, const StressedCases& cases);

std::vector<std::string> stress_metric_names(const StressPlan& plan);
// Every score, a row each: case, change, metric, unchanged, again, changed.
std::string stress_csv(const StressPlan& plan, const StressedCases& cases);
// Figures, tables, plots and the deciding sentences.
void report(const StressResult& result, Summary& summary);
std::vector<std::string> sentences(const StressResult& result);

}  // namespace assay::stress
