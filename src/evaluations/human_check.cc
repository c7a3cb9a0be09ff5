#include "evaluations/human_check.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/json/json.h"
#include "report/conclusions.h"
#include "report/words.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/missing.h"

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

constexpr std::size_t kFewLabels = 50;  // below, t quantiles

bool pass_or_fail(double value) {
  return value == 0 || value == 1;
}

}  // namespace

Key human_key() {
  return {
      .name = "human",
      .type = KeyType::object_list,
      .help =
          "Labels by people, for one figure or a list of several; the summary then has judge, people and the "
          "corrected figure side by side.",
      .keys = {{.name = "labels",
                .type = KeyType::path_list,
                .help = "CSV with the columns `id`, `label` and, if the cases were not chosen alike, "
                        "`probability`; of several people a file each.",
                .required = true},
               {.name = "figure", .help = "The figure that the labels are about.", .required = true}},
      .example = "{labels: labels.csv, figure: faithfulness.mean}"};
}

std::string not_checked(const std::string& figure) {
  if (figure.contains("win_rate"))
    return "What the judge says is not checked against people: on the page (assay serve) they can judge the "
           "pairs.";
  return fmt::format(
      "What the judge says is not checked against people: assay label-sample DIR --figure {} draws cases to "
      "label.",
      figure);
}

HumanCheck::HumanCheck(std::string figure, const std::vector<HumanLabel>& labels)
    : figure_(std::move(figure)) {
  for (const HumanLabel& label : labels) {
    if (!labels_.empty() && labels_.begin()->second.probability != label.probability) weighted_ = true;
    labels_.emplace(label.id, Label{label.value, label.probability, label.people});
  }
}

std::vector<HumanCheck> HumanCheck::from(const Config& config, const std::vector<MeanFigure>& figures,
                                         std::vector<ConfigProblem>& problems) {
  std::vector<HumanCheck> checks;
  const Json* human = config.find("human");
  if (human == nullptr || !human->is_array()) return checks;
  const JsonArray& entries = human->get_array();
  std::map<std::string, std::string> asked;  // by figure, the key that names it
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string key = entries.size() == 1 ? "human" : fmt::format("human[{}]", i);
    LabelFiles files{{}, key + ".labels", text_at(entries[i], "figure"), std::nullopt};
    for (const Json& path : list_at(entries[i], "labels")) files.paths.push_back(text_or_json(path));
    const auto known = find_mean_figure(files.figure, figures);
    if (known) {
      files.range = known->range;
    } else {
      problems.push_back({"config", key + ".figure", known.error().message});
    }
    if (const auto [other, fresh] = asked.emplace(files.figure, key); !fresh) {
      problems.push_back({"config", key + ".figure",
                          fmt::format("{} has labels in {} already; several people's files stand in one "
                                      "list: `labels: [FILE, FILE]`",
                                      files.figure, other->second)});
    }
    if (const Json* labels = find_member(entries[i], "labels"); labels != nullptr && files.paths.empty())
      problems.push_back({"config", files.key, fmt::format("found {}, expected a file", excerpt(*labels))});
    const auto read = read_human_labels(config, files, problems);
    if (!read) continue;
    HumanCheck& check = checks.emplace_back(files.figure, read->labels);
    check.files_ = read->files;
    check.drawn_.insert(read->unlabelled.begin(), read->unlabelled.end());
    if (!known) continue;
    check.range_ = known->range;
    check.passes_ = known->passes;
    check.part_ = known->part;
  }
  return checks;
}

void HumanCheck::add(std::string_view id, std::string_view cluster, std::string_view figure_name,
                     double value) {
  if (figure_name != figure_) return;
  JudgedRow row{.judge = value, .cluster = std::string(cluster)};
  if (const auto found = labels_.find(id); found != labels_.end()) {
    row.human = found->second.value;
    row.probability = found->second.probability;
    labelled_.push_back({std::string(id), std::string(cluster), value, found->second.value,
                         found->second.people, found->second.probability});
  } else if (drawn_.contains(id)) {
    ++unlabelled_;
  }
  rows_.push_back(std::move(row));
}

void HumanCheck::add_case(std::string_view id, std::string_view cluster, const CaseScores& scores,
                          std::string_view failed) {
  if (part_.empty()) {
    const auto score = std::ranges::find_if(
        scores.scores, [&](const Score& one) { return one.figure == figure_ && one.value.has_value(); });
    if (score != scores.scores.end()) return add(id, cluster, figure_, *score->value);
    return add_without_score(id, failed);
  }
  const auto& [figure, parts] = scores.parts;
  for (const PartScore& one : parts) {
    if (figure_ != figure && figure_ != fmt::format("{}.{}", figure, one.part)) continue;
    const std::string part = joined_ids({id, one.part});
    if (one.value) {
      add(part, cluster.empty() ? id : cluster, figure_, *one.value);
    } else {
      add_without_score(part, one.missing);
    }
  }
}

void HumanCheck::add_without_score(std::string_view id, std::string_view why) {
  if (!why.empty()) ++missing_[std::string(why)];
  if (labels_.contains(id)) ++missing_labelled_[why.empty() ? "no_score" : std::string(why)];
}

HumanCheck::Figures HumanCheck::figures() const {
  std::vector<double> human;
  std::vector<double> judge;
  std::vector<double> others;
  ClusteredMoments all;
  ClusteredMoments people;
  std::set<std::string> labelled_units;
  JudgeErrors errors;
  bool binary = !rows_.empty();
  bool halves = binary;  // yes or no, but for what people are even on
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const JudgedRow& row = rows_[i];
    // A case without a cluster stands for itself.
    const std::string unit = row.cluster.empty() ? fmt::format("\n{}", i) : row.cluster;
    all.add(unit, row.judge);
    binary = binary && pass_or_fail(row.judge) && (!row.human || pass_or_fail(*row.human));
    halves =
        halves && pass_or_fail(row.judge) && (!row.human || pass_or_fail(*row.human) || *row.human == 0.5);
    ++errors.judged;
    errors.judged_pass += row.judge == 1 ? 1 : 0;
    if (!row.human) {
      others.push_back(row.judge);
      continue;
    }
    human.push_back(*row.human);
    judge.push_back(row.judge);
    people.add(unit, *row.human);
    labelled_units.insert(unit);
    if (*row.human == 1) {
      ++errors.human_pass;
      errors.human_pass_pass += row.judge == 1 ? 1 : 0;
    } else {
      ++errors.human_fail;
      errors.human_fail_fail += row.judge == 0 ? 1 : 0;
    }
  }
  const bool clustered =
      std::ranges::any_of(rows_, [](const JudgedRow& row) { return !row.cluster.empty(); });
  const LabelOptions options{
      .interval = labelled_units.size() < kFewLabels ? LabelInterval::student : LabelInterval::normal,
      .unseen = halves ? UnseenErrors::one_of_each : UnseenErrors::unrelated};
  HumanLabelFigures plain = with_human_labels(human, judge, others, options);
  Figures figures{clustered ? estimate_mean(all) : estimate_mean(all.all()), std::move(plain.human_only),
                  std::move(plain.ppi_plus_plus), std::nullopt};
  if (weighted_) {
    figures.human_only = people_of_weighted_labels(rows_, options);
  } else if (clustered) {
    figures.human_only = estimate_mean(people);
  }
  // Clusters and unequal chances need the weighted form; with every case labelled people have said it all.
  if (others.empty()) {
    figures.corrected = figures.human_only;
  } else if (weighted_ || clustered) {
    figures.corrected = with_weighted_labels(rows_, options).estimate;
  }
  if (!binary) return figures;
  if (weighted_) {
    figures.rogan_gladen = undefined_figure(
        "its error rates are those of cases that were drawn alike, and here the judge's score decided how "
        "likely a case was; the corrected figure allows for that",
        errors.judged);
    return figures;
  }
  figures.rogan_gladen = rogan_gladen(errors);
  if (clustered && figures.rogan_gladen->ci) {
    figures.rogan_gladen->ci.reset();
    figures.rogan_gladen->undefined =
        "no interval: the cases come in clusters, and its formula takes them as independent";
  }
  return figures;
}

void HumanCheck::apply(Summary& summary, std::size_t place) const {
  Figures made = figures();
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
  // All of them speak of every case, those included that the judge has failed on.
  const auto whole = [&](Estimate estimate) {
    if (!range_ && !like.range && !shares) return count_missing(std::move(estimate), missing_);
    Estimate of_all = estimate;
    of_all.n = static_cast<std::int64_t>(rows_.size());
    of_all = with_missing(std::move(of_all), missing_, range_.value_or(like.range.value_or(Interval{0, 1})));
    estimate.missing = std::move(of_all.missing);
    estimate.bounds = of_all.bounds;
    return estimate;
  };
  const std::string judged =
      figure_with_interval(add("judge_only", whole(on_scale(std::move(made.judge_only)))));
  add("human_only", whole(on_scale(std::move(made.human_only))));
  const std::string best = figure_with_interval(add("corrected", whole(on_scale(std::move(made.corrected)))));
  // It is the figure to go by: the first that a reader sees.
  std::rotate(summary.metrics.begin() + static_cast<std::ptrdiff_t>(place), summary.metrics.end() - 1,
              summary.metrics.end());
  const auto used = static_cast<std::int64_t>(labelled_.size());
  summary.conclusions.insert(
      summary.conclusions.begin() + static_cast<std::ptrdiff_t>(place),
      fmt::format("Corrected by people's labels of {}, {} is {}; the judge alone says {}.",
                  counted_words(used, part_.empty() ? "case" : part_, part_.empty() ? "cases" : part_ + "s"),
                  metric_words(figure_), best, judged));
  if (made.rogan_gladen) add("rogan_gladen", whole(std::move(*made.rogan_gladen)));
  std::size_t without_score = 0;
  for (const auto& [why, count] : missing_labelled_) without_score += static_cast<std::size_t>(count);
  Metric labels = counted(figure_ + ".labels", labelled_.size(), labels_.size());
  labels.estimate.missing = missing_labelled_;
  if (unlabelled_ > 0) labels.estimate.missing["not_labelled"] = unlabelled_;
  summary.metrics.push_back(std::move(labels));
  const std::size_t strangers = labels_.size() - labelled_.size() - without_score;
  summary.metrics.push_back(counted(figure_ + ".labels_of_no_case", strangers, labels_.size()));
  if (strangers > 0) {
    summary.conclusions.push_back(
        fmt::format("Labels of {}: {} of {} are of no {} of this run, and nothing follows from them.",
                    metric_words(figure_), strangers, labels_.size(), part_.empty() ? "case" : part_));
  }
  if (unlabelled_ > 0) {
    const std::string part = part_.empty() ? "case" : part_;
    summary.conclusions.push_back(fmt::format(
        "Of {} that were drawn to be labelled for {}, {} no label: what follows from the others holds "
        "as far as it was chance, and not how hard they are, that left these out.",
        counted_words(used + unlabelled_, part, part + "s"), metric_words(figure_),
        unlabelled_ == 1 ? "1 has" : fmt::format("{} have", count_words(unlabelled_))));
  }
  add_human_agreement(figure_, labelled_, summary, passes_);
}

std::vector<std::string> HumanCheck::metric_names() const {
  std::vector<std::string> names;
  for (const char* part :
       {"judge_only", "human_only", "corrected", "rogan_gladen", "labels", "labels_of_no_case"})
    names.push_back(figure_ + "." + part);
  for (std::string& name : human_agreement_names(figure_)) names.push_back(std::move(name));
  return names;
}

void add_names(std::span<const HumanCheck> checks, std::vector<std::string>& names) {
  for (const HumanCheck& check : checks) std::ranges::move(check.metric_names(), std::back_inserter(names));
}

}  // namespace assay
