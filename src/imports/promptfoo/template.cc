#include "imports/promptfoo/template.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::promptfoo {
namespace {

constexpr std::size_t kLongest = std::size_t{4} << 20;  // variables may name variables, and grow

bool name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// Reads an expression from the left.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(trim(text)) {}

  bool done() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_ = trim(rest_.substr(1));
    return true;
  }
  std::string name() {
    std::size_t size = 0;
    while (size < rest_.size() && name_character(rest_[size])) ++size;
    std::string out(rest_.substr(0, size));
    rest_ = trim(rest_.substr(size));
    return out;
  }
  std::optional<std::string> quoted() {
    if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) return std::nullopt;
    std::string out;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\' && i + 1 < rest_.size()) {
        out += rest_[++i];
      } else if (rest_[i] == rest_.front()) {
        rest_ = trim(rest_.substr(i + 1));
        return out;
      } else {
        out += rest_[i];
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view rest_;
};

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Json member_of(const Json& value, std::string_view key) {
  if (const Json* member = find_member(value, key)) return *member;
  const auto index = whole_number(key);
  const JsonArray* list = value.if_array();
  if (index && list != nullptr && *index < list->size()) return (*list)[*index];
  return nullptr;
}

std::string as_shown(const Json& value) {
  return value.is_null() ? "" : text_or_json(value);
}

Result<Json> filtered(Json value, const std::string& filter, const std::optional<std::string>& argument) {
  if (filter == "safe") return value;
  if (filter == "dump" || filter == "tojson") return boost::json::string(to_text(value));
  if (filter == "trim") return boost::json::string(trim(as_shown(value)));
  if (filter == "lower") return boost::json::string(lower_ascii(as_shown(value)));
  if (filter == "upper") return boost::json::string(upper_ascii(as_shown(value)));
  if ((filter == "default" || filter == "d") && argument)
    return value.is_null() ? Json(boost::json::string(*argument)) : value;
  if (filter == "join") {
    std::string out;
    const JsonArray* list = value.if_array();
    if (list == nullptr) return boost::json::string(as_shown(value));
    for (std::size_t i = 0; i < list->size(); ++i)
      out += (i > 0 ? argument.value_or("") : "") + as_shown((*list)[i]);
    return boost::json::string(out);
  }
  return fail(ErrorKind::data, fmt::format("the filter {} has no counterpart", filter));
}

Result<Json> first_value(Words& words, const JsonObject& variables) {
  if (const auto text = words.quoted()) return boost::json::string(*text);
  const std::string name = words.name();
  if (name.empty()) return fail(ErrorKind::data, fmt::format("“{}” has no counterpart", words.rest()));
  const Json* found = variables.if_contains(name);
  Json value = found == nullptr ? Json() : *found;
  while (true) {
    if (words.take('.')) {
      value = member_of(value, words.name());
    } else if (words.take('[')) {
      auto key = words.quoted();
      if (!key) key = words.name();
      if (!words.take(']')) return fail(ErrorKind::data, "a bracket has no counterpart");
      value = member_of(value, *key);
    } else {
      return value;
    }
  }
}

}  // namespace

bool Template::is_literal() const {
  return std::ranges::all_of(
      parts, [](const TemplatePart& part) { return part.kind == TemplatePart::Kind::literal; });
}

std::string Template::only_expression() const {
  return parts.size() == 1 && parts.front().kind == TemplatePart::Kind::expression ? parts.front().text : "";
}

Result<Template> parse_template(std::string_view text) {
  Template out;
  const auto add = [&](std::string_view literal) {
    if (literal.empty()) return;
    if (!out.parts.empty() && out.parts.back().kind == TemplatePart::Kind::literal) {
      out.parts.back().text += literal;
    } else {
      out.parts.push_back({TemplatePart::Kind::literal, std::string(literal)});
    }
  };
  while (!text.empty()) {
    std::size_t open = text.find('{');
    while (open != std::string_view::npos && open + 1 < text.size() && text[open + 1] != '{' &&
           text[open + 1] != '%' && text[open + 1] != '#') {
      open = text.find('{', open + 1);
    }
    if (open == std::string_view::npos || open + 1 >= text.size()) {
      add(text);
      break;
    }
    add(text.substr(0, open));
    const char kind = text[open + 1];
    const std::string_view closing = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
    const std::size_t close = text.find(closing, open + 2);
    if (close == std::string_view::npos) {
      add(text.substr(open));  // as Nunjucks would refuse it: nobody has such a suite running
      break;
    }
    const std::string_view inside = trim(text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 2);
    if (kind == '#') continue;
    if (inside.starts_with('-') || inside.ends_with('-'))
      return fail(ErrorKind::data, "white space control ({{- … -}}) has no counterpart");
    if (kind == '%') {
      constexpr std::string_view kEnd = "{% endraw %}";
      const std::size_t end = inside == "raw" ? text.find(kEnd) : std::string_view::npos;
      if (end == std::string_view::npos)
        return fail(ErrorKind::data, fmt::format("{{% {} %}} has no counterpart", inside));
      add(text.substr(0, end));
      text.remove_prefix(end + kEnd.size());
      continue;
    }
    out.parts.push_back({TemplatePart::Kind::expression, std::string(inside)});
  }
  return out;
}

bool is_name(std::string_view expression) {
  return !expression.empty() && std::ranges::all_of(expression, name_character);
}

Result<Json> evaluate(std::string_view expression, const JsonObject& variables) {
  Words words(expression);
  auto value = first_value(words, variables);
  while (value && words.take('|')) {
    const std::string filter = words.name();
    std::optional<std::string> argument;
    if (words.take('(')) {
      argument = words.quoted();
      if (!words.take(')'))
        return fail(ErrorKind::data, fmt::format("the arguments of {} have no counterpart", filter));
    }
    value = filtered(std::move(*value), filter, argument);
  }
  if (value && !words.done())
    return fail(ErrorKind::data, fmt::format("“{}” has no counterpart", words.rest()));
  return value;
}

Result<std::string> render(const Template& pattern, const JsonObject& variables) {
  std::string out;
  for (const TemplatePart& part : pattern.parts) {
    if (part.kind == TemplatePart::Kind::literal) {
      out += part.text;
      continue;
    }
    const auto value = evaluate(part.text, variables);
    if (!value) return fail(value.error());
    out += as_shown(*value);
    if (out.size() > kLongest) return fail(ErrorKind::data, "it makes a text of more than 4 MiB");
  }
  return out;
}

Result<std::string> render_text(std::string_view text, const JsonObject& variables) {
  const auto pattern = parse_template(text);
  if (!pattern) return fail(pattern.error());
  return render(*pattern, variables);
}

Result<Json> render_tree(const Json& tree, const JsonObject& variables) {
  if (const auto text = as_text(tree)) {
    auto rendered = render_text(*text, variables);
    if (!rendered) return fail(std::move(rendered.error()));
    return boost::json::string(*rendered);
  }
  if (const JsonArray* list = tree.if_array()) {
    JsonArray out;
    for (const Json& item : *list) {
      auto rendered = render_tree(item, variables);
      if (!rendered) return rendered;
      out.push_back(std::move(*rendered));
    }
    return out;
  }
  if (const JsonObject* object = tree.if_object()) {
    JsonObject out;
    for (const auto& [key, value] : *object) {
      auto rendered = render_tree(value, variables);
      if (!rendered) return rendered;
      out.emplace(key, std::move(*rendered));
    }
    return out;
  }
  return tree;
}

std::string with_environment(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) return out + std::string(text);
    const std::string_view inside = trim(text.substr(open + 2, close - open - 2));
    out += text.substr(0, open);
    if (inside.starts_with("env.") && is_name(inside.substr(4))) {
      out += fmt::format("${{{}}}", inside.substr(4));
    } else {
      out += text.substr(open, close + 2 - open);
    }
    text.remove_prefix(close + 2);
  }
}

}  // namespace assay::promptfoo
