#include "evaluations/judges/judge_spread.h"

#include <algorithm>
#include <cmath>

#include <boost/json/string.hpp>
#include <fmt/format.h>

#include "report/judging_plan.h"
#include "report/words.h"

namespace assay {
namespace {

bool votes_twice(const std::vector<VotedCase>& cases) {
  return std::ranges::any_of(cases, [](const VotedCase& one) {
    return std::ranges::any_of(one.answers, [](const auto& votes) { return votes.size() > 1; });
  });
}

}  // namespace

Table components_table(std::string title) {
  return {"variance_components",
          std::move(title),
          {"figure", "source", "variance", "low", "high", "share"},
          {},
          false,
          "",
          ""};
}

void add_components(const std::string& figure, const VoteSpread& spread, Summary& summary, Table& table) {
  double all = 0;
  const std::pair<const char*, const Estimate*> parts[] = {
      {"case", &spread.of_case}, {"answer", &spread.of_answer}, {"vote", &spread.of_vote}};
  for (const auto& [name, part] : parts) all += part->value.value_or(0);
  for (const auto& [name, part] : parts) {
    if (!part->value) continue;
    Metric metric;
    metric.name = fmt::format("{}.variance.{}", figure, name);
    metric.estimate = *part;
    metric.better = Metric::Better::neither;
    summary.metrics.push_back(std::move(metric));
    table.rows.push_back({boost::json::string(figure), boost::json::string(name), *part->value,
                          part->ci ? Json(part->ci->low) : Json(nullptr),
                          part->ci ? Json(part->ci->high) : Json(nullptr),
                          all > 0 ? Json(*part->value / all) : Json(nullptr)});
  }
}

std::vector<double> votes_like(const Moments& votes) {
  const auto mean = votes.mean();
  if (!mean) return {};
  std::vector<double> like(static_cast<std::size_t>(votes.n()), *mean);
  if (const auto deviation = votes.sample_deviation(); deviation && like.size() > 1) {
    const double away = *deviation * std::sqrt(static_cast<double>(votes.n() - 1) / 2);
    like[0] += away;
    like[1] -= away;
  }
  return like;
}

JudgeSpread::OfFigure& JudgeSpread::of(const std::string& figure) {
  auto at = std::ranges::find(figures_, figure, &OfFigure::name);
  if (at == figures_.end()) at = figures_.insert(at, {figure, {}, {}});
  return *at;
}

void JudgeSpread::add(const std::string& figure, VotedCase one) {
  std::erase_if(one.answers, [](const std::vector<double>& votes) { return votes.empty(); });
  if (one.answers.empty()) return;
  OfFigure& known = of(figure);
  ++known.seen;
  if (known.cases.size() < kMostCases) known.cases.push_back(std::move(one));
}

void JudgeSpread::add(const std::string& figure, VotedCase one, double verdict) {
  OfFigure& known = of(figure);
  if (known.verdicts.size() < kMostCases) known.verdicts.push_back({one.cluster, {{verdict}}});
  add(figure, std::move(one));
}

void JudgeSpread::apply(Summary& summary, const std::string& on) {
  Table table = components_table("Where the noise of the judge is");
  std::optional<VoteSpread> widest;
  const std::string* widest_figure = nullptr;
  for (const auto& [figure, cases, verdicts, seen] : figures_) {
    if (!votes_twice(cases)) continue;
    VoteSpread spread = vote_spread(cases);
    if (!spread.undefined.empty()) continue;
    add_components(figure, spread, summary, table);
    if (!verdicts.empty()) spread = verdict_spread(verdicts, spread.votes, {.draws = 0});
    if (const auto kept = static_cast<std::int64_t>(cases.size()); seen > kept) {
      spread.clusters = std::llround(static_cast<double>(spread.clusters) * static_cast<double>(seen) /
                                     static_cast<double>(kept));
      spread.cases = seen;
    }
    const auto width = [](const VoteSpread& one) { return expected_half_width(one, design_of(one)); };
    if (widest && width(spread) <= width(*widest)) continue;
    widest = std::move(spread);
    widest_figure = &figure;
  }
  if (!table.rows.empty()) summary.tables.push_back(std::move(table));
  if (widest) {
    const std::string others = figures_.size() > 1 ? ", which is the least sure of them" : "";
    sentence_ = fmt::format("Noise of {}{}: {}", metric_words(*widest_figure), others,
                            reached_sentence(*widest, summary.usage.cost_usd, on));
  }
}

std::vector<std::string> JudgeSpread::metric_names(const std::string& figure) {
  return {figure + ".variance.case", figure + ".variance.answer", figure + ".variance.vote"};
}

}  // namespace assay
