// The work on one query, step by step: answers, blinding, judgements, and last the question about roles.
#include <algorithm>
#include <functional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/effects/model.h"
#include "evaluations/experiment/design/leaks.h"
#include "evaluations/experiment/experiment.h"
#include "evaluations/experiment/judging/records.h"

namespace assay::experiment {
namespace {

// A query has hundreds of judgements; so many of them are under way at once, and the rest take no memory.
constexpr std::size_t kAtOnce = 64;
constexpr std::size_t kToldFailures = 3;

using Step = std::function<Task<void>(std::size_t)>;

Task<void> one_after_another(std::size_t& next, std::size_t count, const Step& step) {
  while (next < count) co_await step(next++);
}

// `step` for each number below `count`, begun in that order.
Task<void> side_by_side(std::size_t count, const Step& step) {
  std::size_t next = 0;
  std::vector<Task<void>> lanes;
  lanes.reserve(std::min(count, kAtOnce));
  for (std::size_t i = 0; i < std::min(count, kAtOnce); ++i)
    lanes.push_back(one_after_another(next, count, step));
  co_await all(std::move(lanes));
}

// Infrastructure failures come first: a resume tries them again.
class Failures {
 public:
  void add(OutcomeKind kind, const std::string& words) {
    if (outcome_.kind == OutcomeKind::scored || kind == OutcomeKind::infra_failed) outcome_.kind = kind;
    if (++count_ <= kToldFailures) outcome_.error += (outcome_.error.empty() ? "" : "; ") + words;
  }
  Outcome outcome() {
    if (count_ > kToldFailures) outcome_.error += fmt::format("; and {} more", count_ - kToldFailures);
    return std::move(outcome_);
  }

 private:
  Outcome outcome_;
  std::size_t count_ = 0;
};

class QueryWork {
 public:
  QueryWork(const ExperimentPlan& plan, const Judges& judges, Query query, std::int64_t index,
            CaseContext& context)
      : plan_(plan),
        design_(plan.design),
        judges_(judges),
        query_(std::move(query)),
        index_(index),
        context_(context) {}

  Task<Outcome> run() {
    record_.responses.resize(design_.answers());
    const Step answer = [this](std::size_t i) { return this->answer(i); };
    co_await side_by_side(record_.responses.size(), answer);
    if (!answers_may_come()) {
      blind_ = blinded(record_.responses);
      co_await judge();
      co_await ask_about_roles();
    }
    for (std::size_t i = 0; i < record_.responses.size(); ++i) {
      if (!record_.responses[i]) failures_.add(missing_[i].first, missing_[i].second);
    }
    Outcome outcome = failures_.outcome();
    outcome.result = to_json(record_);
    JsonArray warnings;
    for (const std::string& words : warnings_) warnings.emplace_back(words);
    std::vector<std::string> roles;
    for (const QueryEntry& entry : plan_.queries.entries) {
      if (!entry.query.role.empty()) roles.push_back(entry.query.role);
    }
    for (const std::string& leak : leak_sentences(design_, query_, blind_, roles))
      warnings.emplace_back(leak);
    if (!warnings.empty()) outcome.result["warnings"] = std::move(warnings);
    co_return outcome;
  }

 private:
  const std::string& name(std::size_t condition) const { return design_.conditions[condition].name; }

  Task<void> answer(std::size_t i) {
    const auto [condition, run] = design_.answer_at(i);
    if (!plan_.existing.empty()) {
      const auto& texts = plan_.existing[i].texts;
      if (const auto found = texts.find(query_.id); found != texts.end()) {
        record_.responses[i] = found->second;
      } else {
        missing_[i] = {OutcomeKind::target_failed,
                       fmt::format("{}, run {}: no answer among the responses", name(condition), run)};
      }
      co_return;
    }
    const std::string step = fmt::format("response/{}/run{}", name(condition), run);
    std::string why;
    OutcomeKind kind = OutcomeKind::target_failed;
    for (int attempt = 1; attempt <= plan_.attempts; ++attempt) {
      auto reply =
          co_await complete(context_, step, attempt, answer_request(plan_, condition, query_, run, attempt));
      if (!reply) {
        kind = outcome_of(reply.error().kind);
        // The model that answers is what is tested, not a judge; and a request that is turned away (a filter
        // of contents, too long a text) would be turned away again.
        if (kind == OutcomeKind::judge_failed || reply.error().kind == ErrorKind::rejected)
          kind = OutcomeKind::target_failed;
        why = reply.error().text();
        break;
      }
      std::string text = std::move(reply->message.text);
      if (!trim(take_out_roles(text).text).empty()) {
        record_.responses[i] = std::move(text);
        co_return;
      }
      const bool declined = reply->finish == FinishReason::refusal || !reply->refusal.empty();
      kind = declined ? OutcomeKind::refused : OutcomeKind::target_failed;
      why = declined ? "the model declined to answer" : "the answer was empty";
      if (declined) break;
    }
    missing_[i] = {kind, fmt::format("{}, run {}: no answer: {}", name(condition), run, why)};
  }

  // Then a resume brings the answers that are missing, and judging waits for them.
  bool answers_may_come() const {
    return std::ranges::any_of(missing_, [](const auto& one) {
      return one.second.first == OutcomeKind::infra_failed || one.second.first == OutcomeKind::limit_hit;
    });
  }

  const std::string* text(std::size_t condition, int run) const {
    const auto& answer = blind_[design_.place(condition, run)];
    return answer ? &answer->text : nullptr;
  }

  // Pairs and single answers, each evaluator's in its own order.
  Task<void> judge() {
    std::vector<Showing> pairs = showings(design_, query_.id);
    std::erase_if(pairs, [this](const Showing& one) {
      return text(one.condition_a, one.run) == nullptr || text(one.condition_b, one.run) == nullptr;
    });
    std::vector<RatingTurn> ratings = rating_turns(design_, query_.id);
    std::erase_if(ratings, [this](const RatingTurn& one) { return text(one.condition, one.run) == nullptr; });
    std::vector<Result<Kept<PairVerdict>>> verdicts(pairs.size());
    std::vector<Result<Kept<Rating>>> scores(ratings.size());
    // By place, so that no evaluator is behind the others.
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    order.reserve(pairs.size() + ratings.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) order.emplace_back(pairs[i].place, i);
    for (std::size_t i = 0; i < ratings.size(); ++i) order.emplace_back(ratings[i].place, pairs.size() + i);
    std::ranges::sort(order);
    const Step step = [&](std::size_t i) {
      const std::size_t own = order[i].second;
      return own < pairs.size() ? compare(pairs[own], verdicts[own])
                                : rate(ratings[own - pairs.size()], scores[own - pairs.size()]);
    };
    co_await side_by_side(order.size(), step);
    for (auto& verdict : verdicts) {
      if (verdict) record_.pairs.push_back(std::move(*verdict));
    }
    for (auto& score : scores) {
      if (score) record_.ratings.push_back(std::move(*score));
    }
  }

  Task<void> compare(const Showing& showing, Result<Kept<PairVerdict>>& into) {
    const auto [one, other] = design_.pairs()[showing.pair];
    const std::string step = fmt::format("pair/{}/{}~{}/run{}{}", showing.evaluator, name(one), name(other),
                                         showing.run, showing.swapped ? "/swapped" : "");
    const Tone tone =
        design_.conditions[one].tone || design_.conditions[other].tone ? Tone::asked : Tone::not_asked;
    Judged judged = co_await judges_.ask(
        context_, step,
        judges_.compare(query_.text, *text(showing.condition_a, showing.run),
                        *text(showing.condition_b, showing.run), showing.evaluator, tone),
        pairwise_form(tone));
    if (!judged.answer) {
      into = fail(judged.answer.error());
      lose(showing.evaluator, step, judged);
      co_return;
    }
    PairVerdict verdict;
    verdict.evaluator = showing.evaluator;
    verdict.condition_a = showing.condition_a;
    verdict.condition_b = showing.condition_b;
    verdict.run = showing.run;
    verdict.swapped = showing.swapped;
    verdict.order = index_ * showings_per_query(design_) + showing.place;
    take_answer(*judged.answer, verdict);
    into = Kept<PairVerdict>{std::move(verdict), judged.format_failures};
  }

  // With a tone condition in the experiment every answer gets the tone criteria: asked of its answers only,
  // they would tell whose they are.
  Task<void> rate(const RatingTurn& turn, Result<Kept<Rating>>& into) {
    const std::string step =
        fmt::format("rating/{}/{}/run{}", turn.evaluator, name(turn.condition), turn.run);
    const Tone tone = design_.any_tone() ? Tone::asked : Tone::not_asked;
    Judged judged = co_await judges_.ask(
        context_, step, judges_.rate(query_.text, *text(turn.condition, turn.run), turn.evaluator, tone),
        absolute_form(tone));
    if (!judged.answer) {
      into = fail(judged.answer.error());
      lose(turn.evaluator, step, judged);
      co_return;
    }
    Rating rating;
    rating.evaluator = turn.evaluator;
    rating.condition = turn.condition;
    rating.run = turn.run;
    rating.order = index_ * ratings_per_query(design_) + turn.place;
    take_answer(*judged.answer, rating);
    into = Kept<Rating>{std::move(rating), judged.format_failures};
  }

  // After all else, so that nothing blinded can depend on it.
  Task<void> ask_about_roles() {
    std::vector<RoleVerdict> questions;
    const auto [first, last] = design_.role_evaluators();
    for (int evaluator = first; evaluator <= last; ++evaluator) {
      for (std::size_t condition = 0; condition < design_.conditions.size(); ++condition) {
        if (!design_.conditions[condition].has_role()) continue;
        for (int run = 1; run <= design_.runs; ++run) {
          const auto& answer = blind_[design_.place(condition, run)];
          const std::string role = answer ? role_of(design_.conditions[condition], query_, *answer) : "";
          if (role.empty()) continue;
          RoleVerdict question;
          question.evaluator = evaluator;
          question.condition = condition;
          question.run = run;
          question.role = role;
          questions.push_back(std::move(question));
        }
      }
    }
    std::vector<Result<Kept<RoleVerdict>>> verdicts(questions.size());
    const Step step = [&](std::size_t i) { return ask_about(questions[i], verdicts[i]); };
    co_await side_by_side(questions.size(), step);
    for (auto& verdict : verdicts) {
      if (verdict) record_.roles.push_back(std::move(*verdict));
    }
  }

  Task<void> ask_about(const RoleVerdict& question, Result<Kept<RoleVerdict>>& into) {
    const std::string step =
        fmt::format("role/{}/{}/run{}", question.evaluator, name(question.condition), question.run);
    Judged judged = co_await judges_.ask(
        context_, step,
        judges_.role(query_, question.role, *text(question.condition, question.run), question.evaluator),
        role_form(query_));
    if (!judged.answer) {
      into = fail(judged.answer.error());
      lose(question.evaluator, step, judged, Blinded::no);
      co_return;
    }
    RoleVerdict verdict = question;
    take_answer(*judged.answer, verdict);
    into = Kept<RoleVerdict>{std::move(verdict), judged.format_failures};
  }

  // The question about roles never touches the blinded scores: losing it leaves the query whole, unless a
  // resume may bring it.
  enum class Blinded { yes, no };
  void lose(int evaluator, const std::string& step, const Judged& judged, Blinded blinded = Blinded::yes) {
    const Error& error = judged.answer.error();
    const std::string words = fmt::format("{}: {}", step, error.text());
    const OutcomeKind kind = outcome_of(error.kind);
    if (blinded == Blinded::yes || kind == OutcomeKind::infra_failed || kind == OutcomeKind::limit_hit)
      failures_.add(kind, words);
    else
      warnings_.push_back(words);
    record_.lost.push_back({evaluator, judged.format_failures, words});
  }

  const ExperimentPlan& plan_;
  const Design& design_;
  const Judges& judges_;
  Query query_;
  std::int64_t index_;
  CaseContext& context_;
  QueryRecord record_;
  BlindAnswers blind_;
  std::map<std::size_t, std::pair<OutcomeKind, std::string>> missing_;
  Failures failures_;
  std::vector<std::string> warnings_;
};

}  // namespace

ChatRequest answer_request(const ExperimentPlan& plan, std::size_t condition, const Query& query, int run,
                           int attempt) {
  constexpr int kRunsApart = 1000;  // an answer that is asked for again is not to be the same again
  const Answering& how = plan.answering[condition];
  ChatRequest request;
  request.model = how.model;
  if (!how.prompt.empty()) {
    std::string prompt = how.prompt;
    if (plan.design.conditions[condition].role_per_query) {
      constexpr std::string_view kPlace = "{role}";
      for (std::size_t at = prompt.find(kPlace); at != std::string::npos;
           at = prompt.find(kPlace, at + query.role.size()))
        prompt.replace(at, kPlace.size(), query.role);
    }
    request.messages.push_back({.role = Role::system, .text = std::move(prompt)});
  }
  request.messages.push_back({.role = Role::user, .text = query.text});
  request.sampling.temperature = plan.temperature;
  request.sampling.max_tokens = plan.max_tokens;
  request.sampling.seed = run + kRunsApart * (attempt - 1);
  return request;
}

Task<Outcome> evaluate_query(const ExperimentPlan& plan, const Judges& judges, Query query,
                             std::int64_t index, CaseContext& context) {
  QueryWork work(plan, judges, std::move(query), index, context);
  co_return co_await work.run();
}

}  // namespace assay::experiment
