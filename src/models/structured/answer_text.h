// The text of a structured answer, whichever way it was asked for: read strictly, then leniently, and, with
// its defects named, asked for again. Pure; the words are for the model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"

namespace assay {

// What is in a reply: a value, or why there is none.
struct AnswerReading {
  Json value;
  std::vector<std::string> forgiven;  // what the lenient reader overlooked
  std::vector<std::string> defects;
};

// Reads text that is no JSON object in a form that the caller knows; nothing if it is none.
using ReadText = std::function<std::optional<Json>(std::string_view text)>;

// As the model wrote it.
const std::string& written_answer(const ChatReply& reply);
// `other` may be null.
AnswerReading read_answer(const ChatReply& reply, const ReadText& other);
// The original request with the latest answer and its defects behind it: earlier answers that failed would
// only make the prompt longer. `closing` says what is to be given again; "": the whole answer.
ChatRequest ask_again(ChatRequest original, const ChatReply& last, const std::vector<std::string>& defects,
                      std::string_view closing = "");

}  // namespace assay
