#include "evaluations/persona/figures_by_group.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluations/figures.h"
#include "report/plots/summary_plots.h"
#include "report/words.h"
#include "stats/agreement/krippendorff.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay::persona {
namespace {

using namespace figures;

constexpr Interval kLikertRange{1, 5};
constexpr std::size_t kMostLikertRows = 30;
constexpr std::size_t kMostCrossed = 20'000;  // scores that variances are estimated from

Json or_null(const Estimate& estimate) {
  return estimate.value ? Json(*estimate.value) : Json(nullptr);
}

void add_likert(const std::map<std::string, VerdictTally>& groups, const std::string& kind,
                Summary& summary) {
  static const std::vector<std::string> kLevels{"Strongly disagree", "Disagree", "Neutral", "Agree",
                                                "Strongly agree"};
  std::vector<LikertRow> rows;
  std::int64_t left_out = 0;
  for (const auto& [group, tally] : groups) {
    if (rows.size() == kMostLikertRows) {
      ++left_out;
    } else {
      rows.push_back({group, {tally.distribution().begin(), tally.distribution().end()}});
    }
  }
  std::string caption;
  if (left_out > 0)
    caption = fmt::format("The first {}; {} more are in the table.", kMostLikertRows, left_out);
  summary.plots.push_back(
      likert_plot({"ratings_by_" + kind, "Ratings by " + kind, std::move(caption)}, kLevels, rows));
}

// The plain interval where every item has one value, the clustered one elsewhere.
Estimate mean_of(const ClusteredMoments& moments) {
  return moments.clusters() == moments.all().n() ? estimate_mean(moments.all()) : estimate_mean(moments);
}

std::map<std::string, Estimate> agreement_of(const std::map<std::string, VerdictTally>& groups) {
  std::map<std::string, Estimate> rates;
  for (const auto& [group, tally] : groups) rates.emplace(group, tally.agreement_rate());
  return rates;
}

}  // namespace

void VerdictTally::add(const Verdict& verdict, Mode mode) {
  agrees_.add(verdict.item_id, agrees(verdict, mode) ? 1 : 0);
  if (mode == Mode::mode3) return;
  likert_.add(verdict.item_id, verdict.likert);
  ++distribution_[static_cast<std::size_t>(verdict.likert - 1)];
}

Estimate VerdictTally::likert_mean() const {
  return with_missing(within_range(mean_of(likert_), kLikertRange), missing_, kLikertRange);
}

// From the distribution: the middle of five values needs no list. Its interval would take verdicts on one
// item for independent ones, so it has none where they are not.
Estimate VerdictTally::likert_median() const {
  const auto middle = [](const std::array<std::int64_t, 5>& counts) {
    std::int64_t total = 0;
    for (const std::int64_t count : counts) total += count;
    const auto at = [&counts](std::int64_t rank) {  // from 0
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (rank < counts[i]) return static_cast<double>(i + 1);
        rank -= counts[i];
      }
      return 5.0;
    };
    return (at((total - 1) / 2) + at(total / 2)) / 2;
  };
  const std::int64_t total = likert_.all().n();
  Estimate estimate = undefined_figure("no observations");
  if (total > 0) {
    estimate = plain_figure(middle(distribution_), total);
    estimate.undefined = "no interval is given for the median of five values";
  }
  std::int64_t absent = 0;
  for (const auto& [outcome, verdicts] : missing_) absent += verdicts;
  if (absent == 0) return estimate;
  std::array<std::int64_t, 5> worst = distribution_;
  std::array<std::int64_t, 5> best = distribution_;
  worst.front() += absent;
  best.back() += absent;
  estimate = count_missing(std::move(estimate), missing_);
  estimate.bounds = Interval{middle(worst), middle(best)};
  return estimate;
}

Estimate VerdictTally::agreement_rate() const {
  return with_missing(wilson_clustered(agrees_), missing_);
}

Estimate VerdictTally::weighted_agreement() const {
  Estimate estimate = likert_mean();
  const auto scaled = [](double likert) { return (likert - 1) / 4; };
  if (estimate.value) estimate.value = scaled(*estimate.value);
  if (estimate.ci) estimate.ci = Interval{scaled(estimate.ci->low), scaled(estimate.ci->high)};
  if (estimate.bounds)
    estimate.bounds = Interval{scaled(estimate.bounds->low), scaled(estimate.bounds->high)};
  return estimate;
}

void VerdictFigures::add(std::size_t persona, const std::vector<Question>& questions,
                         const std::vector<Verdict>& verdicts, const std::string& outcome) {
  if (!questions.empty() && questions.front().item_id != item_) {
    end_item();
    item_ = questions.front().item_id;
  }
  const std::string& name = personas_[persona];
  const auto tallies = [&](const std::string& classification, const std::string& perspective) {
    return std::array{&all_, &by_classification_[classification], &by_persona_[name],
                      &by_perspective_[perspective], &by_persona_and_classification_[{name, classification}]};
  };
  if (verdicts.empty()) {
    ++failed_requests_[outcome];
    for (const Question& question : questions) {
      for (VerdictTally* tally : tallies(question.classification_id, question.perspective_id))
        tally->add_missing(outcome, 1);
    }
    return;
  }
  Moments likert;
  Moments agreed;
  for (const Verdict& verdict : verdicts) {
    if (mode_ != Mode::mode3) likert.add(verdict.likert);
    agreed.add(agrees(verdict, mode_) ? 1 : 0);
    for (VerdictTally* tally : tallies(verdict.classification_id, verdict.perspective_id))
      tally->add(verdict, mode_);
    auto& said = said_[{verdict.classification_id, verdict.perspective_id}];
    said.resize(personas_.size(), Ratings::kAbsent);
    said[persona] = mode_ == Mode::mode3 ? (verdict.agrees ? 1 : 0) : verdict.likert;
  }
  if (const auto mean = likert.mean()) likert_per_request_.add(item_, *mean);
  agreed_per_request_.add(item_, *agreed.mean());
}

void VerdictFigures::end_item() {
  for (const auto& [question, said] : said_) {
    alpha_.add_unit(said);
    if (crossed_.scores().size() >= kMostCrossed) continue;
    for (std::size_t persona = 0; persona < said.size(); ++persona) {
      if (!std::isnan(said[persona]))
        crossed_.add({fmt::format("{}/{}/{}", item_, question.first, question.second), personas_[persona]},
                     said[persona]);
    }
  }
  said_.clear();
}

// What of the variance of one rating lies where, and how far the panel's mean can be relied on.
std::string VerdictFigures::spread_sentence() const {
  if (study_.components.size() != 3) return "";
  const auto reliability = [&](std::size_t personas) {
    return d_study(study_, {{personas}, 1}).dependability.value;
  };
  const std::size_t panel = study_.levels.back();
  std::string text = fmt::format(
      "Of the variance of one rating {} lies between questions and {} between personas; {} is neither's.",
      share_words(study_.components[0].share), share_words(study_.components[1].share),
      share_words(study_.components[2].share));
  const auto now = reliability(panel);
  const auto twice = reliability(2 * panel);
  if (now && twice)
    text += fmt::format(" The mean of {} personas has a dependability of {}; {} would have {}.", panel,
                        number_words(*now), 2 * panel, number_words(*twice));
  return text;
}

Table VerdictFigures::by_group(std::string name, std::string title, std::string column,
                               const std::map<std::string, VerdictTally>& groups) const {
  Table table{std::move(name), std::move(title), {std::move(column), "n"}, {}, false, "", ""};
  const bool likert = mode_ != Mode::mode3;
  if (likert)
    table.columns.insert(table.columns.end(), {"likert_mean", "likert_median", "weighted_agreement"});
  table.columns.insert(table.columns.end(), {"agreement_rate", "low", "high"});
  if (likert) table.columns.insert(table.columns.end(), {"1", "2", "3", "4", "5"});
  for (const auto& [group, tally] : groups) {
    std::vector<Json> row{boost::json::string(group), tally.n()};
    if (likert) {
      row.push_back(or_null(tally.likert_mean()));
      row.push_back(or_null(tally.likert_median()));
      row.push_back(or_null(tally.weighted_agreement()));
    }
    const Estimate rate = tally.agreement_rate();
    row.push_back(or_null(rate));
    row.push_back(rate.ci ? Json(rate.ci->low) : Json(nullptr));
    row.push_back(rate.ci ? Json(rate.ci->high) : Json(nullptr));
    if (likert) {
      for (const std::int64_t count_of_one : tally.distribution()) row.emplace_back(count_of_one);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::map<std::string, Estimate> VerdictFigures::agreement_by_classification() const {
  return agreement_of(by_classification_);
}

std::map<std::string, Estimate> VerdictFigures::agreement_by_persona() const {
  return agreement_of(by_persona_);
}

void VerdictFigures::apply(Summary& summary) {
  end_item();
  auto& metrics = summary.metrics;
  const bool likert = mode_ != Mode::mode3;
  const auto add = [&](const VerdictTally& tally, const std::string& suffix) {
    if (likert) {
      metrics.push_back(number("likert.mean" + suffix, tally.likert_mean()));
      metrics.back().range = kLikertRange;
      metrics.back().headline = suffix.empty();
    }
    metrics.push_back(share("agreement_rate" + suffix, tally.agreement_rate(), suffix.empty()));
    if (likert) metrics.push_back(share("weighted_agreement" + suffix, tally.weighted_agreement()));
  };
  add(all_, "");
  if (likert) {
    metrics.push_back(number("likert.median", all_.likert_median()));
    metrics.back().range = kLikertRange;
    for (std::size_t i = 0; i < 5; ++i)
      metrics.push_back(count(fmt::format("likert.count_{}", i + 1), all_.distribution()[i], all_.n()));
    metrics.push_back(number("likert.mean_per_request",
                             with_missing(within_range(mean_of(likert_per_request_), kLikertRange),
                                          failed_requests_, kLikertRange)));
  } else {
    for (const char* name : {"likert.mean", "weighted_agreement", "likert.mean_per_request"})
      metrics.push_back(number(name, undefined_figure("mode3 has no Likert values")));
  }
  metrics.push_back(share("agreement_rate_per_request",
                          with_missing(within_range(mean_of(agreed_per_request_)), failed_requests_)));
  if (personas_.size() > 1) {
    metrics.push_back(number("personas.krippendorff_alpha",
                             krippendorff_alpha(alpha_, likert ? Scale::ordinal : Scale::nominal),
                             Metric::Better::neither));
    study_ = g_study(crossed_);
    for (const VarianceComponent& one : study_.components)
      metrics.push_back(number("personas.variance." + one.name, one.variance, Metric::Better::neither));
  }
  for (const auto& [classification, tally] : by_classification_) add(tally, "." + classification);

  summary.tables.push_back(
      by_group("classifications", "By classification", "classification", by_classification_));
  summary.tables.push_back(by_group("personas", "By persona", "persona", by_persona_));
  summary.tables.push_back(by_group("perspectives", "By perspective", "perspective", by_perspective_));
  Table heat{"agreement_by_persona", "Agreement, persona × classification", {"persona"}, {}, false, "", ""};
  for (const auto& [classification, tally] : by_classification_) heat.columns.push_back(classification);
  for (const std::string& persona : personas_) {
    std::vector<Json> row{boost::json::string(persona)};
    for (const auto& [classification, tally] : by_classification_) {
      const auto cell = by_persona_and_classification_.find({persona, classification});
      row.push_back(cell == by_persona_and_classification_.end() ? Json(nullptr)
                                                                 : or_null(cell->second.agreement_rate()));
    }
    heat.rows.push_back(std::move(row));
  }
  if (heat.rows.size() > 1) {
    summary.plots.push_back(
        table_heat_map(heat, {"persona", "classification"}, HeatMap::Shade::share,
                       fmt::format("Share of verdicts that agree; n = {}.", count_words(all_.n()))));
  }
  summary.tables.push_back(std::move(heat));
  if (!likert) return;
  add_likert(by_classification_, "classification", summary);
  if (by_perspective_.size() > 1) add_likert(by_perspective_, "perspective", summary);
  if (by_persona_.size() > 1) add_likert(by_persona_, "persona", summary);
}

}  // namespace assay::persona
