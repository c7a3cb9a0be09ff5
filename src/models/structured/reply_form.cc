#include "models/structured/reply_form.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

// An answer with a thousand wrong list elements needs no thousand lines to be put right.
constexpr std::size_t kMostDefectsNamed = 20;
constexpr std::size_t kLongestQuote = 20000;
constexpr std::size_t kLongestCutOffQuote = 1000;

std::string defect_lines(const std::vector<std::string>& defects) {
  std::string text = "That answer cannot be used. What is wrong with it:\n";
  const std::size_t named = std::min(defects.size(), kMostDefectsNamed);
  for (std::size_t i = 0; i < named; ++i) text += fmt::format("- {}\n", defects[i]);
  if (named < defects.size()) text += fmt::format("- and {} more of this kind\n", defects.size() - named);
  return text;
}

AnswerReading defective(std::string defect) {
  return {{}, {}, {std::move(defect)}};
}

void quote(ChatRequest& request, const std::string& text, std::size_t longest) {
  if (!trim(text).empty())
    request.messages.push_back({.role = Role::assistant, .text = shorten(text, longest)});
}

// --- text -------------------------------------------------------------------------------------------------

const std::string& written_text(const ChatReply& reply) {
  return reply.raw_text.empty() ? reply.message.text : reply.raw_text;
}

// JSON in running text comes first if it is an object: a list there is a citation more often than not.
std::optional<Json> read_other_form(const ChatReply& reply, const ReadText& other) {
  if (!other) return std::nullopt;
  const std::string& written = written_text(reply);
  const auto lenient = parse_lenient_json(written);
  if (lenient && lenient->value.is_object()) return std::nullopt;
  return other(written);
}

AnswerReading read_text(const ChatReply& reply, const ReadText& other) {
  const std::string& text = reply.message.text;
  auto strict = parse_json(text);
  if (!strict || !strict->is_object()) {
    if (auto value = read_other_form(reply, other)) return {std::move(*value), {"not JSON"}, {}};
  }
  if (strict) {
    AnswerReading reading{std::move(*strict), {}, {}};
    if (!reply.raw_text.empty()) {
      auto lenient = parse_lenient_json(reply.raw_text);
      if (lenient && lenient->value == reading.value) reading.forgiven = std::move(lenient->forgiven);
    }
    return reading;
  }
  if (reply.finish == FinishReason::length)
    return defective("the answer was cut off before its end because it was too long; it must be shorter");
  if (trim(text).empty()) return defective("the answer was empty; it must be JSON");
  auto lenient = parse_lenient_json(text);
  if (!lenient) return defective(fmt::format("the answer was not JSON: {}", lenient.error().message));
  return {std::move(lenient->value), std::move(lenient->forgiven), {}};
}

// --- a call -----------------------------------------------------------------------------------------------

AnswerReading read_call(const ChatReply& reply, std::string_view tool) {
  if (reply.finish == FinishReason::length)
    return defective("the answer was cut off before its end because it was too long; write shorter texts");
  if (reply.finish != FinishReason::stop && reply.finish != FinishReason::tool_calls)
    return defective(fmt::format("the answer ended with the reason \"{}\"", to_string(reply.finish)));
  const std::vector<ToolCall>& calls = reply.message.tool_calls;
  if (calls.empty()) return defective(fmt::format("the tool {} was not called", tool));
  if (calls.size() > 1)
    return defective(fmt::format("{} was called {} times; call it once", tool, calls.size()));
  const ToolCall& call = calls.front();
  if (call.name != tool)
    return defective(fmt::format("the tool \"{}\" was called instead of {}", call.name, tool));
  if (call.arguments_text.empty() && !call.arguments.is_null()) return {call.arguments, {}, {}};
  return read_arguments(call.arguments_text, tool);
}

// A call that was JSON is answered as a call, as the protocols demand; anything else is quoted as text.
void add_call_repair(ChatRequest& request, const ChatReply& last, std::string words) {
  const bool is_call = !last.message.tool_calls.empty() &&
                       last.message.tool_calls.front().arguments_text.empty() &&
                       last.finish != FinishReason::length;
  if (!is_call) {
    quote(request, written_answer(ReplyForm::tool_call, last), kLongestQuote);
    request.messages.push_back({.role = Role::user, .text = std::move(words)});
    return;
  }
  Message call = last.message;
  call.tool_calls.resize(1);
  std::string id = call.tool_calls.front().id;
  request.messages.push_back(std::move(call));
  request.messages.push_back(
      {.role = Role::tool, .text = std::move(words), .tool_call_id = std::move(id), .is_error = true});
}

}  // namespace

std::string written_answer(ReplyForm form, const ChatReply& reply) {
  if (form == ReplyForm::text || reply.message.tool_calls.empty()) return written_text(reply);
  const ToolCall& call = reply.message.tool_calls.front();
  return call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
}

AnswerReading read_answer(ReplyForm form, const ChatReply& reply, std::string_view tool,
                          const ReadText& other) {
  return form == ReplyForm::text ? read_text(reply, other) : read_call(reply, tool);
}

AnswerReading read_arguments(std::string_view text, std::string_view tool) {
  if (trim(text).empty())
    return defective(fmt::format("the call of {} had no arguments; they must be JSON", tool));
  if (auto strict = parse_json(text)) return {std::move(*strict), {}, {}};
  auto lenient = parse_lenient_json(text);
  if (!lenient) return defective(fmt::format("the arguments were not JSON: {}", lenient.error().message));
  return {std::move(lenient->value), std::move(lenient->forgiven), {}};
}

ChatRequest ask_again(ReplyForm form, ChatRequest original, const ChatReply& last,
                      const std::vector<std::string>& defects) {
  std::string words = defect_lines(defects);
  if (form == ReplyForm::tool_call) {
    words +=
        fmt::format("Call {} again with the whole answer, all of this put right.", original.tool_choice.name);
    add_call_repair(original, last, std::move(words));
    return original;
  }
  words += "Give the whole answer again with all of this put right, as JSON and nothing else.";
  quote(original, written_text(last),
        last.finish == FinishReason::length ? kLongestCutOffQuote : kLongestQuote);
  original.messages.push_back({.role = Role::user, .text = std::move(words)});
  return original;
}

}  // namespace assay
