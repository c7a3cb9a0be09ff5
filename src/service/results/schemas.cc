#include "service/results/schemas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::schemas {
namespace {

constexpr const char* kText = R"({"type": "string"})";
constexpr const char* kWhole = R"({"type": "integer"})";
constexpr const char* kNumber = R"({"type": "number"})";
constexpr const char* kFlag = R"({"type": "boolean"})";
constexpr const char* kAny = R"({})";
constexpr const char* kTexts = R"({"type": "array", "items": {"type": "string"}})";
constexpr const char* kRange =
    R"({"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2})";

std::string map_of(const std::string& value) {
  return fmt::format(R"({{"type": "object", "additionalProperties": {}}})", value);
}

std::string one_of_texts(const std::string& list) {
  return fmt::format(R"({{"enum": [{}]}})", list);
}

std::string headline() {
  return object({{"name", kText},
                 {"estimate", estimate()},
                 {"form", one_of_texts(R"("number", "share", "count")")},
                 {"better", one_of_texts(R"("higher", "lower", "neither")")}},
                {{"range", kRange}, {"reference", kNumber}});
}

}  // namespace

std::string object(const Members& required, const Members& more) {
  std::vector<std::string> members;
  std::vector<std::string> names;
  for (const auto& [name, schema] : required) {
    members.push_back(fmt::format(R"("{}": {})", name, schema));
    names.push_back(fmt::format(R"("{}")", name));
  }
  for (const auto& [name, schema] : more) members.push_back(fmt::format(R"("{}": {})", name, schema));
  return fmt::format(R"({{"type": "object", "properties": {{{}}}, "required": [{}]}})",
                     fmt::join(members, ", "), fmt::join(names, ", "));
}

std::string estimate() {
  return object({{"value", or_null(kNumber)}, {"n", kWhole}}, {{"ci", or_null(kRange)},
                                                               {"count", kWhole},
                                                               {"method", kText},
                                                               {"level", kNumber},
                                                               {"undefined", kText},
                                                               {"missing", map_of(kWhole)},
                                                               {"bounds", kRange}});
}

std::string list_of(const std::string& entry) {
  return fmt::format(R"({{"type": "array", "items": {}}})", entry);
}

std::string or_null(const std::string& schema) {
  return fmt::format(R"({{"anyOf": [{}, {{"type": "null"}}]}})", schema);
}

std::string run_glance() {
  return object({{"id", kText},
                 {"directory", kText},
                 {"evaluation", kText},
                 {"what", kText},
                 {"models", kTexts},
                 {"state", one_of_texts(R"("running", "unfinished", "done", "gate failed")")},
                 {"started", kText},
                 {"finished", or_null(kText)},
                 {"done", kWhole},
                 {"cases", kWhole},
                 {"errored", kWhole},
                 {"headline", or_null(headline())},
                 {"gates", object({{"passed", kWhole}, {"failed", kWhole}})},
                 {"cost_usd", or_null(kNumber)},
                 {"simulated", kTexts},
                 {"live", or_null(object({{"requests", kWhole},
                                          {"tokens", kWhole},
                                          {"rate", or_null(kNumber)},
                                          {"seconds_left", or_null(kNumber)}}))}});
}

std::string run_list() {
  return object(
      {{"runs", list_of(run_glance())}, {"fitting", kWhole}, {"total", kWhole}, {"evaluations", kTexts}});
}

std::string run_detail() {
  return object(
      {{"run", run_glance()},
       {"summary", or_null(object({{"evaluation", kText},
                                   {"conclusions", kTexts},
                                   {"cases", R"({"type": "object"})"},
                                   {"metrics", map_of(estimate())},
                                   {"usage", R"({"type": "object"})"}}))},
       {"plots", list_of(object({{"name", kText},
                                 {"title", kText},
                                 {"caption", kText},
                                 {"spec", R"({"type": "object"})"},
                                 {"wide", kFlag}}))},
       {"notable", list_of(object({{"id", kText},
                                   {"why", kText},
                                   {"fields", list_of(object({{"name", kText}, {"text", kText}}))}}))},
       {"problems", list_of(object({{"severity", kText}, {"place", kText}, {"message", kText}}))},
       {"problem_count", kWhole},
       {"config", kText},
       {"command", kText},
       {"pages", kTexts}});
}

std::string case_glance() {
  return object({{"id", kText},
                 {"outcome", kText},
                 {"ended", kText},
                 {"scores", map_of(or_null(kNumber))},
                 {"cost_usd", or_null(kNumber)},
                 {"latency_ms", or_null(kNumber)}},
                {{"error", kText}, {"text", kText}});
}

std::string case_page() {
  return object({{"rows", list_of(case_glance())},
                 {"fitting", kWhole},
                 {"total", kWhole},
                 {"not_begun", kWhole},
                 {"finished", kFlag},
                 {"scores", kTexts},
                 {"outcomes", map_of(kWhole)},
                 {"traits", map_of(kTexts)}});
}

std::string case_view() {
  const std::string effect = object({{"step", kText},
                                     {"attempt", kWhole},
                                     {"kind", kText},
                                     {"model", kText},
                                     {"request", kAny},
                                     {"reply", kAny},
                                     {"prompt_tokens", kWhole},
                                     {"completion_tokens", kWhole},
                                     {"cost_usd", or_null(kNumber)},
                                     {"latency_ms", kNumber},
                                     {"tries", kWhole},
                                     {"reused", kFlag},
                                     {"finished", kText}});
  return object({{"evaluation", kText},
                 {"id", kText},
                 {"line", or_null(kWhole)},
                 {"outcome", kText},
                 {"input", or_null(R"({"type": "object"})")},
                 {"effects", list_of(effect)},
                 {"result", or_null(R"({"type": "object"})")},
                 {"notes", kTexts}});
}

std::string comparisons() {
  return object(
      {{"base", run_glance()},
       {"comparisons", list_of(object({{"run", run_glance()}, {"comparison", R"({"type": "object"})"}}))}});
}

}  // namespace assay::schemas
