#include "imports/traces/conversation.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "core/text/thoughts.h"

namespace assay {

namespace {

JsonObject call_json(const LoggedCall& call) {
  JsonObject out{{"tool", call.tool}, {"arguments", call.arguments}, {"result", call.result}};
  if (call.failed) out.emplace("error", true);
  return out;
}

}  // namespace

void Conversation::add_result(std::string_view call_id, Json result, bool failed) {
  // Ids may come again in a long conversation: the last call that waits for a result is meant.
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    if (call->id != call_id || !call->result.is_null()) continue;
    call->result = std::move(result);
    call->failed = failed;
    return;
  }
}

Json call_arguments(const Json& value) {
  const auto text = as_text(value);
  if (!text) return value;
  auto parsed = parse_json(*text);
  if (parsed && parsed->is_object()) return std::move(*parsed);
  return value;
}

Result<JsonObject> case_of(const Conversation& conversation, const std::string& number) {
  const auto question = std::ranges::find_if(conversation.said.rbegin(), conversation.said.rend(),
                                             [](const auto& one) { return one.role == "user"; });
  if (question == conversation.said.rend())
    return fail(ErrorKind::data, "nothing was asked: there is no text of a user");
  if (!conversation.answer && conversation.calls.empty())
    return fail(ErrorKind::data,
                "nothing was answered: there is neither a text of the assistant nor a tool call");
  // What a model thought aloud is no part of what it said, and kept apart.
  std::string thoughts;
  const auto spoken = [&](const std::string& text) {
    PartedThoughts parted = part_thoughts(text);
    if (!thoughts.empty() && !parted.thoughts.empty()) thoughts += "\n\n";
    thoughts += parted.thoughts;
    return std::move(parted.text);
  };
  JsonArray messages;
  for (const auto& one : conversation.said)
    messages.push_back(
        JsonObject{{"role", one.role}, {"content", one.role == "assistant" ? spoken(one.text) : one.text}});
  JsonObject out = {{"id", conversation.id.empty() ? number : conversation.id},
                    {"input", question->text},
                    {"output", spoken(conversation.answer.value_or(""))}};
  JsonArray trace;
  for (const LoggedCall& call : conversation.calls) trace.push_back(call_json(call));
  // Also where it is empty: that no tool was called is known, and is what checks of tool calls rest on.
  out["trace"] = std::move(trace);
  out["messages"] = std::move(messages);
  JsonObject meta = conversation.meta;
  if (!thoughts.empty()) meta["reasoning"] = thoughts;
  if (!meta.empty()) out["meta"] = std::move(meta);
  return out;
}

}  // namespace assay
