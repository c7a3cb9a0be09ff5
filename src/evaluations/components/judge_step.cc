#include "evaluations/components/judge_step.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "engine/effects/model.h"

namespace assay::components {

JudgeStep::JudgeStep(const PromptLibrary& prompts, const std::string& name,
                     const std::vector<std::string>& placeholders, JudgeSettings judge,
                     std::vector<ConfigProblem>& problems)
    : name_(name),
      prompt_(prompts.prompt(name, placeholders, problems)),
      judge_(std::move(judge)),
      schema_json_(prompts.schema(name)) {
  std::replace(name_.begin(), name_.end(), '/', '_');
  auto schema = Schema::compile(schema_json_);
  if (schema) {
    schema_.emplace(std::move(*schema));
  } else {
    problems.push_back({"built-in schema", "prompts." + name, schema.error().text()});
  }
}

ChatRequest JudgeStep::request(const Prompt::Values& values) const {
  ChatRequest chat;
  chat.model = judge_.model;
  chat.messages = prompt_.render(values);
  chat.output = OutputSchema{name_, "The judgement that was asked for.", schema_json_};
  chat.sampling = judge_.sampling;
  return chat;
}

Task<Result<Json>> JudgeStep::ask(CaseContext& context, std::string step, Prompt::Values values,
                                  Check check) const {
  ChatRequest chat = request(values);
  // Repeated runs of one judgement are to be independent draws where the model samples at all.
  chat.sampling.seed = static_cast<std::int64_t>(context.random(step).bits32() >> 1);
  StructuredPolicy policy;
  policy.attempts = judge_.attempts;
  policy.check = std::move(check);
  auto answer = co_await assay::ask(context, std::move(step), std::move(chat), *schema_, std::move(policy));
  co_return std::move(answer.value);
}

std::vector<std::string> verdict_defects(const Json& reply, std::size_t count) {
  std::vector<std::string> defects;
  const JsonArray& verdicts = find_member(reply, "verdicts")->get_array();
  std::vector<int> seen(count + 1, 0);
  for (const Json& verdict : verdicts) {
    const auto id = as_integer(*find_member(verdict, "id"));
    if (!id || *id < 1 || *id > static_cast<std::int64_t>(count)) {
      defects.push_back(fmt::format("verdict with id {}: there are only items 1 to {}",
                                    excerpt(*find_member(verdict, "id")), count));
    } else {
      ++seen[static_cast<std::size_t>(*id)];
    }
  }
  for (std::size_t id = 1; id <= count; ++id) {
    if (seen[id] == 0) defects.push_back(fmt::format("item {} has no verdict", id));
    if (seen[id] > 1) defects.push_back(fmt::format("item {} has {} verdicts, expected one", id, seen[id]));
  }
  return defects;
}

std::vector<std::string> texts_of(const Json& reply, std::string_view list) {
  std::vector<std::string> texts;
  for (const Json& item : find_member(reply, list)->get_array()) {
    if (const auto text = as_text(item)) texts.emplace_back(*text);
  }
  return texts;
}

}  // namespace assay::components
