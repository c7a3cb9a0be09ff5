// The two forms in which a structured answer comes: as text that is JSON, or as the arguments of a tool that
// the request forces. Each has its own way to be read and, with its defects named, to be asked for again.
// Pure; the words are for the model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"

namespace assay {

enum class ReplyForm {
  text,       // `request.output` says how it must look
  tool_call,  // of the one tool that `request.tool_choice` names
};

// What is in a reply: a value, or why there is none.
struct AnswerReading {
  Json value;
  std::vector<std::string> forgiven;  // what the lenient reader overlooked
  std::vector<std::string> defects;
};

// Reads text that is no JSON object in a form that the caller knows; nothing if it is none.
using ReadText = std::function<std::optional<Json>(std::string_view text)>;

// As the model wrote it.
std::string written_answer(ReplyForm form, const ChatReply& reply);
// `tool` is the one that must be called, "" for text; `other` may be null.
AnswerReading read_answer(ReplyForm form, const ChatReply& reply, std::string_view tool,
                          const ReadText& other);
// The arguments of a call, as received.
AnswerReading read_arguments(std::string_view text, std::string_view tool);
// The original request with the latest answer and its defects behind it: earlier answers that failed would
// only make the prompt longer.
ChatRequest ask_again(ReplyForm form, ChatRequest original, const ChatReply& last,
                      const std::vector<std::string>& defects);

}  // namespace assay
