#include "core/config/config.h"

#include <algorithm>
#include <iterator>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/config/checker.h"
#include "core/text.h"

namespace assay {
namespace {

std::string spelled_with_underscores(std::string_view flag) {
  std::string name(flag);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A list of names out of a closed set: no name holds a comma.
bool takes_known_names(const Key& key) {
  if (key.type == KeyType::text_list) return !key.choices.empty();
  if (key.type != KeyType::object_list || key.shorthand.empty()) return false;
  const auto named = std::ranges::find(key.keys, key.shorthand, &Key::name);
  return named != key.keys.end() && !named->choices.empty();
}

// Text of a flag as the value that its key wants. Structured values are written as YAML.
Result<Json> flag_tree(const Key& key, const std::string& text) {
  if (takes_known_names(key) && text.find_first_of("[{:") == std::string::npos && text.contains(',')) {
    JsonArray names;
    for (const std::string_view name : split(text, ',')) names.push_back(boost::json::string(trim(name)));
    return names;
  }
  switch (key.type) {
    case KeyType::text:
    case KeyType::path:
    case KeyType::database:
    case KeyType::duration:
      return Json(boost::json::string(text));
    case KeyType::text_list:
    case KeyType::path_list:
    case KeyType::command:
      if (!text.starts_with('[')) return Json(boost::json::string(text));
      break;
    default:
      break;
  }
  auto document = parse_yaml(text);
  if (!document) return fail(std::move(document.error()));
  return std::move(document->value);
}

// Objects inside objects, so that defaults and flags reach nested keys.
JsonObject* object_at(JsonObject& root, const std::vector<std::string_view>& path, std::size_t count) {
  JsonObject* current = &root;
  for (std::size_t i = 0; i < count; ++i) {
    Json& next = (*current)[path[i]];
    if (!next.is_object()) next = JsonObject{};
    current = &next.get_object();
  }
  return current;
}

const Key* find_flag(const Keys& keys, std::string_view flag) {
  const std::string name = spelled_with_underscores(flag);
  if (const Key* key = find_key(keys, name)) return key;
  for (const Key& key : keys) {
    if (!key.flag.empty() && spelled_with_underscores(key.flag) == name) return &key;
  }
  return nullptr;
}

// An object that nobody wrote is there for its defaults, but not if that would make its required keys
// missing.
bool comes_by_itself(const Key& object) {
  bool has_default = false;
  for (const Key& inner : object.keys) {
    if (inner.required) return false;
    has_default = has_default || !inner.default_value.is_null();
  }
  return has_default && !object.required;
}

void apply_defaults(const Keys& keys, JsonObject& values) {
  for (const Key& key : keys) {
    if (!values.contains(key.name) && !key.default_value.is_null())
      values.emplace(key.name, key.default_value);
    if (key.type == KeyType::object) {
      if (!values.contains(key.name) && comes_by_itself(key)) values.emplace(key.name, JsonObject{});
      if (values.contains(key.name) && values.at(key.name).is_object()) {
        apply_defaults(key.keys, values.at(key.name).get_object());
      }
    } else if ((key.type == KeyType::object_map || key.type == KeyType::object_list) &&
               values.contains(key.name)) {
      Json& value = values.at(key.name);
      if (value.is_object()) {
        for (auto& [name, item] : value.get_object()) apply_defaults(key.keys, item.get_object());
      } else if (value.is_array()) {
        for (auto& item : value.get_array()) apply_defaults(key.keys, item.get_object());
      }
    }
  }
}

void check_required(const Keys& keys, const JsonObject& values, const ValuePlace& at,
                    ConfigChecker& checker) {
  for (const Key& key : keys) {
    const ValuePlace below = at.key(key.name);
    const Json* value = values.if_contains(key.name);
    if (value == nullptr) {
      // It stands nowhere: the place is that of the object in which it is missing.
      if (key.required) {
        checker.tell({below.path, at.pointer, at.flag},
                     fmt::format("missing; {} is needed: {}", expected_words(key), key.help));
      }
      continue;
    }
    if (value->is_null()) continue;
    if (key.type == KeyType::object && value->is_object()) {
      check_required(key.keys, value->get_object(), below, checker);
    } else if (key.type == KeyType::object_map) {
      for (const auto& [name, item] : value->get_object())
        check_required(key.keys, item.get_object(), below.key(name), checker);
    } else if (key.type == KeyType::object_list) {
      for (std::size_t i = 0; i < value->get_array().size(); ++i)
        check_required(key.keys, value->get_array()[i].get_object(), below.item(i), checker);
    }
  }
}

// Declared order, so that the written config.yaml reads like the reference page.
JsonObject in_declared_order(const Keys& keys, const JsonObject& values) {
  JsonObject ordered;
  for (const Key& key : keys) {
    const Json* value = values.if_contains(key.name);
    if (value == nullptr) continue;
    if (key.type == KeyType::object && value->is_object()) {
      ordered.emplace(key.name, in_declared_order(key.keys, value->get_object()));
    } else {
      ordered.emplace(key.name, *value);
    }
  }
  return ordered;
}

void apply_flags(const Keys& keys, const ConfigSource& source, JsonObject& values, ConfigChecker& checker) {
  std::vector<std::string> repeated;  // lists already set by a flag: the next one appends
  for (const FlagValue& flag : source.flags) {
    const bool negated = flag.name.starts_with("no-") || flag.name.starts_with("no_");
    const Key* key = find_flag(keys, flag.name);
    std::string path = spelled_with_underscores(flag.name);
    if (key == nullptr && negated) {
      key = find_flag(keys, flag.name.substr(3));
      path = path.substr(3);
    }
    if (key == nullptr) continue;  // The command line has refused unknown flags already.
    if (path.find('.') == std::string::npos) path = key->name;
    Json tree;
    if (!flag.value) {
      tree = !(negated && find_flag(keys, flag.name) == nullptr);
    } else {
      auto parsed = flag_tree(*key, *flag.value);
      if (!parsed) {
        checker.tell({path, "", flag.name}, parsed.error().text());
        continue;
      }
      tree = std::move(*parsed);
    }
    auto checked = checker.check_value(*key, tree, {path, "", flag.name});
    if (!checked) continue;
    const std::vector<std::string_view> parts = split(path, '.');
    JsonObject* owner = object_at(values, parts, parts.size() - 1);
    const bool is_list = key->type == KeyType::text_list || key->type == KeyType::path_list ||
                         key->type == KeyType::command || key->type == KeyType::object_list;
    const bool append = is_list && owner->contains(parts.back()) &&
                        std::find(repeated.begin(), repeated.end(), path) != repeated.end();
    if (append) {
      for (auto& item : checked->get_array()) owner->at(parts.back()).get_array().push_back(item);
    } else {
      owner->insert_or_assign(parts.back(), std::move(*checked));
    }
    repeated.push_back(path);
  }
}

JsonObject resolved_values(const Keys& keys, const ConfigSource& source, ConfigChecker& checker) {
  JsonObject values;
  if (!source.document.value.is_null()) values = checker.check_object(keys, source.document.value, {});
  apply_flags(keys, source, values, checker);
  apply_defaults(keys, values);
  check_required(keys, values, {}, checker);
  return in_declared_order(keys, values);
}

}  // namespace

ResolvedConfig resolve_config(const Keys& keys, const ConfigSource& source) {
  ResolvedConfig resolved;
  ConfigChecker checker(source, resolved.problems);
  JsonObject values = resolved_values(keys, source, checker);
  std::vector<std::string> free;
  for (const Key& key : keys) {
    if (key.decides != Decides::answers) free.push_back(key.name);
  }
  resolved.config = Config(std::move(values), std::move(free));
  if (checker.has_filled()) {
    std::vector<ConfigProblem> told;  // the same as before
    ConfigChecker as_written(source, told, ConfigChecker::Gives::written);
    resolved.config.note_filled({resolved_values(keys, source, as_written), checker.variables()});
    std::ranges::move(open_secrets(keys, source, resolved.config.written()),
                      std::back_inserter(resolved.problems));
  }
  return resolved;
}

const Key* find_key(const Keys& keys, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  for (const Key& key : keys) {
    if (key.name != name) continue;
    if (dot == std::string_view::npos) return &key;
    if (key.type == KeyType::object_map) {
      // The next part is a name of the user's own.
      const std::string_view rest = path.substr(dot + 1);
      const std::size_t next = rest.find('.');
      return next == std::string_view::npos ? nullptr : find_key(key.keys, rest.substr(next + 1));
    }
    return key.type == KeyType::object ? find_key(key.keys, path.substr(dot + 1)) : nullptr;
  }
  return nullptr;
}

std::optional<FlagForm> flag_form(const Keys& keys, std::string_view flag) {
  if (const Key* key = find_flag(keys, flag)) {
    return key->type == KeyType::boolean ? FlagForm::stands_alone : FlagForm::takes_value;
  }
  if (flag.starts_with("no-") || flag.starts_with("no_")) {
    const Key* key = find_flag(keys, flag.substr(3));
    if (key != nullptr && key->type == KeyType::boolean) return FlagForm::stands_alone;
  }
  return std::nullopt;
}

}  // namespace assay
