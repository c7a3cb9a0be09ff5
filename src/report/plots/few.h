// A bar for fewer than five would look like knowledge: where a plot has bars, a line that rests on fewer has
// none. Its value and its interval stay, and the caption says so.
#pragma once

#include <cstdint>

namespace assay {

inline constexpr std::int64_t kFewestForABar = 5;

}  // namespace assay
