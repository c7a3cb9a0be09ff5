// How deeply a foreign value may be nested. What comes from outside is kept inside other values (a journaled
// reply, a conversation, a run's file) and must be read again from there, so it must leave them room below
// the 128 levels that every reader of ours takes.
#pragma once

#include <cstddef>

#include "core/json/json.h"

namespace assay {

inline constexpr std::size_t kDeepestForeign = 64;

// Whether it has at most that many levels; a value that is neither list nor object has none.
bool within_depth(const Json& value, std::size_t levels = kDeepestForeign);

}  // namespace assay
