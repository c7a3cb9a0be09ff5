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
    again,  // from the beginning: nothing is there, PromptQL failed, or something else is asked now
    go_on,  // from `conversation` or `proposal`
    skip,   // finished: only score it
  };
  Action action = Action::again;
  // What was asked otherwise than it would be now: names of Asked. With `again`, the file holds an answer to
  // another question, which is put aside; else it is kept as the user wishes.
  std::vector<std::string> changed;
  // go_on only:
  std::vector<Entry> conversation;  // as in the file, without the errors at its end
  Json proposal;                    // PromptQL's reply that only proposes
};

// What would be asked now.
struct Present {
  Asked asked = {};
  std::optional<std::int64_t> max_tokens = {};  // of an answer; nothing: the model's own limit
  std::string artifact = {};                    // that holds PromptQL's answer
  bool keep_changed = false;                    // an answer to what was asked then stands
};

// PromptQL: an error, or neither output nor answer → again; a reply that only proposes a plan → go on, once;
// else skip.
// Conversation, by its last entry: error → go on without it; user_message → go on; assistant_message → skip,
// but one that was cut off is asked for again if the limit is larger now; tool_call (a run that was killed) →
// go on. Empty, or nothing but errors → again. An error further up stays in the file; it is nothing that a
// model sees.
// Whatever it says: a file that tells what was asked, where that is something else now → again.
Resume resume(const RunFile& file, const Present& present = {});

// Whether a limit that was in force has been raised since, or was taken away or set where there was none.
bool raised(const CutOff& then, const std::optional<std::int64_t>& now);
// Whether PromptQL has run nothing yet, and left no such artifact: it waits for a word.
bool only_proposes(const Json& reply, std::string_view artifact);

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
