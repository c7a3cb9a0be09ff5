// The questions that `assay stats` answers of a table, each as JSON and as text for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/data_table.h"
#include "core/error.h"
#include "core/json/json.h"

namespace assay {

struct StatsAnswer {
  Json json;
  std::string text;
};

// Do the groups differ in the value? Pairs rows of two groups by `pair`; intervals and tests honour
// `cluster`.
struct GroupQuestion {
  std::string value;
  std::string group;
  std::string control;  // compare with this one only
  std::string cluster;
  std::string pair;
};
Result<StatsAnswer> compare_groups(const DataTable& table, const GroupQuestion& question);

// Do the raters agree? One unit a row, one rater a column, an empty cell is a missing rating.
Result<StatsAnswer> rate_agreement(const DataTable& table, const std::vector<std::string>& raters,
                                   const std::string& level);

// Who wins? `winner` holds the name of a or b, "a", "b", or "tie".
struct WinnerQuestion {
  std::string winner;
  std::string a;
  std::string b;
  std::string cluster;
};
Result<StatsAnswer> rank_winners(const DataTable& table, const WinnerQuestion& question);

// How many cases, how much power, or which smallest effect? Whatever is not given is worked out.
struct PowerQuestion {
  std::optional<double> delta;
  std::optional<double> sd;  // of the paired difference, or of the values of each group
  std::optional<double> n;
  std::optional<double> power;
  double alpha = 0.05;
  bool paired = true;
  double cluster_size = 1;
  double icc = 0;  // intra-class correlation
};
Result<StatsAnswer> plan_sample(const PowerQuestion& question);

// Columns of text, numbers to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace assay
