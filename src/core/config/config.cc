#include "core/config/config.h"

#include <algorithm>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/config/variables.h"
#include "core/text.h"
#include "core/time.h"

namespace assay {
namespace {

std::string dotted(std::string_view parent, std::string_view name) {
  return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

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

std::string spelled_with_underscores(std::string_view flag) {
  std::string name(flag);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Checks one source's values against the keys and collects what is wrong. `origin` tells where a value stood.
class Checker {
 public:
  // Gives values as they are, or as they were written: with `${NAME}` where something was filled.
  enum class Gives { values, written };
  Checker(const ConfigSource& source, std::vector<ConfigProblem>& problems, Gives gives = Gives::values)
      : source_(source), problems_(problems), gives_(gives), variables_(source.environment) {}

  const std::map<std::string, std::string>& variables() const { return variables_.used(); }
  bool has_filled() const { return has_filled_; }

  // In the file, positions come from the document; from a flag, `flag` names it.
  JsonObject check_object(const Keys& keys, const Json& found, const std::string& path,
                          const std::string& pointer, const std::string& flag) {
    JsonObject checked;
    if (!found.is_object()) {
      add(path, pointer, flag, fmt::format("found {}, expected keys with values", excerpt(found)));
      return checked;
    }
    for (const auto& [name, value] : found.get_object()) {
      const std::string below = pointer + "/" + escaped(name);
      const Key* key = nullptr;
      for (const Key& candidate : keys) {
        if (candidate.name == name) key = &candidate;
      }
      if (key == nullptr) {
        unknown(keys, name, path, below, flag);
        continue;
      }
      if (value.is_null()) continue;
      // A wrong value is there all the same: it is not missing as well.
      auto good = check_value(*key, value, dotted(path, name), below, flag);
      checked.insert_or_assign(name, good ? std::move(*good) : Json(nullptr));
    }
    return checked;
  }

  std::optional<Json> check_value(const Key& key, const Json& value, const std::string& path,
                                  const std::string& pointer, const std::string& flag) {
    const bool inner =
        key.type == KeyType::object || key.type == KeyType::object_map || key.type == KeyType::object_list;
    if (inner || key.fills == Fills::when_used) return check_filled(key, value, path, pointer, flag);
    auto filled = variables_.fill(value);
    if (!filled.changed) return check_filled(key, value, path, pointer, flag);
    has_filled_ = true;
    for (const std::string& name : filled.missing) {
      add(path, pointer, flag,
          fmt::format(
              "the environment variable {} is not set; set it, or write $${{{}}} for these characters", name,
              name));
    }
    if (!filled.missing.empty()) return std::nullopt;
    auto checked = check_filled(key, as_scalar(key, filled.value), path, pointer, flag);
    if (!checked || gives_ == Gives::values) return checked;
    return written_form(key, value, filled.value, flag);
  }

 private:
  std::optional<Json> check_filled(const Key& key, const Json& value, const std::string& path,
                                   const std::string& pointer, const std::string& flag) {
    const auto wrong = [&]() -> std::optional<Json> {
      add(path, pointer, flag, fmt::format("found {}, expected {}", excerpt(value), expected_words(key)));
      return std::nullopt;
    };
    switch (key.type) {
      case KeyType::text:
        if (!value.is_string()) return wrong();
        if (!key.choices.empty() && !one_of(key, value.get_string()))
          return wrong_choice(key, value, path, pointer, flag);
        return value;
      case KeyType::boolean:
        return value.is_bool() ? std::optional<Json>(value) : wrong();
      case KeyType::integer: {
        const auto number = as_integer(value);
        if (!number || !in_range(key, static_cast<double>(*number))) return wrong();
        return Json(*number);
      }
      case KeyType::number: {
        const auto number = as_number(value);
        return number && in_range(key, *number) ? std::optional<Json>(value) : wrong();
      }
      case KeyType::duration: {
        const auto number = as_number(value);
        if (number && *number >= 0) return Json(boost::json::string(fmt::format("{}s", *number)));
        if (!value.is_string() || !parse_duration(value.get_string())) return wrong();
        return value;
      }
      case KeyType::path: {
        if (!value.is_string() || value.get_string().empty()) return wrong();
        return file_path(value, key.pipe, path, pointer, flag);
      }
      case KeyType::text_list:
      case KeyType::path_list:
      case KeyType::command:
        return check_text_list(key, value, path, pointer, flag);
      case KeyType::database:
        return value.is_string() ? resolved_database(value, flag) : wrong();
      case KeyType::file_or_value:
        return value.is_string() ? named_file(value, path, pointer, flag) : value;
      case KeyType::object: {
        if (value.is_string() && !key.shorthand.empty()) {
          JsonObject object;
          object.emplace(key.shorthand, value);
          return check_object(key.keys, object, path, pointer, flag);
        }
        return value.is_object() ? std::optional<Json>(check_object(key.keys, value, path, pointer, flag))
                                 : wrong();
      }
      case KeyType::object_map: {
        if (!value.is_object()) return wrong();
        JsonObject map;
        for (const auto& [name, item] : value.get_object()) {
          Json object = item;
          if (item.is_string() && !key.shorthand.empty()) object = JsonObject{{key.shorthand, item}};
          map.insert_or_assign(
              name, check_object(key.keys, object, dotted(path, name), pointer + "/" + escaped(name), flag));
        }
        return Json(std::move(map));
      }
      case KeyType::object_list: {
        if (!value.is_array() && !(value.is_string() && !key.shorthand.empty())) return wrong();
        const JsonArray items = value.is_array() ? value.get_array() : JsonArray{value};
        JsonArray list;
        for (std::size_t i = 0; i < items.size(); ++i) {
          Json item = items[i];
          if (item.is_string() && !key.shorthand.empty()) item = JsonObject{{key.shorthand, items[i]}};
          const std::string at = fmt::format("{}/{}", pointer, i);
          list.push_back(check_object(key.keys, item, fmt::format("{}[{}]", path, i), at, flag));
        }
        return Json(std::move(list));
      }
      case KeyType::any:
        return value;
    }
    return std::nullopt;
  }

 public:
  void add(const std::string& path, const std::string& pointer, const std::string& flag, std::string text) {
    std::string where = flag.empty() ? source_.file : "--" + flag;
    if (flag.empty()) {
      // What a shorthand stands for is not in the file itself; its place is that of the text around it.
      std::string at = pointer;
      YamlPosition position = source_.document.position(at);
      while (position.line == 0 && !at.empty()) {
        at.resize(at.rfind('/'));
        position = source_.document.position(at);
      }
      if (position.line > 0) where += fmt::format(", line {}, column {}", position.line, position.column);
    }
    problems_.push_back({std::move(where), path, std::move(text)});
  }

  void unknown(const Keys& keys, std::string_view name, const std::string& path, const std::string& pointer,
               const std::string& flag) {
    std::vector<std::string> names;
    for (const Key& key : keys) names.push_back(key.name);
    const auto guess = nearest(name, names);
    std::string text = "unknown key";
    if (guess) {
      text += fmt::format("; did you mean `{}`?", *guess);
    } else if (names.size() <= 24) {
      text += fmt::format("; known are {}", fmt::join(names, ", "));
    }
    add(dotted(path, name), pointer, flag, std::move(text));
  }

 private:
  // What a variable holds is text; where the key wants a number or true/false, that is meant.
  static Json as_scalar(const Key& key, const Json& filled) {
    const bool scalar =
        key.type == KeyType::boolean || key.type == KeyType::integer || key.type == KeyType::number;
    if (!scalar || !filled.is_string()) return filled;
    auto document = parse_yaml(filled.get_string());
    return document ? document->value : filled;
  }

  // A text as it stands; a relative path behind the directory that it belongs to, so that it can be read from
  // elsewhere.
  Json written_form(const Key& key, const Json& value, const Json& filled, const std::string& flag) const {
    const auto placed = [&](const Json& text, const Json& meant) {
      const std::filesystem::path given{std::string(meant.get_string())};
      if (given.is_absolute()) return text;
      return Json(boost::json::string((base_of(given, flag) / std::string(text.get_string())).string()));
    };
    const bool listed = key.type == KeyType::path_list || key.type == KeyType::command;
    if (key.type == KeyType::path) return placed(value, filled);
    if (!listed || !value.is_array()) return value;
    JsonArray list = value.get_array();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& meant = filled.get_array()[i];
      if (key.type == KeyType::path_list || names_file(meant, i)) list[i] = placed(list[i], meant);
    }
    return list;
  }

  static bool one_of(const Key& key, std::string_view text) {
    return std::find(key.choices.begin(), key.choices.end(), text) != key.choices.end();
  }

  static bool in_range(const Key& key, double number) {
    return (!key.minimum || number >= *key.minimum) && (!key.maximum || number <= *key.maximum);
  }

  std::optional<Json> wrong_choice(const Key& key, const Json& value, const std::string& path,
                                   const std::string& pointer, const std::string& flag) {
    std::string text = fmt::format("found {}, expected {}", excerpt(value), expected_words(key));
    if (const auto guess = nearest(value.get_string(), key.choices))
      text += fmt::format("; did you mean `{}`?", *guess);
    add(path, pointer, flag, std::move(text));
    return std::nullopt;
  }

  std::optional<Json> check_text_list(const Key& key, const Json& value, const std::string& path,
                                      const std::string& pointer, const std::string& flag) {
    const JsonArray items = value.is_array() ? value.get_array() : JsonArray{value};
    JsonArray list;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].is_string() || (!key.choices.empty() && !one_of(key, items[i].get_string()))) {
        const std::string what = key.choices.empty() ? std::string("text") : expected_words(key);
        add(path, value.is_array() ? fmt::format("{}/{}", pointer, i) : pointer, flag,
            fmt::format("found {}, expected {}", excerpt(items[i]), what));
        return std::nullopt;
      }
      if (key.type == KeyType::path_list) {
        auto file = file_path(items[i], key.pipe, path, pointer, flag);
        if (!file) return std::nullopt;
        list.push_back(std::move(*file));
        continue;
      }
      const bool file = key.type == KeyType::command && names_file(items[i], i);
      list.push_back(file ? *resolved_path(items[i], flag) : items[i]);
    }
    return Json(std::move(list));
  }

  // Resolved, and told if it can be read once only: a pipe, a process substitution, standard input.
  std::optional<Json> file_path(const Json& value, Pipe pipe, const std::string& path,
                                const std::string& pointer, const std::string& flag) {
    namespace fs = std::filesystem;
    auto resolved = resolved_path(value, flag);
    const std::string_view given = value.get_string();
    std::error_code ignored;
    const fs::file_status status = fs::status(fs::path(std::string_view(resolved->get_string())), ignored);
    const bool input = given == "-" && !fs::exists(status);
    if (!input && !fs::is_fifo(status) && !fs::is_socket(status)) return resolved;
    if (pipe == Pipe::copied) return input ? value : *resolved;
    add(path, pointer, flag,
        fmt::format("found {}, expected a file: it is read before, while and after the models are asked, and "
                    "again on a resume; write it to a file first: … > FILE",
                    input ? "- (standard input)" : fmt::format("a pipe ({})", given)));
    return std::nullopt;
  }

  // Of a command: a program with a slash in its name, and an argument that is a file beside the config.
  bool names_file(const Json& word, std::size_t place) const {
    const std::string_view text = word.get_string();
    if (place == 0) return text.contains('/');
    if (source_.file.empty() || text.starts_with('-') || text.find_first_of("./") == std::string_view::npos)
      return false;
    std::error_code ignored;
    return std::filesystem::is_regular_file(std::filesystem::path(source_.file).parent_path() / text,
                                            ignored);
  }

  // A path in a file belongs to that file; what is not there may still be meant from the working directory.
  std::filesystem::path base_of(const std::filesystem::path& given, const std::string& flag) const {
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::path here = fs::current_path(ignored);
    if (!flag.empty() || source_.file.empty()) return here;
    const fs::path beside = fs::absolute(fs::path(source_.file).parent_path() / given, ignored);
    const bool elsewhere = !fs::exists(beside, ignored) && fs::exists(here / given, ignored);
    return elsewhere ? here : fs::absolute(fs::path(source_.file), ignored).parent_path();
  }

  std::optional<Json> resolved_path(const Json& value, const std::string& flag) const {
    const std::filesystem::path given{std::string(value.get_string())};
    const auto whole = given.is_absolute() ? given : base_of(given, flag) / given;
    return Json(boost::json::string(whole.lexically_normal().string()));
  }

  // A text that is meant as a file: it says so, or a file of that name is there, or it could be nothing else.
  std::optional<Json> named_file(const Json& value, const std::string& path, const std::string& pointer,
                                 const std::string& flag) {
    namespace fs = std::filesystem;
    constexpr std::size_t kLongestPath = 1024;
    std::string_view text = value.get_string();
    const bool said = text.starts_with(kFileMark);
    if (said) text.remove_prefix(kFileMark.size());
    if (said && text.starts_with("//")) text.remove_prefix(2);
    if (text.empty() || text.size() > kLongestPath || text.find_first_of("\n{") != std::string_view::npos)
      return value;
    const auto file = resolved_path(boost::json::string(text), flag);
    const std::string resolved(file->get_string());
    std::error_code ignored;
    if (fs::is_regular_file(resolved, ignored))
      return Json(boost::json::string(std::string(kFileMark) + resolved));
    constexpr std::string_view kEndings[] = {".txt", ".md", ".json", ".yaml", ".yml"};
    const bool like_a_file =
        !text.contains(' ') &&
        std::ranges::any_of(kEndings, [&](std::string_view ending) { return text.ends_with(ending); });
    if (!said && !like_a_file) return value;
    add(path, pointer, flag, fmt::format("there is no file {}", resolved));
    return std::nullopt;
  }

  // Which kinds of database there are is for the tool to say that opens it.
  std::optional<Json> resolved_database(const Json& value, const std::string& flag) const {
    constexpr std::string_view kFile = "sqlite:";
    const std::string_view text = value.get_string();
    if (!text.starts_with(kFile) || text.size() == kFile.size()) return value;
    const auto file = resolved_path(boost::json::string(text.substr(kFile.size())), flag);
    return Json(boost::json::string(std::string(kFile) + std::string(file->get_string())));
  }

  const ConfigSource& source_;
  std::vector<ConfigProblem>& problems_;
  Gives gives_;
  ConfigVariables variables_;
  bool has_filled_ = false;
};

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

void check_required(const Keys& keys, const JsonObject& values, const std::string& path,
                    const std::string& pointer, Checker& checker) {
  for (const Key& key : keys) {
    const Json* value = values.if_contains(key.name);
    if (value == nullptr) {
      if (key.required) {
        checker.add(dotted(path, key.name), pointer, "",
                    fmt::format("missing; {} is needed: {}", expected_words(key), key.help));
      }
      continue;
    }
    if (value->is_null()) continue;
    const std::string below = pointer + "/" + key.name;
    if (key.type == KeyType::object && value->is_object()) {
      check_required(key.keys, value->get_object(), dotted(path, key.name), below, checker);
    } else if (key.type == KeyType::object_map) {
      for (const auto& [name, item] : value->get_object()) {
        check_required(key.keys, item.get_object(), dotted(dotted(path, key.name), name),
                       below + "/" + escaped(name), checker);
      }
    } else if (key.type == KeyType::object_list) {
      for (std::size_t i = 0; i < value->get_array().size(); ++i) {
        check_required(key.keys, value->get_array()[i].get_object(),
                       fmt::format("{}[{}]", dotted(path, key.name), i), fmt::format("{}/{}", below, i),
                       checker);
      }
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

void apply_flags(const Keys& keys, const ConfigSource& source, JsonObject& values, Checker& checker) {
  std::vector<std::string> repeated;  // text_list keys already set by a flag: the next one appends
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
        checker.add(path, "", flag.name, parsed.error().text());
        continue;
      }
      tree = std::move(*parsed);
    }
    auto checked = checker.check_value(*key, tree, path, "", flag.name);
    if (!checked) continue;
    const std::vector<std::string_view> parts = split(path, '.');
    JsonObject* owner = object_at(values, parts, parts.size() - 1);
    const bool is_list =
        key->type == KeyType::text_list || key->type == KeyType::path_list || key->type == KeyType::command;
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

}  // namespace

namespace {

JsonObject resolved_values(const Keys& keys, const ConfigSource& source, Checker& checker) {
  JsonObject values;
  if (!source.document.value.is_null())
    values = checker.check_object(keys, source.document.value, "", "", "");
  apply_flags(keys, source, values, checker);
  apply_defaults(keys, values);
  check_required(keys, values, "", "", checker);
  return in_declared_order(keys, values);
}

}  // namespace

ResolvedConfig resolve_config(const Keys& keys, const ConfigSource& source) {
  ResolvedConfig resolved;
  Checker checker(source, resolved.problems);
  JsonObject values = resolved_values(keys, source, checker);
  std::vector<std::string> free;
  for (const Key& key : keys) {
    if (key.decides != Decides::answers) free.push_back(key.name);
  }
  resolved.config = Config(std::move(values), std::move(free));
  if (checker.has_filled()) {
    std::vector<ConfigProblem> told;  // the same as before
    Checker as_written(source, told, Checker::Gives::written);
    resolved.config.note_filled({resolved_values(keys, source, as_written), checker.variables()});
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
