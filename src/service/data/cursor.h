// Where a client that pages through a list has come to, as a text that it gives back. It names a place in the
// list, not a count of what stands before it: what is recorded meanwhile moves nothing. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// What decides a place in one list.
struct Cursor {
  std::vector<std::int64_t> numbers;
  std::string text;
};

// A letter for the list (and its order), then letters and digits only, so that it stands in a URL as it is.
std::string cursor_text(char list, std::initializer_list<std::int64_t> numbers, std::string_view text = "");
// Nothing if it is none of that list, with so many numbers.
std::optional<Cursor> read_cursor(char list, std::size_t numbers, std::string_view text);

}  // namespace assay
