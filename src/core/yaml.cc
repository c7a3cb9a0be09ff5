#include "core/yaml.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxNodes = 1'000'000;
// Of texts, keys and places beyond those that stand in the source itself.
constexpr std::size_t kMaxMoreBytes = std::size_t{64} << 20;
constexpr int kMaxDepth = 100;
constexpr std::string_view kTooLarge = "too large (aliases that repeat each other?)";

Error yaml_error(const YAML::Mark& mark, std::string message) {
  Error error{ErrorKind::parse, std::move(message), {}};
  if (!mark.is_null()) {
    error.context = {{"line", std::to_string(mark.line + 1)}, {"column", std::to_string(mark.column + 1)}};
  }
  return error;
}

std::optional<std::int64_t> based_integer(std::string_view text, int base) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

Json plain_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  std::string_view digits = text;
  if (digits.starts_with("0x")) {
    if (auto value = based_integer(digits.substr(2), 16)) return *value;
  }
  if (digits.starts_with("0o")) {
    if (auto value = based_integer(digits.substr(2), 8)) return *value;
  }
  if (digits.front() == '+') digits.remove_prefix(1);
  if (auto value = based_integer(digits, 10)) return *value;
  const char first = digits.empty() ? ' ' : digits.front();
  if ((first >= '0' && first <= '9') || first == '-' || first == '.') {
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool has_digit = digits.find_first_of("0123456789") != std::string_view::npos;
    if (code == std::errc() && end == digits.data() + digits.size() && has_digit && std::isfinite(value))
      return value;
  }
  return boost::json::string(text);
}

void append_pointer(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

// yaml-cpp gives the escapes for U+0085 and U+00A0 (backslash and N or _) as single bytes, which are no
// UTF-8.
std::string scalar_of(const YAML::Node& node) {
  const std::string_view given = node.Scalar();
  std::string text;
  for (std::size_t from = 0;;) {
    const auto wrong = find_invalid_utf8(given.substr(from));
    text += given.substr(from, wrong.value_or(std::string_view::npos));
    if (!wrong) return text;
    const char byte = given[from + *wrong];
    append_utf8(text, byte == '\x85' || byte == '\xA0' ? static_cast<unsigned char>(byte) : U'\uFFFD');
    from += *wrong + 1;
  }
}

class Converter {
 public:
  Converter(YamlDocument& document, std::size_t source_size)
      : document_(document), bytes_left_(2 * source_size + kMaxMoreBytes) {}

  Result<Json> convert(const YAML::Node& node, const std::string& pointer, int depth) {
    const std::size_t size = pointer.size() + (node.IsScalar() ? node.Scalar().size() : 0);
    const bool fits = size <= bytes_left_;
    if (fits) bytes_left_ -= size;
    if (++nodes_ > kMaxNodes || !fits) return fail(yaml_error(node.Mark(), std::string(kTooLarge)));
    if (depth > kMaxDepth) return fail(yaml_error(node.Mark(), "nested too deeply"));
    document_.positions.try_emplace(pointer, YamlPosition{node.Mark().line + 1, node.Mark().column + 1});
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        return Json(nullptr);
      case YAML::NodeType::Scalar:
        // yaml-cpp marks a plain scalar with the tag "?", a quoted one with "!".
        if (node.Tag() == "?" || node.Tag().empty()) return plain_scalar(scalar_of(node));
        return Json(boost::json::string(scalar_of(node)));
      case YAML::NodeType::Sequence:
        return convert_sequence(node, pointer, depth);
      case YAML::NodeType::Map:
        return convert_map(node, pointer, depth);
    }
    return Json(nullptr);
  }

 private:
  Result<Json> convert_sequence(const YAML::Node& node, const std::string& pointer, int depth) {
    JsonArray array;
    for (const auto& item : node) {
      auto value = convert(item, pointer + "/" + std::to_string(array.size()), depth + 1);
      if (!value) return value;
      array.push_back(std::move(*value));
    }
    return Json(std::move(array));
  }

  struct Pair {
    std::string key;
    YAML::Node name;
    YAML::Node value;
  };

  Result<Json> convert_map(const YAML::Node& node, const std::string& pointer, int depth) {
    std::vector<Pair> pairs;
    std::set<std::string> taken;
    if (auto added = add_pairs(node, depth, pairs, taken); !added) return fail(std::move(added.error()));
    JsonObject object;
    for (const Pair& pair : pairs) {
      std::string below = pointer;
      append_pointer(below, pair.key);
      // The key stands in the object, and below it in every place.
      if (pair.key.size() > bytes_left_) return fail(yaml_error(pair.name.Mark(), std::string(kTooLarge)));
      bytes_left_ -= pair.key.size();
      document_.positions[below] = {pair.name.Mark().line + 1, pair.name.Mark().column + 1};
      auto value = convert(pair.value, below, depth + 1);
      if (!value) return value;
      object.emplace(pair.key, std::move(*value));
    }
    return Json(std::move(object));
  }

  // What the map says itself, and behind it what it merges (`<<: *defaults`) and does not say itself. Of
  // several that are merged the first counts.
  Status add_pairs(const YAML::Node& node, int depth, std::vector<Pair>& pairs,
                   std::set<std::string>& taken) {
    if (depth > kMaxDepth) return fail(yaml_error(node.Mark(), "nested too deeply"));
    std::vector<YAML::Node> merged;
    std::set<std::string> own;
    for (const auto& pair : node) {
      if (!pair.first.IsScalar()) return fail(yaml_error(pair.first.Mark(), "a key must be plain text"));
      std::string key = scalar_of(pair.first);
      if (!own.insert(key).second)
        return fail(yaml_error(pair.first.Mark(), fmt::format("the key `{}` is there twice", key)));
      if (key == "<<" && pair.first.Tag() == "?") {
        if (auto found = maps_in(pair.second, merged); !found) return found;
      } else if (taken.insert(key).second) {
        pairs.push_back({std::move(key), pair.first, pair.second});
      }
    }
    for (const YAML::Node& one : merged) {
      nodes_ += one.size() + 1;
      if (nodes_ > kMaxNodes) return fail(yaml_error(one.Mark(), std::string(kTooLarge)));
      if (auto added = add_pairs(one, depth + 1, pairs, taken); !added) return added;
    }
    return {};
  }

  static Status maps_in(const YAML::Node& value, std::vector<YAML::Node>& maps) {
    if (value.IsMap()) {
      maps.push_back(value);
      return {};
    }
    for (const auto& one : value) {
      if (!one.IsMap()) break;
      maps.push_back(one);
    }
    if (value.IsSequence() && maps.size() == value.size()) return {};
    return fail(yaml_error(value.Mark(), "`<<` merges a map, or a list of maps"));
  }

  YamlDocument& document_;
  std::size_t nodes_ = 0;
  std::size_t bytes_left_;
};

// Finds where a second document begins. YAML::LoadAll cannot be asked: on a stray "," it reads empty
// documents for ever.
class DocumentStarts final : public YAML::EventHandler {
 public:
  static std::vector<YAML::Mark> first_two(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    while (starts.marks_.size() < 2 && parser.HandleNextDocument(starts)) {
    }
    return std::move(starts.marks_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override { marks_.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

 private:
  std::vector<YAML::Mark> marks_;
};

bool plain_enough(std::string_view text) {
  if (text.empty() || text.size() > 200) return false;
  if (!plain_scalar(std::string(text)).is_string()) return false;
  // Readers of YAML 1.1, of which there are many, take these for true and false.
  static constexpr std::string_view kOldBooleans[] = {"yes", "no", "on", "off", "y", "n"};
  for (const std::string_view word : kOldBooleans) {
    if (equal_ignoring_ascii_case(text, word)) return false;
  }
  for (char c : text) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.' || c == '/' || c == ' ';
    if (!fine) return false;
  }
  return text.front() != ' ' && text.back() != ' ' && text.front() != '-' && text.front() != '.';
}

bool fits_literal_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.front() == ' ' || text.front() == '\n') return false;
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return false;
    if (c == '\t' || static_cast<unsigned char>(c) == 0x7f) return false;
  }
  return text.find("\xEF\xBB\xBF") == std::string_view::npos &&
         text.find("\xC2\x85") == std::string_view::npos &&
         text.find("\xE2\x80\xA8") == std::string_view::npos &&
         text.find("\xE2\x80\xA9") == std::string_view::npos;
}

std::string scalar_text(const Json& value) {
  if (value.is_string()) {
    const std::string_view text = value.get_string();
    return plain_enough(text) ? std::string(text) : to_text(value);
  }
  if (value.is_array()) return "[]";
  if (value.is_object()) return "{}";
  return to_text(value);
}

void emit_literal(std::string& out, std::string_view text, int indent) {
  std::size_t trailing = 0;
  while (trailing < text.size() && text[text.size() - 1 - trailing] == '\n') ++trailing;
  out += trailing == 0 ? "|-\n" : trailing == 1 ? "|\n" : "|+\n";
  std::string_view left = text;
  while (!left.empty()) {
    const std::size_t end = left.find('\n');
    const std::string_view line = left.substr(0, end);
    if (!line.empty()) out.append(static_cast<std::size_t>(indent), ' ').append(line);
    out += '\n';
    if (end == std::string_view::npos) break;
    left.remove_prefix(end + 1);
  }
}

void emit(std::string& out, const Json& value, int indent);

// After "key:" or "-": a scalar stays on the line, a container starts a block below.
void emit_after_mark(std::string& out, const Json& value, int indent) {
  const bool container =
      (value.is_object() && !value.get_object().empty()) || (value.is_array() && !value.get_array().empty());
  if (container) {
    out += '\n';
    emit(out, value, indent);
  } else if (value.is_string() && !value.get_string().empty() && fits_literal_block(value.get_string())) {
    out += ' ';
    emit_literal(out, value.get_string(), indent);
  } else {
    out += ' ';
    out += scalar_text(value);
    out += '\n';
  }
}

// YAML looks no further for the colon behind a key that does not begin with a question mark.
constexpr std::size_t kLongestPlainKey = 1000;

// `begun`: whether the margin of the first line is there already.
void emit_object(std::string& out, const JsonObject& object, int indent, bool begun) {
  for (const auto& [key, item] : object) {
    if (!std::exchange(begun, false)) out.append(static_cast<std::size_t>(indent), ' ');
    const std::string name = scalar_text(boost::json::string(key));
    if (name.size() <= kLongestPlainKey) {
      out += name;
    } else {
      out += "? " + name + '\n';
      out.append(static_cast<std::size_t>(indent), ' ');
    }
    out += ':';
    emit_after_mark(out, item, indent + 2);
  }
}

void emit(std::string& out, const Json& value, int indent) {
  if (value.is_object()) return emit_object(out, value.get_object(), indent, false);
  for (const auto& item : value.get_array()) {
    out.append(static_cast<std::size_t>(indent), ' ');
    out += '-';
    // The first key of an object stands beside the dash, as people write it.
    if (item.is_object() && !item.get_object().empty()) {
      out += ' ';
      emit_object(out, item.get_object(), indent + 2, true);
    } else {
      emit_after_mark(out, item, indent + 2);
    }
  }
}

// UTF-16 and UTF-32 say so in their first bytes, and yaml-cpp reads them; anything else is UTF-8. A zero byte
// is no character of YAML, and yaml-cpp would take it for the beginning of an escape.
Status check_encoding(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
      text.starts_with(std::string_view("\0\0\xfe\xff", 4)))
    return {};
  const std::size_t zero = text.find('\0');
  const std::size_t at = std::min(zero, find_invalid_utf8(text).value_or(std::string_view::npos));
  if (at == std::string_view::npos) return {};
  const std::string_view before = text.substr(0, at);
  YAML::Mark mark;
  mark.line = static_cast<int>(std::ranges::count(before, '\n'));
  mark.column = static_cast<int>(before.size() - (before.rfind('\n') + 1));
  return fail(yaml_error(mark, at == zero ? "found a zero byte, which is no text; save the file as UTF-8"
                                          : "found bytes that are not UTF-8; save the file as UTF-8"));
}

// yaml-cpp takes a ? inside { } or [ ] for the beginning of a key wherever it stands; in YAML it may be the
// end of a question.
std::string likely_cause(std::string_view text, const YAML::Mark& mark) {
  if (mark.is_null()) return "";
  for (int line = 0; line < mark.line; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  const auto column = static_cast<std::size_t>(mark.column);
  if (column >= text.size() || text[column] != '?') return "";
  return "; inside { } or [ ] a text with a ? must stand in quotes: {question: \"What?\"}";
}

}  // namespace

YamlPosition YamlDocument::position(const std::string& pointer) const {
  const auto found = positions.find(pointer);
  return found == positions.end() ? YamlPosition{} : found->second;
}

Result<YamlDocument> parse_yaml(std::string_view text) {
  if (auto readable = check_encoding(text); !readable) return fail(std::move(readable.error()));
  // yaml-cpp reports syntax errors by exception; this is its edge.
  try {
    const std::string source(text);
    const std::vector<YAML::Mark> starts = DocumentStarts::first_two(source);
    YamlDocument document;
    if (starts.empty()) return document;
    if (starts.size() > 1) {
      return fail(yaml_error(starts[1],
                             "found a second document or text that belongs to none, expected one document"));
    }
    auto value = Converter(document, source.size()).convert(YAML::Load(source), "", 0);
    if (!value) return fail(std::move(value.error()));
    document.value = std::move(*value);
    return document;
  } catch (const YAML::Exception& exception) {
    return fail(
        yaml_error(exception.mark, "not YAML: " + exception.msg + likely_cause(text, exception.mark)));
  }
}

std::string to_yaml(const Json& value) {
  const bool container =
      (value.is_object() && !value.get_object().empty()) || (value.is_array() && !value.get_array().empty());
  if (!container) return scalar_text(value) + "\n";
  std::string out;
  emit(out, value, 0);
  return out;
}

}  // namespace assay
