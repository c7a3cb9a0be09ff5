#include "evaluations/persona/judge.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "evaluations/persona/schemas.h"

namespace assay::persona {
namespace {

// How a provider says that its answer is whole.
constexpr std::array<std::string_view, 5> kWhole = {"stop", "tool_calls", "function_call", "end_turn",
                                                    "tool_use"};

std::vector<std::string> ended_badly(const ChatReply& reply) {
  const std::string& reason = reply.origin.finish_reason;
  if (std::ranges::find(kWhole, reason) != kWhole.end()) return {};
  if (reply.finish == FinishReason::length)
    return {"the answer was cut off before its end because it was too long; write shorter texts"};
  if (reason.empty()) return {"the answer came without a finish reason, so nothing says that it is whole"};
  return {fmt::format("the answer ended with the finish reason \"{}\"", reason)};
}

}  // namespace

Judge::Judge(Mode mode, std::string model, Sampling sampling, int attempts, bool send_request_schema,
             const PromptLibrary& prompts, std::vector<ConfigProblem>& problems)
    : mode_(mode),
      step_({.model = std::move(model), .sampling = std::move(sampling), .attempts = attempts},
            {kToolName, "Return the evaluations of everything that was asked.",
             schema_document(result_schema(mode)), StructuredWay::tools},
            problems) {
  const auto text = [&](const std::string& name, const Prompt::Values& values = {},
                        const std::vector<std::string>& needed = {}) {
    std::string joined;
    for (const Message& part : prompts.prompt("persona/" + name, needed, problems).render(values))
      joined += (joined.empty() ? "" : "\n") + part.text;
    return joined;
  };
  opening_.push_back(
      {.role = Role::system,
       .text = text("system") + "\n" + text(mode == Mode::mode1 ? "system_mode1" : "system_flat")});
  if (mode == Mode::mode1 && send_request_schema) {
    const std::string schema = to_text(schema_document("classification-evaluation-request.schema.json"));
    opening_.push_back(
        {.role = Role::system, .text = text("request_schema", {{"schema", schema}}, {"schema"})});
  }
  opening_.push_back(
      {.role = Role::user, .text = text(mode == Mode::mode3 ? "user_agreement" : "user_likert")});
  if (mode != Mode::mode1)
    opening_.push_back(
        {.role = Role::user, .text = text(mode == Mode::mode2 ? "examples_mode2" : "examples_mode3")});
  std::erase_if(opening_, [](const Message& message) { return message.text.empty(); });
}

ChatRequest Judge::chat(const Json& request) const {
  std::vector<Message> messages = opening_;
  messages.push_back({.role = Role::user, .text = to_text(request)});
  return step_.request_with(std::move(messages));
}

Task<Judgement> Judge::ask(CaseContext& context, std::string step, Json request) const {
  const std::vector<Question> questions = questions_of(mode_, request);
  StructuredPolicy policy;
  policy.lacking = "no complete answer";
  policy.admit = ended_badly;
  policy.normalise = as_result_items;
  policy.check = [&](const Json& arguments) { return check_answer(mode_, questions, arguments).defects; };
  StructuredAnswer answer = co_await step_.ask(context, std::move(step), chat(request), std::move(policy));
  Judgement judgement;
  judgement.usage = answer.usage;
  judgement.attempts = static_cast<int>(answer.history.size());
  if (!answer.history.empty()) {
    StructuredAttempt& last = answer.history.back();
    judgement.raw_text = std::move(last.text);
    judgement.model = std::move(last.model);
    judgement.origin = std::move(last.origin);
    judgement.answer.defects = std::move(last.defects);
  }
  if (answer.value) {
    judgement.answer = check_answer(mode_, questions, *answer.value);
  } else {
    judgement.error = std::move(answer.value.error());
  }
  co_return judgement;
}

}  // namespace assay::persona
