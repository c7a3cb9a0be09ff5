#include "service/results/schemas.h"

namespace assay::schemas {
namespace {

constexpr const char* kText = R"({"type": "string"})";
constexpr const char* kTextOrNull = R"({"type": ["string", "null"]})";
constexpr const char* kWhole = R"({"type": "integer"})";
constexpr const char* kNumber = R"({"type": "number"})";
constexpr const char* kNumberOrNull = R"({"type": ["number", "null"]})";
constexpr const char* kFlag = R"({"type": "boolean"})";
constexpr const char* kTexts = R"({"type": "array", "items": {"type": "string"}})";
constexpr const char* kScale =
    R"({"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2})";
constexpr const char* kKind = R"({"enum": ["pair", "rating", "label", "rubric"]})";

std::string offer() {
  return object({{"kind", kKind},
                 {"title", kText},
                 {"figure", kTextOrNull},
                 {"scale", kScale},
                 {"labels", kTexts},
                 {"cases", kWhole}},
                {{"variants", kTexts}, {"question", kText}});
}

std::string task() {
  return object({{"key", kText},
                 {"number", kWhole},
                 {"of", kWhole},
                 {"material", list_of(object({{"name", kText}, {"text", kText}}))}},
                {{"asked", kText}, {"answers", object({{"A", kText}, {"B", kText}})}});
}

std::string two(const Members& who) {
  Members members = who;
  members.insert(members.end(), {{"n", kWhole}, {"agreement", estimate()}, {"kappa", estimate()}});
  return object(members);
}

// The alternative annotator test (stats/agreement/alt_test.h).
std::string annotator() {
  const std::string human = object({{"name", kText},
                                    {"advantage", estimate()},
                                    {"difference", kNumberOrNull},
                                    {"p", kNumberOrNull},
                                    {"p_adjusted", kNumberOrNull},
                                    {"stands_up", kFlag}},
                                   {{"untested", kText}});
  return object({{"winning_rate", estimate()},
                 {"advantage", estimate()},
                 {"epsilon", kNumber},
                 {"rate", kNumber},
                 {"fewest_cases", kWhole},
                 {"as_good", R"({"type": ["boolean", "null"]})"},
                 {"no_verdict", kText},
                 {"people", list_of(human)}});
}

}  // namespace

std::string sheet() {
  return object({{"id", kText},
                 {"run", kText},
                 {"kind", kKind},
                 {"title", kText},
                 {"question", kText},
                 {"rules", kText},
                 {"figure", kTextOrNull},
                 {"scale", kScale},
                 {"levels", kTexts},
                 {"labels", kTexts},
                 {"of", kWhole},
                 {"people", list_of(object({{"name", kText}, {"done", kWhole}}))},
                 {"created", kText}});
}

std::string sheet_list() {
  return object({{"sheets", list_of(sheet())}, {"offers", list_of(offer())}}, {{"no_offers", kText}});
}

std::string standing() {
  return object({{"task", or_null(task())}, {"done", kWhole}, {"of", kWhole}});
}

std::string agreement() {
  return object(
      {{"people", kTexts},
       {"pairs", list_of(two({{"a", kText}, {"b", kText}}))},
       {"alpha", or_null(estimate())},
       {"judge", list_of(two({{"person", kText}}))},
       {"human", or_null(estimate())},
       {"corrected",
        or_null(object({{"judge_only", estimate()}, {"human_only", estimate()}, {"corrected", estimate()}}))},
       {"annotator", or_null(annotator())},
       {"sentences", kTexts}});
}

std::string config_list() {
  return object({{"configs", list_of(object({{"name", kText}, {"evaluation", kText}, {"what", kText}},
                                            {{"problem", kText}}))}});
}

std::string config_detail() {
  const std::string key =
      object({{"name", kText}, {"type", kText}, {"help", kText}, {"changeable", kFlag}},
             {{"required", kFlag}, {"choices", kTexts}, {"minimum", kNumber}, {"maximum", kNumber}});
  return object({{"name", kText},
                 {"text", kText},
                 {"evaluation", kText},
                 {"values", R"({"type": "object"})"},
                 {"keys", list_of(key)}});
}

}  // namespace assay::schemas
