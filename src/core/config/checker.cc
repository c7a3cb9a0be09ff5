#include "core/config/checker.h"

#include <algorithm>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "core/time.h"

namespace assay {
namespace {

// A name as one token of a JSON pointer.
std::string escaped(std::string_view name) {
  std::string token;
  for (char c : name) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

bool one_of(const Key& key, std::string_view text) {
  return std::ranges::find(key.choices, text) != key.choices.end();
}

bool in_range(const Key& key, double number) {
  return (!key.minimum || number >= *key.minimum) && (!key.maximum || number <= *key.maximum);
}

// What a variable holds is text; where the key wants a number or true/false, that is meant.
Json as_scalar(const Key& key, const Json& filled) {
  const bool scalar =
      key.type == KeyType::boolean || key.type == KeyType::integer || key.type == KeyType::number;
  if (!scalar || !filled.is_string()) return filled;
  auto document = parse_yaml(filled.get_string());
  return document ? document->value : filled;
}

// A plain text stands for the key that is its shorthand.
Json in_full(const Key& key, const Json& value) {
  if (!value.is_string() || key.shorthand.empty()) return value;
  return JsonObject{{key.shorthand, value}};
}

Json text_value(std::string_view text) {
  return Json(boost::json::string(text));
}

}  // namespace

ValuePlace ValuePlace::key(std::string_view name) const {
  return {path.empty() ? std::string(name) : fmt::format("{}.{}", path, name),
          fmt::format("{}/{}", pointer, escaped(name)), flag};
}

ValuePlace ValuePlace::item(std::size_t index) const {
  return {fmt::format("{}[{}]", path, index), fmt::format("{}/{}", pointer, index), flag};
}

JsonObject ConfigChecker::check_object(const Keys& keys, const Json& found, const ValuePlace& at) {
  JsonObject checked;
  if (!found.is_object()) {
    tell(at, fmt::format("found {}, expected keys with values", excerpt(found)));
    return checked;
  }
  for (const auto& [name, value] : found.get_object()) {
    const auto key = std::ranges::find(keys, std::string_view(name), &Key::name);
    if (key == keys.end()) {
      tell_unknown(keys, name, at.key(name));
      continue;
    }
    if (value.is_null()) continue;
    auto good = check_value(*key, value, at.key(name));
    checked.insert_or_assign(name, good ? std::move(*good) : Json(nullptr));
  }
  return checked;
}

std::optional<Json> ConfigChecker::check_value(const Key& key, const Json& value, const ValuePlace& at) {
  const bool inner =
      key.type == KeyType::object || key.type == KeyType::object_map || key.type == KeyType::object_list;
  if (inner || key.fills == Fills::when_used) return check_filled(key, value, at);
  auto filled = variables_.fill(value);
  if (!filled.changed) return check_filled(key, value, at);
  has_filled_ = true;
  for (const std::string& name : filled.missing) {
    tell(at,
         fmt::format("the environment variable {} is not set; set it, or write $${{{}}} for these characters",
                     name, name));
  }
  if (!filled.missing.empty()) return std::nullopt;
  auto checked = check_filled(key, as_scalar(key, filled.value), at);
  if (!checked || gives_ == Gives::values) return checked;
  return written_form(key, value, filled.value, at.stood());
}

std::optional<Json> ConfigChecker::check_filled(const Key& key, const Json& value, const ValuePlace& at) {
  switch (key.type) {
    case KeyType::text:
      if (!value.is_string() || (!key.choices.empty() && !one_of(key, value.get_string())))
        return wrong(key, value, at);
      return value;
    case KeyType::boolean:
      return value.is_bool() ? std::optional<Json>(value) : wrong(key, value, at);
    case KeyType::integer: {
      const auto number = as_integer(value);
      if (!number || !in_range(key, static_cast<double>(*number))) return wrong(key, value, at);
      return Json(*number);
    }
    case KeyType::number: {
      const auto number = as_number(value);
      return number && in_range(key, *number) ? std::optional<Json>(value) : wrong(key, value, at);
    }
    case KeyType::duration: {
      const auto number = as_number(value);
      if (number && *number >= 0) return text_value(fmt::format("{}s", *number));
      if (!value.is_string() || !parse_duration(value.get_string())) return wrong(key, value, at);
      return value;
    }
    case KeyType::path:
      if (!value.is_string() || value.get_string().empty()) return wrong(key, value, at);
      return told(files_.readable(value.get_string(), key.pipe, at.stood()), at);
    case KeyType::text_list:
    case KeyType::path_list:
    case KeyType::command:
      return check_texts(key, value, at);
    case KeyType::database:
      if (!value.is_string()) return wrong(key, value, at);
      return text_value(files_.database(value.get_string(), at.stood()));
    case KeyType::file_or_value: {
      if (!value.is_string()) return value;
      auto file = files_.meant(value.get_string(), at.stood());
      if (file) return *file ? text_value(**file) : value;
      tell(at, std::move(file.error().message));
      return std::nullopt;
    }
    case KeyType::object: {
      const Json object = in_full(key, value);
      if (!object.is_object()) return wrong(key, value, at);
      return Json(check_object(key.keys, object, at));
    }
    case KeyType::object_map:
      return check_map(key, value, at);
    case KeyType::object_list:
      return check_list(key, value, at);
    case KeyType::any:
      return value;
  }
  return std::nullopt;
}

std::optional<Json> ConfigChecker::check_map(const Key& key, const Json& value, const ValuePlace& at) {
  if (!value.is_object()) return wrong(key, value, at);
  JsonObject map;
  for (const auto& [name, item] : value.get_object())
    map.insert_or_assign(name, check_object(key.keys, in_full(key, item), at.key(name)));
  return Json(std::move(map));
}

std::optional<Json> ConfigChecker::check_list(const Key& key, const Json& value, const ValuePlace& at) {
  if (!value.is_array()) {
    const Json alone = in_full(key, value);
    if (!alone.is_object()) return wrong(key, value, at);
    return Json(JsonArray{check_object(key.keys, alone, at)});
  }
  JsonArray list;
  for (std::size_t i = 0; i < value.get_array().size(); ++i)
    list.push_back(check_object(key.keys, in_full(key, value.get_array()[i]), at.item(i)));
  return Json(std::move(list));
}

std::optional<Json> ConfigChecker::check_texts(const Key& key, const Json& value, const ValuePlace& at) {
  const JsonArray items = value.is_array() ? value.get_array() : JsonArray{value};
  JsonArray list;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_string() || (!key.choices.empty() && !one_of(key, items[i].get_string()))) {
      const std::string what = key.choices.empty() ? std::string("text") : expected_words(key);
      // The key as a whole is named, and the place of the item.
      const ValuePlace place{at.path, value.is_array() ? at.item(i).pointer : at.pointer, at.flag};
      tell(place, fmt::format("found {}, expected {}", excerpt(items[i]), what));
      return std::nullopt;
    }
    const std::string_view text = items[i].get_string();
    if (key.type == KeyType::path_list) {
      auto file = told(files_.readable(text, key.pipe, at.stood()), at);
      if (!file) return std::nullopt;
      list.push_back(std::move(*file));
      continue;
    }
    const bool file = key.type == KeyType::command && files_.is_file(text, i);
    list.push_back(file ? text_value(files_.resolved(text, at.stood())) : items[i]);
  }
  return Json(std::move(list));
}

std::optional<Json> ConfigChecker::wrong(const Key& key, const Json& value, const ValuePlace& at) {
  std::string text = fmt::format("found {}, expected {}", excerpt(value), expected_words(key));
  const auto guess =
      value.is_string() && !key.choices.empty() ? nearest(value.get_string(), key.choices) : std::nullopt;
  if (guess) text += fmt::format("; did you mean `{}`?", *guess);
  tell(at, std::move(text));
  return std::nullopt;
}

std::optional<Json> ConfigChecker::told(Result<std::string> text, const ValuePlace& at) {
  if (text) return text_value(*text);
  tell(at, std::move(text.error().message));
  return std::nullopt;
}

void ConfigChecker::tell(const ValuePlace& at, std::string text) {
  std::string where = at.flag.empty() ? source_.file : "--" + at.flag;
  if (at.flag.empty()) {
    // What a shorthand stands for is not in the file itself; its place is that of the text around it.
    std::string pointer = at.pointer;
    YamlPosition position = source_.document.position(pointer);
    while (position.line == 0 && !pointer.empty()) {
      pointer.resize(pointer.rfind('/'));
      position = source_.document.position(pointer);
    }
    if (position.line > 0) where += fmt::format(", line {}, column {}", position.line, position.column);
  }
  problems_.push_back({std::move(where), at.path, std::move(text)});
}

void ConfigChecker::tell_unknown(const Keys& keys, std::string_view name, const ValuePlace& at) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  const auto guess = nearest(name, names);
  std::string text = "unknown key";
  if (guess) {
    text += fmt::format("; did you mean `{}`?", *guess);
  } else if (names.size() <= 24) {
    text += fmt::format("; known are {}", fmt::join(names, ", "));
  }
  tell(at, std::move(text));
}

// A text as it stands; a relative path behind the directory that it belongs to, so that it can be read from
// elsewhere.
Json ConfigChecker::written_form(const Key& key, const Json& value, const Json& filled, StoodIn stood) const {
  const auto placed = [&](const Json& text, const Json& meant) {
    const std::filesystem::path given{std::string(meant.get_string())};
    if (given.is_absolute()) return text;
    return text_value((files_.base_of(given, stood) / std::string(text.get_string())).string());
  };
  const bool listed = key.type == KeyType::path_list || key.type == KeyType::command;
  if (key.type == KeyType::path) return placed(value, filled);
  if (!listed || !value.is_array()) return value;
  JsonArray list = value.get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& meant = filled.get_array()[i];
    if (key.type == KeyType::path_list || files_.is_file(meant.get_string(), i))
      list[i] = placed(list[i], meant);
  }
  return list;
}

}  // namespace assay
