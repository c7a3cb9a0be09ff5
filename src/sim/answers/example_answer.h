// An answer in the form of an example that the prompt shows (```json … ```), filled from the rows that tools
// gave: columns by the names of fields, also through another table that shares a key; numbers that no column
// gives are made up. As careless as real models are: at times with a trailing comma or a comment.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/json/json.h"
#include "sim/answers/table.h"
#include "sim/chance.h"

namespace assay::sim {

// The JSON of the last ```json block, read leniently; nothing if there is none.
std::optional<Json> example_in(std::string_view text);
// The text without what stands between fences.
std::string without_fences(std::string_view text);

// `tables` in the order in which they came; `question` as without_fences gives it.
Json fill_example(const Json& example, std::span<const Table> tables, std::string_view question, double noise,
                  const Chance& chance);

// A sentence, and the value in a ```json block.
std::string written_answer(const Json& value, Chance chance);

}  // namespace assay::sim
