// A conversation with a model as logs hold it, whatever their form: who said what, which tools were called
// with what and gave what, and what is known of the last answer. It becomes a case that `custom` reads: the
// last question as input, the last answer as output, the tool calls in order as trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

struct LoggedCall {
  std::string id;  // by which its result is found; may be empty
  std::string tool;
  Json arguments = nullptr;  // an object where the log has one, or a text that is one
  Json result = nullptr;
  bool failed = false;  // as the log says
};

struct Conversation {
  std::string id;  // "": the reader's number
  struct Said {
    std::string role;
    std::string text;
  };
  std::vector<Said> said;  // without the last answer; results of tools are in `calls`
  std::vector<LoggedCall> calls;
  std::optional<std::string> answer;  // the text of the last answer; nothing: there is none
  JsonObject meta;                    // latency_ms, usage, model, finish_reason; what is known

  void add_result(std::string_view call_id, Json result, bool failed = false);
};

// {id, input, output, trace, messages, meta}. An error if there is no question or no answer.
Result<JsonObject> case_of(const Conversation& conversation, const std::string& number);

// Arguments of a call: a text that is a JSON object becomes that object, everything else stays.
Json call_arguments(const Json& value);

// One line of a log of OpenAI's chat completions: a request with its response ({"request" or "body",
// "response"}), as batches write it too, or messages alone, in an object or not. An error that its line
// cannot be read.
Result<Conversation> openai_conversation(const Json& line);
// The same of Anthropic's messages.
Result<Conversation> anthropic_conversation(const Json& line);

}  // namespace assay
