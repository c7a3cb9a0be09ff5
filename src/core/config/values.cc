// What a checked config gives to its readers.
#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/config/config.h"
#include "core/config/variables.h"
#include "core/secrets/literal_secrets.h"
#include "core/secrets/secrets.h"
#include "core/time.h"

namespace assay {

const Json* Config::find(std::string_view path) const {
  const JsonObject* current = &values_;
  for (;;) {
    const std::size_t dot = path.find('.');
    const Json* value = current->if_contains(path.substr(0, dot));
    if (value == nullptr || value->is_null()) return nullptr;
    if (dot == std::string_view::npos) return value;
    if (!value->is_object()) return nullptr;
    current = &value->get_object();
    path.remove_prefix(dot + 1);
  }
}

std::string Config::text(std::string_view path) const {
  const Json* value = find(path);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool Config::boolean(std::string_view path) const {
  const Json* value = find(path);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::optional<std::int64_t> Config::integer(std::string_view path) const {
  const Json* value = find(path);
  return value != nullptr ? as_integer(*value) : std::nullopt;
}

std::optional<double> Config::number(std::string_view path) const {
  const Json* value = find(path);
  return value != nullptr ? as_number(*value) : std::nullopt;
}

std::chrono::nanoseconds Config::duration(std::string_view path) const {
  const auto parsed = parse_duration(text(path));
  return parsed ? *parsed : std::chrono::nanoseconds(0);
}

JsonObject Config::deciding() const {
  JsonObject deciding;
  for (const auto& [key, value] : values_) {
    if (std::ranges::find(free_, std::string_view(key)) != free_.end()) continue;
    const Json* as_written = written().if_contains(key);
    deciding.emplace(key, as_written != nullptr ? fingerprinted(value, *as_written) : value);
  }
  return deciding;
}

std::vector<std::string> Config::filled_secrets() const {
  std::vector<std::string> secrets;
  for (const auto& [name, value] : filled_ ? filled_->variables : std::map<std::string, std::string>()) {
    if (names_secret(name)) secrets.push_back(value);
  }
  return secrets;
}

std::string Config::shown_text(std::string_view path) const {
  Secrets secrets(kHiddenMark);
  for (const std::string& value : filled_secrets()) secrets.add(value);
  return secrets.hide(text(path));
}

Result<std::string> Config::given_text(const Json& value) const {
  std::string text = text_or_json(value);
  if (!value.is_string() || !text.starts_with(kFileMark)) return text;
  return read_text(text.substr(kFileMark.size()));
}

Result<Json> Config::given_tree(const Json& value) const {
  if (!value.is_string() || !value.get_string().starts_with(kFileMark)) return value;
  const std::string path = text_or_json(value).substr(kFileMark.size());
  auto text = read_text(path);
  if (!text) return fail(std::move(text.error()));
  if (path.ends_with(".json")) {
    auto tree = parse_json(*text);
    if (!tree) return fail(std::move(tree.error()).with("file", path));
    return tree;
  }
  auto document = parse_yaml(*text);
  if (!document) return fail(std::move(document.error()).with("file", path));
  return std::move(document->value);
}

std::vector<std::string> Config::texts(std::string_view path) const {
  std::vector<std::string> list;
  const Json* value = find(path);
  if (value == nullptr) return list;
  if (value->is_string()) return {std::string(value->get_string())};
  if (!value->is_array()) return list;
  for (const Json& item : value->get_array()) {
    if (item.is_string()) list.emplace_back(item.get_string());
  }
  return list;
}

}  // namespace assay
