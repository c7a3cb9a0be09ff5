// What did the system answer? Taken out of what the assistant wrote, or out of a PromptQL reply. That there
// is none, that it cannot be read and that its block holds nothing are three different findings; an empty
// list or object is an answer like any other. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay::benchmark {

enum class AnswerState {
  found,
  missing,  // no block and no JSON value anywhere; no artifact of that name
  invalid,  // it is there, but is not JSON
  empty,    // its block (or artifact) is there and holds nothing at all
};
std::string_view to_string(AnswerState state);

struct Answer {
  AnswerState state = AnswerState::missing;
  Json value;                      // found
  std::vector<std::string> notes;  // found: what was forgiven ("trailing comma", "comment")
  std::string error;               // otherwise: "invalid: …", one sentence for `answer_error`
};

// `messages` are the assistant's texts, oldest first. Tried in turn:
// 1. the last ```json block of the last message that has one, and no other: if it is broken, the answer is;
// 2. the last block of any other language whose content is JSON, of the last message that has one;
// 3. a JSON value outside of blocks, of the last message that has one. In running text an empty list or
//    object, or a list of one number, is taken for prose ("see [1]", "items[]").
// Comments, trailing commas and the other faults of core's lenient reader are forgiven and noted, as is a
// block that is never closed although its value is complete; text beside the value inside a block is not.
// A ```json in the middle of a line is a block only if JSON and a closing fence follow. Work is linear in the
// text.
Answer extract_answer(std::span<const std::string> messages);

// `data` of the last artifact of a PromptQL reply (`modified_artifacts`) with this identifier. Data that are
// absent or null are empty.
Answer artifact_answer(const Json& reply, std::string_view identifier);

}  // namespace assay::benchmark
