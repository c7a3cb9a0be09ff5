#include "core/config/variables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/sha256.h"

namespace assay {
namespace {

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// One `${NAME}` or `$${NAME}` of a text.
struct Mention {
  std::size_t from = 0;
  std::size_t end = 0;
  std::string_view name;
  bool literal = false;
};

std::optional<Mention> next_mention(std::string_view text, std::size_t at) {
  for (;;) {
    const std::size_t open = text.find("${", at);
    if (open == std::string_view::npos) return std::nullopt;
    std::size_t end = open + 2;
    if (end < text.size() && begins_name(text[end])) {
      while (end < text.size() && (begins_name(text[end]) || (text[end] >= '0' && text[end] <= '9'))) ++end;
      if (end < text.size() && text[end] == '}') {
        const bool literal = open > at && text[open - 1] == '$';
        return Mention{literal ? open - 1 : open, end + 1, text.substr(open + 2, end - open - 2), literal};
      }
    }
    at = open + 2;
  }
}

}  // namespace

ConfigVariables::Filled ConfigVariables::fill(const Json& value) {
  Filled filled;
  filled.value = environment_ ? fill_tree(value, filled) : value;
  return filled;
}

std::string ConfigVariables::fill_text(std::string_view text, Filled& filled) {
  std::string out;
  std::size_t at = 0;
  while (const auto mention = next_mention(text, at)) {
    out += text.substr(at, mention->from - at);
    at = mention->end;
    filled.changed = true;
    if (mention->literal) {
      out += text.substr(mention->from + 1, mention->end - mention->from - 1);
      continue;
    }
    const std::string name(mention->name);
    if (const auto value = environment_(name)) {
      out += *value;
      used_.insert_or_assign(name, *value);
    } else if (std::ranges::find(filled.missing, name) == filled.missing.end()) {
      filled.missing.push_back(name);
    }
  }
  out += text.substr(at);
  return out;
}

Json ConfigVariables::fill_tree(const Json& value, Filled& filled) {
  if (const auto text = as_text(value))
    return text->contains("${") ? Json(boost::json::string(fill_text(*text, filled))) : value;
  if (const JsonArray* list = value.if_array()) {
    JsonArray out;
    for (const Json& item : *list) out.push_back(fill_tree(item, filled));
    return out;
  }
  if (const JsonObject* object = value.if_object()) {
    JsonObject out;
    for (const auto& [name, member] : *object) out.insert_or_assign(name, fill_tree(member, filled));
    return out;
  }
  return value;
}

std::vector<std::string> variables_in(std::string_view text) {
  std::vector<std::string> names;
  std::size_t at = 0;
  while (const auto mention = next_mention(text, at)) {
    if (!mention->literal) names.emplace_back(mention->name);
    at = mention->end;
  }
  return names;
}

std::vector<std::string> environment_names(std::string_view text) {
  std::vector<std::string> names;
  const Environment noting = [&](std::string_view name) {
    names.emplace_back(name);
    return std::optional<std::string>("");
  };
  [[maybe_unused]] const auto filled = fill_environment(text, noting);
  return names;
}

std::vector<std::string> environment_names(const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<std::string> names;
  for (const auto& [unused, value] : values) {
    for (std::string& name : environment_names(value)) names.push_back(std::move(name));
  }
  return names;
}

Json fingerprinted(const Json& values, const Json& written) {
  if (const auto text = as_text(written)) {
    if (written == values) return values;
    const std::vector<std::string> names = variables_in(*text);
    if (std::ranges::none_of(names, [](const std::string& name) { return names_secret(name); }))
      return values;
    return boost::json::string(
        fmt::format("{} (sha256 {})", *text, hex(sha256(text_or_json(values))).substr(0, 16)));
  }
  if (const JsonArray* list = values.if_array(); list != nullptr && written.is_array()) {
    const JsonArray& as_written = written.get_array();
    JsonArray out;
    for (std::size_t i = 0; i < list->size(); ++i)
      out.push_back(i < as_written.size() ? fingerprinted((*list)[i], as_written[i]) : (*list)[i]);
    return out;
  }
  if (const JsonObject* object = values.if_object(); object != nullptr && written.is_object()) {
    JsonObject out;
    for (const auto& [name, member] : *object) {
      const Json* as_written = find_member(written, name);
      out.insert_or_assign(name, as_written != nullptr ? fingerprinted(member, *as_written) : member);
    }
    return out;
  }
  return values;
}

}  // namespace assay
