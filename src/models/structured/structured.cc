#include "models/structured/structured.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "models/failure.h"

namespace assay {
namespace {

// An answer with a thousand wrong list elements needs no thousand lines to be put right.
constexpr std::size_t kMostDefectsNamed = 20;
constexpr std::size_t kLongestQuote = 20000;
constexpr std::size_t kLongestCutOffQuote = 1000;

struct Reading {
  Json value;
  std::vector<std::string> forgiven;
  std::vector<std::string> defects;
};

std::string defect_words(const SchemaDefect& defect) {
  if (defect.instance_pointer.empty()) return fmt::format("the answer as a whole: {}", defect.message);
  return fmt::format("{}: {}", defect.instance_pointer, defect.message);
}

const std::string& written_text(const ChatReply& reply) {
  return reply.raw_text.empty() ? reply.message.text : reply.raw_text;
}

// JSON in running text comes first if it is an object: a list there is a citation more often than not.
std::optional<Json> read_other_form(const ChatReply& reply, const StructuredPolicy& policy) {
  if (!policy.read) return std::nullopt;
  const std::string& written = written_text(reply);
  const auto lenient = parse_lenient_json(written);
  if (lenient && lenient->value.is_object()) return std::nullopt;
  return policy.read(written);
}

Reading parse(const ChatReply& reply, const StructuredPolicy& policy) {
  const std::string& text = reply.message.text;
  auto strict = parse_json(text);
  if (!strict || !strict->is_object()) {
    if (auto other = read_other_form(reply, policy)) return {std::move(*other), {"not JSON"}, {}};
  }
  if (strict) {
    Reading reading{std::move(*strict), {}, {}};
    if (!reply.raw_text.empty()) {
      auto lenient = parse_lenient_json(reply.raw_text);
      if (lenient && lenient->value == reading.value) reading.forgiven = std::move(lenient->forgiven);
    }
    return reading;
  }
  if (reply.finish == FinishReason::length) {
    return {{}, {}, {"the answer was cut off before its end because it was too long; it must be shorter"}};
  }
  if (trim(text).empty()) return {{}, {}, {"the answer was empty; it must be JSON"}};
  auto lenient = parse_lenient_json(text);
  if (!lenient) return {{}, {}, {fmt::format("the answer was not JSON: {}", lenient.error().message)}};
  return {std::move(lenient->value), std::move(lenient->forgiven), {}};
}

Reading read(const ChatReply& reply, const Schema& schema, const StructuredPolicy& policy) {
  Reading reading = parse(reply, policy);
  if (!reading.defects.empty()) return reading;
  if (policy.normalise) reading.value = policy.normalise(std::move(reading.value));
  for (const auto& defect : schema.validate(reading.value)) reading.defects.push_back(defect_words(defect));
  if (reading.defects.empty() && policy.check) reading.defects = policy.check(reading.value);
  return reading;
}

// The conversation so far is the original one and the latest answer: earlier failed answers would only make
// the prompt longer.
ChatRequest repair(const ChatRequest& original, const StructuredAttempt& last) {
  ChatRequest request = original;
  const std::size_t quote = last.finish == FinishReason::length ? kLongestCutOffQuote : kLongestQuote;
  if (!trim(last.text).empty()) {
    request.messages.push_back({.role = Role::assistant, .text = shorten(last.text, quote)});
  }
  std::string text = defect_lines(last.defects);
  text += "Give the whole answer again with all of this put right, as JSON and nothing else.";
  request.messages.push_back({.role = Role::user, .text = std::move(text)});
  return request;
}

Error give_up(const StructuredPolicy& policy, const StructuredAnswer& answer) {
  return Error{
      policy.failure,
      fmt::format("no usable answer after {} attempt{}: {}", answer.attempts, answer.attempts == 1 ? "" : "s",
                  shown(defects_in_short(answer.history.back().defects), 500)),
      {}};
}

}  // namespace

std::string defect_lines(const std::vector<std::string>& defects) {
  std::string text = "That answer cannot be used. What is wrong with it:\n";
  const std::size_t named = std::min(defects.size(), kMostDefectsNamed);
  for (std::size_t i = 0; i < named; ++i) text += fmt::format("- {}\n", defects[i]);
  if (named < defects.size()) text += fmt::format("- and {} more of this kind\n", defects.size() - named);
  return text;
}

std::string defects_in_short(const std::vector<std::string>& defects) {
  constexpr std::size_t kMost = 3;
  std::string words;
  for (std::size_t i = 0; i < std::min(defects.size(), kMost); ++i)
    words += fmt::format("{}{}", i > 0 ? "; " : "", defects[i]);
  if (defects.size() > kMost) words += fmt::format("; and {} more", defects.size() - kMost);
  return words;
}

Task<StructuredAnswer> ask_structured(Complete complete, ChatRequest request, const Schema& schema,
                                      StructuredPolicy policy) {
  StructuredAnswer answer;
  const int most = std::max(1, policy.attempts);
  while (answer.attempts < most) {
    const int attempt = ++answer.attempts;
    ChatRequest asked = answer.history.empty() ? request : repair(request, answer.history.back());
    if (policy.adjust) policy.adjust(attempt, asked);
    Result<ChatReply> reply = co_await complete(attempt, std::move(asked));
    if (!reply) {
      answer.value = fail(std::move(reply).error());
      co_return answer;
    }
    answer.usage += reply->usage;
    answer.history.push_back({written_text(*reply), reply->finish, {}});
    if (reply->finish == FinishReason::refusal || !reply->refusal.empty()) {
      answer.history.back().defects = {"the model declined to answer"};
      const std::string words = shown(reply->refusal);
      answer.value =
          fail(ErrorKind::refused, words.empty() ? "the model declined to answer"
                                                 : fmt::format("the model declined to answer: {}", words));
      co_return answer;
    }
    Reading reading = read(*reply, schema, policy);
    if (reading.defects.empty()) {
      answer.value = std::move(reading.value);
      answer.forgiven = std::move(reading.forgiven);
      co_return answer;
    }
    answer.history.back().defects = std::move(reading.defects);
  }
  answer.value = fail(give_up(policy, answer));
  co_return answer;
}

}  // namespace assay
