// Thoughts that a model writes into its answer: <think>…</think> and the like. They are no part of it.
#pragma once

#include <string>
#include <string_view>

namespace assay {

struct PartedThoughts {
  std::string text;      // the answer; as it came if nothing was thought
  std::string thoughts;  // paragraph by paragraph; empty: there are none
};

// Marks count without regard to case. Thoughts are what stands between an opening and a closing mark; what
// stands before a closing mark alone, whose opening one was in the prompt; and what stands behind an opening
// mark alone, which was cut off. A mark alone must begin a line, and a closing one may as well end one or
// follow a word without a space: in the midst of a sentence it is spoken of. Marks inside a code fence or a
// code span are quoted, and those in an answer that is JSON as a whole belong to its texts.
PartedThoughts part_thoughts(std::string_view text);

}  // namespace assay
