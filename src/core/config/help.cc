#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/config/config.h"
#include "core/text.h"

namespace assay {

std::string_view type_word(KeyType type) {
  switch (type) {
    case KeyType::text:
      return "text";
    case KeyType::boolean:
      return "true or false";
    case KeyType::integer:
      return "a whole number";
    case KeyType::number:
      return "a number";
    case KeyType::duration:
      return "a duration such as 30s";
    case KeyType::path:
      return "a path";
    case KeyType::text_list:
      return "a list of texts";
    case KeyType::path_list:
      return "a list of paths";
    case KeyType::command:
      return "a program and its arguments";
    case KeyType::database:
      return "sqlite:FILE or postgres://…";
    case KeyType::file_or_value:
      return "a file, or the value itself";
    case KeyType::object:
      return "an object";
    case KeyType::object_map:
      return "a map of objects";
    case KeyType::object_list:
      return "a list of objects";
    case KeyType::any:
      return "any value";
  }
  return "";
}

std::string expected_words(const Key& key) {
  std::string words(type_word(key.type));
  if (!key.choices.empty()) words = fmt::format("one of {}", fmt::join(key.choices, ", "));
  if (key.minimum && key.maximum) {
    words += fmt::format(" from {} to {}", *key.minimum, *key.maximum);
  } else if (key.minimum) {
    words += fmt::format(" of at least {}", *key.minimum);
  } else if (key.maximum) {
    words += fmt::format(" of at most {}", *key.maximum);
  }
  return words;
}

namespace {

std::string spelled_with_dashes(std::string_view name) {
  std::string flag(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void collect_flags(const Keys& keys, const std::string& prefix, std::vector<std::string>& names) {
  for (const Key& key : keys) {
    const std::string flag = prefix + spelled_with_dashes(key.flag.empty() ? key.name : key.flag);
    if (key.type == KeyType::object) {
      if (!key.shorthand.empty()) names.push_back(flag);
      collect_flags(key.keys, flag + ".", names);
    } else if (key.type != KeyType::object_map) {
      names.push_back(flag);
    }
  }
}

std::string value_word(const Key& key) {
  switch (key.type) {
    case KeyType::integer:
    case KeyType::number:
      return " N";
    case KeyType::duration:
      return " TIME";
    case KeyType::path:
    case KeyType::path_list:
      return " PATH";
    case KeyType::boolean:
      return "";
    case KeyType::object_list:
    case KeyType::any:
      return " YAML";
    default:
      return key.choices.empty() ? " TEXT" : " " + fmt::format("{}", fmt::join(key.choices, "|"));
  }
}

void wrap(std::string& out, std::string_view text, int indent, int width) {
  std::size_t column = static_cast<std::size_t>(indent);
  bool first = true;
  for (std::string_view word : split(text, ' ')) {
    if (!first && column + word.size() + 1 > static_cast<std::size_t>(width)) {
      out += '\n';
      out.append(static_cast<std::size_t>(indent), ' ');
      column = static_cast<std::size_t>(indent);
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

void append_help(std::string& out, const Keys& keys, const std::string& prefix, int width) {
  constexpr int kIndent = 6;
  for (const Key& key : keys) {
    const std::string flag = prefix + spelled_with_dashes(key.flag.empty() ? key.name : key.flag);
    const bool shown = key.type != KeyType::object || !key.shorthand.empty();
    if (shown && key.type != KeyType::object_map) {
      out += fmt::format("  --{}{}{}\n", key.type == KeyType::boolean ? "[no-]" : "", flag, value_word(key));
      std::string text = key.help;
      if (!key.default_value.is_null() &&
          !(key.default_value.is_array() && key.default_value.get_array().empty())) {
        text += fmt::format(" (default {})", excerpt(key.default_value));
      }
      out.append(kIndent, ' ');
      wrap(out, text, kIndent, width);
    }
    if (key.type == KeyType::object) append_help(out, key.keys, flag + ".", width);
  }
}

std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

void append_reference(std::string& out, const Keys& keys, const std::string& prefix) {
  for (const Key& key : keys) {
    const std::string path = prefix + key.name;
    std::string standard = key.required ? "required" : "";
    if (!key.default_value.is_null()) standard = "`" + excerpt(key.default_value, 80) + "`";
    std::string text = key.help;
    if (!key.example.empty()) text += " Example: `" + key.example + "`.";
    out += fmt::format("| `{}` | {} | {} | {} |\n", path, markdown_cell(expected_words(key)), standard,
                       markdown_cell(text));
    if (key.type == KeyType::object) append_reference(out, key.keys, path + ".");
    if (key.type == KeyType::object_map) append_reference(out, key.keys, path + ".NAME.");
    if (key.type == KeyType::object_list) append_reference(out, key.keys, path + "[].");
  }
}

}  // namespace

std::vector<std::string> flag_names(const Keys& keys) {
  std::vector<std::string> names;
  collect_flags(keys, "", names);
  return names;
}

std::string help_text(const Keys& keys, int width) {
  std::string out;
  append_help(out, keys, "", width);
  return out;
}

std::string reference_markdown(const Keys& keys) {
  std::string out = "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
  append_reference(out, keys, "");
  return out;
}

}  // namespace assay
