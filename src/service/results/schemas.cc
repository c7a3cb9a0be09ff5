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
constexpr const char* kForm = R"({"enum": ["number", "share", "count"]})";
constexpr const char* kBetter = R"({"enum": ["higher", "lower", "neither"]})";
constexpr const char* kRange =
    R"({"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2})";

std::string map_of(const std::string& value) {
  return fmt::format(R"({{"type": "object", "additionalProperties": {}}})", value);
}

std::string one_of_texts(const std::string& list) {
  return fmt::format(R"({{"enum": [{}]}})", list);
}

std::string headline() {
  return object({{"name", kText}, {"estimate", estimate()}, {"form", kForm}, {"better", kBetter}},
                {{"range", kRange}, {"reference", kNumber}});
}

// As `assay compare --format json` prints it.
std::string comparison() {
  const std::string change = object({{"metric", kText},
                                     {"base", or_null(kNumber)},
                                     {"new", or_null(kNumber)},
                                     {"difference", estimate()},
                                     {"ci_with_missing", or_null(kRange)},
                                     {"p", or_null(kNumber)},
                                     {"p_holm", or_null(kNumber)},
                                     {"test", kText},
                                     {"effect_size", estimate()},
                                     {"rose", kWhole},
                                     {"fell", kWhole},
                                     {"equal", kWhole},
                                     {"unpaired", kWhole},
                                     {"neither", kWhole},
                                     {"change", kText},
                                     {"hangs_on_missing", kFlag},
                                     {"regression", kFlag},
                                     {"sentence", kText}});
  const std::string usage =
      object({{"requests", kWhole}, {"cost_usd", or_null(kNumber)}, {"cached", kWhole}});
  const std::string judges = object({{"sentences", kTexts},
                                     {"same_answers", kWhole},
                                     {"other_answers", kWhole},
                                     {"answers_known", kFlag},
                                     {"metrics", list_of(object({{"metric", kText},
                                                                 {"pass_or_fail", kFlag},
                                                                 {"agreement", estimate()},
                                                                 {"beyond_chance", estimate()},
                                                                 {"shift", estimate()},
                                                                 {"rose", kWhole},
                                                                 {"fell", kWhole},
                                                                 {"sentence", kText}}))},
                                     {"flips", list_of(object({{"id", kText},
                                                               {"metric", kText},
                                                               {"base", kNumber},
                                                               {"new", kNumber},
                                                               {"base_reason", kText},
                                                               {"new_reason", kText}}))},
                                     {"base_usage", usage},
                                     {"new_usage", usage}});
  const std::string changed = list_of(
      object({{"id", kText}, {"metric", kText}, {"base", kNumber}, {"new", kNumber}, {"worse", kFlag}}));
  return object(
      {{"conclusions", kTexts},
       {"evaluation", kText},
       {"margin", kNumber},
       {"pairs", kWhole},
       {"only_in_base", kTexts},
       {"only_in_new", kTexts},
       {"different_text", kWhole},
       {"simulated", kTexts},
       {"differences", kTexts},
       {"judged_differently", kTexts},
       {"new_failures", list_of(object({{"id", kText}, {"outcome", kText}, {"error", kText}}))},
       {"mended", kTexts},
       {"no_longer_pass", kTexts},
       {"pass_now", kTexts},
       {"metrics", list_of(change)},
       {"changed_scores", kWhole},
       {"changed_most", changed},
       {"worse_scores", kWhole},
       {"worst", changed},
       {"without_test",
        list_of(object({{"metric", kText}, {"base", or_null(kNumber)}, {"new", or_null(kNumber)}}))},
       {"regression", kFlag},
       {"undecided", kFlag}},
      {{"judges", or_null(judges)}});
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

std::string summary() {
  const std::string table = object({{"rows", list_of(list_of(kAny))}},
                                   {{"columns", kTexts}, {"labels", kTexts}, {"more_rows", kWhole}});
  const std::string shown = object(
      {},
      {{"form", kForm}, {"better", kBetter}, {"headline", kFlag}, {"range", kRange}, {"reference", kNumber}});
  const std::string titles = object({}, {{"title", kText}, {"row_title", kText}, {"column_title", kText}});
  return object(
      {{"assay", kText},
       {"evaluation", kText},
       {"run_id", kText},
       {"started", kText},
       {"finished", kText},
       {"cases", object({{"total", kWhole}, {"evaluated", kWhole}, {"errored", kWhole}, {"invalid", kWhole}},
                        {{"skipped", kWhole}, {"open", kWhole}})},
       {"metrics", map_of(estimate())},
       {"tables", map_of(table)},
       {"usage", object({{"requests", kWhole},
                         {"prompt_tokens", kWhole},
                         {"completion_tokens", kWhole},
                         {"cost_usd", or_null(kNumber)},
                         {"cached", kWhole}},
                        {{"cached_tokens", kWhole},
                         {"reasoning_tokens", kWhole},
                         {"retries", kWhole},
                         {"repairs", kWhole}})},
       {"gates", list_of(object({{"gate", kText}, {"passed", kFlag}, {"value", or_null(kNumber)}},
                                {{"note", kText}}))}},
      {{"what", kText},
       {"worked_seconds", kNumber},
       {"about", map_of(kText)},
       {"simulated", kTexts},
       {"conclusions", kTexts},
       {"prompts", map_of(kText)},
       {"display", object({}, {{"metrics", map_of(shown)}, {"tables", map_of(titles)}})}});
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
                 {"resume", kText},
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
                                          {"seconds_left", or_null(kNumber)},
                                          {"workers", list_of(object({{"name", kText},
                                                                      {"share", kNumber},
                                                                      {"silent_seconds", kNumber},
                                                                      {"why_not", or_null(kText)}}))}}))}});
}

std::string run_list() {
  return object(
      {{"runs", list_of(run_glance())}, {"fitting", kWhole}, {"total", kWhole}, {"evaluations", kTexts}});
}

std::string run_detail() {
  return object(
      {{"run", run_glance()},
       {"summary", or_null(summary())},
       {"rests_on", kTexts},
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
                 {"complete", kFlag},
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
                                     {"cached_tokens", kWhole},
                                     {"reasoning_tokens", kWhole},
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
  return object({{"base", run_glance()},
                 {"comparisons", list_of(object({{"run", run_glance()}, {"comparison", comparison()}}))}});
}

}  // namespace assay::schemas
