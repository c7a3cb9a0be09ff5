#include "evaluations/judge_step.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/effects/model.h"

namespace assay {
namespace {

// A provider takes no slash in the name of a schema.
std::string without_slashes(std::string name) {
  std::ranges::replace(name, '/', '_');
  return name;
}

std::int64_t seed_of(const CaseContext& context, std::string_view step) {
  return static_cast<std::int64_t>(context.random(step).bits32() >> 1);
}

}  // namespace

JudgeStep::JudgeStep(JudgeSettings judge, JudgeAnswer answer, std::vector<ConfigProblem>& problems,
                     Prompt prompt)
    : judge_(std::move(judge)),
      prompt_(std::move(prompt)),
      output_{std::move(answer.name), std::move(answer.description), SharedJson(std::move(answer.schema)),
              answer.preferred} {
  auto schema = Schema::compile(output_.schema);
  if (schema) {
    schema_.emplace(std::move(*schema));
  } else {
    problems.push_back({"built-in schema", output_.name, schema.error().text()});
  }
  if (!judge_.temperatures.empty()) judge_.sampling.temperature = judge_.temperatures.front();
}

JudgeStep::JudgeStep(const PromptLibrary& prompts, const std::string& name,
                     const std::vector<std::string>& placeholders, JudgeSettings judge,
                     std::vector<ConfigProblem>& problems)
    : JudgeStep(std::move(judge),
                {without_slashes(name), "The judgement that was asked for.", prompts.schema(name)}, problems,
                prompts.prompt(name, placeholders, problems)) {}

ChatRequest JudgeStep::request_with(std::vector<Message> messages) const {
  ChatRequest chat;
  chat.model = judge_.model;
  chat.messages = std::move(messages);
  chat.output = output_;
  chat.sampling = judge_.sampling;
  return chat;
}

Task<StructuredAnswer> JudgeStep::ask(CaseContext& context, std::string step, ChatRequest request,
                                      StructuredPolicy policy) const {
  assert(!policy.adjust);
  if (judge_.seed_by_step) request.sampling.seed = seed_of(context, step);
  policy.attempts = judge_.attempts;
  if (!judge_.temperatures.empty()) {
    policy.adjust = [this](int attempt, ChatRequest& again) {
      const std::size_t turn = static_cast<std::size_t>(attempt - 1) % judge_.temperatures.size();
      again.sampling.temperature = judge_.temperatures[turn];
    };
  }
  return assay::ask(context, std::move(step), std::move(request), *schema_, std::move(policy));
}

Task<Result<Json>> JudgeStep::ask(CaseContext& context, std::string step, Prompt::Values values,
                                  Check check) const {
  ChatRequest chat = request(values);
  // Repeated runs of one judgement are to be independent draws where the model samples at all.
  chat.sampling.seed = seed_of(context, step);
  StructuredPolicy policy;
  policy.check = std::move(check);
  auto answer = co_await ask(context, std::move(step), std::move(chat), std::move(policy));
  co_return std::move(answer.value);
}

}  // namespace assay
