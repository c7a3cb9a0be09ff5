#include "sim/protocols/responses_wire.h"

#include <fmt/format.h>

#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

// A fixed day: an answer must not depend on the clock.
constexpr std::int64_t kCreated = 1'735'689'600;

Json usage_object(const Usage& usage) {
  return JsonObject{{"input_tokens", usage.prompt_tokens},
                    {"input_tokens_details", JsonObject{{"cached_tokens", usage.cached_tokens}}},
                    {"output_tokens", usage.completion_tokens},
                    {"output_tokens_details", JsonObject{{"reasoning_tokens", usage.reasoning_tokens}}},
                    {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
}

std::string arguments_of(const ToolCall& call) {
  return call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
}

Json message_item(const ChatReply& reply, const ReplyIdentity& identity) {
  const bool refused = !reply.refusal.empty();
  JsonObject part = refused ? JsonObject{{"type", "refusal"}, {"refusal", reply.refusal}}
                            : JsonObject{{"type", "output_text"},
                                         {"text", reply.message.text},
                                         {"annotations", JsonArray{}},
                                         {"logprobs", JsonArray{}}};
  return JsonObject{{"id", "msg_" + id_text(identity.number)},
                    {"type", "message"},
                    {"status", reply.finish == FinishReason::length ? "incomplete" : "completed"},
                    {"role", "assistant"},
                    {"content", JsonArray{std::move(part)}}};
}

Json reasoning_item(const std::string& thoughts, const ReplyIdentity& identity) {
  return JsonObject{{"id", "rs_" + id_text(identity.number + 1)},
                    {"type", "reasoning"},
                    {"summary", JsonArray{JsonObject{{"type", "summary_text"}, {"text", thoughts}}}},
                    {"encrypted_content", thought_signature(thoughts)}};
}

Json call_item(const ToolCall& call, const ReplyIdentity& identity, std::size_t number) {
  return JsonObject{{"id", "fc_" + id_text(identity.number + 2 + number)},
                    {"type", "function_call"},
                    {"status", "completed"},
                    {"call_id", call.id},
                    {"name", call.name},
                    {"arguments", arguments_of(call)}};
}

JsonArray output_of(const ChatReply& reply, const ReplyIdentity& identity) {
  JsonArray output;
  if (!reply.message.reasoning.empty()) output.push_back(reasoning_item(reply.message.reasoning, identity));
  if (!reply.message.text.empty() || !reply.refusal.empty()) output.push_back(message_item(reply, identity));
  for (std::size_t i = 0; i < reply.message.tool_calls.size(); ++i)
    output.push_back(call_item(reply.message.tool_calls[i], identity, i));
  return output;
}

JsonObject response(const ResponsesCall& call, const ReplyIdentity& identity, std::string_view status) {
  return JsonObject{
      {"id", "resp_" + id_text(identity.number)},
      {"object", "response"},
      {"created_at", kCreated},
      {"status", status},
      {"background", false},
      {"error", nullptr},
      {"incomplete_details", nullptr},
      {"instructions", nullptr},
      {"max_output_tokens",
       call.request.sampling.max_tokens ? Json(*call.request.sampling.max_tokens) : Json(nullptr)},
      {"model", identity.model},
      {"output", JsonArray{}},
      {"parallel_tool_calls", true},
      {"previous_response_id", nullptr},
      {"reasoning", JsonObject{{"effort", nullptr}, {"summary", nullptr}}},
      {"service_tier", "default"},
      {"store", call.store},
      {"temperature", call.request.sampling.temperature.value_or(1)},
      {"text",
       JsonObject{{"format", call.format.is_null() ? Json(JsonObject{{"type", "text"}}) : call.format}}},
      {"tool_choice", "auto"},
      {"tools", JsonArray{}},
      {"top_p", call.request.sampling.top_p.value_or(1)},
      {"truncation", "disabled"},
      {"usage", nullptr},
      {"metadata", JsonObject{}}};
}

JsonObject finished(const ResponsesCall& call, const ChatReply& reply, const ReplyIdentity& identity) {
  const bool cut = reply.finish == FinishReason::length;
  JsonObject whole = response(call, identity, cut ? "incomplete" : "completed");
  if (cut) whole["incomplete_details"] = JsonObject{{"reason", "max_output_tokens"}};
  whole["output"] = output_of(reply, identity);
  whole["usage"] = usage_object(reply.usage);
  return whole;
}

class Events {
 public:
  void add(std::string_view type, JsonObject data) {
    JsonObject event{{"type", type}, {"sequence_number", number_++}};
    for (auto& member : data) event[member.key()] = std::move(member.value());
    list_.push_back(fmt::format("event: {}\ndata: {}\n\n", type, to_text(event)));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
  std::int64_t number_ = 0;
};

std::string text_of(const Json& json, std::string_view key) {
  const Json* member = find_member(json, key);
  return member != nullptr ? std::string(as_text(*member).value_or("")) : std::string();
}

// The text of a message: its part is opened, told in pieces, and closed.
void stream_message(Events& events, const Json& item, std::int64_t index) {
  const Json& part = item.at("content").at(0);
  const bool refused = text_of(part, "type") == "refusal";
  const std::string_view kind = refused ? "refusal" : "output_text";
  const std::string_view key = refused ? "refusal" : "text";
  const JsonObject place{{"item_id", item.at("id")}, {"output_index", index}, {"content_index", 0}};
  JsonObject empty = part.as_object();
  empty[key] = "";
  JsonObject opened = place;
  opened["part"] = empty;
  events.add("response.content_part.added", opened);
  const std::string words = text_of(part, key);
  for (const std::string_view piece : stream_pieces(words)) {
    JsonObject delta = place;
    delta["delta"] = piece;
    if (!refused) delta["logprobs"] = JsonArray{};
    events.add(fmt::format("response.{}.delta", kind), delta);
  }
  JsonObject done = place;
  done[key] = words;
  if (!refused) done["logprobs"] = JsonArray{};
  events.add(fmt::format("response.{}.done", kind), done);
  JsonObject closed = place;
  closed["part"] = part;
  events.add("response.content_part.done", closed);
}

void stream_call(Events& events, const Json& item, std::int64_t index) {
  const JsonObject place{{"item_id", item.at("id")}, {"output_index", index}};
  const std::string arguments = text_of(item, "arguments");
  for (const std::string_view piece : stream_pieces(arguments)) {
    JsonObject delta = place;
    delta["delta"] = piece;
    events.add("response.function_call_arguments.delta", delta);
  }
  JsonObject done = place;
  done["name"] = item.at("name");
  done["arguments"] = arguments;
  events.add("response.function_call_arguments.done", done);
}

// An item as it is opened: nothing said yet.
Json opened(const Json& item) {
  JsonObject begun = item.as_object();
  if (begun.contains("status")) begun["status"] = "in_progress";
  if (begun.contains("content")) begun["content"] = JsonArray{};
  if (begun.contains("arguments")) begun["arguments"] = "";
  if (begun.contains("summary")) begun["summary"] = JsonArray{};
  return begun;
}

}  // namespace

std::string responses_reply_body(const ResponsesCall& call, const ChatReply& reply,
                                 const ReplyIdentity& identity) {
  return to_text(finished(call, reply, identity));
}

std::vector<std::string> responses_events(const ResponsesCall& call, const ChatReply& reply,
                                          const ReplyIdentity& identity) {
  Events events;
  events.add("response.created", {{"response", response(call, identity, "in_progress")}});
  events.add("response.in_progress", {{"response", response(call, identity, "in_progress")}});
  const JsonArray output = output_of(reply, identity);
  for (std::size_t i = 0; i < output.size(); ++i) {
    const Json& item = output[i];
    const auto index = static_cast<std::int64_t>(i);
    events.add("response.output_item.added", {{"output_index", index}, {"item", opened(item)}});
    if (text_of(item, "type") == "message") stream_message(events, item, index);
    if (text_of(item, "type") == "function_call") stream_call(events, item, index);
    events.add("response.output_item.done", {{"output_index", index}, {"item", item}});
  }
  const bool cut = reply.finish == FinishReason::length;
  events.add(cut ? "response.incomplete" : "response.completed",
             {{"response", finished(call, reply, identity)}});
  return events.take();
}

}  // namespace assay::sim
