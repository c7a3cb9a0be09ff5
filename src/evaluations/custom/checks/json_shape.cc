// Is the answer JSON, and of the right shape?
#include <array>
#include <memory>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/schema/schema.h"
#include "core/text.h"
#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/parts.h"

namespace assay::custom {
namespace {

constexpr std::size_t kLongestReason = 4000;

Keys json_options() {
  return {lenient_key()};
}

Keys schema_options() {
  return {
      lenient_key(),
      {.name = "formats",
       .type = KeyType::boolean,
       .help = "`format` decides too (date, email, uri, …); else it is an annotation, as the draft has it.",
       .default_value = false}};
}

Checked not_json(const Error& error) {
  return yes_or_no(false, "not JSON: " + error.text());
}

Checked has_members(const Json& value, const std::vector<std::string>& keys) {
  if (!value.is_object())
    return yes_or_no(false, fmt::format("found a {}, expected an object", kind_word(value)));
  std::vector<std::string> missing;
  for (const std::string& key : keys) {
    if (!value.get_object().contains(key)) missing.push_back(key);
  }
  if (!missing.empty()) return yes_or_no(false, "missing: " + quoted_list(missing));
  return yes_or_no(true, "JSON with " + quoted_list(keys));
}

CheckMade make_json(const Json& argument, const Config& options) {
  std::vector<std::string> keys;
  if (argument != Json(true)) {
    auto names =
        argument.is_bool()
            ? unexpected_argument(argument,
                                  "true, or the keys that must be there; for the opposite there is not_json")
            : texts_in(argument);
    if (!names) return fail(std::move(names.error()));
    keys = std::move(*names);
  }
  return check_of([keys = std::move(keys), lenient = options.boolean("lenient")](const Subject& subject) {
    const auto value = json_in(subject.value, lenient);
    if (!value) return not_json(value.error());
    return keys.empty() ? yes_or_no(true, "JSON") : has_members(*value, keys);
  });
}

CheckMade make_json_schema(const Json& argument, const Config& options) {
  if (!argument.is_object() && !argument.is_bool()) return unexpected_argument(argument, "a JSON schema");
  auto compiled = Schema::compile(argument, SchemaOptions{.assert_formats = options.boolean("formats")});
  if (!compiled) return fail(std::move(compiled.error()));
  auto schema = std::make_unique<const Schema>(std::move(*compiled));
  return check_of([schema = std::move(schema), lenient = options.boolean("lenient")](const Subject& subject) {
    const auto value = subject.inside_json ? Result<Json>(subject.value) : json_in(subject.value, lenient);
    if (!value) return not_json(value.error());
    const auto defects = schema->validate(*value);
    if (defects.empty()) return yes_or_no(true, "valid");
    return yes_or_no(false, shorten(describe(defects), kLongestReason));
  });
}

}  // namespace

std::span<const CheckKind> json_kinds() {
  using enum CheckKind::Value;
  static const std::array kinds = {
      CheckKind{.name = "json",
                .value = yes_no,
                .has_not = true,
                .argument = "true, or keys that the object must have",
                .help = "The whole answer is JSON (RFC 8259).",
                .example = "{name: parses, json: [amount, reason]}",
                .options = json_options,
                .make = made<make_json, json_options>},
      CheckKind{
          .name = "json_schema",
          .value = yes_no,
          .has_not = true,
          .argument = "a JSON schema (draft 2020-12), or its file",
          .help = "The whole answer is JSON that is valid against the schema; the reason names every defect.",
          .example = "{name: shape, json_schema: {type: object, required: [amount]}}",
          .options = schema_options,
          .make = made<make_json_schema, schema_options>},
  };
  return kinds;
}

}  // namespace assay::custom
