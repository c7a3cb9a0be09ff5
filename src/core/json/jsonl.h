// JSON Lines, streamed: one line in memory at a time, whatever the file's size. Blank lines are skipped (and
// counted in the numbering), a UTF-8 BOM and CRLF are accepted. An object's fields are read through simdjson,
// which validates the whole line including its UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/files/read_window.h"
#include "core/json/json.h"

namespace assay {

// One record of a data file: a line, or what another format has in its place.
struct Line {
  std::string_view text;     // without its end; readable for some bytes behind it, as simdjson needs
  std::uint64_t number = 0;  // the line that it begins on, from 1
  std::uint64_t column = 1;  // where on it
  std::uint64_t entry = 0;   // which record it is, from 1: of JSON Lines the number of the line
};

// Where a line stands in its file.
struct LinePlace {
  std::uint64_t offset = 0;  // of its first byte
  std::uint64_t number = 0;
  std::uint64_t entry = 0;
};

// Why a line of a data file is not JSON, from what parse_json() said of it: "not JSON: column 5: …". Who
// brings another format is told so.
std::string not_json_words(const Line& line, const Error& error);

class LineReader {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{1} << 30;

  // A missing file or a directory is an error here; an empty file is not.
  static Result<LineReader> open(const std::string& path, std::size_t max_line = kDefaultLimit);
  // From where the window stands.
  explicit LineReader(ReadWindow window, std::size_t max_line = kDefaultLimit)
      : window_(std::move(window)), max_line_(max_line) {}

  // The next line that is not blank; nothing at the end. The text is valid until the next call.
  Result<std::optional<Line>> next();
  // Where the line that next() gave begins: go_to() comes back to it.
  LinePlace place() const;
  // The next line read is the one at `place`, which must come from place() on the same file.
  Status go_to(const LinePlace& place);

 private:
  ReadWindow window_;
  std::size_t max_line_;
  std::uint64_t line_number_ = 0;
  std::uint64_t line_begins_ = 0;  // of the line given last
};

// One field of a line as it was read. Texts point into the parser and are valid until its next parse.
class FieldValue {
 public:
  enum class Kind { absent, null, boolean, number, text, list, object };
  Kind kind = Kind::absent;
  bool boolean = false;
  double number = 0;
  std::string_view text;

  bool present() const { return kind != Kind::absent; }
};

std::string_view kind_word(FieldValue::Kind kind);

// Reads lines that are JSON objects. Declared fields are found by index; everything else is an extra. Of a
// repeated key the last one counts, and `repeated()` names it.
class LineParser {
 public:
  explicit LineParser(std::vector<std::string> fields);
  LineParser(LineParser&&) noexcept;
  LineParser& operator=(LineParser&&) noexcept;
  ~LineParser();

  // The error says what is wrong with the line (position, not JSON, not an object, invalid UTF-8).
  Status parse(const Line& line);
  // The same for a text with nothing readable behind it; it is copied.
  Status parse_copy(std::string_view text);

  const FieldValue& field(std::size_t index) const { return values_[index]; }
  // A declared field as a tree; null Json if absent.
  Json tree(std::size_t index) const;
  // Undeclared fields as one JSON object text, "" if there are none.
  void append_extras(std::string& out) const;
  JsonObject extras() const;
  const std::vector<std::string>& repeated() const { return repeated_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<std::string> names_;
  std::vector<FieldValue> values_;
  std::vector<std::string> repeated_;
};

}  // namespace assay
