// Foreign text where it must not act: on a terminal, and in files that are read line by line. What moves the
// cursor, begins a line, turns the direction of writing or is not seen at all is written as its code point.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Controls (C0, C1, DEL), line and paragraph ends, overrides of the direction, and bytes that are not UTF-8,
// as
// "\n", "\u{9b}", "\xff"; a line break stays if it is `kept`.
enum class LineBreaks { escaped, kept };
std::string visible(std::string_view text, LineBreaks line_breaks = LineBreaks::escaped);

}  // namespace assay
