#include "models/structured/structured_way.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "core/text/thoughts.h"
#include "models/providers/provider.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"

namespace assay {
namespace {

constexpr std::size_t kLongestName = 64;

bool carries(StructuredWay way, const Wire& wire, const OutputSchema& output,
             const Capabilities& capabilities, const SchemaRefusals& refused) {
  switch (way) {
    case StructuredWay::json_schema:
      return capabilities.json_schema && !refused.json_schema &&
             (wire.takes_schema == nullptr || wire.takes_schema(output.schema));
    case StructuredWay::tools:
      return capabilities.tools && capabilities.forced_tool && !refused.tools &&
             describes_object(output.schema);
    case StructuredWay::text:
      return true;
  }
  return true;
}

// The answer that came as the argument of our tool becomes the text; calls of the request's own tools stay.
// Where there are none, a call under another name is the answer all the same: its arguments say whether it
// is. Several calls that differ become a list, which no schema of an answer takes for one.
bool take_answer_call(ChatReply& reply, const ChatRequest& request) {
  auto& calls = reply.message.tool_calls;
  const std::string tool_name = output_tool_name(request);
  const auto is_answer = [&](const ToolCall& call) {
    return call.name == tool_name || request.tools.empty();
  };
  std::vector<std::string> answers;
  for (const ToolCall& call : calls) {
    if (!is_answer(call)) continue;
    std::string text = call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
    if (answers.empty() || answers.front() != text) answers.push_back(std::move(text));
  }
  if (answers.empty()) return false;
  reply.message.text =
      answers.size() == 1 ? std::move(answers.front()) : fmt::format("[{}]", fmt::join(answers, ","));
  std::erase_if(calls, is_answer);
  if (calls.empty() && reply.finish == FinishReason::tool_calls) reply.finish = FinishReason::stop;
  return true;
}

void take_json_out(ChatReply& reply) {
  std::string& text = reply.message.text;
  // An answer that was cut off may hold a complete object somewhere inside, which is not the answer.
  if (text.empty() || reply.finish == FinishReason::length || is_json(text)) return;
  auto lenient = parse_lenient_json(text);
  if (!lenient) return;
  reply.raw_text = std::move(text);
  text = to_text(lenient->value);
}

void cut_at_stop(ChatReply& reply, const std::vector<std::string>& stops) {
  std::string& text = reply.message.text;
  std::size_t first = std::string::npos;
  for (const auto& stop : stops) {
    if (!stop.empty()) first = std::min(first, text.find(stop));
  }
  if (first == std::string::npos) return;
  text.resize(first);
  reply.finish = FinishReason::stop;
}

}  // namespace

StructuredWay choose_way(const Wire& wire, std::string_view pinned, const OutputSchema& output,
                         const Capabilities& capabilities, const SchemaRefusals& refused) {
  for (const auto way : wire.ways) {
    if (pinned == to_string(way)) return way;
  }
  if (output.preferred && carries(*output.preferred, wire, output, capabilities, refused))
    return *output.preferred;
  for (const auto way : wire.ways) {
    if (carries(way, wire, output, capabilities, refused)) return way;
  }
  return StructuredWay::text;
}

std::string output_name(const OutputSchema& output) {
  std::string name;
  for (const char c : output.name) {
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (name.size() < kLongestName) name += fits ? c : '_';
  }
  return name.empty() ? "answer" : name;
}

std::string output_tool_name(const ChatRequest& request) {
  std::string name = request.output ? output_name(*request.output) : "answer";
  const auto taken = [&] {
    return std::ranges::find(request.tools, name, &Tool::name) != request.tools.end();
  };
  for (int number = 2; taken(); ++number) {
    const std::string suffix = fmt::format("_{}", number);
    name = output_name(*request.output).substr(0, kLongestName - suffix.size()) + suffix;
  }
  return name;
}

std::string schema_instruction(const OutputSchema& output) {
  std::string text =
      "Give your answer as one JSON value that fits the JSON Schema below. Write only that JSON, in a "
      "```json "
      "block, with no words before or after it.\n";
  if (!output.description.empty()) text += fmt::format("What the answer is: {}\n", output.description);
  text += fmt::format("JSON Schema:\n{}", to_text(without_annotations(output.schema)));
  return text;
}

std::string tool_instruction(std::string_view tool_name) {
  return fmt::format("Give your answer by calling the tool {}. Do not write it as text.", tool_name);
}

void settle_reply(ChatReply& reply, const ChatRequest& request, const WirePlan& plan) {
  PartedThoughts parted = part_thoughts(reply.message.text);
  reply.message.text = std::move(parted.text);
  append_paragraph(reply.message.reasoning, parted.thoughts);
  if (reply.finish == FinishReason::refusal) return;
  if (plan.way) {
    const bool called = *plan.way == StructuredWay::tools && take_answer_call(reply, request);
    if (!called && reply.message.tool_calls.empty()) take_json_out(reply);
  } else {
    cut_at_stop(reply, plan.cut_at);
  }
}

}  // namespace assay
