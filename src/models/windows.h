// How much fits into a model's context: what is known by name, and what a server says when a prompt did not
// fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/complaint.h"

namespace assay {

// In tokens, prompt and answer together, as the maker of the model says; whoever serves it may allow less.
// None: unknown.
std::optional<std::int64_t> known_window(std::string_view model);

// What a server said of a prompt that is too long, as far as it says it.
struct Overflow {
  std::optional<std::int64_t> prompt = {};  // tokens that were sent or asked for
  std::optional<std::int64_t> limit = {};   // that the model takes
};

// None if the complaint is about something else.
std::optional<Overflow> overflow_of(const Complaint& complaint);

// "the prompt does not fit into the model's context: 208310 tokens, at most 200000".
std::string overflow_words(const Overflow& overflow);

}  // namespace assay
