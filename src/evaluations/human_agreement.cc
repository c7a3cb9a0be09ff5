#include "evaluations/human_agreement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/json/string.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/judges/annotator_test.h"
#include "report/conclusions.h"
#include "report/words.h"
#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/drawn_pairs.h"
#include "stats/agreement/human_labels.h"
#include "stats/agreement/krippendorff.h"
#include "stats/agreement/levels.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr double kSame = 1e-9;
constexpr double kEven = 0.5;  // what people say together of yes or no, if as many say the one as the other
constexpr std::size_t kShownDisagreements = 20;

bool alike(const LabelledCase& one) {
  return std::abs(one.judge - one.human) <= kSame;
}

Metric metric_of(std::string name, Estimate estimate, Metric::Form form) {
  Metric metric;
  metric.name = std::move(name);
  metric.estimate = std::move(estimate);
  metric.form = form;
  return metric;
}

// As the number is read again from summary.json, so that a report made of that is the same.
Json score_cell(double score) {
  const double whole = std::round(score);
  return whole == score ? Json(static_cast<std::int64_t>(whole)) : Json(score);
}

Table disagreements(const std::string& figure, std::span<const LabelledCase> cases) {
  std::vector<const LabelledCase*> apart;
  for (const LabelledCase& one : cases) {
    if (!alike(one)) apart.push_back(&one);
  }
  std::ranges::sort(apart, {}, [](const LabelledCase* one) {
    return std::tuple(-std::abs(one->judge - one->human), one->id);
  });
  Table table{figure + ".human_disagreements",
              fmt::format("{}: where judge and people are furthest apart", metric_words(figure)),
              {"case", "judge", "people"},
              {},
              false,
              "",
              ""};
  for (std::size_t i = 0; i < std::min(apart.size(), kShownDisagreements); ++i)
    table.rows.push_back(
        {boost::json::string(apart[i]->id), score_cell(apart[i]->judge), score_cell(apart[i]->human)});
  return table;
}

Table confusion(const std::string& figure, std::span<const LabelledCase> cases) {
  std::vector<std::vector<Json>> rows(2);
  for (const double human : {0.0, 1.0}) {
    for (const double judge : {0.0, 1.0}) {
      rows[static_cast<std::size_t>(human)].emplace_back(std::ranges::count_if(
          cases, [&](const LabelledCase& one) { return one.human == human && one.judge == judge; }));
    }
  }
  return {figure + ".human_confusion",
          fmt::format("{}: what people and judge said", metric_words(figure)),
          {"fail", "pass"},
          std::move(rows),
          true,
          "people",
          "judge"};
}

// Undefined, with the reason, below what the test needs; nothing with one person.
void add_alt_test(const std::string& figure, std::span<const LabelledCase> cases, Summary& summary) {
  const auto made = annotator_test(cases);
  if (!made) return;
  const AltTest& test = made->test;
  summary.metrics.push_back(
      metric_of(figure + ".alt_test.winning_rate", test.winning_rate, Metric::Form::share));
  summary.metrics.push_back(metric_of(figure + ".alt_test.advantage", test.advantage, Metric::Form::share));
  if (made->names.size() < kFewestHumans) {
    summary.conclusions.push_back(
        fmt::format("Whether the judge of {} is as good as one more person is not said: {}.",
                    metric_words(figure), made->no_verdict()));
    return;
  }
  if (!test.passed) return;
  const auto untested = static_cast<std::int64_t>(made->names.size()) - test.winning_rate.n;
  const std::string others =
      untested > 0 ? fmt::format(" ({} labelled too few cases to be asked)", count_words(untested)) : "";
  summary.conclusions.push_back(
      fmt::format("By the alternative annotator test the judge of {} {} as good as one more person: it "
                  "stands up to {} of "
                  "{}{}.",
                  metric_words(figure), *test.passed ? "is" : "is not shown to be",
                  std::ranges::count_if(test.humans, &AltTest::Human::won),
                  counted_words(test.winning_rate.n, "person", "people"), others));
}

// How far several people agree with each other, and whether the judge could be one of them; nothing with one
// person.
void add_people(const std::string& figure, std::span<const LabelledCase> cases, Summary& summary) {
  const PeopleRatings people = people_ratings(cases);
  if (people.names.size() < 2) return;
  // Of yes and no the scale makes no difference.
  Metric alpha = metric_of(figure + ".people_alpha", krippendorff_alpha(people.ratings, Scale::interval),
                           Metric::Form::number);
  summary.conclusions.push_back(
      fmt::format("Between {} who labelled cases of {} alpha is {}.",
                  counted_words(static_cast<std::int64_t>(people.names.size()), "person", "people"),
                  metric_words(figure), figure_with_interval(alpha)));
  summary.metrics.push_back(std::move(alpha));
  add_alt_test(figure, cases, summary);
}

std::vector<DrawnPair> drawn_pairs(std::span<const LabelledCase> cases, const Sameness* same = nullptr) {
  std::vector<DrawnPair> pairs;
  pairs.reserve(cases.size());
  for (const LabelledCase& one : cases)
    pairs.push_back({one.human, one.judge, same != nullptr && same->of(one), one.probability, one.cluster});
  return pairs;
}

bool yes_or_no(double value) {
  return value == 0 || value == 1;
}

// A half that is no answer of anybody's: as many said yes as said no.
bool is_even(const LabelledCase& one) {
  return one.human == kEven && one.people.size() > 1 &&
         std::ranges::all_of(one.people, [](const auto& said) { return yes_or_no(said.second); });
}

// Without those on which people are even, where somebody has decided any.
std::vector<LabelledCase> without_even(std::span<const LabelledCase> cases) {
  std::vector<LabelledCase> told;
  std::ranges::remove_copy_if(cases, std::back_inserter(told), is_even);
  if (told.empty()) told.assign(cases.begin(), cases.end());
  return told;
}

// How far both are from chance: kappa of pass or fail, else alpha.
Metric beyond_chance(const std::string& figure, std::span<const LabelledCase> cases, bool yes_no) {
  if (!drawn_alike(cases)) {
    const std::vector<DrawnPair> pairs = drawn_pairs(cases);
    return yes_no ? metric_of(figure + ".human_kappa", weighted_kappa(pairs), Metric::Form::number)
                  : metric_of(figure + ".human_alpha", weighted_alpha(pairs), Metric::Form::number);
  }
  Ratings ratings(2);
  const bool in_clusters = clustered(cases);
  for (const LabelledCase& one : cases)
    ratings.add_unit(std::vector<double>{one.human, one.judge}, in_clusters ? unit_of(one) : std::string());
  return yes_no
             ? metric_of(figure + ".human_kappa", cohen_kappa(ratings).figure.resampled, Metric::Form::number)
             : metric_of(figure + ".human_alpha", krippendorff_alpha(ratings, Scale::interval),
                         Metric::Form::number);
}

}  // namespace

bool pass_or_fail(std::span<const LabelledCase> cases) {
  return std::ranges::all_of(
      cases, [](const LabelledCase& one) { return yes_or_no(one.judge) && yes_or_no(one.human); });
}

bool drawn_alike(std::span<const LabelledCase> cases) {
  return std::ranges::all_of(
      cases, [&](const LabelledCase& one) { return one.probability == cases.front().probability; });
}

bool clustered(std::span<const LabelledCase> cases) {
  return std::ranges::any_of(cases, [](const LabelledCase& one) { return !one.cluster.empty(); });
}

const std::string& unit_of(const LabelledCase& one) {
  return one.cluster.empty() ? one.id : one.cluster;
}

Sameness::Sameness(std::span<const LabelledCase> cases, std::function<bool(double)> passes) {
  if (pass_or_fail(cases)) return;
  passes_ = std::move(passes);
  told_ = passes_ || std::ranges::all_of(cases, [](const LabelledCase& one) {
            return is_level(one.judge) && is_level(one.human);
          });
}

bool Sameness::of(const LabelledCase& one) const {
  return passes_ ? passes_(one.judge) == passes_(one.human) : alike(one);
}

std::string Sameness::words() const {
  return passes_ ? " (whether it passes)" : "";
}

Estimate agreement_share(std::span<const LabelledCase> cases, const Sameness& same) {
  if (!drawn_alike(cases)) return weighted_share(drawn_pairs(cases, &same));
  ClusteredMoments moments;
  std::int64_t equal = 0;
  for (const LabelledCase& one : cases) {
    moments.add(unit_of(one), same.of(one) ? 1 : 0);
    equal += same.of(one) ? 1 : 0;
  }
  Estimate share =
      clustered(cases) ? wilson_clustered(moments) : wilson(equal, static_cast<std::int64_t>(cases.size()));
  share.count = equal;
  return share;
}

Estimate mean_difference(std::span<const LabelledCase> cases) {
  if (!drawn_alike(cases)) {
    std::vector<JudgedRow> rows;
    rows.reserve(cases.size());
    for (const LabelledCase& one : cases)
      rows.push_back(
          {.human = one.judge - one.human, .probability = one.probability, .cluster = one.cluster});
    return people_of_weighted_labels(rows, {.interval = LabelInterval::student});
  }
  ClusteredMoments moments;
  for (const LabelledCase& one : cases) moments.add(unit_of(one), one.judge - one.human);
  return clustered(cases) ? estimate_mean(moments) : estimate_mean(moments.all());
}

void add_human_agreement(const std::string& figure, std::span<const LabelledCase> cases, Summary& summary,
                         const std::function<bool(double)>& passes) {
  if (cases.empty()) return;
  // Of yes or no people may be even on a case: with what they say the judge can neither agree nor disagree.
  const std::vector<LabelledCase> told = without_even(cases);
  const auto even = static_cast<std::int64_t>(cases.size() - told.size());
  const bool yes_no = pass_or_fail(told);
  const Sameness same(told, passes);
  Metric chance = beyond_chance(figure, told, yes_no);
  std::vector<std::string> parts;
  if (same.told()) {
    Metric shared = metric_of(figure + ".human_agreement", agreement_share(told, same), Metric::Form::share);
    if (even > 0)
      shared.estimate = with_missing(std::move(shared.estimate), {{"people_even", even}}, Interval{0, 1});
    parts.push_back(
        fmt::format("the judge says the same as people{} in {}", same.words(), figure_with_interval(shared)));
    summary.metrics.push_back(std::move(shared));
  }
  if (even > 0) chance.estimate.missing["people_even"] = even;
  parts.push_back(fmt::format("{} is {}", yes_no ? "kappa" : "alpha", figure_with_interval(chance)));
  summary.metrics.push_back(std::move(chance));
  if (!yes_no) {
    Metric difference = metric_of(figure + ".human_difference", mean_difference(cases), Metric::Form::number);
    difference.better = Metric::Better::neither;
    difference.reference = 0;
    parts.push_back(
        fmt::format("the judge's score less people's is {} on average", figure_with_interval(difference)));
    summary.metrics.push_back(std::move(difference));
  }
  summary.conclusions.push_back(fmt::format(
      "On the labelled cases of {}{}{}, {}.", metric_words(figure),
      even > 0 ? fmt::format(", but for {} on which people are even", count_words(even)) : "",
      drawn_alike(cases) ? "" : ", each counted for as many as it was drawn from", join(parts, "; ")));
  add_people(figure, cases, summary);
  if (yes_no) summary.tables.push_back(confusion(figure, told));
  if (!std::ranges::all_of(cases, alike)) summary.tables.push_back(disagreements(figure, cases));
}

std::vector<std::string> human_agreement_names(const std::string& figure) {
  std::vector<std::string> names;
  for (const char* part : {"human_agreement", "human_kappa", "human_alpha", "human_difference",
                           "people_alpha", "alt_test.winning_rate", "alt_test.advantage"})
    names.push_back(fmt::format("{}.{}", figure, part));
  return names;
}

}  // namespace assay
