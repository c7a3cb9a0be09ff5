#include "evaluations/persona/judge.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "engine/effects/model.h"
#include "evaluations/persona/schemas.h"
#include "models/failure.h"
#include "models/structured/structured.h"

namespace assay::persona {
namespace {

constexpr std::size_t kLongestQuote = 20'000;

// What the judge wrote, whether it called the tool or not.
std::string written(const ChatReply& reply) {
  if (reply.message.tool_calls.empty()) return reply.raw_text.empty() ? reply.message.text : reply.raw_text;
  const ToolCall& call = reply.message.tool_calls.front();
  return call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
}

CheckedAnswer check_reply(Mode mode, const std::vector<Question>& questions, const ChatReply& reply) {
  if (reply.finish == FinishReason::length)
    return {{}, {"the answer was cut off before its end because it was too long; write shorter texts"}, {}};
  if (reply.finish != FinishReason::stop && reply.finish != FinishReason::tool_calls)
    return {{}, {fmt::format("the answer ended with the reason \"{}\"", to_string(reply.finish))}, {}};
  if (reply.message.tool_calls.empty())
    return {{}, {fmt::format("the tool {} was not called", kToolName)}, {}};
  if (reply.message.tool_calls.size() > 1)
    return {{},
            {fmt::format("{} was called {} times; call it once", kToolName, reply.message.tool_calls.size())},
            {}};
  const ToolCall& call = reply.message.tool_calls.front();
  if (call.name != kToolName)
    return {{}, {fmt::format("the tool \"{}\" was called instead of {}", call.name, kToolName)}, {}};
  if (call.arguments_text.empty() && !call.arguments.is_null())
    return check_answer(mode, questions, call.arguments);
  return check_answer_text(mode, questions, call.arguments_text);
}

std::string repair_words(const std::vector<std::string>& defects) {
  return defect_lines(defects) +
         fmt::format("Call {} again with the whole answer, all of this put right.", kToolName);
}

// The original conversation, the latest answer and its defects. A call that was JSON is answered as a call,
// as the protocols demand; anything else is quoted as text.
void add_repair(ChatRequest& request, const ChatReply& reply, const std::vector<std::string>& defects) {
  const bool is_call = !reply.message.tool_calls.empty() &&
                       reply.message.tool_calls.front().arguments_text.empty() &&
                       reply.finish != FinishReason::length;
  if (is_call) {
    Message call = reply.message;
    call.tool_calls.resize(1);
    const std::string id = call.tool_calls.front().id;
    request.messages.push_back(std::move(call));
    request.messages.push_back(
        {.role = Role::tool, .text = repair_words(defects), .tool_call_id = id, .is_error = true});
    return;
  }
  const std::string text = written(reply);
  if (!trim(text).empty())
    request.messages.push_back({.role = Role::assistant, .text = shorten(text, kLongestQuote)});
  request.messages.push_back({.role = Role::user, .text = repair_words(defects)});
}

Error no_answer(int attempts, const std::vector<std::string>& defects) {
  return {ErrorKind::judge,
          fmt::format("no complete answer after {} attempt{}: {}", attempts, attempts == 1 ? "" : "s",
                      shown(defects_in_short(defects), 500)),
          {}};
}

}  // namespace

Judge::Judge(Mode mode, std::string model, Sampling sampling, int attempts, bool send_request_schema,
             const PromptLibrary& prompts, std::vector<ConfigProblem>& problems)
    : mode_(mode), model_(std::move(model)), sampling_(std::move(sampling)), attempts_(attempts) {
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
  ChatRequest chat;
  chat.model = model_;
  chat.messages = opening_;
  chat.messages.push_back({.role = Role::user, .text = to_text(request)});
  chat.tools.push_back({kToolName, "Return the evaluations of everything that was asked.",
                        schema_document(result_schema(mode_))});
  chat.tool_choice = {ToolChoice::Mode::named, kToolName};
  chat.sampling = sampling_;
  return chat;
}

Task<Judgement> Judge::ask(CaseContext& context, std::string step, Json request) const {
  const std::vector<Question> questions = questions_of(mode_, request);
  const ChatRequest original = chat(request);
  Judgement judgement;
  std::optional<ChatReply> last;
  while (judgement.attempts < attempts_) {
    ChatRequest asked = original;
    if (last) add_repair(asked, *last, judgement.answer.defects);
    Result<ChatReply> reply = co_await complete(context, step, judgement.attempts + 1, std::move(asked));
    if (!reply) {
      judgement.error = std::move(reply.error());
      co_return judgement;
    }
    ++judgement.attempts;
    judgement.usage += reply->usage;
    judgement.raw_text = written(*reply);
    judgement.finish_reason = to_string(reply->finish);
    judgement.model = reply->model;
    if (reply->finish == FinishReason::refusal || !reply->refusal.empty()) {
      judgement.answer = {{}, {"the model declined to answer"}, {}};
      judgement.error =
          Error{ErrorKind::refused,
                reply->refusal.empty() ? std::string("the model declined to answer")
                                       : "the model declined to answer: " + shown(reply->refusal),
                {}};
      co_return judgement;
    }
    judgement.answer = check_reply(mode_, questions, *reply);
    if (judgement.answer.defects.empty()) co_return judgement;
    last = std::move(*reply);
  }
  judgement.error = no_answer(judgement.attempts, judgement.answer.defects);
  co_return judgement;
}

}  // namespace assay::persona
