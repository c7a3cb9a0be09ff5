#include "core/json/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

namespace bj = boost::json;
using ErrorCode = bj::error_code;

constexpr std::size_t kMaxDepth = 128;
constexpr std::size_t kUsualTree = 4096;  // bytes

// Builds the tree from the parser's events. It exists for one reason: Boost 1.81 reads fractions with an
// error of up to one unit in the last place, so doubles are read again from their own text, correctly
// rounded.
class TreeBuilder {
 public:
  static constexpr std::size_t max_object_size = JsonObject::max_size();
  static constexpr std::size_t max_array_size = JsonArray::max_size();
  static constexpr std::size_t max_key_size = bj::string::max_size();
  static constexpr std::size_t max_string_size = bj::string::max_size();

  explicit TreeBuilder(bj::storage_ptr memory) { stack_.reset(std::move(memory)); }
  Json release() { return stack_.release(); }

  bool on_document_begin(ErrorCode&) { return true; }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) { return true; }
  bool on_array_begin(ErrorCode&) { return true; }
  bool on_object_end(std::size_t size, ErrorCode&) {
    stack_.push_object(size);
    return true;
  }
  bool on_array_end(std::size_t size, ErrorCode&) {
    stack_.push_array(size);
    return true;
  }
  bool on_key_part(bj::string_view part, std::size_t, ErrorCode&) { return append(part); }
  bool on_string_part(bj::string_view part, std::size_t, ErrorCode&) { return append(part); }
  bool on_key(bj::string_view last, std::size_t, ErrorCode&) {
    stack_.push_key(last);
    return true;
  }
  bool on_string(bj::string_view last, std::size_t, ErrorCode&) {
    stack_.push_string(last);
    return true;
  }
  bool on_number_part(bj::string_view part, ErrorCode&) {
    number_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t value, bj::string_view, ErrorCode&) {
    number_.clear();
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, bj::string_view, ErrorCode&) {
    number_.clear();
    stack_.push_uint64(value);
    return true;
  }
  bool on_double(double rough, bj::string_view last, ErrorCode& error) {
    std::string_view text(last.data(), last.size());
    if (!number_.empty()) text = number_.append(text);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc::result_out_of_range) {
      if (std::fabs(rough) >= 1) {
        error = bj::error::exponent_overflow;
        return false;
      }
      value = std::copysign(0.0, rough);
    }
    number_.clear();
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, ErrorCode&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(ErrorCode&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(bj::string_view, ErrorCode&) { return true; }
  bool on_comment(bj::string_view, ErrorCode&) { return true; }

 private:
  bool append(bj::string_view part) {
    stack_.push_chars(part);
    return true;
  }

  // What is on the way stands here before it takes more; most trees need no more.
  std::array<unsigned char, 2048> first_;
  bj::value_stack stack_{{}, first_.data(), first_.size()};
  std::string number_;  // the parts of the current number that came before its last one
};

std::string defect_words(std::string_view text, std::size_t at, const ErrorCode& error) {
  if (error == bj::error::too_deep) return fmt::format("nested deeper than {} levels", kMaxDepth);
  if (error == bj::error::exponent_overflow) return "the number is too large for a double";
  if (error == bj::error::illegal_leading_surrogate || error == bj::error::illegal_trailing_surrogate ||
      error == bj::error::expected_utf16_escape) {
    return "half of a surrogate pair in a \\u escape";
  }
  if (error == bj::error::expected_hex_digit) return "a \\u escape needs four hexadecimal digits";
  if (at >= text.size()) return text.empty() ? "the text is empty" : "the text ends too early";
  const auto found = first_code_point(text.substr(at));
  if (!found.valid) return "the bytes here are not UTF-8";
  if (found.value == 0xFEFF) return "unexpected byte order mark";
  if (found.value < 0x20) return fmt::format("unexpected control character 0x{:02x}", unsigned{found.value});
  return fmt::format("unexpected '{}'", text.substr(at, found.size));
}

std::unexpected<Error> parse_failure(std::string_view text, std::size_t at, const ErrorCode& error) {
  if (error == bj::error::exponent_overflow) {
    // The parser notices at the end of the number; its beginning is what people look for.
    const auto before = text.substr(0, at).find_last_not_of("+-.0123456789eE");
    at = before + 1;  // npos + 1 is 0
  }
  const auto before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto column = 1 + count_code_points(before.substr(line_start));
  return fail(Error{ErrorKind::parse,
                    defect_words(text, at, error),
                    {{"line", std::to_string(line)}, {"column", std::to_string(column)}}});
}

// The next token of a JSON pointer that begins with "/"; unescapes ~1 and ~0. None if an escape is malformed.
std::optional<std::string> take_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const auto end = std::min(pointer.find('/'), pointer.size());
  std::string token;
  for (std::size_t i = 0; i < end; ++i) {
    if (pointer[i] != '~') {
      token.push_back(pointer[i]);
    } else if (i + 1 < end && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
      token.push_back(pointer[++i] == '0' ? '~' : '/');
    } else {
      return std::nullopt;
    }
  }
  pointer.remove_prefix(end);
  return token;
}

const Json* find_item(const JsonArray& list, std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return nullptr;
  std::size_t index = 0;
  const auto* begin = std::to_address(token.begin());
  const auto* end = std::to_address(token.end());
  const auto read = std::from_chars(begin, end, index);
  if (read.ec != std::errc() || read.ptr != end || token.front() == '-') return nullptr;
  return list.if_contains(index);
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  return parse_json(text, bj::storage_ptr());
}

bool is_json(std::string_view text) {
  std::array<unsigned char, kUsualTree> first;
  bj::monotonic_resource memory(first.data(), first.size());
  return parse_json(text, &memory).has_value();
}

Result<Json> parse_json(std::string_view text, bj::storage_ptr memory) {
  bj::parse_options options;
  options.max_depth = kMaxDepth;
  bj::basic_parser<TreeBuilder> parser(options, std::move(memory));
  ErrorCode error;
  const auto read = parser.write_some(false, text.data(), text.size(), error);
  if (error || read < text.size()) return parse_failure(text, read, error);
  return parser.handler().release();
}

const Json* find_pointer(const Json& value, std::string_view pointer) {
  const Json* found = &value;
  while (found != nullptr && !pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    const auto token = take_token(pointer);
    if (!token) return nullptr;
    if (const auto* object = found->if_object()) {
      found = object->if_contains(*token);
    } else if (const auto* list = found->if_array()) {
      found = find_item(*list, *token);
    } else {
      return nullptr;
    }
  }
  return found;
}

const Json* find_member(const Json& value, std::string_view key) {
  const auto* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

std::optional<std::string> find_text(const Json& value, std::string_view key) {
  const Json* member = find_member(value, key);
  const auto text = member != nullptr ? as_text(*member) : std::nullopt;
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::string text_at(const Json& value, std::string_view key) {
  return find_text(value, key).value_or("");
}

const JsonArray& list_at(const Json& value, std::string_view key) {
  static const JsonArray kNone;
  const Json* member = find_member(value, key);
  return member != nullptr && member->is_array() ? member->get_array() : kNone;
}

Json or_null(const std::optional<std::string>& text) {
  return text ? Json(boost::json::string(*text)) : Json(nullptr);
}

std::optional<double> as_number(const Json& value) {
  switch (value.kind()) {
    case bj::kind::int64:
      return static_cast<double>(value.get_int64());
    case bj::kind::uint64:
      return static_cast<double>(value.get_uint64());
    case bj::kind::double_:
      return value.get_double();
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> as_integer(const Json& value) {
  switch (value.kind()) {
    case bj::kind::int64:
      return value.get_int64();
    case bj::kind::uint64: {
      const auto number = value.get_uint64();
      if (!std::in_range<std::int64_t>(number)) return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
    case bj::kind::double_: {
      const auto number = value.get_double();
      if (std::trunc(number) != number || number < -0x1p63 || number >= 0x1p63) return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> as_text(const Json& value) {
  const auto* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  return std::string_view(*text);
}

std::optional<bool> as_boolean(const Json& value) {
  const auto* boolean = value.if_bool();
  if (boolean == nullptr) return std::nullopt;
  return *boolean;
}

std::string_view kind_word(const Json& value) {
  switch (value.kind()) {
    case bj::kind::null:
      return "null";
    case bj::kind::bool_:
      return "true/false";
    case bj::kind::int64:
    case bj::kind::uint64:
    case bj::kind::double_:
      return "number";
    case bj::kind::string:
      return "text";
    case bj::kind::array:
      return "list";
    case bj::kind::object:
      return "object";
  }
  return "null";
}

}  // namespace assay
