// Reads JSON with the faults that models make, from a given place of a text, and notes what it forgave.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay {

enum class Note : std::uint8_t {
  fence,
  surrounding_text,
  byte_order_mark,
  comment,
  trailing_comma,
  single_quotes,
  bare_key,
  python_word,
  raw_control,
  unknown_escape,
  lone_surrogate,
  unfinished,  // the last
};

std::string_view note_words(Note note);

class Notes {
 public:
  void add(Note note) { set_.set(static_cast<std::size_t>(note)); }
  std::vector<std::string> words() const;

 private:
  std::bitset<static_cast<std::size_t>(Note::unfinished) + 1> set_;
};

// After a failure, `at()` is where it failed and `open()` how many
// brackets were open there.
class LenientReader {
 public:
  LenientReader(std::string_view text, std::size_t at, Unfinished unfinished)
      : text_(text), at_(at), unfinished_(unfinished) {}

  // False: no value here.
  bool read(Json& value) { return read_value(value) == Read::ok; }
  void skip_space();

  std::size_t at() const { return at_; }
  std::size_t open() const { return depth_; }
  bool at_end() const { return at_ >= text_.size(); }
  // Whether a key with its colon was read: then this is JSON, if broken, and not prose with a bracket.
  bool committed() const { return committed_; }
  bool too_deep() const { return too_deep_; }
  const Notes& notes() const { return notes_; }

 private:
  enum class Read {
    ok,       // a value, possibly closed at the end of the text
    nothing,  // the text ended before anything usable (only when closing)
    bad,
  };

  Read read_value(Json& value);
  Read read_nested(Json& value);

  // The text is over although something is open.
  Read ended();
  bool closes_here() { return at_end() && ended() == Read::nothing; }

  Read read_list(Json& value);
  Read read_object(Json& value);
  Read read_member(JsonObject& object);
  Read read_key(std::string& key);
  Read read_string(std::string& out);
  void read_escape(std::string& out);
  void read_unicode_escape(std::string& out);
  std::optional<char32_t> take_hex();
  Read read_number(Json& value);
  Read read_word(Json& value);
  std::string_view take_word();
  bool take(char c);

  std::string_view text_;
  std::size_t at_;
  Unfinished unfinished_;
  std::size_t depth_ = 0;
  bool committed_ = false;
  bool too_deep_ = false;
  Notes notes_;
};

}  // namespace assay
