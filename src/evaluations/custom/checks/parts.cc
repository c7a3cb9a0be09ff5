#include "evaluations/custom/checks/parts.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/schema/numbers.h"
#include "core/text.h"
#include "core/unicode.h"
#include "evaluations/scoring/rows.h"

namespace assay::custom {
namespace {

constexpr std::size_t kLongestQuote = 100;
constexpr std::size_t kReadForQuote = 1000;
constexpr std::size_t kMostQuoted = 20;

// "0.5" where a number is wanted, "true" where a truth value is.
Json spelled_out(const Key* key, const Json& value) {
  const bool wanted = key != nullptr && (key->type == KeyType::number || key->type == KeyType::integer ||
                                         key->type == KeyType::boolean);
  const auto text = wanted ? as_text(value) : std::nullopt;
  if (!text) return value;
  auto read = parse_json(trim(*text));
  if (!read) return value;
  return std::move(*read);
}

}  // namespace

Keys no_options() {
  return {};
}

Result<Config> read_options(const Keys& keys, const JsonObject& options) {
  ConfigSource source;
  JsonObject values;
  for (const auto& [name, value] : options) values.emplace(name, spelled_out(find_key(keys, name), value));
  source.document.value = std::move(values);
  ResolvedConfig resolved = resolve_config(keys, source);
  if (resolved.problems.empty()) return std::move(resolved.config);
  std::string words;
  for (const ConfigProblem& problem : resolved.problems)
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", problem.key, problem.text);
  return fail(ErrorKind::config, std::move(words));
}

std::unexpected<Error> unexpected_argument(const Json& found, std::string_view expected) {
  return fail(ErrorKind::config, fmt::format("found {}, expected {}", excerpt(found), expected));
}

Checked yes_or_no(bool yes, std::string reason) {
  return {yes ? 1.0 : 0.0, std::move(reason)};
}

Checked nothing(std::string reason) {
  return {std::nullopt, std::move(reason)};
}

std::string in_quotes(std::string_view text) {
  const std::string_view begin = cut(text, kReadForQuote);
  std::string line = collapse_white_space(begin);
  if (begin.size() < text.size()) line += "…";
  return fmt::format("\"{}\"", shorten(line, kLongestQuote));
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < std::min(texts.size(), kMostQuoted); ++i)
    out += (i == 0 ? "" : ", ") + in_quotes(texts[i]);
  if (texts.size() > kMostQuoted) out += fmt::format(" and {} more", texts.size() - kMostQuoted);
  return out;
}

std::string count_of(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

Keys text_rule_keys() {
  const auto flag = [](std::string name, std::string help) {
    return Key{
        .name = std::move(name), .type = KeyType::boolean, .help = std::move(help), .default_value = false};
  };
  return {flag("ignore_case", "Upper and lower case are the same (Unicode's full case folding: ß = SS)."),
          flag("ignore_space", "Any run of white space is one space, and at both ends it is nothing."),
          flag("ignore_punctuation", "Punctuation is not there.")};
}

TextRule read_text_rule(const Config& options) {
  return {options.boolean("ignore_case"), options.boolean("ignore_space"),
          options.boolean("ignore_punctuation")};
}

std::string comparable(std::string_view text, const TextRule& rule) {
  std::string bare;
  if (rule.ignore_punctuation) {
    bare = without_punctuation(text);
    text = bare;
  }
  std::string out = rule.ignore_case ? casefold(text) : nfc(text);
  return rule.ignore_space ? collapse_white_space(out) : out;
}

std::string text_of(const Json& value) {
  return value.is_null() ? std::string() : text_or_json(value);
}

Result<std::vector<std::string>> texts_in(const Json& argument) {
  const auto is_text = [](const Json& value) { return !value.is_null() && !value.is_structured(); };
  std::vector<std::string> texts;
  if (is_text(argument)) {
    texts.push_back(text_of(argument));
    return texts;
  }
  const JsonArray* list = argument.if_array();
  if (list == nullptr || !std::ranges::all_of(*list, is_text))
    return unexpected_argument(argument, "a text or a list of texts");
  for (const Json& item : *list) texts.push_back(text_of(item));
  return texts;
}

Key lenient_key() {
  return {.name = "lenient",
          .type = KeyType::boolean,
          .help = "JSON inside ``` fences or running text counts, with comments and trailing commas.",
          .default_value = false};
}

Result<Json> json_in(const Json& value, bool lenient) {
  const auto text = as_text(value);
  if (!text) return value;
  auto strict = parse_json(*text);
  if (strict || !lenient) return strict;
  auto read = parse_lenient_json(*text);
  if (!read) return fail(std::move(read.error()));
  return std::move(read->value);
}

bool same_json(const Json& a, const Json& b, const TextRule& rule) {
  if (a.is_string() && b.is_string())
    return comparable(a.get_string(), rule) == comparable(b.get_string(), rule);
  if (a.is_array() && b.is_array())
    return std::ranges::equal(a.get_array(), b.get_array(),
                              [&](const Json& x, const Json& y) { return same_json(x, y, rule); });
  if (a.is_object() && b.is_object()) {
    if (a.get_object().size() != b.get_object().size()) return false;
    return std::ranges::all_of(a.get_object(), [&](const auto& member) {
      const Json* other = b.get_object().if_contains(member.key());
      return other != nullptr && same_json(member.value(), *other, rule);
    });
  }
  return schema::equal_values(a, b);
}

std::optional<double> as_amount(const Json& value) {
  const auto number = scoring::number_of(value, false);
  return number && *number >= 0 ? number : std::nullopt;
}

Result<Bounds> read_bounds(const Json& argument, Alone alone, std::optional<double> (*read)(const Json&),
                           std::string_view expected) {
  if (const auto number = read(argument))
    return Bounds{alone == Alone::is_exact ? number : std::nullopt, number};
  const JsonObject* object = argument.if_object();
  if (object == nullptr || object->empty()) return unexpected_argument(argument, expected);
  Bounds bounds;
  for (const auto& [name, value] : *object) {
    std::optional<double>* bound = name == "min" ? &bounds.min : name == "max" ? &bounds.max : nullptr;
    if (bound == nullptr)
      return fail(ErrorKind::config,
                  fmt::format("unknown key `{}`; known are min, max", std::string_view(name)));
    *bound = read(value);
    if (!*bound) return unexpected_argument(argument, expected);
  }
  if (bounds.min && bounds.max && *bounds.min > *bounds.max)
    return fail(ErrorKind::config,
                fmt::format("found {}, expected a min that is not above the max", excerpt(argument)));
  return bounds;
}

}  // namespace assay::custom
