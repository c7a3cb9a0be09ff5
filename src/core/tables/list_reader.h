// The elements of a JSON list that is a whole file, one in memory at a time. Only the list itself is read
// here: where an element begins and ends is found by its quotes and brackets, and whether it is JSON is for
// whoever parses it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/error.h"
#include "core/files/read_window.h"
#include "core/json/jsonl.h"

namespace assay {

class ListReader {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{1} << 30;

  explicit ListReader(ReadWindow window, std::size_t max_element = kDefaultLimit)
      : window_(std::move(window)), max_element_(max_element) {}

  // The next element as it stands in the file, line breaks included; nothing behind the last. A list that is
  // not one (no brackets, no comma, an end too early, something behind it) is an error with line and column.
  Result<std::optional<Line>> next();
  LinePlace place() const { return {.offset = begins_, .number = begins_line_, .entry = entry_}; }
  Status go_to(const LinePlace& place);

 private:
  enum class Expects { opening, first, element, comma, nothing };

  // Passes white space; the byte behind it, or nothing at the end of the file.
  Result<std::optional<char>> look();
  void pass(std::size_t bytes);
  Result<std::size_t> element_size();
  Error wrong(std::string message) const;

  ReadWindow window_;
  std::size_t max_element_;
  Expects expects_ = Expects::opening;
  std::uint64_t line_ = 1;  // of the first unread byte
  std::uint64_t column_ = 1;
  std::uint64_t begins_ = 0;  // of the element given last
  std::uint64_t begins_line_ = 0;
  std::uint64_t entry_ = 0;
};

}  // namespace assay
