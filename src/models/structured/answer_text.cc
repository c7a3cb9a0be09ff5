#include "models/structured/answer_text.h"

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

// JSON in running text comes first if it is an object: a list there is a citation more often than not.
std::optional<Json> read_other_form(const ChatReply& reply, const ReadText& other) {
  if (!other) return std::nullopt;
  const std::string& written = written_answer(reply);
  const auto lenient = parse_lenient_json(written);
  if (lenient && lenient->value.is_object()) return std::nullopt;
  return other(written);
}

}  // namespace

const std::string& written_answer(const ChatReply& reply) {
  return reply.raw_text.empty() ? reply.message.text : reply.raw_text;
}

AnswerReading read_answer(const ChatReply& reply, const ReadText& other) {
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

ChatRequest ask_again(ChatRequest original, const ChatReply& last, const std::vector<std::string>& defects,
                      std::string_view closing) {
  std::string words = defect_lines(defects);
  words += closing.empty()
               ? "Give the whole answer again with all of this put right, as JSON and nothing else."
               : closing;
  quote(original, written_answer(last),
        last.finish == FinishReason::length ? kLongestCutOffQuote : kLongestQuote);
  original.messages.push_back({.role = Role::user, .text = std::move(words)});
  return original;
}

}  // namespace assay
