// What the next run does with a file that is already there, and when a model that has stopped is told to go
// on. Pure rules over the conversation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluations/benchmark/run_file.h"

namespace assay::benchmark {

struct Resume {
  enum class Action {
    again,  // from the beginning: nothing is there, or PromptQL failed
    go_on,  // from `conversation`
    skip,   // finished: only score it
  };
  Action action = Action::again;
  // go_on only:
  std::vector<Entry> conversation;  // as in the file, without the errors at its end
};

// PromptQL: an error, or neither output nor answer → again; else skip.
// Conversation, by its last entry: error → go on without it; user_message → go on; assistant_message → skip;
// tool_call (a run that was killed) → go on. Empty, or nothing but errors → again. An error further up stays
// in the file; it is nothing that a model sees.
Resume resume(const RunFile& file);

// Whether entry `index` is a call that was made side by side with the call before it: both have the same
// turn. Calls without a turn (written by hand) came one after another. An assistant's message directly before
// a call is what the model said in that call's turn.
bool continues_turn(std::span<const Entry> conversation, std::size_t index);
// Rounds of tool calls so far, for `max_turns`.
std::size_t rounds(std::span<const Entry> conversation);
// A turn's number that no call has yet; 1 at first.
std::int64_t next_turn(std::span<const Entry> conversation);

// Tools that were expected and never called, in their order. A call that failed, or that has no result, is a
// call; so is one that came after a nudge.
std::vector<std::string> uncalled(std::span<const std::string> expected, std::span<const Entry> conversation);

// The user's next words, once the model has stopped: "actually use the X, Y tools to get the answer". Nothing
// if every expected tool was called, or if it was nudged `most` times already. Whoever adds them to the
// conversation counts a nudge, and does both in the same writing of the file, for a file that ends with the
// assistant's message is finished.
std::optional<std::string> nudge(std::span<const std::string> expected, std::span<const Entry> conversation,
                                 std::int64_t nudges, std::int64_t most);
// Whether a user's message is such words.
bool is_nudge(std::string_view message);

}  // namespace assay::benchmark
