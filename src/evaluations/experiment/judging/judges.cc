#include "evaluations/experiment/judging/judges.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay::experiment {
namespace {

// The schema of a prompt with that of its additions.
Json joined(Json schema, const Json& more) {
  JsonObject& object = schema.get_object();
  for (const auto& [name, property] : more.at("properties").get_object())
    object.at("properties").get_object()[name] = property;
  for (const Json& name : more.at("required").get_array()) object.at("required").get_array().push_back(name);
  return schema;
}

std::string only_text(const Prompt& prompt) {
  const std::vector<Message> messages = prompt.render({});
  return messages.empty() ? std::string() : messages.back().text;
}

// Stands where additions would; no text of a model's or a user's holds it.
constexpr std::string_view kNoAdditions = "\x01no additions\x01";

// An answer cannot pass for the other seat's.
std::string defused(std::string_view text) {
  std::string safe(text);
  for (const std::string_view tag : {"<response_", "</response_"}) {
    for (std::size_t at = safe.find(tag); at != std::string::npos; at = safe.find(tag, at + 4))
      safe.replace(at, 1, "&lt;");
  }
  return safe;
}

}  // namespace

AnswerForm pairwise_form(Tone tone) {
  return tone == Tone::asked ? AnswerForm::pairwise_tone : AnswerForm::pairwise;
}

AnswerForm absolute_form(Tone tone) {
  return tone == Tone::asked ? AnswerForm::absolute_tone : AnswerForm::absolute;
}

AnswerForm role_form(const Query& query) {
  return query.ambiguous ? AnswerForm::role_ambiguous : AnswerForm::role;
}

Judges::Judges(const JudgeSettings& pairwise, const JudgeSettings& absolute, const JudgeSettings& role,
               Tone tone, const PromptLibrary& prompts, std::vector<ConfigProblem>& problems)
    : pairwise_additions_(only_text(prompts.prompt("experiment/pairwise_tone", {}, problems))),
      absolute_additions_(only_text(prompts.prompt("experiment/absolute_tone", {}, problems))),
      role_additions_(only_text(prompts.prompt("experiment/role_ambiguous", {}, problems))) {
  // The plain form, and the one with additions behind it: the order of AnswerForm.
  const auto add = [&](const std::string& name, const std::string& additions, const JudgeSettings& judge,
                       const std::vector<std::string>& placeholders) {
    const Prompt prompt = prompts.prompt(name, placeholders, problems);
    for (const bool with_additions : {false, true}) {
      Json schema = prompts.schema(name);
      if (with_additions) schema = joined(std::move(schema), prompts.schema(additions));
      steps_.emplace_back(
          judge, JudgeAnswer{"judgement", "The judgement, criterion by criterion.", std::move(schema)},
          problems, prompt);
    }
  };
  // Where additions are asked for, a prompt of the user's must have a place for them.
  const auto needed = [&](std::vector<std::string> names) {
    if (tone == Tone::asked) names.emplace_back("additions");
    return names;
  };
  add("experiment/pairwise", "experiment/pairwise_tone", pairwise,
      needed({"question", "response_a", "response_b"}));
  add("experiment/absolute", "experiment/absolute_tone", absolute, needed({"question", "response"}));
  add("experiment/role", "experiment/role_ambiguous", role, {"question", "role", "response", "additions"});
}

ChatRequest Judges::request(AnswerForm form, const Prompt::Values& values, int evaluator) const {
  ChatRequest request = step(form).request(values);
  // Additions that are not asked for leave no gap; the answers' own lines are not touched.
  for (Message& message : request.messages) {
    const std::size_t place = message.text.find(kNoAdditions);
    if (place == std::string::npos) continue;
    std::size_t end = place + kNoAdditions.size();
    while (end < message.text.size() && message.text[end] == '\n') ++end;
    message.text.erase(place, end - place);
  }
  request.sampling.seed = evaluator;
  return request;
}

ChatRequest Judges::compare(const std::string& question, const std::string& response_a,
                            const std::string& response_b, int evaluator, Tone tone) const {
  return request(pairwise_form(tone),
                 {{"question", block("question", question)},
                  {"response_a", block("response_a", defused(response_a))},
                  {"response_b", block("response_b", defused(response_b))},
                  {"additions", tone == Tone::asked ? pairwise_additions_ : std::string(kNoAdditions)}},
                 evaluator);
}

ChatRequest Judges::rate(const std::string& question, const std::string& response, int evaluator,
                         Tone tone) const {
  return request(absolute_form(tone),
                 {{"question", block("question", question)},
                  {"response", block("response", response)},
                  {"additions", tone == Tone::asked ? absolute_additions_ : std::string(kNoAdditions)}},
                 evaluator);
}

ChatRequest Judges::role(const Query& query, const std::string& role, const std::string& response,
                         int evaluator) const {
  return request(role_form(query),
                 {{"question", block("question", query.text)},
                  {"role", block("role", role)},
                  {"response", block("response", response)},
                  {"additions", query.ambiguous ? role_additions_ : std::string(kNoAdditions)}},
                 evaluator);
}

Task<Judged> Judges::ask(CaseContext& context, std::string step, ChatRequest request, AnswerForm form) const {
  StructuredPolicy policy;
  policy.normalise = [form](const Json& answer) { return with_usual_spelling(answer, form); };
  policy.read = [form](std::string_view text) { return read_lines(text, form); };
  StructuredAnswer answer =
      co_await this->step(form).ask(context, std::move(step), std::move(request), std::move(policy));
  Judged judged{std::move(answer.value), 0};
  for (const StructuredAttempt& attempt : answer.history)
    judged.format_failures += attempt.defects.empty() ? 0 : 1;
  co_return judged;
}

}  // namespace assay::experiment
