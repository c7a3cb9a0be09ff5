#include "evaluations/fill.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"
#include "core/unicode.h"

namespace assay {
namespace {

constexpr std::size_t kLongestName = 200;

bool could_be_field(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name.front() == ' ' || name.back() == ' ') return false;
  if (name.contains("  ") || !valid_utf8(name)) return false;
  return std::ranges::all_of(code_points(name), [](char32_t c) {
    return is_word_character(c) || c == U'_' || c == U'-' || c == U'.' || c == U' ';
  });
}

// `counts(open, name)`: whether the braces at this place are a placeholder's.
template <class Counts>
void add_placeholders(std::string_view text, const Counts& counts, std::vector<std::string>& names) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    if (could_be_field(name) && counts(open, name) && std::ranges::find(names, name) == names.end())
      names.emplace_back(name);
  }
}

void add_placeholders(std::string_view text, std::vector<std::string>& names) {
  add_placeholders(text, [](std::size_t, std::string_view) { return true; }, names);
}

bool is_number(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

void add_placeholders(const Json& pattern, std::vector<std::string>& names) {
  if (const auto text = as_text(pattern)) add_placeholders(*text, names);
  if (const JsonObject* object = pattern.if_object()) {
    for (const auto& [key, value] : *object) add_placeholders(value, names);
  }
  if (const JsonArray* array = pattern.if_array()) {
    for (const Json& value : *array) add_placeholders(value, names);
  }
}

}  // namespace

std::string fill_fields(std::string_view text, const JsonObject& fields,
                        const std::function<std::string(std::string)>& encode) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out.append(text.substr(0, open));
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    const Json* value = close == std::string_view::npos
                            ? nullptr
                            : fields.if_contains(text.substr(open + 1, close - open - 1));
    if (value == nullptr) {
      out += '{';
      text.remove_prefix(open + 1);
    } else {
      std::string filled = text_or_json(*value);
      out += encode ? encode(std::move(filled)) : filled;
      text.remove_prefix(close + 1);
    }
  }
  return out;
}

Json fill_tree(const Json& pattern, const JsonObject& fields) {
  if (const auto text = as_text(pattern)) {
    if (text->size() > 2 && text->front() == '{' && text->back() == '}') {
      if (const Json* whole = fields.if_contains(text->substr(1, text->size() - 2))) return *whole;
    }
    return boost::json::string(fill_fields(*text, fields));
  }
  if (pattern.is_object()) {
    JsonObject object;
    for (const auto& [key, value] : pattern.get_object()) object.emplace(key, fill_tree(value, fields));
    return object;
  }
  if (pattern.is_array()) {
    JsonArray array;
    for (const Json& value : pattern.get_array()) array.push_back(fill_tree(value, fields));
    return array;
  }
  return pattern;
}

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  add_placeholders(text, names);
  return names;
}

std::vector<std::string> placeholders_in(const Json& pattern) {
  std::vector<std::string> names;
  add_placeholders(pattern, names);
  return names;
}

std::vector<std::string> placeholders_in_regex(std::string_view pattern) {
  std::vector<std::string> names;
  const auto is_field = [pattern](std::size_t open, std::string_view name) {
    const std::string_view before = pattern.substr(0, open);
    return !is_number(name) && !before.ends_with("\\p") && !before.ends_with("\\P") &&
           !before.ends_with("\\x");
  };
  add_placeholders(pattern, is_field, names);
  return names;
}

void leave_out_prose(std::vector<std::string>& names, std::span<const std::string> fields) {
  std::erase_if(names, [fields](const std::string& name) {
    return name.contains(' ') && std::ranges::find(fields, name) == fields.end() && !nearest(name, fields);
  });
}

}  // namespace assay
