#include "evaluations/components/topic_tagger.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/components/component.h"
#include "evaluations/components/decision.h"
#include "evaluations/components/guides.h"
#include "evaluations/components/sentences.h"
#include "evaluations/figures.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay::components {
namespace {

using namespace figures;

enum Field : std::size_t {
  kQuestion,
  kExpectedPrimary,
  kExpectedSecondary,
  kActualPrimary,
  kActualSecondary,
  kStatus,
  kErrorMessage,
  kModel
};

constexpr std::size_t kMostTopicsInMatrix = 200;
constexpr std::string_view kNoTopic = "(none)";

// Each is a rate with its count.
struct Figure {
  std::string_view name;
  bool headline = false;
};
constexpr std::array<Figure, 5> kFigures = {{
    {"correct_primary_and_secondary", true},
    {"correct_topics_any_order"},
    {"matched_true_primary_with_primary", true},
    {"matched_true_primary_with_either"},
    {"matched_any_topic", true},
}};
using Matches = std::array<bool, kFigures.size()>;

using Topic = std::optional<std::string_view>;

struct Topics {
  Topic primary;
  Topic secondary;
  bool has(Topic topic) const { return topic && (primary == topic || secondary == topic); }
  // As sets: nothing is repeated, and null is nothing.
  bool within(const Topics& other) const {
    return (!primary || other.has(primary)) && (!secondary || other.has(secondary));
  }
  bool same_set(const Topics& other) const { return within(other) && other.within(*this); }
};

// In the order of kFigures.
Matches matches_of(const Topics& expected, const Topics& actual) {
  return {expected.primary == actual.primary && expected.secondary == actual.secondary,
          expected.same_set(actual), expected.primary == actual.primary, actual.has(expected.primary),
          actual.has(expected.primary) || actual.has(expected.secondary)};
}

std::string check_status(const Json& value) {
  const auto text = as_text(value);
  if (text == "success" || text == "error") return "";
  return fmt::format("found {}, expected \"success\" or \"error\"", excerpt(value));
}

bool says_error(const DataFields& fields, const LineParser& line) {
  return fields.value(line, kStatus).kind == FieldValue::Kind::text &&
         fields.value(line, kStatus).text == "error";
}

std::vector<std::string> check_line(const DataFields& fields, const LineParser& line) {
  if (!fields.declares(kActualPrimary) || says_error(fields, line)) return {};
  if (fields.value(line, kActualPrimary).kind == FieldValue::Kind::text) return {};
  return {fmt::format("field actual_primary_topic: {}, expected text (or status \"error\")",
                      fields.value(line, kActualPrimary).present() ? "found null" : "missing")};
}

struct Tagging final : CaseFacts {
  std::string expected;  // primary topics
  std::string actual;
  Matches matches{};
};

Topics topics_of(const CaseLine& line, Field primary, Field secondary) {
  const auto topic = [&line](Field field) {
    return line[field].kind == FieldValue::Kind::text ? Topic(line[field].text) : std::nullopt;
  };
  return {topic(primary), topic(secondary)};
}

std::string in_words(const Topics& topics) {
  return topics.secondary ? fmt::format("{}, then {}", topics.primary.value_or(kNoTopic), *topics.secondary)
                          : std::string(topics.primary.value_or(kNoTopic));
}

std::vector<std::string> columns() {
  std::vector<std::string> names{"id",
                                 "question",
                                 "status",
                                 "expected_primary_topic",
                                 "expected_secondary_topic",
                                 "actual_primary_topic",
                                 "actual_secondary_topic",
                                 "error_message",
                                 "model"};
  for (const Figure& figure : kFigures) names.emplace_back(figure.name);
  return names;
}

// `matches` is null where the tagger has failed.
void write_row(const CaseLine& line, const Matches* matches, ResultLine& result) {
  std::array<std::string_view, 9 + kFigures.size()> row{line.input.id,
                                                        line[kQuestion].text,
                                                        matches != nullptr ? "success" : "error",
                                                        line[kExpectedPrimary].text,
                                                        line[kExpectedSecondary].text,
                                                        line[kActualPrimary].text,
                                                        line[kActualSecondary].text,
                                                        line[kErrorMessage].text,
                                                        line[kModel].text};
  if (matches != nullptr) std::ranges::transform(*matches, row.end() - kFigures.size(), true_or_false);
  result.row(row);
}

void score(const CaseLine& line, ResultLine& result) {
  if (says_error(line.fields, line.parser)) {
    const std::string message = text_of(line[kErrorMessage]);
    result.failed(OutcomeKind::target_failed, message.empty() ? "the tagger reports an error"
                                                              : "the tagger reports an error: " + message);
    return write_row(line, nullptr, result);
  }
  const Topics expected = topics_of(line, kExpectedPrimary, kExpectedSecondary);
  const Topics actual = topics_of(line, kActualPrimary, kActualSecondary);
  auto& tagging = result.facts<Tagging>();
  tagging.expected.assign(expected.primary.value_or(kNoTopic));
  tagging.actual.assign(actual.primary.value_or(kNoTopic));
  tagging.matches = matches_of(expected, actual);
  for (std::size_t field = 0; field < line.fields.fields().size(); ++field) write_field(line, field, result);
  std::array<Score, kFigures.size()> scores;
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    result.boolean(kFigures[i].name, tagging.matches[i]);
    scores[i] = {kFigures[i].name, tagging.matches[i] ? 1.0 : 0.0};
  }
  result.scores(scores);
  write_row(line, &tagging.matches, result);
  if (tagging.matches.front()) return;
  // Those with no topic in common first.
  const auto matched = std::ranges::count(tagging.matches, true);
  result.notable(static_cast<double>(matched) / kFigures.size(), [&] {
    return NotableCase{line.input.id,
                       fmt::format("{} instead of {}", in_words(actual), in_words(expected)),
                       {{"question", text_of(line[kQuestion])},
                        {"expected", in_words(expected)},
                        {"actual", in_words(actual)}}};
  });
}

class TopicFigures final : public FactsFold<Tagging> {
  void fold(const Case& input, const Tagging& tagging) override {
    ++scored_;
    matrix_.add(tagging.expected, tagging.actual, 1, input.cluster);
    for (std::size_t i = 0; i < kFigures.size(); ++i) counts_[i] += tagging.matches[i] ? 1 : 0;
  }

  void finish(const MissingCases& missing, Summary& summary) override {
    for (std::size_t i = 0; i < kFigures.size(); ++i) {
      const auto& [name, headline] = kFigures[i];
      summary.metrics.push_back(
          share(std::string(name), with_missing(wilson(counts_[i], scored_), missing), headline));
    }
    const std::int64_t errored = summary.cases.errored;
    summary.metrics.push_back(count("errored", errored, scored_ + errored, Metric::Better::lower));
    if (matrix_.label_count() > kMostTopicsInMatrix) return;
    Table table{"confusion_matrix",
                "Primary topics, expected against actual",
                matrix_.labels(),
                {},
                true,
                "expected",
                "actual"};
    for (const auto& counts : matrix_.rows()) table.rows.emplace_back(counts.begin(), counts.end());
    summary.tables.push_back(std::move(table));
  }

  void conclude(Summary& summary) const override { conclude_topic_tagger(summary); }

  std::int64_t scored_ = 0;
  std::array<std::int64_t, kFigures.size()> counts_{};
  ConfusionMatrix matrix_;
};

}  // namespace

ComponentTask topic_tagger_task() {
  ComponentTask declared;
  declared.text_field = "question";
  declared.input = {{.name = "question", .meaning = "what the user asked"},
                    {.name = "expected_primary_topic", .meaning = "the right topic", .answer_key = true},
                    {.name = "expected_secondary_topic",
                     .presence = Presence::optional,
                     .meaning = "a second one, or null",
                     .answer_key = true}};
  declared.actual = {
      {.name = "actual_primary_topic", .presence = Presence::optional, .meaning = "the topic that was given"},
      {.name = "actual_secondary_topic", .presence = Presence::optional, .meaning = "the second one"},
      {.name = "status",
       .presence = Presence::optional,
       .meaning = "success or error",
       .check = check_status},
      {.name = "error_message",
       .presence = Presence::optional,
       .meaning = "what went wrong",
       .secondary = true},
      {.name = "model", .presence = Presence::optional, .meaning = "who answered", .secondary = true}};
  declared.check = check_line;
  declared.actual_schema = JsonObject{
      {"type", "object"},
      {"properties",
       JsonObject{{"actual_primary_topic",
                   JsonObject{{"type", "string"},
                              {"description", "The topic that the question is about above all."}}},
                  {"actual_secondary_topic",
                   JsonObject{{"type", JsonArray{"string", "null"}},
                              {"description", "A second topic that the question needs, or null."}}}}},
      {"required", JsonArray{"actual_primary_topic", "actual_secondary_topic"}},
      {"additionalProperties", false}};
  for (const Figure& figure : kFigures) {
    declared.metrics.emplace_back(figure.name);
    declared.means.push_back({std::string(figure.name)});
  }
  declared.metrics.emplace_back("errored");
  declared.columns = columns();
  declared.score = score;
  declared.aggregate = [](OutputFiles&) { return std::make_unique<TopicFigures>(); };
  return declared;
}

std::unique_ptr<Evaluation> make_topic_tagger(const Config& config, std::vector<ConfigProblem>& problems) {
  return make_component(config, topic_tagger_task(), problems);
}

}  // namespace assay::components
