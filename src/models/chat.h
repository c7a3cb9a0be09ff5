// One request and one reply type for every chat model; providers map it to their wire. Together with the
// identity of the model that is asked (model.h), its canonical JSON says everything that decides the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/json/shared_json.h"

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

// What the answer's text must be: JSON that fits the schema. How the provider is made to do so (native
// schema, forced tool, plain instruction) is the provider's business; the reply's text holds the JSON either
// way.
struct OutputSchema {
  std::string name = {};  // [a-zA-Z0-9_-]{1,64}
  std::string description = {};
  SharedJson schema = {};
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

struct ChatReply {
  Message message = {};  // role assistant
  FinishReason finish = FinishReason::stop;
  std::string refusal = {};  // the model's words, if it declined
  // What the model wrote, if message.text is JSON that had to be taken out of it (fences, text around it).
  std::string raw_text = {};
  Usage usage = {};
  std::string model = {};  // as the provider names what answered
  bool operator==(const ChatReply&) const = default;
};

std::string_view to_string(Role role);
std::string_view to_string(FinishReason finish);

// Stable forms for journal, hash and page: absent fields are left out. Requests that differ have texts that
// differ. reply_from_json accepts what to_json wrote and nothing else; the error (kind schema) names the
// field by its pointer.
Json to_json(const ChatRequest& request);
// canonical_text(to_json(request)), without the tree: what identifies the request.
std::string canonical_text(const ChatRequest& request);
// The same of what is really asked: with another name in the place of the configured one, and this sampling.
std::string canonical_text(const ChatRequest& request, std::string_view model, const Sampling& sampling);
Json to_json(const ChatReply& reply);
Json to_json(const Usage& usage);
Result<ChatReply> reply_from_json(const Json& json);

}  // namespace assay
