#include "evaluations/human_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/tables/csv.h"
#include "core/text.h"
#include "report/conclusions.h"
#include "report/words.h"
#include "stats/intervals/mean.h"

namespace assay {
namespace {

Metric metric_of(std::string name, Estimate estimate) {
  Metric metric;
  metric.name = std::move(name);
  metric.estimate = std::move(estimate);
  return metric;
}

Metric counted(std::string name, std::size_t count, std::size_t of) {
  Metric metric =
      metric_of(std::move(name), plain_figure(static_cast<double>(count), static_cast<std::int64_t>(of)));
  metric.estimate.method = "count";
  metric.form = Metric::Form::count;
  metric.better = Metric::Better::neither;
  return metric;
}

bool pass_or_fail(double value) {
  return value == 0 || value == 1;
}

}  // namespace

Key human_key() {
  return {
      .name = "human",
      .type = KeyType::object,
      .help =
          "Labels by people for one figure; the summary then has judge, people and the corrected figure side "
          "by side.",
      .keys =
          {{.name = "labels",
            .type = KeyType::path,
            .help =
                "CSV with the columns `id`, `label` and, if the cases were not chosen alike, `probability`.",
            .required = true},
           {.name = "figure", .help = "The figure that the labels are about.", .required = true}},
      .example = "{labels: labels.csv, figure: faithfulness.mean}"};
}

HumanCheck::HumanCheck(std::string figure, const std::vector<HumanLabel>& labels)
    : figure_(std::move(figure)) {
  for (const HumanLabel& label : labels) take(label);
}

bool HumanCheck::take(const HumanLabel& label) {
  if (!labels_.empty() && labels_.begin()->second.probability != label.probability) weighted_ = true;
  return labels_.emplace(label.id, Label{label.value, label.probability}).second;
}

std::optional<HumanCheck> HumanCheck::from(const Config& config, const std::vector<MeanFigure>& figures,
                                           std::vector<ConfigProblem>& problems) {
  if (!config.has("human")) return std::nullopt;
  std::optional<HumanCheck> check(std::in_place);
  check->figure_ = config.text("human.figure");
  if (auto known = find_mean_figure(check->figure_, figures); !known)
    problems.push_back({"config", "human.figure", known.error().message});
  const std::string path = config.text("human.labels");
  const auto complain = [&](const std::string& what) { problems.push_back({path, "human.labels", what}); };
  const auto text = read_file(path);
  if (!text) {
    complain(text.error().text());
    return std::nullopt;
  }
  const auto table = parse_csv(*text);
  if (!table) {
    complain(table.error().message);
    return std::nullopt;
  }
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(table->columns, name) - table->columns.begin());
  };
  const std::size_t id = column("id");
  const std::size_t label = column("label");
  const std::size_t probability = column("probability");
  for (const auto& [name, place] : {std::pair("id", id), std::pair("label", label)}) {
    if (place == table->columns.size()) complain(fmt::format("there is no column {}", name));
  }
  if (id == table->columns.size() || label == table->columns.size()) return std::nullopt;
  for (const CsvRow& row : table->rows) {
    if (trim(row.cells[label]).empty()) continue;  // not labelled yet
    const auto value = cell_number(row.cells[label]);
    if (!value)
      complain(fmt::format("line {}, label: found {}, expected a number, true or false", row.line,
                           row.cells[label]));
    double chance = 1;
    if (probability < table->columns.size()) {
      const auto given = cell_number(row.cells[probability]);
      if (!given || !(*given > 0 && *given <= 1)) {
        complain(fmt::format("line {}, probability: found {}, expected a number above 0 and up to 1",
                             row.line, row.cells[probability]));
      }
      chance = given.value_or(1);
    }
    if (!check->take({row.cells[id], value.value_or(0), chance}))
      complain(fmt::format("line {}: the case {} is labelled already", row.line, row.cells[id]));
  }
  if (check->labels_.empty()) complain("no row has a label");
  return check;
}

void HumanCheck::add(std::string_view id, std::string_view cluster, std::string_view figure_name,
                     double value) {
  if (figure_name != figure_) return;
  JudgedRow row{.judge = value, .cluster = std::string(cluster)};
  if (const auto found = labels_.find(id); found != labels_.end()) {
    row.human = found->second.value;
    row.probability = found->second.probability;
  }
  rows_.push_back(std::move(row));
}

void HumanCheck::apply(Summary& summary) const {
  std::vector<double> human;
  std::vector<double> judge;
  std::vector<double> others;
  Moments all;
  JudgeErrors errors;
  bool binary = !rows_.empty();
  for (const JudgedRow& row : rows_) {
    all.add(row.judge);
    binary = binary && pass_or_fail(row.judge) && (!row.human || pass_or_fail(*row.human));
    ++errors.judged;
    errors.judged_pass += row.judge == 1 ? 1 : 0;
    if (!row.human) {
      others.push_back(row.judge);
      continue;
    }
    human.push_back(*row.human);
    judge.push_back(row.judge);
    if (*row.human == 1) {
      ++errors.human_pass;
      errors.human_pass_pass += row.judge == 1 ? 1 : 0;
    } else {
      ++errors.human_fail;
      errors.human_fail_fail += row.judge == 0 ? 1 : 0;
    }
  }
  const LabelOptions options{.interval = human.size() < 50 ? LabelInterval::student : LabelInterval::normal};
  HumanLabelFigures figures = with_human_labels(human, judge, others, options);
  Estimate corrected = std::move(figures.ppi_plus_plus);
  // Clusters and unequal chances need the weighted form; with every case labelled people have said it all.
  const bool clustered =
      std::ranges::any_of(rows_, [](const JudgedRow& row) { return !row.cluster.empty(); });
  if (others.empty()) {
    corrected = figures.human_only;
  } else if (weighted_ || clustered) {
    corrected = with_weighted_labels(rows_, options).estimate;
  }
  // Read like the figure that they are about, and shown with it: whoever had cases labelled asks for them
  // first.
  const auto about = std::ranges::find(summary.metrics, figure_, &Metric::name);
  const Metric like = about == summary.metrics.end() ? Metric{} : *about;
  const auto add = [&](const char* part, Estimate estimate) -> const Metric& {
    summary.metrics.push_back(
        {fmt::format("{}.{}", figure_, part), std::move(estimate), like.form, like.better, true, like.range});
    return summary.metrics.back();
  };
  // An interval ends where the scale does, if that is known: ratings from 1 to 5 are no shares.
  const auto share = [](double value) { return value >= 0 && value <= 1; };
  const bool shares = std::ranges::all_of(rows_, share, &JudgedRow::judge) &&
                      std::ranges::all_of(labels_, [&](const auto& one) { return share(one.second.value); });
  const auto on_scale = [&](Estimate estimate) {
    if (!like.range && !shares) return estimate;
    return within_range(std::move(estimate), like.range.value_or(Interval{0, 1}));
  };
  const std::string judged = figure_with_interval(add("judge_only", on_scale(estimate_mean(all))));
  add("human_only", on_scale(std::move(figures.human_only)));
  const std::string best = figure_with_interval(add("corrected", on_scale(std::move(corrected))));
  summary.conclusions.push_back(
      fmt::format("Corrected by people's labels of {}, {} is {}; the judge alone says {}.",
                  counted_words(static_cast<std::int64_t>(human.size()), "case", "cases"),
                  metric_words(figure_), best, judged));
  if (binary) add("rogan_gladen", rogan_gladen(errors));
  summary.metrics.push_back(counted(figure_ + ".labels", human.size(), labels_.size()));
  summary.metrics.push_back(
      counted(figure_ + ".labels_of_no_case", labels_.size() - human.size(), labels_.size()));
}

std::vector<std::string> HumanCheck::metric_names() const {
  std::vector<std::string> names;
  for (const char* part :
       {"judge_only", "human_only", "corrected", "rogan_gladen", "labels", "labels_of_no_case"})
    names.push_back(figure_ + "." + part);
  return names;
}

}  // namespace assay
