// One request and one reply type for every chat model; providers map it to their wire. Together with the
// identity of the model that is asked (model.h), its canonical JSON says everything that decides the answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/json/shared_json.h"
#include "core/prefixed_text.h"
#include "core/secrets/secrets.h"

namespace assay {

enum class Role { system, user, assistant, tool };

struct ToolCall {
  std::string id = {};
  std::string name = {};
  Json arguments = {};              // null if they were not JSON
  std::string arguments_text = {};  // as received, only if they were not JSON
  bool operator==(const ToolCall&) const = default;
};

struct Message {
  Role role = Role::user;
  std::string text = {};
  std::vector<ToolCall> tool_calls = {};  // assistant
  std::string tool_call_id = {};          // tool: the call that this answers
  bool is_error = false;                  // tool: the call failed
  // Assistant: what the model thought on the way, as far as it tells. Kept and shown; nothing reads it as an
  // answer.
  std::string reasoning = {};
  // Assistant: what it said, in the form of its wire ({"anthropic": […]}), where the provider wants to see it
  // again unchanged: thoughts with signatures before calls of tools. Null: there is no need.
  Json kept = {};
  bool operator==(const Message&) const = default;
};

struct Tool {
  std::string name = {};
  std::string description = {};
  Json parameters = {};  // a JSON schema of an object
  bool operator==(const Tool&) const = default;
};

struct ToolChoice {
  enum class Mode { automatic, none, any, named };
  Mode mode = Mode::automatic;
  std::string name = {};  // named
  bool operator==(const ToolChoice&) const = default;
};

// How a model is made to answer with JSON that fits a schema.
enum class StructuredWay {
  json_schema,  // the provider enforces the schema (OpenAI response_format, Anthropic output_config.format)
  tools,        // the answer is the argument of a tool that the model is told to call
  text,         // the schema stands in the prompt, and the JSON is taken out of the answer's text
};

// What the answer's text must be: JSON that fits the schema. How the provider is made to do so (native
// schema, forced tool, plain instruction) is the provider's business; the reply's text holds the JSON either
// way.
struct OutputSchema {
  std::string name = {};  // [a-zA-Z0-9_-]{1,64}
  std::string description = {};
  SharedJson schema = {};
  // Tried before the provider's own choice, where the model takes it.
  std::optional<StructuredWay> preferred = {};
  bool operator==(const OutputSchema&) const = default;
};

struct Sampling {
  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::optional<int> max_tokens = {};
  std::optional<std::int64_t> seed = {};
  std::vector<std::string> stop = {};
  bool operator==(const Sampling&) const = default;
};

struct ChatRequest {
  std::string model = {};  // as configured: "openai/gpt-4o" or an alias
  std::vector<Message> messages = {};
  std::vector<Tool> tools = {};
  ToolChoice tool_choice = {};
  std::optional<OutputSchema> output = {};
  Sampling sampling = {};
  bool operator==(const ChatRequest&) const = default;
};

// No reply has used more. What a server says beyond that is a mistake, and must not spoil the sums of a run.
inline constexpr std::int64_t kMostTokens = 1'000'000'000;
constexpr std::int64_t capped_tokens(std::int64_t count) {
  return std::clamp<std::int64_t>(count, 0, kMostTokens);
}

struct Usage {
  std::int64_t prompt_tokens = 0;       // all of them, cached ones included
  std::int64_t completion_tokens = 0;   // all of them, reasoning included
  std::int64_t cached_tokens = 0;       // part of prompt_tokens read from the provider's cache
  std::int64_t cache_write_tokens = 0;  // part of prompt_tokens written to it
  std::int64_t reasoning_tokens = 0;    // part of completion_tokens
  Usage& operator+=(const Usage& other);
  bool operator==(const Usage&) const = default;
};

enum class FinishReason { stop, length, tool_calls, refusal, other };

// What the provider says about a reply, in its own words, and how it was asked for. For records: nothing is
// decided by it but what a contract says of finish reasons.
struct ReplyOrigin {
  std::string id = {};
  std::string finish_reason = {};         // "" if there is none
  std::string fingerprint = {};           // of the system that answered (OpenAI's system_fingerprint)
  std::int64_t created = 0;               // seconds since 1970; 0: not told
  int status = 0;                         // of HTTP; 0: it came from no server
  std::optional<int> max_tokens = {};     // the limit that was sent
  std::optional<StructuredWay> way = {};  // of a structured answer
  bool operator==(const ReplyOrigin&) const = default;
};

struct ChatReply {
  Message message = {};  // role assistant
  FinishReason finish = FinishReason::stop;
  std::string refusal = {};  // the model's words, if it declined
  // What the model wrote, if message.text is JSON that had to be taken out of it (fences, text around it).
  std::string raw_text = {};
  Usage usage = {};
  std::string model = {};  // as the provider names what answered
  ReplyOrigin origin = {};
  bool operator==(const ChatReply&) const = default;
};

// The reply with nothing in its texts that may not be kept: a server may repeat the key that it was sent.
ChatReply without_secrets(ChatReply reply, const Secrets& secrets);

std::string_view to_string(Role role);
std::string_view to_string(FinishReason finish);
std::string_view to_string(StructuredWay way);

// Stable forms for journal, hash and page: absent fields are left out. Requests that differ have texts that
// differ. reply_from_json accepts what to_json wrote and nothing else; the error (kind schema) names the
// field by its pointer.
Json to_json(const ChatRequest& request);
// to_json(request) without the tree: what identifies the request. What many requests share comes first, and
// prefixes end before the first message and after each.
PrefixedText canonical_text(const ChatRequest& request);
// The same of what is really asked: with another name in the place of the configured one, and this sampling.
PrefixedText canonical_text(const ChatRequest& request, std::string_view model, const Sampling& sampling);
Json to_json(const ChatReply& reply);
// to_text(to_json(reply)). What the replies of one model have in common comes first, and is a prefix.
PrefixedText to_text(const ChatReply& reply);
Json to_json(const Usage& usage);
Json to_json(const ReplyOrigin& origin);
Result<ReplyOrigin> origin_from_json(const Json& json);
Result<ChatReply> reply_from_json(const Json& json);

}  // namespace assay
