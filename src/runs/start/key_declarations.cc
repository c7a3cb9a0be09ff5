#include "runs/start/key_declarations.h"

#include <algorithm>
#include <array>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 5> kFixed = {"evaluation", "output_dir", "secrets_from", "stress.of",
                                                    "stress.moved"};

// Words for machines; a form chooses its field by them.
std::string_view type_name(KeyType type) {
  switch (type) {
    case KeyType::text:
      return "text";
    case KeyType::boolean:
      return "boolean";
    case KeyType::integer:
      return "integer";
    case KeyType::number:
      return "number";
    case KeyType::duration:
      return "duration";
    case KeyType::path:
      return "path";
    case KeyType::text_list:
      return "text_list";
    case KeyType::path_list:
      return "path_list";
    case KeyType::command:
      return "command";
    case KeyType::database:
      return "database";
    case KeyType::file_or_value:
      return "file_or_value";
    case KeyType::object:
      return "object";
    case KeyType::object_map:
      return "object_map";
    case KeyType::object_list:
      return "object_list";
    case KeyType::any:
      return "any";
  }
  return "";
}

bool reaches_out(const Key& key) {
  return key.type == KeyType::command || key.type == KeyType::database || key.fills == Fills::when_used;
}

// `siblings`: the keys of the object that it stands in.
bool changeable(const Key& key, std::string_view path, const Keys& siblings) {
  if (std::ranges::find(kFixed, path) != kFixed.end() || reaches_out(key)) return false;
  switch (key.type) {
    case KeyType::boolean:
    case KeyType::integer:
    case KeyType::number:
    case KeyType::duration:
      return true;
    case KeyType::text:
    case KeyType::path:
    case KeyType::text_list:
    case KeyType::path_list: {
      // The address beside its headers, the arguments beside their program.
      const bool nested = path.contains('.');
      return !key.choices.empty() || !nested || std::ranges::none_of(siblings, reaches_out);
    }
    default:
      return false;
  }
}

// Of every key that has a flag: its dotted name, itself, and the keys beside it.
template <class Tell>
void each_key(const Keys& keys, const std::string& prefix, const Tell& tell) {
  for (const Key& key : keys) {
    const std::string name = prefix + key.name;
    if (key.type == KeyType::object) {
      each_key(key.keys, name + ".", tell);
    } else {
      tell(name, key, keys);
    }
  }
}

std::string flag_of(const Keys& keys, std::string_view path) {
  std::string flag;
  std::string so_far;
  for (const std::string_view part : split(path, '.')) {
    so_far += so_far.empty() ? std::string(part) : "." + std::string(part);
    const Key* key = find_key(keys, so_far);
    std::string word = key == nullptr || key->flag.empty() ? std::string(part) : key->flag;
    std::ranges::replace(word, '_', '-');
    flag += flag.empty() ? word : "." + word;
  }
  return flag;
}

// The texts that a value is on the command line, one for each time that the flag is given.
std::vector<std::string> texts_of(const Json& value) {
  const JsonArray* list = value.if_array();
  if (list == nullptr) return {text_or_json(value)};
  std::vector<std::string> texts;
  for (const Json& one : *list) texts.push_back(text_or_json(one));
  return texts;
}

// The value as the texts of its flag; the error says why it cannot be. What resolve_config() says of it comes
// later.
std::expected<std::vector<std::string>, std::string> flag_texts(const Key& key, const Json& value,
                                                                const PathCheck& check_path) {
  const auto no = [](std::string why) { return std::unexpected(std::move(why)); };
  const bool list = key.type == KeyType::text_list || key.type == KeyType::path_list;
  std::vector<std::string> texts = texts_of(value);
  if (value.is_object() || (value.is_array() && (!list || texts.empty())))
    return no(fmt::format("found {}, expected {}", excerpt(value), expected_words(key)));
  for (std::string& text : texts) {
    if (text.contains("${")) return no("found ${…}: variables are filled in files only");
    // As a flag it would be read as YAML, in which a variable can be spelled in other ways.
    if (list && text.starts_with('['))
      return no("found a text that begins with [, expected one that does not");
    if (text.contains('\0')) return no("found a zero byte");
    if (key.type != KeyType::path && key.type != KeyType::path_list) continue;
    auto real = check_path(text);
    if (!real) return no(real.error().message);
    text = std::move(*real);
  }
  return texts;
}

}  // namespace

JsonArray key_declarations(const Keys& keys) {
  JsonArray list;
  each_key(keys, "", [&](const std::string& name, const Key& key, const Keys& siblings) {
    JsonObject one{{"name", name}, {"type", type_name(key.type)}, {"help", key.help}};
    if (!key.default_value.is_null()) one.emplace("default", key.default_value);
    if (key.required) one.emplace("required", true);
    if (!key.choices.empty()) {
      JsonArray choices;
      for (const std::string& choice : key.choices) choices.emplace_back(choice);
      one.emplace("choices", std::move(choices));
    }
    if (key.minimum) one.emplace("minimum", *key.minimum);
    if (key.maximum) one.emplace("maximum", *key.maximum);
    one.emplace("changeable", changeable(key, name, siblings));
    list.push_back(std::move(one));
  });
  return list;
}

JsonObject flat_values(const Keys& keys, const Json& values) {
  JsonObject flat;
  each_key(keys, "", [&](const std::string& name, const Key&, const Keys&) {
    const Json* at = &values;
    for (const std::string_view part : split(name, '.'))
      at = at == nullptr ? nullptr : find_member(*at, part);
    if (at != nullptr && !at->is_null()) flat.emplace(name, *at);
  });
  return flat;
}

std::expected<std::vector<FlagValue>, std::vector<ChangeProblem>> flags_for(const Keys& keys,
                                                                            const JsonObject& changes,
                                                                            const PathCheck& check_path) {
  std::vector<FlagValue> flags;
  std::vector<ChangeProblem> problems;
  std::map<std::string, const Key*, std::less<>> open;  // keys that may be changed; null: in the file only
  std::vector<std::string> names;
  each_key(keys, "", [&](const std::string& name, const Key& key, const Keys& siblings) {
    names.push_back(name);
    open.emplace(name, changeable(key, name, siblings) ? &key : nullptr);
  });
  for (const auto& [path, value] : changes) {
    if (value.is_null()) continue;
    const auto found = open.find(path);
    const auto complain = [&](std::string message) {
      problems.push_back({std::string(path), std::move(message)});
    };
    if (found == open.end()) {
      const auto guess = nearest(path, names);
      complain(guess ? fmt::format("there is no such key; did you mean {}?", *guess)
                     : std::string("there is no such key"));
      continue;
    }
    const Key* key = found->second;
    if (key == nullptr) {
      complain("this can be changed in the file only");
      continue;
    }
    const std::string flag = flag_of(keys, path);
    if (key->type == KeyType::boolean && value.is_bool()) {
      flags.push_back({(value.get_bool() ? "" : "no-") + flag, std::nullopt});
      continue;
    }
    if (key->type == KeyType::boolean) {
      complain(fmt::format("found {}, expected true or false", excerpt(value)));
      continue;
    }
    auto texts = flag_texts(*key, value, check_path);
    if (!texts) {
      complain(std::move(texts.error()));
      continue;
    }
    for (std::string& text : *texts) flags.push_back({flag, std::move(text)});
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return flags;
}

std::vector<std::string> words_of(const std::vector<FlagValue>& flags) {
  std::vector<std::string> words;
  words.reserve(flags.size());
  for (const FlagValue& flag : flags)
    words.push_back(flag.value ? fmt::format("--{}={}", flag.name, *flag.value) : "--" + flag.name);
  return words;
}

}  // namespace assay
