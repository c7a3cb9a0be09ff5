#include "evaluations/custom/asked/cascaded.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/tables/csv.h"
#include "core/text.h"
#include "core/unicode.h"
#include "stats/intervals/median.h"

namespace assay::custom {
namespace {

using Value = MetricShape::Value;

bool to_be_retried(const Mark& mark) {
  return mark.state == Mark::State::failed &&
         (mark.outcome == OutcomeKind::infra_failed || mark.outcome == OutcomeKind::limit_hit);
}

std::string side_of(const MetricRule& rule, const Mark& mark) {
  if (mark.state == Mark::State::not_applicable) return "not applicable";
  if (!mark.given()) return "";
  if (rule.shape.value == Value::label) return mark.label;
  if (!mark.passed) return "";
  return *mark.passed ? "pass" : "fail";
}

Task<std::vector<Mark>> votes_of(const MetricRule& rule, std::size_t judge, int votes,
                                 const CaseAnswer& answer, std::string step, CaseContext& context) {
  std::vector<Task<Mark>> asked;
  for (int vote = 1; vote <= votes; ++vote)
    asked.push_back(
        asked_mark(rule, *rule.judges[judge], answer, fmt::format("{}/vote{}", step, vote), context));
  std::vector<Mark> marks = co_await all(std::move(asked));
  for (Mark& mark : marks) mark = completed(rule, answer, std::move(mark));
  co_return marks;
}

// What the votes come to; the first that failed, if none can be used.
Mark decided_mark(const MetricRule& rule, const CascadeBallot& ballot, std::vector<Mark> votes) {
  const std::string side = ballot.side();
  const auto speaker =
      std::ranges::find_if(votes, [&](const Mark& one) { return side_of(rule, one) == side; });
  if (side.empty() || speaker == votes.end()) {
    const auto given = std::ranges::find_if(votes, &Mark::given);
    if (given == votes.end()) return std::move(votes.front());
    if (rule.shape.value == Value::label)
      return failed_mark({ErrorKind::judge, "no class has most of the votes", {}});
    if (rule.shape.value == Value::yes_no) {
      Mark no = *given;
      no.score = 0;
      return no;
    }
  }
  Mark mark = speaker != votes.end() ? *speaker : votes.front();
  mark.votes.clear();
  if (votes.size() > 1)
    mark.reason = fmt::format("{} of {} votes: {}", ballot.count(), votes.size(), mark.reason);
  if (rule.shape.value != Value::score || !mark.given()) return mark;
  std::vector<double> scores;
  for (const Mark& vote : votes) {
    if (vote.given()) scores.push_back(vote.score);
  }
  mark.score = median(scores).value_or(mark.score);
  return mark;
}

Mark peoples_mark(const MetricRule& rule, const PeoplesWord* word) {
  Mark mark;
  if (word == nullptr) {
    mark.state = Mark::State::failed;
    mark.outcome = OutcomeKind::skipped;
    mark.error = "left to people";
    return mark;
  }
  mark.state = Mark::State::given;
  mark.reason = "people say so";
  mark.score = word->value;
  if (rule.shape.value == Value::label) mark.label = word->side;
  return mark;
}

Result<PeoplesWord> read_class(const MetricRule& rule, const std::string& cell) {
  std::vector<std::string> known = rule.shape.classes;
  for (const std::string& label : known) {
    if (casefold(collapse_white_space(label)) == casefold(collapse_white_space(cell)))
      return PeoplesWord{label};
  }
  return fail(ErrorKind::data, fmt::format("found {}, expected one of {}", cell, join(known, ", ")));
}

Result<PeoplesWord> read_score(const MetricRule& rule, const std::string& cell) {
  const auto value = cell_number(cell);
  const Interval& scale = rule.shape.scale;
  if (rule.shape.value == Value::yes_no) {
    if (!value || (*value != 0 && *value != 1))
      return fail(ErrorKind::data, fmt::format("found {}, expected 1 or 0, true or false", cell));
    return PeoplesWord{*value == 1 ? "pass" : "fail", *value};
  }
  if (!value || *value < scale.low || *value > scale.high)
    return fail(ErrorKind::data,
                fmt::format("found {}, expected a number from {} to {}", cell, scale.low, scale.high));
  return PeoplesWord{rule.passes->holds(Json(*value)) ? "pass" : "fail", *value};
}

}  // namespace

const MetricRule* cascaded_metric(const std::vector<MetricRule>& metrics,
                                  std::vector<ConfigProblem>& problems) {
  const MetricRule* found = nullptr;
  std::vector<std::string> names;
  for (const MetricRule& rule : metrics) {
    if (rule.judges.empty()) continue;
    found = &rule;
    names.push_back(rule.shape.name);
  }
  if (names.size() != 1) {
    problems.push_back(
        {"config", "judge.cascade",
         names.empty()
             ? "no metric is judged by it: expected one of the kinds rubric, criteria, judge, label or "
               "rag without a `model` of its own"
             : fmt::format("found {} metrics ({}), expected one: labels are of one metric, and a cascade "
                           "is calibrated for it; give the others a `model`, or runs of their own",
                           names.size(), join(names, ", "))});
    return nullptr;
  }
  const bool sides = found->shape.has_rate() || found->shape.value == Value::label;
  if (!sides) {
    problems.push_back(
        {"config", found->key,
         "has no `passes`: judges and people agree on whether an answer passes, so a cascade has to "
         "know when a score does"});
    return nullptr;
  }
  return found;
}

std::shared_ptr<Cascade> make_cascade(CascadeSettings settings, const Config& config, const MetricRule& rule,
                                      std::vector<ConfigProblem>& problems) {
  const auto reading = [&rule](const std::string& cell) {
    return rule.shape.value == Value::label ? read_class(rule, cell) : read_score(rule, cell);
  };
  return Cascade::from(std::move(settings), config, reading, problems);
}

Task<CascadedMark> cascaded_mark(const MetricRule& rule, const CaseAnswer& answer, std::string step,
                                 const Cascade& cascade, CaseContext& context) {
  CascadedMark found;
  CascadeRecord& way = found.way;
  std::vector<Mark> votes;  // of the last who was asked
  for (auto next = cascade.next(way, answer.case_id);; next = cascade.next(way, answer.case_id)) {
    way.decided_by = next.decided_by;
    if (!next.ask) break;
    const CascadeJudge& who = cascade.judges()[*next.ask];
    const CaseSpending before = context.spending();
    votes =
        co_await votes_of(rule, *next.ask, who.votes, answer, fmt::format("{}/{}", step, who.name), context);
    CascadeBallot ballot{.judge = who.name, .votes = {}};
    for (const Mark& mark : votes) ballot.votes.push_back(side_of(rule, mark));
    ballot.note_spending(before, context.spending());
    way.ballots.push_back(std::move(ballot));
    const auto failed = std::ranges::find_if(votes, to_be_retried);
    if (failed != votes.end()) {
      found.mark = *failed;
      co_return found;
    }
  }
  const bool open = way.decided_by.empty();
  found.mark = open || way.decided_by == kPeople
                   ? peoples_mark(rule, open ? nullptr : cascade.said_of(answer.case_id))
                   : decided_mark(rule, way.ballots.back(), std::move(votes));
  co_return found;
}

}  // namespace assay::custom
