// What is answered about cases and judges over several runs.
#include "service/results/schemas.h"

namespace assay::schemas {
namespace {

constexpr const char* kText = R"({"type": "string"})";
constexpr const char* kWhole = R"({"type": "integer"})";
constexpr const char* kNumber = R"({"type": "number"})";
constexpr const char* kFlag = R"({"type": "boolean"})";
constexpr const char* kTexts = R"({"type": "array", "items": {"type": "string"}})";
constexpr const char* kTextMap = R"({"type": "object", "additionalProperties": {"type": "string"}})";

// As `assay audit --format json` prints it, its lists cut.
std::string audit_of_runs() {
  const std::string system = object({{"name", kText},
                                     {"mean", estimate()},
                                     {"clustered", estimate()},
                                     {"design_effect", or_null(kNumber)}});
  const std::string one_case = object({{"id", kText},
                                       {"asked", kWhole},
                                       {"solved", kWhole},
                                       {"point_biserial", estimate()},
                                       {"discrimination", estimate()},
                                       {"difficulty", estimate()},
                                       {"wrong_key", kNumber},
                                       {"text", kText}});
  const std::string suspect = object({{"id", kText},
                                      {"wrong_key", kNumber},
                                      {"asked", kWhole},
                                      {"solved", kWhole},
                                      {"key", kText},
                                      {"common_answer", kText},
                                      {"giving_it", kWhole},
                                      {"answers", kTextMap},
                                      {"text", kText}});
  const std::string cluster =
      object({{"ids", kTexts}, {"cases", kWhole}, {"least_similar", kNumber}, {"text", kText}});
  const std::string counts = object({{"cases", kWhole},
                                     {"solved_by_all", kWhole},
                                     {"solved_by_none", kWhole},
                                     {"suspects", kWhole},
                                     {"clusters", kWhole}});
  return object({{"conclusions", kTexts},
                 {"figure", kText},
                 {"simulated", kTexts},
                 {"counts", counts},
                 {"systems", list_of(system)},
                 {"solved_by_all", kTexts},
                 {"solved_by_none", kTexts},
                 {"suspects", list_of(suspect)},
                 {"clusters", list_of(cluster)},
                 {"effective_cases", kNumber},
                 {"no_model", kText},
                 {"not_in_all", kWhole},
                 {"cases", list_of(one_case)}});
}

// As `assay runs --drift --format json` prints it.
std::string drift_of_runs() {
  const std::string run = object({{"directory", kText},
                                  {"started", kText},
                                  {"judged", kWhole},
                                  {"mean", or_null(kNumber)},
                                  {"agreement", or_null(kNumber)},
                                  {"evidence", or_null(kNumber)}});
  const std::string found = object({{"way", R"({"enum": ["higher", "lower", "closer", "further"]})"},
                                    {"since", kText},
                                    {"found_after", kText},
                                    {"evidence", or_null(kNumber)},
                                    {"shift", estimate()},
                                    {"closeness_shift", estimate()}});
  const std::string series = object({{"evaluation", kText},
                                     {"figure", kText},
                                     {"anchors", object({{"file", kText}, {"sha256", kText}})},
                                     {"judge", kText},
                                     {"differs", kTexts},
                                     {"runs", list_of(run)},
                                     {"drifts", list_of(found)}});
  return object({{"sentences", kTexts}, {"drifted", kFlag}, {"series", list_of(series)}});
}

// As `assay plan --format json` prints it.
std::string plan_of_pilot() {
  const std::string variance = object(
      {{"case", estimate()}, {"answer", estimate()}, {"vote", estimate()}, {"design_effect", kNumber}});
  const std::string design = object({{"cases", kWhole},
                                     {"answers", kWhole},
                                     {"votes", kWhole},
                                     {"half_width", kNumber},
                                     {"cost_usd", or_null(kNumber)},
                                     {"requests", kNumber}});
  return object(
      {{"sentences", kTexts},
       {"figure", kText},
       {"width", or_null(kNumber)},
       {"detect", or_null(kNumber)},
       {"variance", variance},
       {"pilot", object({{"cases", kWhole}, {"answers", kNumber}, {"votes", kNumber}, {"mean", kNumber}})},
       {"designs", list_of(design)}});
}

}  // namespace

std::string audit() {
  return object({{"runs", list_of(run_glance())}, {"figures", kTexts}, {"audit", audit_of_runs()}});
}

std::string drift() {
  return object({{"drift", drift_of_runs()},
                 {"runs", list_of(object({{"id", kText}, {"directory", kText}}))},
                 {"unread", list_of(object({{"id", kText}, {"message", kText}}))},
                 {"left_out", kWhole}});
}

std::string plan() {
  return object({{"run", run_glance()},
                 {"figure", kText},
                 {"figures", kTexts},
                 {"reached", kText},
                 {"plan", or_null(plan_of_pilot())},
                 {"no_plan", kText}});
}

}  // namespace assay::schemas
