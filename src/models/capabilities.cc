#include "models/capabilities.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "models/structured/pattern.h"

namespace assay {
namespace {

enum Trait : unsigned {
  kNoTemperature = 1U << 0U,
  kNoTopP = 1U << 1U,
  kOneOfTemperatureTopP = 1U << 2U,
  kNoStop = 1U << 3U,
  kNoJsonSchema = 1U << 4U,
  kNoTools = 1U << 5U,
  kNoForcedTool = 1U << 6U,
  kMaxCompletionTokens = 1U << 7U,
  kDeveloperRole = 1U << 8U,
  kUserRole = 1U << 9U,
  kNoAdaptiveThinking = 1U << 10U,
  kNoThinkingBudget = 1U << 11U,
};
constexpr unsigned kNoSampling = kNoTemperature | kNoTopP;

struct Row {
  std::string_view pattern;
  unsigned traits;
};

// The first row that matches counts. A row is here to save a refused request, so only what is certain; the
// rest is learnt. gpt-5.1 and later take temperature or not depending on their reasoning effort.
constexpr auto kRows = std::to_array<Row>({
    {"o1-mini*", kNoSampling | kMaxCompletionTokens | kUserRole | kNoJsonSchema | kNoTools},
    {"o1-preview*", kNoSampling | kMaxCompletionTokens | kUserRole | kNoJsonSchema | kNoTools},
    {"o1*", kNoSampling | kMaxCompletionTokens | kDeveloperRole},
    {"o3*", kNoSampling | kMaxCompletionTokens | kNoStop},
    {"o4-mini*", kNoSampling | kMaxCompletionTokens | kNoStop},
    {"gpt-5-chat*", kMaxCompletionTokens},
    {"gpt-5", kNoSampling | kMaxCompletionTokens | kNoStop},
    {"gpt-5-*", kNoSampling | kMaxCompletionTokens | kNoStop},
    {"gpt-5.*", kMaxCompletionTokens | kNoStop},
    {"gpt-3.5*", kNoJsonSchema},
    {"gpt-4", kNoJsonSchema},
    {"gpt-4-*", kNoJsonSchema},
    {"gpt-4o-2024-05-13", kNoJsonSchema},
    {"chatgpt-4o*", kNoJsonSchema | kNoTools},
    {"*claude-3-*", kNoJsonSchema | kNoAdaptiveThinking},
    {"*claude-*-4-0*", kNoAdaptiveThinking},
    {"*claude-*-4-2025*", kNoAdaptiveThinking},
    {"*claude-opus-4-1*", kNoJsonSchema | kOneOfTemperatureTopP | kNoAdaptiveThinking},
    {"*claude-*-4-5*", kOneOfTemperatureTopP | kNoAdaptiveThinking},
    {"*claude-*-4-6*", kOneOfTemperatureTopP},
    {"*claude-opus-4-7*", kNoSampling | kNoThinkingBudget},
    {"*claude-opus-4-8*", kNoSampling | kNoThinkingBudget},
    {"*claude-*-5-5*", kNoSampling | kNoForcedTool | kNoThinkingBudget},
    {"*claude-fable-*", kNoSampling | kNoForcedTool | kNoThinkingBudget},
    {"*claude-mythos-5*", kNoSampling | kNoForcedTool | kNoThinkingBudget},
    {"*claude-mythos-*", kNoSampling | kNoForcedTool},
    {"*claude-opus-5*", kNoSampling | kNoThinkingBudget},
    {"*claude-sonnet-5*", kNoSampling | kNoThinkingBudget},
    {"*claude-haiku-5*", kNoSampling},
    {"deepseek-reasoner*", kNoSampling},
});

// What a complaint can blame.
enum class Blamed {
  max_tokens,
  max_completion_tokens,
  temperature,
  top_p,
  seed,
  stop,
  stream,
  stream_options,
  response_format,
  strict,
  tool_choice,
  tools,
  role,
  reasoning_effort,
  adaptive_thinking,
  thinking_budget,
};

// Words that also occur in plain sentences count only where they are quoted or listed as a name.
enum class Spelling { name, plain_word };

struct BlamedWord {
  std::string_view word;
  Blamed blamed;
  Spelling spelling;
};

constexpr auto kWords = std::to_array<BlamedWord>({
    {"max_tokens", Blamed::max_tokens, Spelling::name},
    {"max_completion_tokens", Blamed::max_completion_tokens, Spelling::name},
    {"temperature", Blamed::temperature, Spelling::name},
    {"top_p", Blamed::top_p, Spelling::name},
    {"seed", Blamed::seed, Spelling::plain_word},
    {"stop", Blamed::stop, Spelling::plain_word},
    {"stop_sequences", Blamed::stop, Spelling::name},
    {"stream", Blamed::stream, Spelling::plain_word},
    {"stream_options", Blamed::stream_options, Spelling::name},
    {"response_format", Blamed::response_format, Spelling::name},
    {"json_schema", Blamed::response_format, Spelling::name},
    {"output_config", Blamed::response_format, Spelling::name},
    {"output_format", Blamed::response_format, Spelling::name},
    {"response mime type", Blamed::response_format, Spelling::name},
    {"responsejsonschema", Blamed::response_format, Spelling::name},
    {"response_json_schema", Blamed::response_format, Spelling::name},
    {"outputconfig", Blamed::response_format, Spelling::name},
    {"toolchoice", Blamed::tool_choice, Spelling::name},
    {"topp", Blamed::top_p, Spelling::name},
    {"stopsequences", Blamed::stop, Spelling::name},
    {"strict", Blamed::strict, Spelling::plain_word},
    {"tool_choice", Blamed::tool_choice, Spelling::name},
    {"tools", Blamed::tools, Spelling::name},
    {"role", Blamed::role, Spelling::plain_word},
    {"reasoning_effort", Blamed::reasoning_effort, Spelling::name},
    {"adaptive thinking", Blamed::adaptive_thinking, Spelling::name},
    {"thinking.type.adaptive", Blamed::adaptive_thinking, Spelling::name},
    {"thinking.type.enabled", Blamed::thinking_budget, Spelling::name},
});

// Said of a parameter as such, not of its value being out of range, which leaving it out would only hide.
constexpr std::array<std::string_view, 27> kRefusingWords{
    "unsupported",      "not supported",   "does not support", "do not support",     "doesn't support",
    "don't support",    "isn't supported", "not support",      "unrecognized",       "unrecognised",
    "unknown",          "unexpected",      "not permitted",    "not allowed",        "not implemented",
    "not available",    "unavailable",     "not enabled",      "deprecated",         "extra_forbidden",
    "extra fields",     "cannot both",     "but not both",     "may not be enabled", "only the default",
    "must be verified", "requires --"};
constexpr std::array<std::string_view, 4> kRefusingCodes{"unsupported_parameter", "unsupported_value",
                                                         "unknown_parameter", "extra_forbidden"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Where `word` stands in `text` as a whole word; npos if nowhere.
std::size_t find_word(std::string_view text, const BlamedWord& word) {
  for (std::size_t at = text.find(word.word); at != std::string_view::npos;
       at = text.find(word.word, at + 1)) {
    const std::size_t end = at + word.word.size();
    if (at > 0 && is_name_character(text[at - 1])) continue;
    if (end < text.size() && is_name_character(text[end])) continue;
    if (word.spelling == Spelling::plain_word && at > 0) {
      const std::string_view before = trim(text.substr(0, at));
      if (text[at - 1] == '.') return at;  // messages[0].role
      if (before.empty() || std::string_view("'\"`:,([").find(before.back()) == std::string_view::npos)
        continue;
    }
    return at;
  }
  return std::string_view::npos;
}

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool refuses(const Complaint& complaint, const std::string& message) {
  const auto is_code = [&](std::string_view code) {
    return complaint.code == code || complaint.type == code;
  };
  return std::ranges::any_of(kRefusingCodes, is_code) ||
         std::ranges::any_of(kRefusingWords,
                             [&](std::string_view words) { return mentions(message, words); });
}

const BlamedWord* word_named(std::string_view name) {
  const auto found = std::ranges::find(kWords, name, &BlamedWord::word);
  return found == kWords.end() ? nullptr : found;
}

std::optional<Blamed> blamed_by_parameter(std::string_view path) {
  if (path.starts_with("body.")) path.remove_prefix(5);
  const std::string_view root = path.substr(0, path.find_first_of(".["));
  const std::size_t last = path.find_last_of(".]");
  const std::string_view leaf = last == std::string_view::npos ? path : path.substr(last + 1);
  if (leaf == "strict") return Blamed::strict;
  if (root == "messages" && leaf == "role") return Blamed::role;
  const BlamedWord* word = word_named(root);
  return word == nullptr ? std::nullopt : std::optional(word->blamed);
}

constexpr std::string_view kSystemRole = "system role";

std::optional<Blamed> blamed_by_message(std::string_view message) {
  if (mentions(message, kSystemRole)) return Blamed::role;
  const BlamedWord* first = nullptr;
  std::size_t where = std::string_view::npos;
  for (const auto& word : kWords) {
    const std::size_t at = find_word(message, word);
    if (at < where) {
      where = at;
      first = &word;
    }
  }
  return first == nullptr ? std::nullopt : std::optional(first->blamed);
}

constexpr std::array<std::string_view, 2> kGroups{"generationConfig", "inferenceConfig"};

std::string in_camel_case(std::string_view name) {
  std::string out;
  bool raise = false;
  for (const char c : name) {
    if (c != '_') out += raise && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    raise = c == '_';
  }
  return out;
}

class Lesson {
 public:
  Lesson(const SentRequest& sent, Capabilities& model, SchemaRefusals& schema)
      : sent_(sent), model_(model), schema_(schema) {}

  std::optional<std::string> take(const Complaint& complaint) {
    const std::string message = lower_ascii(complaint.message);
    if (auto learnt = about_schema(message)) return learnt;
    if (!refuses(complaint, message)) return std::nullopt;
    // A parameter that the server names is the one it means, even if the message mentions others.
    std::optional<Blamed> blamed = blamed_by_parameter(complaint.parameter);
    const std::string_view root =
        std::string_view(complaint.parameter).substr(0, complaint.parameter.find_first_of(".["));
    if (!blamed && (root.empty() || !has(root))) blamed = blamed_by_message(message);
    return blamed ? avoid(*blamed, message) : std::nullopt;
  }

 private:
  // Also where wires keep their parameters together, in their spelling: generationConfig.topP.
  bool has(std::string_view key) const {
    if (find_member(*sent_.body, key) != nullptr) return true;
    return std::ranges::any_of(kGroups, [&](std::string_view group) {
      const Json* inner = find_member(*sent_.body, group);
      return inner != nullptr && find_member(*inner, in_camel_case(key)) != nullptr;
    });
  }
  bool may_change_way() const { return sent_.way && !sent_.way_is_pinned; }

  bool sent_strict() const {
    const Json* strict = find_pointer(*sent_.body, "/response_format/json_schema/strict");
    return strict != nullptr;
  }

  bool sent_thinking(std::string_view type) const {
    if (sent_.thinking_is_pinned) return false;
    const Json* thinking = find_member(*sent_.body, "thinking");
    if (thinking == nullptr) thinking = find_pointer(*sent_.body, "/additionalModelRequestFields/thinking");
    return thinking != nullptr && text_at(*thinking, "type") == type;
  }

  bool sent_role(std::string_view role) const {
    const Json* messages = find_member(*sent_.body, "messages");
    if (messages == nullptr || !messages->is_array()) return false;
    return std::ranges::any_of(messages->get_array(), [&](const Json& message) {
      const Json* own = find_member(message, "role");
      return own != nullptr && as_text(*own) == std::optional(role);
    });
  }

  // The schema itself is not to the server's taste: another schema may be, so only this one is marked.
  std::optional<std::string> about_schema(const std::string& message) {
    if (!sent_.way) return std::nullopt;
    const bool of_schema = mentions(message, "invalid schema") || mentions(message, "format.schema") ||
                           mentions(message, "schema for ") || mentions(message, "input_schema") ||
                           mentions(message, "grammar") || mentions(message, "levels of nesting");
    if (!of_schema) return std::nullopt;
    if (*sent_.way == StructuredWay::json_schema && sent_strict()) {
      schema_.strict = true;
      return "the JSON schema is sent without strict: the server does not take it that way";
    }
    if (!may_change_way()) return std::nullopt;
    if (*sent_.way == StructuredWay::json_schema) {
      schema_.json_schema = true;
      return "the server does not take this JSON schema: the answer is asked for in another way";
    }
    if (*sent_.way == StructuredWay::tools) {
      schema_.tools = true;
      return "the server does not take this JSON schema for a tool: the answer is asked for in the prompt";
    }
    return std::nullopt;
  }

  static std::optional<std::string> drop(bool& flag, std::string_view name) {
    flag = false;
    return fmt::format("{} is not sent: the model does not take it", name);
  }

  std::optional<std::string> avoid(Blamed blamed, const std::string& message) {
    switch (blamed) {
      case Blamed::temperature:
      case Blamed::top_p:
        return avoid_sampling(blamed, message);
      case Blamed::seed:
        return has("seed") ? drop(model_.seed, "seed") : std::nullopt;
      case Blamed::stop:
        if (!has("stop") && !has("stop_sequences")) return std::nullopt;
        model_.stop = false;
        return "stop is not sent, since the model does not take it: the answer is cut here instead";
      case Blamed::stream:
        return has("stream") ? drop(model_.stream, "stream") : std::nullopt;
      case Blamed::stream_options:
        return has("stream_options") ? drop(model_.stream_options, "stream_options") : std::nullopt;
      case Blamed::max_tokens:
      case Blamed::max_completion_tokens:
        return avoid_limit(blamed);
      case Blamed::strict:
        return sent_strict() ? drop(model_.strict, "strict") : std::nullopt;
      case Blamed::response_format:
        if (!may_change_way() || *sent_.way != StructuredWay::json_schema) return std::nullopt;
        model_.json_schema = false;
        return "the model does not take a JSON schema: the answer is asked for in another way";
      case Blamed::tool_choice:
        if (!has("tool_choice") && !has("toolConfig")) return std::nullopt;
        model_.forced_tool = false;
        return "the model cannot be made to call a tool: tool_choice is not sent";
      case Blamed::tools:
        if (!may_change_way() || *sent_.way != StructuredWay::tools) return std::nullopt;
        model_.tools = false;
        return "the model does not take tools: the answer is asked for in another way";
      case Blamed::role:
        return avoid_role(message);
      case Blamed::reasoning_effort:
        if (has("reasoning_effort") || !has("tools") || !mentions(message, "'none'")) return std::nullopt;
        model_.tools_need_no_reasoning = true;
        return "reasoning_effort \"none\" is sent beside tools: the model does not take them otherwise";
      case Blamed::adaptive_thinking:
        if (!sent_thinking("adaptive") || !model_.thinking_budget) return std::nullopt;
        model_.adaptive_thinking = false;
        return "thinking is sent with a number of tokens: the model does not choose how much it thinks";
      case Blamed::thinking_budget:
        if (!sent_thinking("enabled") || !model_.adaptive_thinking) return std::nullopt;
        model_.thinking_budget = false;
        return "thinking is sent without a number of tokens: the model chooses how much it thinks";
    }
    return std::nullopt;
  }

  std::optional<std::string> avoid_sampling(Blamed blamed, const std::string& message) {
    if (has("temperature") && has("top_p") && mentions(message, "both")) {
      model_.temperature_with_top_p = false;
      return "top_p is not sent: the model does not take it beside temperature";
    }
    if (blamed == Blamed::temperature && has("temperature")) return drop(model_.temperature, "temperature");
    if (blamed == Blamed::top_p && has("top_p")) return drop(model_.top_p, "top_p");
    return std::nullopt;
  }

  std::optional<std::string> avoid_limit(Blamed blamed) {
    const bool old_name = blamed == Blamed::max_tokens;
    if (!has(old_name ? "max_tokens" : "max_completion_tokens")) return std::nullopt;
    // Without any limit an answer can cost whatever it likes: if there is no other name, the refusal stands.
    if (!(old_name ? model_.max_completion_tokens : model_.max_tokens)) return std::nullopt;
    (old_name ? model_.max_tokens : model_.max_completion_tokens) = false;
    return old_name ? "max_completion_tokens is sent instead of max_tokens"
                    : "max_tokens is sent instead of max_completion_tokens";
  }

  std::optional<std::string> avoid_role(const std::string& message) {
    // A chat template of a local model that has no system role has no developer role either.
    if (sent_role("system") && !mentions(message, kSystemRole)) {
      model_.system_role = SystemRole::developer;
      return "the instructions are sent in the role developer: the model does not take the role system";
    }
    if (sent_role("developer") || sent_role("system")) {
      model_.system_role = SystemRole::user;
      return "the instructions are sent in the role user: the model takes no other";
    }
    return std::nullopt;
  }

  const SentRequest& sent_;
  Capabilities& model_;
  SchemaRefusals& schema_;
};

}  // namespace

Capabilities known_capabilities(std::string_view model) {
  const std::string name = lower_ascii(model.substr(model.rfind('/') + 1));
  Capabilities known;
  const auto row =
      std::ranges::find_if(kRows, [&](const Row& each) { return matches_pattern(each.pattern, name); });
  if (row == kRows.end()) return known;
  const auto lacks = [&](unsigned trait) { return (row->traits & trait) != 0; };
  known.temperature = !lacks(kNoTemperature);
  known.top_p = !lacks(kNoTopP);
  known.temperature_with_top_p = !lacks(kOneOfTemperatureTopP);
  known.stop = !lacks(kNoStop);
  known.json_schema = !lacks(kNoJsonSchema);
  known.tools = !lacks(kNoTools);
  known.forced_tool = !lacks(kNoForcedTool);
  known.prefers_max_completion_tokens = lacks(kMaxCompletionTokens);
  known.adaptive_thinking = !lacks(kNoAdaptiveThinking);
  known.thinking_budget = !lacks(kNoThinkingBudget);
  if (lacks(kDeveloperRole)) known.system_role = SystemRole::developer;
  if (lacks(kUserRole)) known.system_role = SystemRole::user;
  return known;
}

Capabilities within(const Capabilities& wire, Capabilities model) {
  for (const auto flag :
       {&Capabilities::temperature, &Capabilities::top_p, &Capabilities::temperature_with_top_p,
        &Capabilities::seed, &Capabilities::stop, &Capabilities::stream, &Capabilities::stream_options,
        &Capabilities::json_schema, &Capabilities::strict, &Capabilities::tools, &Capabilities::forced_tool,
        &Capabilities::max_tokens, &Capabilities::max_completion_tokens, &Capabilities::adaptive_thinking,
        &Capabilities::thinking_budget}) {
    model.*flag = model.*flag && wire.*flag;
  }
  return model;
}

std::optional<std::string> learn(const SentRequest& sent, const std::vector<Complaint>& complaints,
                                 Capabilities& model, SchemaRefusals& schema) {
  Lesson lesson(sent, model, schema);
  std::string learnt;
  for (const auto& complaint : complaints) {
    const auto one = lesson.take(complaint);
    if (!one || mentions(learnt, *one)) continue;
    if (!learnt.empty()) learnt += "; ";
    learnt += *one;
  }
  return learnt.empty() ? std::nullopt : std::optional(learnt);
}

}  // namespace assay
