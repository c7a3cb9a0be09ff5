// Replies that a test writes down beforehand: JSON Lines, one rule a line.
//
//   {"match": "refund", "reply": {"text": "Within 30 days."}}
//   {"match": {"regex": "(?i)order \\d+"}, "in": "conversation", "times": 2, "reply": {"error": {"status":
//   503}}}
//   {"match": {"contains_all": ["visa", "fee"]}, "reply": {"json": {"label": "visa"}}, "delay_ms": 50}
//   {"reply": {"tool_calls": [{"name": "search", "arguments": {"q": "x"}}]}}
//   {"match": "slow", "reply": {"fault": "stall"}}
//
//   match           part of the text | {"contains": …} | {"regex": …} (RE2) | {"contains_all": […]}; absent:
//   any in              "last_user" (default): the last user message; "conversation": all messages times how
//   often the rule may be used; absent: always reply           exactly one of text, json (the structured
//   answer, whichever way it was asked for), tool_calls,
//                   error {status, body, headers}, fault (see faults.h)
//   finish_reason   stop, length, tool_calls, content_filter; absent: what goes with the reply
//   usage           {prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens}; absent: counted
//   reasoning       what it thinks before
//   delay_ms        in addition to the latency
//
// The first rule that matches and is not used up wins; without one the built-in answer is given.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "models/chat.h"
#include "net/http/http.h"
#include "sim/faults.h"

namespace assay::sim {

struct ScriptedText {
  std::string text;
};
struct ScriptedJson {
  Json value;
};
struct ScriptedCalls {
  std::vector<ToolCall> calls;
};
struct ScriptedError {
  int status = 500;
  std::optional<std::string> body;  // absent: the protocol's own form
  Headers headers;
};

struct ScriptRule {
  std::variant<ScriptedText, ScriptedJson, ScriptedCalls, ScriptedError, Fault> reply;
  std::optional<FinishReason> finish;
  std::optional<Usage> usage;
  std::string reasoning;
  std::chrono::milliseconds delay{0};
};

class Script {
 public:
  // Every problem of the file, each with file, line and field in its context.
  static std::expected<Script, std::vector<Error>> parse(std::string_view text, const std::string& file);
  static std::expected<Script, std::vector<Error>> load(const std::string& file);
  Script();
  Script(Script&&) noexcept;
  Script& operator=(Script&&) noexcept;
  ~Script();

  // The rule for this request, used once more; null if none is left that matches. Thread-safe.
  const ScriptRule* take(const ChatRequest& request) const;
  // All rules are as if never used.
  void reset() const;
  std::size_t size() const;

 private:
  struct Entry;
  std::vector<std::unique_ptr<Entry>> entries_;
};

// The reply of a rule that is neither an error nor a fault; usage is counted unless the rule says it.
ChatReply scripted_reply(const ScriptRule& rule, const ChatRequest& request);

}  // namespace assay::sim
