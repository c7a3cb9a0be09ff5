#include "evaluations/experiment/judged/judged_answers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/experiment/design/role_marks.h"
#include "evaluations/experiment/judged/judge_stress.h"
#include "evaluations/experiment/judging/records.h"
#include "evaluations/human_check.h"
#include "evaluations/jsonl_cases.h"
#include "evaluations/judges/score_means.h"
#include "models/tokens.h"
#include "report/csv.h"
#include "stats/intervals/mean.h"

namespace assay::experiment {
namespace {

constexpr std::int64_t kTokensPerJudgement = 350;
constexpr Interval kLevels{1, 5};
constexpr std::string_view kAgainst = "against";

std::string text_field(const Json& line, std::string_view field, std::vector<std::string>& problems) {
  const Json* found = find_member(line, field);
  const auto text = found == nullptr ? std::nullopt : as_text(*found);
  if (!text || trim(*text).empty()) {
    problems.push_back(fmt::format("field {}: found {}, expected text", field,
                                   found == nullptr ? std::string("nothing") : excerpt(*found)));
    return "";
  }
  return std::string(*text);
}

std::vector<MeanFigure> figures_of(const Design& design) {
  std::vector<MeanFigure> figures;
  if (design.absolute_evaluators > 0) figures.push_back({kRatingFigure, kLevels});
  if (design.pairwise_evaluators > 0) figures.push_back({kWinFigure});
  return figures;
}

// What one evaluator is to be asked.
struct Question {
  int evaluator = 0;
  std::optional<Seat> seat;  // of the answer that is judged, in a comparison; nothing: it is rated
  std::string step() const {
    if (!seat) return fmt::format("rating/{}", evaluator);
    return fmt::format("pair/{}/{}", evaluator, *seat == Seat::first ? "first" : "last");
  }
};

std::vector<Question> questions_of(const Design& design, const JudgedAnswer& answer) {
  std::vector<Question> questions;
  for (int i = 1; i <= design.pairwise_evaluators && !answer.against.empty(); ++i) {
    questions.push_back({i, Seat::first});
    if (design.swap) questions.push_back({i, Seat::last});
  }
  for (int i = 1; i <= design.absolute_evaluators; ++i)
    questions.push_back({design.pairwise_evaluators + i, std::nullopt});
  return questions;
}

// 1 for the answer that is judged, 0 for the other one, half for a tie.
double won(Choice winner, Seat seat) {
  if (winner == Choice::tie) return 0.5;
  return (winner == Choice::a) == (seat == Seat::first) ? 1 : 0;
}

class JudgedAnswers final : public Evaluation {
 public:
  JudgedAnswers(Design design, Judges judges, std::map<std::string, std::string> prompts, std::string file,
                std::vector<HumanCheck> human)
      : design_(std::move(design)),
        judges_(std::move(judges)),
        prompts_(std::move(prompts)),
        human_(std::move(human)),
        tone_(design_.any_tone() ? Tone::asked : Tone::not_asked) {
    lines_.data.path = std::move(file);
    lines_.check = [this](const Json& line) {
      std::vector<std::string> problems;
      (void)read_judged_answer(line, design_, problems);
      return problems;
    };
    lines_.id = [](const Json& line) { return text_of_id(line, "id"); };
    // Answers to one query are no two queries.
    lines_.cluster = [](const Json& line) { return text_at(line, "query"); };
  }

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_trees(lines_); }
  std::string data_path() const override { return lines_.data.path; }
  bool asks_outside() const override { return true; }
  std::vector<std::string> models() const override {
    std::set<std::string> names;
    if (design_.pairwise_evaluators > 0) names.insert(judges_.pairwise().model);
    if (design_.absolute_evaluators > 0) names.insert(judges_.absolute().model);
    return {names.begin(), names.end()};
  }

  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    const std::vector<Question> questions = questions_of(design_, answer);
    std::vector<Task<Judged>> asked;
    asked.reserve(questions.size());
    for (const Question& question : questions)
      asked.push_back(judges_.ask(context, question.step(), request(question, answer), form_of(question)));
    const std::vector<Judged> judged = co_await all(std::move(asked));
    Outcome outcome;
    JsonArray ratings;
    JsonArray pairs;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto& [evaluator, seat] = questions[i];
      if (!judged[i].answer) {
        note_failure(outcome, questions[i].step(), judged[i].answer.error());
      } else if (seat) {
        PairVerdict verdict;
        take_answer(*judged[i].answer, verdict);
        pairs.push_back(JsonObject{{"evaluator", evaluator},
                                   {"seat", *seat == Seat::first ? "first" : "last"},
                                   {"won", won(verdict.winner, *seat)},
                                   {"reason", verdict.reasons[kOverall]}});
      } else {
        Rating rating;
        take_answer(*judged[i].answer, rating);
        ratings.push_back(JsonObject{{"evaluator", evaluator},
                                     {"overall", rating.scores[kOverall]},
                                     {"reason", rating.reasons[kOverall]}});
      }
    }
    outcome.result = {{"ratings", std::move(ratings)}, {"pairs", std::move(pairs)}};
    co_return outcome;
  }

  void estimate(const Case& input, CallEstimate& estimate) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    for (const Question& question : questions_of(design_, answer)) {
      auto& model = estimate.models[question.seat ? judges_.pairwise().model : judges_.absolute().model];
      ++model.calls;
      model.prompt_tokens += estimate_prompt_tokens(request(question, answer));
      model.completion_tokens += kTokensPerJudgement;
    }
  }

  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    const JsonObject result = finished == nullptr ? JsonObject() : finished->outcome.result;
    auto& facts = line.facts<AnswerFacts>();
    facts = {};
    Moments overall;
    Moments wins;
    for (const Json& rating : list_at(result, "ratings"))
      overall.add(as_number(rating.at("overall")).value_or(0));
    std::map<std::string, Moments> by_seat;
    for (const Json& pair : list_at(result, "pairs")) {
      wins.add(as_number(pair.at("won")).value_or(0));
      by_seat[text_at(pair, "seat")].add(as_number(pair.at("won")).value_or(0));
    }
    // Half of what a judge lost says nothing of the whole.
    const bool whole = line.scored();
    if (by_seat.size() == 2 && whole) facts.seat = (*by_seat["first"].mean() - *by_seat["last"].mean()) / 2;
    line.text("query", answer.query);
    line.text("answer", answer.answer);
    if (!answer.against.empty()) line.text(kAgainst, answer.against);
    for (const char* key : {"ratings", "pairs"}) {
      if (const Json* list = result.if_contains(key)) line.json(key, *list);
    }
    std::vector<Score> scores;
    if (design_.absolute_evaluators > 0)
      scores.push_back({kRatingFigure, whole ? overall.mean() : std::nullopt});
    if (design_.pairwise_evaluators > 0) scores.push_back({kWinFigure, whole ? wins.mean() : std::nullopt});
    line.scores(scores);
    const auto cell = [&](const Moments& moments) {
      return whole && moments.mean() ? number_text(*moments.mean()) : std::string();
    };
    line.row({input.id, answer.query, cell(overall), cell(wins), line.error()});
  }
  JsonObject as_judged(const Case& input, std::string_view /*part*/) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    JsonObject seen{{"query", answer.query}, {"answer", take_out_roles(answer.answer).text}};
    if (!answer.against.empty()) seen[kAgainst] = take_out_roles(answer.against).text;
    return seen;
  }
  std::string lack(const Case& input, std::string_view figure) const override {
    if (figure != kWinFigure) return "";
    std::vector<std::string> problems;
    (void)text_field(*CaseTree(input), kAgainst, problems);
    return problems.empty() ? "" : fmt::format("{}, for {}", problems.front(), figure);
  }
  std::vector<std::string> columns() const override {
    return {"id", "query", "overall", "win_rate", "error"};
  }
  std::unique_ptr<Aggregate> aggregate(OutputFiles& /*files*/, const RunFacts& /*run*/) const override {
    return score_means(mean_figures());
  }
  std::vector<std::string> metric_names() const override {
    std::vector<std::string> names;
    for (const MeanFigure& figure : mean_figures()) names.push_back(figure.name);
    add_names(human_, names);
    return names;
  }
  std::vector<MeanFigure> mean_figures() const override { return figures_of(design_); }
  std::map<std::string, std::string> prompts() const override { return prompts_; }
  std::span<const HumanCheck> human() const override { return human_; }
  std::string unchecked() const override {
    return !human_.empty() ? "" : not_checked(mean_figures().front().name);
  }
  std::unique_ptr<stress::Stressing> stressing() const override {
    return judge_stressing(
        design_, [this](const Case& input) { return std::optional(read(*CaseTree(input))); }, "");
  }

 private:
  // Of a line without problems.
  JudgedAnswer read(const Json& line) const {
    std::vector<std::string> none;
    return read_judged_answer(line, design_, none);
  }

  AnswerForm form_of(const Question& question) const {
    return question.seat ? pairwise_form(tone_) : absolute_form(tone_);
  }
  // As in an experiment, no judge sees which role an answer says it speaks in.
  ChatRequest request(const Question& question, const JudgedAnswer& answer) const {
    const std::string own = take_out_roles(answer.answer).text;
    if (!question.seat) return judges_.rate(answer.query, own, question.evaluator, tone_);
    const std::string other = take_out_roles(answer.against).text;
    const bool first = *question.seat == Seat::first;
    return judges_.compare(answer.query, first ? own : other, first ? other : own, question.evaluator, tone_);
  }

  static void note_failure(Outcome& outcome, const std::string& step, const Error& error) {
    const OutcomeKind kind = outcome_of(error.kind);
    // What a resume tries again comes first.
    if (outcome.kind == OutcomeKind::scored || kind == OutcomeKind::infra_failed) outcome.kind = kind;
    outcome.error += fmt::format("{}{}: {}", outcome.error.empty() ? "" : "; ", step, error.text());
  }

  Design design_;
  Judges judges_;
  std::map<std::string, std::string> prompts_;
  std::vector<HumanCheck> human_;
  Tone tone_;
  TreeLines lines_;
};

}  // namespace

JudgedAnswer read_judged_answer(const Json& line, const Design& design, std::vector<std::string>& problems) {
  JudgedAnswer answer;
  answer.query = text_field(line, "query", problems);
  answer.answer = text_field(line, "answer", problems);
  const Json* against = find_member(line, kAgainst);
  const bool given = against != nullptr && !against->is_null();
  // A judge that only compares has nothing to say of a single answer.
  if (given || design.absolute_evaluators == 0) answer.against = text_field(line, kAgainst, problems);
  return answer;
}

JsonObject to_line(const JudgedAnswer& answer, const std::string& id) {
  JsonObject line{{"id", id}, {"query", answer.query}, {"answer", answer.answer}};
  if (!answer.against.empty()) line[kAgainst] = answer.against;
  return line;
}

std::unique_ptr<Evaluation> make_judged_answers(const Config& config, const PromptLibrary& prompts,
                                                std::vector<ConfigProblem>& problems) {
  Design design = design_of(config);
  if (design.evaluators() == 0) {
    problems.push_back(
        {"config", "pairwise", "found no evaluators; expected `pairwise`, `absolute` or both"});
    return nullptr;
  }
  Judges judges = read_judges(config, design, prompts, problems);
  auto human = HumanCheck::from(config, figures_of(design), problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<JudgedAnswers>(std::move(design), std::move(judges),
                                         prompts.fingerprints("experiment/"), config.text("answers"),
                                         std::move(human));
}

}  // namespace assay::experiment
