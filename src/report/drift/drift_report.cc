#include "report/drift/drift_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/compare/compare_differences.h"
#include "report/figure_json.h"
#include "report/terminal.h"
#include "report/words.h"

namespace assay {
namespace {

struct Group {
  std::vector<const AnchorRun*> runs;  // in the order of time
};

bool same_anchors(const AnchorsReport& one, const AnchorsReport& other) {
  return one.hash == other.hash && one.figure == other.figure;
}

// Anchors of which the judge was not shown the same in both runs: a task that they answer has changed.
std::vector<std::string> shown_otherwise(const AnchorRun& one, const AnchorRun& other) {
  std::vector<std::string> ids;
  for (const auto& [id, print] : other.shown) {
    const auto known = one.shown.find(id);
    if (known != one.shown.end() && known->second != print) ids.push_back(id);
  }
  return ids;
}

// How the anchors are judged differently.
std::vector<std::string> judged_otherwise(const AnchorRun& one, const AnchorRun& other) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> differs = judging_differences(one.run, other.run);
  const std::vector<std::string> ids = shown_otherwise(one, other);
  if (ids.empty()) return differs;
  const std::size_t named = std::min(ids.size(), kMostNamed);
  differs.push_back(
      fmt::format("what the judge is shown with {} differs: {}{}",
                  counted_words(static_cast<std::int64_t>(ids.size()), "anchor", "anchors"),
                  fmt::join(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                  named < ids.size() ? ", …" : ""));
  return differs;
}

// Of the same evaluation, the same anchors and the same judge.
std::vector<Group> grouped(const std::vector<AnchorRun>& runs) {
  std::vector<Group> groups;
  for (const AnchorRun& one : runs) {
    const auto fits = [&](const Group& group) {
      // The last, of which more may be known than of the first.
      const AnchorRun& last = *group.runs.back();
      return last.run.summary.evaluation == one.run.summary.evaluation &&
             same_anchors(*last.run.summary.anchors, *one.run.summary.anchors) &&
             judged_otherwise(last, one).empty();
    };
    auto group = std::ranges::find_if(groups, fits);
    if (group == groups.end()) group = groups.emplace(groups.end());
    group->runs.push_back(&one);
  }
  return groups;
}

std::string judge_of(const Summary& summary) {
  for (const auto& [what, words] : summary.about) {
    if (what == "judge") return words;
  }
  return "";
}

DriftSeries series_of(const Group& group) {
  const Summary& first = group.runs.front()->run.summary;
  DriftSeries series;
  series.evaluation = first.evaluation;
  series.figure = first.anchors->figure;
  series.anchors = first.anchors->file;
  series.hash = first.anchors->hash;
  series.judge = judge_of(first);
  std::set<std::string> ids;
  for (const AnchorRun* run : group.runs) {
    for (const auto& [id, score] : run->scores) ids.insert(id);
  }
  std::vector<std::vector<double>> scores;
  std::vector<double> labels;
  for (const std::string& id : ids) {
    const auto label = group.runs.front()->labels.find(id);
    labels.push_back(label == group.runs.front()->labels.end() ? std::numeric_limits<double>::quiet_NaN()
                                                               : label->second);
  }
  for (const AnchorRun* one : group.runs) {
    DriftSeries::Run run{one->run.directory, one->run.summary.started, 0, std::nullopt, std::nullopt, 1};
    std::vector<double>& row = scores.emplace_back();
    double sum = 0;
    for (const std::string& id : ids) {
      const auto score = one->scores.find(id);
      row.push_back(score == one->scores.end() ? std::numeric_limits<double>::quiet_NaN() : score->second);
      if (score == one->scores.end()) continue;
      ++run.judged;
      sum += score->second;
    }
    if (run.judged > 0) run.mean = sum / static_cast<double>(run.judged);
    const auto& metrics = one->run.summary.metrics;
    const auto agreement = std::ranges::find(metrics, "anchors.agreement", &Metric::name);
    if (agreement != metrics.end()) run.agreement = agreement->estimate.value;
    series.runs.push_back(std::move(run));
  }
  DriftPlan plan;
  plan.range = first.anchors->range;
  series.course = watch_drift(scores, labels, plan);
  for (std::size_t i = 0; i < series.runs.size(); ++i) series.runs[i].evidence = series.course.evidence[i];
  return series;
}

// How it is judged differently from the last of the series before it that has the same anchors.
std::vector<std::string> differences(const std::vector<Group>& groups, std::size_t place) {
  const AnchorRun& own = *groups[place].runs.front();
  for (std::size_t i = place; i-- > 0;) {
    const AnchorRun& other = *groups[i].runs.back();
    if (other.run.summary.evaluation == own.run.summary.evaluation &&
        same_anchors(*other.run.summary.anchors, *own.run.summary.anchors))
      return judged_otherwise(other, own);
  }
  return {};
}

std::string run_words(const DriftSeries::Run& run) {
  return fmt::format("{} ({})", run.directory, time_words(run.started));
}

// "0.12 higher (95% interval 0.05 – 0.19)"
std::string shift_words(const Estimate& shift, std::string_view more, std::string_view less) {
  const double value = shift.value.value_or(0);
  std::string text = fmt::format("{} {}", number_words(std::abs(value)), value >= 0 ? more : less);
  if (!shift.ci) return text;
  const Interval ci = value >= 0 ? *shift.ci : Interval{-shift.ci->high, -shift.ci->low};
  return text + fmt::format(" (95% interval {} – {})", number_words(ci.low), number_words(ci.high));
}

std::string drift_sentence(const DriftSeries& series, const Drift& drift) {
  const std::string anchors = counted_words(drift.shift.n, "anchor", "anchors");
  std::string text = fmt::format("The judge has changed: from {} on ", run_words(series.runs[drift.changed]));
  const bool by_scores = drift.way == Drift::Way::higher || drift.way == Drift::Way::lower;
  if (by_scores) {
    text += fmt::format("it scores {} {} on {}", metric_words(series.figure),
                        shift_words(drift.shift, "higher", "lower"), anchors);
    if (drift.closeness_shift.value)
      text += fmt::format(", and is {} to people's labels",
                          shift_words(drift.closeness_shift, "closer", "further away"));
  } else {
    text += fmt::format("its {} is {} to people's labels on {}", metric_words(series.figure),
                        shift_words(drift.closeness_shift, "closer", "further away"), anchors);
    text += fmt::format(", {} on average", shift_words(drift.shift, "higher", "lower"));
  }
  return text + fmt::format(
                    "; known after {}. Nothing in how it is declared explains this, and figures of "
                    "runs before and after it are not to be compared.",
                    series.runs[drift.found].directory);
}

std::string quiet_sentence(const DriftSeries& series) {
  std::int64_t anchors = 0;
  for (const DriftSeries::Run& run : series.runs) anchors = std::max(anchors, run.judged);
  const auto runs = static_cast<std::int64_t>(series.runs.size());
  const std::string where = fmt::format("{}, {}{}", metric_words(series.figure), series.evaluation,
                                        series.judge.empty() ? "" : " judged by " + series.judge);
  if (runs < 2) return fmt::format("One run is nothing to compare with ({}): there is no saying yet.", where);
  return fmt::format("No change of the judge is seen over {} and {} ({}).",
                     counted_words(runs, "run", "runs"), counted_words(anchors, "anchor", "anchors"), where);
}

std::string_view way_name(Drift::Way way) {
  switch (way) {
    case Drift::Way::higher:
      return "higher";
    case Drift::Way::lower:
      return "lower";
    case Drift::Way::closer:
      return "closer";
    default:
      return "further";
  }
}

Json run_json(const DriftSeries::Run& run) {
  return JsonObject{{"directory", run.directory},
                    {"started", run.started},
                    {"judged", run.judged},
                    {"mean", number_json(run.mean)},
                    {"agreement", number_json(run.agreement)},
                    {"evidence", run.evidence}};
}

}  // namespace

DriftReport drift_report(std::vector<AnchorRun> runs) {
  std::ranges::sort(
      runs, {}, [](const AnchorRun& one) { return std::pair(one.run.summary.started, one.run.directory); });
  const std::vector<Group> groups = grouped(runs);
  DriftReport report;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    DriftSeries& series = report.series.emplace_back(series_of(groups[i]));
    series.differs = differences(groups, i);
    report.drifted = report.drifted || !series.course.drifts.empty();
  }
  // The latest first: that is the judge of today.
  for (auto series = report.series.rbegin(); series != report.series.rend(); ++series) {
    for (auto drift = series->course.drifts.rbegin(); drift != series->course.drifts.rend(); ++drift)
      report.sentences.push_back(drift_sentence(*series, *drift));
  }
  for (auto series = report.series.rbegin(); series != report.series.rend(); ++series) {
    if (series->course.drifts.empty()) report.sentences.push_back(quiet_sentence(*series));
  }
  for (const DriftSeries& series : report.series) {
    if (series.differs.empty()) continue;
    report.sentences.push_back(fmt::format(
        "From {} on the anchors are judged otherwise, as declared ({}): not drift, with a series of its own.",
        run_words(series.runs.front()), fmt::join(series.differs, "; ")));
  }
  return report;
}

Json to_json(const DriftReport& report) {
  JsonArray sentences;
  for (const std::string& one : report.sentences) sentences.emplace_back(one);
  JsonArray all;
  for (const DriftSeries& series : report.series) {
    JsonArray runs;
    for (const DriftSeries::Run& run : series.runs) runs.push_back(run_json(run));
    JsonArray drifts;
    for (const Drift& drift : series.course.drifts) {
      drifts.push_back(JsonObject{{"way", way_name(drift.way)},
                                  {"since", series.runs[drift.changed].directory},
                                  {"found_after", series.runs[drift.found].directory},
                                  {"evidence", drift.evidence},
                                  {"shift", figure_json(drift.shift)},
                                  {"closeness_shift", figure_json(drift.closeness_shift)}});
    }
    JsonArray differs;
    for (const std::string& one : series.differs) differs.emplace_back(one);
    all.push_back(JsonObject{{"evaluation", series.evaluation},
                             {"figure", series.figure},
                             {"anchors", JsonObject{{"file", series.anchors}, {"sha256", series.hash}}},
                             {"judge", series.judge},
                             {"differs", std::move(differs)},
                             {"runs", std::move(runs)},
                             {"drifts", std::move(drifts)}});
  }
  return JsonObject{
      {"sentences", std::move(sentences)}, {"drifted", report.drifted}, {"series", std::move(all)}};
}

std::string drift_text(const DriftReport& report) {
  std::string out;
  for (const std::string& one : report.sentences) out += terminal_text(one) + "\n";
  constexpr std::string_view kRow = "{:<19}  {:>7} {:>8} {:>10} {:>9}  {}\n";
  for (const DriftSeries& series : report.series) {
    out += fmt::format("\n{}\n",
                       terminal_text(fmt::format(
                           "{}, {}{}, anchors {}", metric_words(series.figure), series.evaluation,
                           series.judge.empty() ? "" : ", judged by " + series.judge, series.anchors)));
    out += fmt::format(fmt::runtime(kRow), "started", "anchors", "mean", "agreement", "evidence", "run");
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
      const DriftSeries::Run& run = series.runs[i];
      std::string marks;
      for (const Drift& drift : series.course.drifts) {
        if (drift.changed == i) marks += "  <- changed";
        if (drift.found == i) marks += "  <- known";
      }
      out += fmt::format(fmt::runtime(kRow), run.started.substr(0, 19), run.judged, number_or_none(run.mean),
                         run.agreement ? share_words(*run.agreement) : std::string(kNotAvailable),
                         number_words(run.evidence), terminal_text(run.directory) + marks);
    }
  }
  return out;
}

}  // namespace assay
