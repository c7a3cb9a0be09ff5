// What becomes of a reply that is not a JSON value: programs and services also answer in plain text.
#pragma once

#include <string_view>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

enum class TextReply {
  refused,       // it is a failure
  taken,         // it is a text, whatever it is
  unless_wrong,  // the same, but nothing at all, and what begins like a JSON object and is none, is a failure
  answer,        // the same, and a number or true/false is the text that was written
};

// Whether `reply`, of which parse_json() made `parsed`, is to be given as text.
bool is_text_reply(TextReply wanted, std::string_view reply, const Result<Json>& parsed);
// Without the line end that a program prints behind its answer.
std::string_view without_line_end(std::string_view text);

}  // namespace assay
