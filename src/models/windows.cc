#include "models/windows.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "models/structured/pattern.h"

namespace assay {
namespace {

struct Row {
  std::string_view pattern;  // of the name behind its last slash, in lower case
  std::int64_t tokens;
};

// The first row that matches counts. As their makers give them, and good for a warning only; a model that is
// missing is not checked.
constexpr auto kRows = std::to_array<Row>({
    {"gpt-3.5*", 16'385},
    {"gpt-4-turbo*", 128'000},
    {"gpt-4-*preview*", 128'000},
    {"gpt-4-32k*", 32'768},
    {"gpt-4", 8'192},
    {"gpt-4-0*", 8'192},
    {"gpt-4o*", 128'000},
    {"chatgpt-4o*", 128'000},
    {"gpt-4.1*", 1'047'576},
    {"gpt-5-chat*", 128'000},
    {"gpt-5", 400'000},
    {"gpt-5-*", 400'000},
    {"gpt-5.1-chat*", 128'000},
    {"gpt-5.1*", 400'000},
    {"gpt-5.2", 400'000},
    {"gpt-5.2-2*", 400'000},
    {"gpt-5.4", 1'050'000},
    {"gpt-5.4-2*", 1'050'000},
    {"gpt-oss*", 131'072},
    {"o1-mini*", 128'000},
    {"o1-preview*", 128'000},
    {"o1*", 200'000},
    {"o3*", 200'000},
    {"o4-mini*", 200'000},
    {"*claude-2.0*", 100'000},
    {"*claude-2*", 200'000},
    {"*claude-3*", 200'000},
    {"*claude-opus-4-6*", 1'000'000},
    {"*claude-opus-4-7*", 1'000'000},
    {"*claude-opus-4-8*", 1'000'000},
    {"*claude-sonnet-4-6*", 1'000'000},
    {"*claude-opus-4*", 200'000},
    {"*claude-sonnet-4*", 200'000},
    {"*claude-haiku-4*", 200'000},
    {"*claude-opus-5*", 1'000'000},
    {"*claude-sonnet-5*", 1'000'000},
    {"*claude-fable-5*", 1'000'000},
    {"*claude-mythos-*", 1'000'000},
    {"gemini-1.5-pro*", 2'097'152},
    {"gemini-1.5-flash*", 1'048'576},
    {"gemini-2*", 1'048'576},
    {"gemini-3*", 1'048'576},
    {"deepseek-chat*", 131'072},
    {"deepseek-reasoner*", 131'072},
    {"deepseek-r1*", 131'072},
    {"deepseek-v3*", 131'072},
    {"grok-3*", 131'072},
    {"grok-4-fast*", 2'000'000},
    {"grok-4-1-fast*", 2'000'000},
    {"grok-4.3*", 1'000'000},
    {"grok-4", 256'000},
    {"grok-4-0709", 256'000},
    {"mistral-medium-3", 128'000},
    {"mistral-medium-3.5*", 262'144},
    {"mistral-medium-3-5*", 262'144},
    {"mistral-medium-2604", 262'144},
    {"mistral-medium-latest", 262'144},
    {"mistral-large*", 131'072},
    {"mistral-small*", 131'072},
    {"mistral-7b*", 32'768},
    {"llama-3.1*", 131'072},
    {"llama-3.3*", 131'072},
    {"llama-3-*", 8'192},
    {"*nova-micro*", 128'000},
    {"*nova-lite*", 300'000},
    {"*nova-pro*", 300'000},
    {"text-embedding-3-*", 8'192},
    {"text-embedding-ada-002", 8'192},
});

constexpr std::array<std::string_view, 4> kCodes{"context_length_exceeded", "exceed_context_size_error",
                                                 "model_context_window_exceeded", "string_above_max_length"};
// In lower case.
constexpr auto kPhrases = std::to_array<std::string_view>({
    "maximum context length",                 // OpenAI, vLLM, OpenRouter, Mistral
    "maximum prompt length",                  // xAI
    "context_length_exceeded",                //
    "prompt is too long",                     // Anthropic
    "exceed context limit",                   // Anthropic, with max_tokens
    "exceeds the maximum number of tokens",   // Gemini
    "input is too long for requested model",  // Bedrock
    "too many input tokens",                  // Bedrock
    "exceeds the available context size",     // llama.cpp
    "exceeds the context window",             // OpenAI's Responses
    "input length exceeds",                   // Ollama
    "context the overflows",                  // LM Studio
    "context length of only",                 // LM Studio
    "reduce the length of the messages",      // Groq, OpenAI
    "inputs` tokens + `max_new_tokens",       // Together
    "`inputs` must have less than",           // Together, servers of open models
    "longer than the maximum model length",   // vLLM
    "longer than the model's context",        // SGLang
    "number of input tokens exceeds",         // Bedrock's Llama
    "greater than the context length",        // LM Studio
});

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The whole numbers of a text, in their order; separators of thousands belong to them. Parts of names
// ("claude-3-5") and of decimal numbers are none.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    const std::size_t from = at;
    std::int64_t number = 0;
    while (at < text.size() &&
           (is_digit(text[at]) || (text[at] == ',' && at + 1 < text.size() && is_digit(text[at + 1])))) {
      if (is_digit(text[at]) && number < 1'000'000'000'000) number = number * 10 + (text[at] - '0');
      ++at;
    }
    const bool apart = from == 0 || std::string_view("-._").find(text[from - 1]) == std::string_view::npos;
    const bool ends = at == text.size() || (text[at] != '-' && text[at] != '_');
    // Less is no size of a context: an index, a count of messages.
    if (apart && ends && number >= 256) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::optional<std::int64_t> known_window(std::string_view model) {
  const std::string name = lower_ascii(model.substr(model.rfind('/') + 1));
  const auto row =
      std::ranges::find_if(kRows, [&](const Row& each) { return matches_pattern(each.pattern, name); });
  return row == kRows.end() ? std::nullopt : std::optional(row->tokens);
}

std::optional<Overflow> overflow_of(const Complaint& complaint) {
  const std::string text = lower_ascii(complaint.message);
  const auto is_code = [&](std::string_view code) {
    return complaint.code == code || complaint.type == code;
  };
  const auto is_said = [&](std::string_view phrase) { return text.contains(phrase); };
  if (!std::ranges::any_of(kCodes, is_code) && !std::ranges::any_of(kPhrases, is_said)) return std::nullopt;
  // Of two sizes the larger one did not fit into the smaller, whichever is named first.
  const std::vector<std::int64_t> numbers = numbers_in(complaint.message);
  Overflow overflow;
  if (numbers.empty()) return overflow;
  const std::int64_t least = std::ranges::min(numbers);
  const std::int64_t most = std::ranges::max(numbers);
  // A prompt that fits alone but not with the answer: "199000 + 8192 > 200000".
  if (numbers.size() >= 3 && numbers[0] + numbers[1] > most && most == numbers.back())
    return Overflow{numbers[0] + numbers[1], most};
  if (numbers.size() == 1) {
    overflow.limit = least;
  } else {
    overflow.prompt = most;
    // Of more than two, the first is the limit with those who give the parts of the request behind it.
    overflow.limit = numbers.size() > 2 && numbers.front() < most ? numbers.front() : least;
  }
  return overflow;
}

std::string overflow_words(const Overflow& overflow) {
  std::string words = "the prompt does not fit into the model's context";
  if (overflow.prompt) words += fmt::format(": {} tokens", *overflow.prompt);
  if (overflow.limit) words += fmt::format("{} at most {}", overflow.prompt ? "," : ":", *overflow.limit);
  if (overflow.limit && !overflow.prompt) words += " tokens";
  return words;
}

}  // namespace assay
