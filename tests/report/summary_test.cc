#include "report/summary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/report/sample.h"

namespace assay {
namespace {

// The form of shared spec/overview.md, key by key.
TEST(SummaryJson, HasTheFormOfTheOverview) {
  Summary summary;
  summary.assay = "0.1.0";
  summary.evaluation = "question_router";
  summary.run_id = "r1";
  summary.started = "2026-09-01T08:30:00Z";
  summary.finished = "2026-09-01T08:31:00Z";
  summary.cases = {5, 5, 0, 0};
  Estimate accuracy = wilson(3, 5);
  accuracy.ci = Interval{0.25, 0.875};
  summary.metrics.push_back(metric("accuracy", accuracy, Metric::Form::number));
  summary.tables.push_back(
      {"confusion_matrix", "", {"a", "b"}, {{Json(1), Json(0)}, {Json(2), Json(2)}}, true, "", ""});
  summary.usage.cost_usd = 0.5;
  summary.gates.push_back({"accuracy >= 0.5", true, 0.6, ""});
  EXPECT_EQ(
      to_text(to_json(summary)),
      R"({"assay":"0.1.0","evaluation":"question_router","run_id":"r1","started":"2026-09-01T08:30:00Z",)"
      R"("finished":"2026-09-01T08:31:00Z","cases":{"total":5,"evaluated":5,"errored":0,"invalid":0},)"
      R"("metrics":{"accuracy":{"value":0.6,"count":3,"n":5,"ci":[0.25,0.875],"method":"wilson"}},)"
      R"("tables":{"confusion_matrix":{"labels":["a","b"],"rows":[[1,0],[2,2]]}},)"
      R"("usage":{"requests":0,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.5,"cached":0},)"
      R"("gates":[{"gate":"accuracy >= 0.5","passed":true,"value":0.6}]})");
}

TEST(SummaryJson, TellsWhatWasEvaluatedAndWhatItCameToInWords) {
  Summary summary;
  summary.worked_seconds = 12.5;
  summary.about = {{"target", "http://127.0.0.1:8080/chat"}, {"judge", "sim/judge"}};
  summary.simulated = {"sim/judge"};
  summary.conclusions = {"60.0% of 5 questions were routed right.", "All gates passed."};
  summary.usage.retries = 3;
  summary.usage.repairs = 2;
  const auto again = summary_from_json(to_json(summary));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->worked_seconds, summary.worked_seconds);
  EXPECT_EQ(again->about, summary.about);
  EXPECT_EQ(again->simulated, summary.simulated);
  EXPECT_EQ(again->conclusions, summary.conclusions);
  EXPECT_EQ(again->usage.retries, 3);
  EXPECT_EQ(again->usage.repairs, 2);
  EXPECT_FALSE(summary_from_json(*parse_json(R"({"conclusions": [1]})")).has_value());
}

TEST(SummaryJson, WritesUndefinedAsNullWithItsReason) {
  Summary summary;
  summary.metrics.push_back(metric("recall", undefined_figure("no case was expected to be positive")));
  const Json recall = to_json(summary).at("metrics").at("recall");
  EXPECT_TRUE(recall.at("value").is_null());
  EXPECT_TRUE(recall.at("ci").is_null());
  EXPECT_EQ(as_text(recall.at("undefined")), "no case was expected to be positive");
  EXPECT_EQ(recall.as_object().if_contains("missing"), nullptr);
  EXPECT_EQ(recall.as_object().if_contains("bounds"), nullptr);
  EXPECT_EQ(recall.as_object().if_contains("count"), nullptr);
}

TEST(SummaryJson, WritesWhatIsNotANumberAsNull) {
  Summary summary;
  summary.metrics.push_back(metric("odd", plain_figure(std::nan(""), 3)));
  summary.metrics.back().estimate.ci = Interval{0, std::numeric_limits<double>::infinity()};
  summary.usage.cost_usd = std::nan("");
  const std::string text = to_text(to_json(summary));
  EXPECT_TRUE(parse_json(text).has_value()) << text;
  EXPECT_TRUE(to_json(summary).at("metrics").at("odd").at("value").is_null());
  EXPECT_TRUE(to_json(summary).at("usage").at("cost_usd").is_null());
}

TEST(SummaryJson, KeepsPlainCountsPlain) {
  Summary summary;
  summary.metrics.push_back(metric("miscategorised", plain_figure(2, 5), Metric::Form::count));
  EXPECT_EQ(to_text(to_json(summary).at("metrics").at("miscategorised")), R"({"value":2,"n":5})");
}

TEST(SummaryJson, ShowsTheCostAsUnknownWhenAPriceIs) {
  EXPECT_TRUE(to_json(Summary()).at("usage").at("cost_usd").is_null());
}

TEST(SummaryJson, ReadsBackAsTheSameSummary) {
  for (const ReportInput& input : {sample_report(), hostile_report()}) {
    Summary summary = input.summary;
    summary.metrics[0].better = Metric::Better::lower;
    summary.metrics[2].estimate.level = 0.9;
    summary.usage.cached_tokens = 7;
    const Json json = to_json(summary);
    const auto again = summary_from_json(json);
    ASSERT_TRUE(again.has_value()) << again.error().text();
    EXPECT_EQ(to_text(to_json(*again)), to_text(json));
    EXPECT_EQ(again->metrics[0].headline, true);
    EXPECT_EQ(again->metrics[0].form, Metric::Form::share);
    EXPECT_EQ(again->metrics[0].better, Metric::Better::lower);
    EXPECT_EQ(again->metrics[2].estimate.level, 0.9);
    EXPECT_EQ(again->tables[0].matrix, true);
    EXPECT_EQ(again->usage.cached_tokens, 7);
  }
}

TEST(SummaryJson, ReadsTheOverviewsExample) {
  const auto json = parse_json(R"({"assay": "0.1.0", "evaluation": "question_router", "run_id": "…",
    "cases": {"total": 5, "evaluated": 5, "errored": 0, "invalid": 0},
    "metrics": {"accuracy": {"value": 0.6, "n": 5, "ci": [0.23, 0.88], "method": "wilson"}},
    "tables": {"confusion_matrix": {"labels": ["…"], "rows": [[1]]}},
    "usage": {"requests": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0, "cached": 0},
    "gates": [{"gate": "accuracy >= 0.5", "passed": true, "value": 0.6}], "of_a_later_version": 1})");
  const auto summary = summary_from_json(json.value());
  ASSERT_TRUE(summary.has_value()) << summary.error().text();
  EXPECT_EQ(summary->metrics.at(0).estimate.n, 5);
  EXPECT_DOUBLE_EQ(summary->metrics.at(0).estimate.ci.value().high, 0.88);
  EXPECT_EQ(summary->usage.cost_usd, 0.0);
  EXPECT_TRUE(summary->gates.at(0).passed);
}

TEST(SummaryJson, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"[]", "found list, expected an object"},
      {R"({"evaluation": 3})", "field evaluation"},
      {R"({"cases": {"total": "five"}})", "field cases.total"},
      {R"({"cases": 5})", "field cases"},
      {R"({"metrics": {"f1": {"value": "high"}}})", "field metrics.f1.value"},
      {R"({"metrics": {"f1": {"ci": [1]}}})", "field metrics.f1.ci"},
      {R"({"metrics": {"f1": {"missing": {"refused": "two"}}}})", "field metrics.f1.missing"},
      {R"({"metrics": []})", "field metrics"},
      {R"({"tables": {"t": {"columns": [1], "rows": []}}})", "field tables.t.columns"},
      {R"({"tables": {"t": {"columns": ["a"], "rows": [1]}}})", "field tables.t.rows"},
      {R"({"gates": [{"passed": "yes"}]})", "field gates.passed"},
      {R"({"usage": {"requests": 1.5}})", "field usage.requests"},
  };
  for (const auto& [text, expected] : wrong) {
    const auto summary = summary_from_json(parse_json(text).value());
    ASSERT_FALSE(summary.has_value()) << text;
    EXPECT_NE(summary.error().text().find(expected), std::string::npos) << summary.error().text();
    EXPECT_EQ(summary.error().kind, ErrorKind::data);
  }
}

}  // namespace
}  // namespace assay
