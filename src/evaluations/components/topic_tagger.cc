// topic_tagger: does each question get the right topics, one primary and perhaps a secondary one?

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/components/component.h"
#include "evaluations/components/tasks.h"
#include "evaluations/figures.h"
#include "report/csv.h"
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

constexpr std::size_t kShownCases = 20;
constexpr std::size_t kMostTopicsInMatrix = 200;
constexpr std::string_view kNoTopic = "(none)";
constexpr std::array<const char*, 5> kFigures = {"correct_primary_and_secondary", "correct_topics_any_order",
                                                 "matched_true_primary_with_primary",
                                                 "matched_true_primary_with_either", "matched_any_topic"};

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
std::array<bool, kFigures.size()> figures_of(const Topics& expected, const Topics& actual) {
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

class TopicScorer final : public LineScorer {
 public:
  TopicScorer(const DataFields& fields, OutputFiles& files)
      : fields_(fields), rows_(files.open("results.csv")) {
    std::vector<std::string> header{"id",
                                    "question",
                                    "status",
                                    "expected_primary_topic",
                                    "expected_secondary_topic",
                                    "actual_primary_topic",
                                    "actual_secondary_topic",
                                    "error_message",
                                    "model"};
    header.insert(header.end(), kFigures.begin(), kFigures.end());
    write(header);
    for (std::size_t i = 0; i < kFigures.size(); ++i) rate_names_[i] = std::string(kFigures[i]) + ".rate";
  }

  std::optional<std::string> failure(const Case& input, const LineParser& line) override {
    if (!says_error(fields_, line)) return std::nullopt;
    std::vector<std::string> row = row_of(input, line);
    row.resize(row.size() + kFigures.size());
    write(row);
    const std::string message = text_of(fields_.value(line, kErrorMessage));
    return message.empty() ? "the tagger reports an error" : "the tagger reports an error: " + message;
  }

  void score(const Case& input, const LineParser& line, LegacyLine& result) override {
    const Topics expected{topic(line, kExpectedPrimary), topic(line, kExpectedSecondary)};
    const Topics actual{topic(line, kActualPrimary), topic(line, kActualSecondary)};
    const auto values = figures_of(expected, actual);
    ++scored_;
    matrix_.add(expected.primary.value_or(kNoTopic), actual.primary.value_or(kNoTopic), 1, input.cluster);
    for (std::size_t field = 0; field < fields_.fields().size(); ++field) {
      if (fields_.value(line, field).present())
        result.json(fields_.fields()[field].name, fields_.tree(line, field));
    }
    std::vector<std::string> row = row_of(input, line);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i]) ++counts_[i];
      result.boolean(kFigures[i], values[i]);
      row.emplace_back(values[i] ? "true" : "false");
    }
    write(row);
    std::vector<Score> scores;
    scores.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) scores.push_back({rate_names_[i], values[i] ? 1.0 : 0.0});
    result.scores(scores);
    // Those with no topic in common first.
    const auto goodness = std::count(values.begin(), values.end(), true);
    if (!values[0]) note(input, line, goodness, expected, actual);
  }

  void finish(const std::map<std::string, std::int64_t>& missing, Summary& summary,
              std::vector<NotableCase>& notable) override {
    std::int64_t errored = 0;
    for (const auto& [reason, number_of] : missing) errored += number_of;
    for (std::size_t i = 0; i < kFigures.size(); ++i) {
      const std::string name = kFigures[i];
      const bool headline = i == 0 || i == 2 || i == 4;
      summary.metrics.push_back(
          share(name + ".rate", with_missing(wilson(counts_[i], scored_), missing), headline));
      summary.metrics.push_back(count(name + ".count", counts_[i], scored_, Metric::Better::higher));
    }
    summary.metrics.push_back(count("errored", errored, scored_ + errored, Metric::Better::lower));
    if (matrix_.label_count() <= kMostTopicsInMatrix) {
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
    for (auto& [goodness, entry] : wrong_) notable.push_back(std::move(entry));
  }

 private:
  Topic topic(const LineParser& line, Field field) const {
    const FieldValue& value = fields_.value(line, field);
    return value.kind == FieldValue::Kind::text ? Topic(value.text) : std::nullopt;
  }

  std::vector<std::string> row_of(const Case& input, const LineParser& line) const {
    const bool failed = says_error(fields_, line);
    std::vector<std::string> row{std::string(input.id), text_of(fields_.value(line, kQuestion)),
                                 failed ? "error" : "success"};
    for (const Field field :
         {kExpectedPrimary, kExpectedSecondary, kActualPrimary, kActualSecondary, kErrorMessage, kModel})
      row.push_back(text_of(fields_.value(line, field)));
    return row;
  }

  void write(const std::vector<std::string>& cells) {
    if (rows_ == nullptr) return;
    row_.clear();
    append_csv_row(row_, cells);
    rows_->write(row_);
  }

  void note(const Case& input, const LineParser& line, std::ptrdiff_t goodness, const Topics& expected,
            const Topics& actual) {
    if (wrong_.size() == kShownCases && goodness >= wrong_.back().first) return;
    const auto words = [](const Topics& topics) {
      return topics.secondary
                 ? fmt::format("{}, then {}", topics.primary.value_or(kNoTopic), *topics.secondary)
                 : std::string(topics.primary.value_or(kNoTopic));
    };
    NotableCase notable{std::string(input.id),
                        fmt::format("{} instead of {}", words(actual), words(expected)),
                        {{"question", text_of(fields_.value(line, kQuestion))},
                         {"expected", words(expected)},
                         {"actual", words(actual)}}};
    const auto at = std::upper_bound(wrong_.begin(), wrong_.end(), goodness,
                                     [](auto value, const auto& entry) { return value < entry.first; });
    wrong_.insert(at, {goodness, std::move(notable)});
    if (wrong_.size() > kShownCases) wrong_.pop_back();
  }

  const DataFields& fields_;
  AtomicFile* rows_;
  std::string row_;
  std::array<std::string, kFigures.size()> rate_names_;
  std::int64_t scored_ = 0;
  std::array<std::int64_t, kFigures.size()> counts_{};
  ConfusionMatrix matrix_;
  std::vector<std::pair<std::ptrdiff_t, NotableCase>> wrong_;
};

ComponentTask task() {
  ComponentTask declared;
  declared.text_field = "question";
  declared.input = {{.name = "question"},
                    {.name = "expected_primary_topic", .answer_key = true},
                    {.name = "expected_secondary_topic", .presence = Presence::optional, .answer_key = true}};
  declared.actual = {
      {.name = "actual_primary_topic", .presence = Presence::optional, .answer_key = true},
      {.name = "actual_secondary_topic", .presence = Presence::optional, .answer_key = true},
      {.name = "status", .presence = Presence::optional, .answer_key = true, .check = check_status},
      {.name = "error_message", .presence = Presence::optional, .answer_key = true},
      {.name = "model", .presence = Presence::optional, .answer_key = true}};
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
  for (const char* figure : kFigures) {
    declared.metrics.push_back(std::string(figure) + ".count");
    declared.metrics.push_back(std::string(figure) + ".rate");
    declared.means.push_back({std::string(figure) + ".rate"});
  }
  declared.metrics.emplace_back("errored");
  declared.scorer = [](const DataFields& fields, OutputFiles& files) {
    return std::make_unique<TopicScorer>(fields, files);
  };
  return declared;
}

}  // namespace

std::unique_ptr<Evaluation> make_topic_tagger(const Config& config, std::vector<ConfigProblem>& problems) {
  return make_component(config, task(), problems);
}

}  // namespace assay::components
