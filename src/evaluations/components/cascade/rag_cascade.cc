#include "evaluations/components/cascade/rag_cascade.h"

#include <algorithm>
#include <deque>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/tables/csv.h"

namespace assay::components {
namespace {

std::string side_of(const RagMetricSettings& settings, const MetricScore& score) {
  if (!score.not_applicable.empty()) return "not applicable";
  if (!score.score) return "";
  return settings.passes(*score.score) ? "pass" : "fail";
}

bool to_be_retried(const MetricScore& score) {
  if (!score.error) return false;
  const OutcomeKind kind = outcome_of(score.error->kind);
  return kind == OutcomeKind::infra_failed || kind == OutcomeKind::limit_hit;
}

Task<std::vector<MetricScore>> votes_of(const CascadeJudge& who, const RagMetric& metric,
                                        const RagCase& rag_case, CaseContext& context) {
  std::deque<RagRun> votes;
  std::vector<Task<MetricScore>> judgements;
  for (int vote = 1; vote <= who.votes; ++vote) {
    RagRun& run = votes.emplace_back(context, fmt::format("{}/vote{}", who.name, vote));
    judgements.push_back(metric.judge(rag_case, run));
  }
  co_return co_await all(std::move(judgements));
}

void note_failures(const std::vector<MetricScore>& scores, bool (*counts)(const MetricScore&),
                   CascadedScores& judged) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (counts(scores[i])) judged.failures.emplace_back(static_cast<int>(i) + 1, *scores[i].error);
  }
}

}  // namespace

std::shared_ptr<Cascade> read_rag_cascade(const Config& config, std::vector<ConfigProblem>& problems) {
  auto cascade = read_cascade(config, problems);
  if (!cascade) return nullptr;
  const Json* list = config.find("metrics");
  const JsonArray entries = list != nullptr && list->is_array() ? list->get_array() : JsonArray{};
  if (entries.size() != 1) {
    problems.push_back({"config", "metrics",
                        fmt::format("found {}, expected one: labels are of one metric, and a cascade is "
                                    "calibrated for it; judge the others in runs of their own",
                                    entries.size())});
    return nullptr;
  }
  const Config entry(entries.front().get_object());
  for (const char* key : {"model", "temperature"}) {
    if (entry.has(key))
      problems.push_back(
          {"config", fmt::format("metrics[0].{}", key), "the cascade says who judges, and how"});
  }
  RagMetricSettings settings;
  for (const RagMetricKind& kind : rag_metric_kinds()) {
    if (kind.name == entry.text("name"))
      settings = {std::string(kind.name), entry.number("threshold").value_or(kind.default_threshold),
                  kind.lower_is_better};
  }
  return Cascade::from(
      std::move(*cascade), config,
      [settings](const std::string& cell) -> Result<PeoplesWord> {
        const auto value = cell_number(cell);
        if (!value || *value < 0 || *value > 1)
          return fail(ErrorKind::data,
                      fmt::format("found {}, expected a score from 0 to 1, true or false", cell));
        return PeoplesWord{settings.passes(*value) ? "pass" : "fail", *value};
      },
      problems);
}

Task<CascadedScores> go_up(const Cascade& cascade, CascadedMetric metric, std::string id,
                           CaseContext& context) {
  CascadedScores judged;
  CascadeRecord& way = judged.way;
  std::vector<MetricScore> scores;  // of the last who was asked
  for (auto next = cascade.next(way, id);; next = cascade.next(way, id)) {
    way.decided_by = next.decided_by;
    if (!next.ask) break;
    const CascadeJudge& who = cascade.judges()[*next.ask];
    const CaseSpending before = context.spending();
    scores = co_await votes_of(who, *metric.judges[*next.ask], metric.rag_case, context);
    CascadeBallot ballot{.judge = who.name, .votes = {}};
    for (const MetricScore& score : scores) ballot.votes.push_back(side_of(metric.settings, score));
    ballot.note_spending(before, context.spending());
    way.ballots.push_back(std::move(ballot));
    note_failures(scores, to_be_retried, judged);
    if (!judged.failures.empty()) co_return judged;
  }
  if (way.decided_by.empty() || way.decided_by == kPeople) co_return judged;
  const auto failed = [](const MetricScore& one) { return one.error.has_value(); };
  if (std::ranges::all_of(scores, failed)) note_failures(scores, failed, judged);
  judged.scores = std::move(scores);
  co_return judged;
}

}  // namespace assay::components
