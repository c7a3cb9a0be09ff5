#include "evaluations/benchmark/scoring/scoring.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/effects/target.h"
#include "evaluations/benchmark/tool_loop.h"
#include "models/tokens.h"

namespace assay::benchmark {
namespace {

constexpr const char* kPrompt = "benchmark/rubric";
constexpr std::size_t kLongestShown = 200'000;

// What is wrong with an answer that fits the schema.
std::vector<std::string> gaps(const Json& answer, std::size_t criteria) {
  std::vector<std::string> words;
  std::vector<int> seen(criteria, 0);
  for (const Json& verdict : list_at(answer, "verdicts")) {
    const Json* number = find_member(verdict, "criterion");
    const auto index = number != nullptr ? as_integer(*number) : std::nullopt;
    if (!index || *index < 1 || static_cast<std::size_t>(*index) > criteria) {
      words.push_back(fmt::format("there is no criterion {}; the list has 1 to {}",
                                  number != nullptr ? excerpt(*number) : "without number", criteria));
    } else {
      ++seen[static_cast<std::size_t>(*index) - 1];
    }
  }
  for (std::size_t i = 0; i < criteria; ++i) {
    if (seen[i] == 0) words.push_back(fmt::format("criterion {} has no verdict", i + 1));
    if (seen[i] > 1) words.push_back(fmt::format("criterion {} has more than one verdict", i + 1));
  }
  return words;
}

double worth(std::string_view fulfilled) {
  return fulfilled == "yes" ? 1 : fulfilled == "partly" ? 0.5 : 0;
}

Error judge_error(std::string message) {
  return {ErrorKind::judge, std::move(message), {{"scorer", "command"}}};
}

Result<AnswerScore> read_program_score(const Json& printed) {
  const Json* value = printed.is_object() ? find_member(printed, "score") : &printed;
  const auto number = value != nullptr ? as_number(*value) : std::nullopt;
  if (!number || *number < 0 || *number > 1) {
    return fail(judge_error(fmt::format(
        "found {}, expected a number from 0 to 1, or an object with such a `score`", excerpt(printed))));
  }
  AnswerScore score;
  score.value = *number;
  if (printed.is_object()) {
    score.details = printed.get_object();
    score.details.erase("score");
  }
  return score;
}

Task<Result<AnswerScore>> program_score(CaseContext& context, const ScoringRequest& request) {
  JsonObject parameters;
  for (const auto& [name, value] : request.variation.parameters) parameters.insert_or_assign(name, value);
  CommandCall call;
  call.command = request.scorer.command;
  call.timeout = request.scorer.timeout;
  call.input = to_text(JsonObject{{"task", request.prompt},
                                  {"parameters", std::move(parameters)},
                                  {"expected", request.variation.expected_output.value_or(nullptr)},
                                  {"answer", request.answer}});
  std::string step = step_name(request.program_steps + "score", to_json(call));
  auto printed = co_await run_command(context, std::move(step), std::move(call));
  if (!printed) {
    Error error = std::move(printed.error());
    if (!winds_down(error.kind)) error.kind = ErrorKind::judge;
    co_return fail(std::move(error));
  }
  co_return read_program_score(*printed);
}

}  // namespace

RubricJudge::RubricJudge(JudgeSettings judge, ModelSpec spec, const PromptLibrary& prompts,
                         std::vector<ConfigProblem>& problems)
    : step_(std::move(judge), {"verdicts", "Which criteria the answer fulfils.", prompts.schema(kPrompt)},
            problems, prompts.prompt(kPrompt, {"answer", "criteria"}, problems)),
      spec_(std::move(spec)) {}

RubricJudge::Question RubricJudge::question(const std::string& task, const Json* expected, const Json& answer,
                                            const std::vector<std::string>& criteria) const {
  Question question;
  question.request = step_.request(
      {{"task", block("task", shorten(task, kLongestShown))},
       {"expected", expected == nullptr
                        ? std::string("No sample of a right answer is given.")
                        : "A right answer, for comparison:\n" +
                              block("expected", shorten(pretty_text(*expected), kLongestShown))},
       {"answer", block("answer", shorten(pretty_text(answer), kLongestShown))},
       {"criteria", block("criteria", numbered(criteria))}});
  question.step = step_name("score", to_json(question.request));
  // An alias may have got another meaning since.
  question.print =
      step_name(question.step,
                JsonObject{{"provider", spec_.provider}, {"name", spec_.name}, {"base_url", spec_.base_url}});
  return question;
}

bool RubricJudge::knows(std::span<const Verdict> before, const std::string& task, const Variation& variation,
                        const Json& answer, const std::vector<std::string>& criteria) const {
  const Json* expected = variation.expected_output ? &*variation.expected_output : nullptr;
  const std::string print = question(task, expected, answer, criteria).print;
  return std::ranges::find(before, print, &Verdict::of) != before.end();
}

std::int64_t RubricJudge::prompt_tokens(const std::string& task, const Variation& variation,
                                        const Json& answer, const std::vector<std::string>& criteria) const {
  const Json* expected = variation.expected_output ? &*variation.expected_output : nullptr;
  return estimate_prompt_tokens(question(task, expected, answer, criteria).request);
}

Task<Result<AnswerScore>> RubricJudge::score(CaseContext& context, std::span<const Verdict> before,
                                             const std::string& task, const Json* expected,
                                             const Json& answer,
                                             const std::vector<std::string>& criteria) const {
  Question asked = question(task, expected, answer, criteria);
  StructuredPolicy policy;
  policy.check = [&criteria](const Json& given) { return gaps(given, criteria.size()); };
  const auto known = std::ranges::find(before, asked.print, &Verdict::of);
  if (known != before.end()) co_return AnswerScore{known->score, known->details, {}, std::move(asked.print)};
  auto judged =
      co_await step_.ask(context, std::move(asked.step), std::move(asked.request), std::move(policy));
  if (!judged.value) co_return fail(std::move(judged.value.error()));
  AnswerScore score;
  JsonArray verdicts;
  for (const Json& verdict : list_at(*judged.value, "verdicts")) {
    const std::string fulfilled = text_at(verdict, "fulfilled");
    const auto place =
        static_cast<std::size_t>(as_integer(*find_member(verdict, "criterion")).value_or(1)) - 1;
    score.value += worth(fulfilled) / static_cast<double>(criteria.size());
    verdicts.push_back(JsonObject{
        {"criterion", criteria.at(place)}, {"fulfilled", fulfilled}, {"reason", text_at(verdict, "reason")}});
  }
  score.details["verdicts"] = std::move(verdicts);
  score.judged = std::move(asked.print);
  co_return score;
}

Task<Result<std::optional<AnswerScore>>> score_answer(CaseContext& context, const RubricJudge* judge,
                                                      ScoringRequest request) {
  const Json* expected = request.variation.expected_output ? &*request.variation.expected_output : nullptr;
  if (request.scorer.name == ScorerName::rubric && judge != nullptr) {
    auto score = co_await judge->score(context, request.verdicts, request.prompt, expected, request.answer,
                                       request.scorer.criteria);
    if (!score) co_return fail(std::move(score.error()));
    co_return std::move(*score);
  }
  if (request.scorer.name == ScorerName::command) {
    auto score = co_await program_score(context, request);
    if (!score) co_return fail(std::move(score.error()));
    co_return std::move(*score);
  }
  co_return score(request.scorer, expected, request.answer);
}

}  // namespace assay::benchmark
