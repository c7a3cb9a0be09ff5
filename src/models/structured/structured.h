// Asks a model for JSON that fits a schema until it does: the answer is parsed strictly, then leniently,
// validated, and checked by the caller; an answer with defects is given back to the model with every defect
// named. Bounded, pure but for `complete`, and everything that the model wrote is
// kept, whatever the outcome.
//
//   StructuredAnswer answer = co_await ask_structured(complete, request, schema, {.attempts = 3});
//   if (answer.value) use(*answer.value);
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/schema/schema.h"
#include "core/task.h"
#include "models/chat.h"
#include "models/structured/answer_text.h"

namespace assay {

// One completion; `attempt` counts from 1. Retries of the transport are its own business.
using Complete = std::function<Task<Result<ChatReply>>(int attempt, ChatRequest request)>;

struct StructuredPolicy {
  int attempts = 3;  // at least one is made
  // What else is wrong with an answer that fits the schema, in words that the model can act on; may be null.
  std::function<std::vector<std::string>(const Json&)> check = {};
  // What speaks against taking an answer at all, before it is read (how it ended); may be null.
  std::function<std::vector<std::string>(const ChatReply&)> admit = {};
  // What is to be given again, after the defects; null: the whole answer.
  std::function<std::string()> asked_again = {};
  // Changes the request of an attempt (another temperature), and an answer before it is validated (an older
  // spelling); both may be null.
  std::function<void(int attempt, ChatRequest& request)> adjust = {};
  std::function<Json(Json answer)> normalise = {};
  // Reads text that is no JSON object in another form (lines). Asked before JSON is looked for inside running
  // text. May be null.
  ReadText read = {};
  ErrorKind failure = ErrorKind::judge;           // kind of the error when no attempt gave a usable answer
  std::string_view lacking = "no usable answer";  // what it says there is not; outlives the task
};

struct StructuredAttempt {
  std::string text;  // as the model wrote it
  FinishReason finish = FinishReason::stop;
  std::string model;  // as the provider names what answered
  ReplyOrigin origin;
  std::vector<std::string> defects;
};

struct StructuredAnswer {
  // Error of the policy's kind after the last attempt (the message names the last defects), of kind refused
  // if the model declined, or as `complete` gave it.
  Result<Json> value;
  int attempts = 0;                   // completions asked for
  Usage usage;                        // of all of them
  std::vector<std::string> forgiven;  // what the lenient reader overlooked in the accepted answer
  std::vector<StructuredAttempt>
      history;  // every answer that came, in order; the last one is the accepted one
};

// `request.output` is what the provider is told; `schema` is what counts, and must outlive the task.
Task<StructuredAnswer> ask_structured(Complete complete, ChatRequest request, const Schema& schema,
                                      StructuredPolicy policy);

}  // namespace assay
