#include "report/gates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/report/sample.h"

namespace assay {
namespace {

bool passes(const std::string& text, const Summary& summary) {
  const auto gate = parse_gate(text);
  EXPECT_TRUE(gate.has_value()) << (gate ? "" : gate.error().text());
  const auto result = evaluate_gate(*gate, summary);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().text());
  return result && result->passed;
}

TEST(Gate, ReadsNameOperatorAndNumber) {
  const auto gate = parse_gate("  faithfulness.mean>=0.9 ");
  ASSERT_TRUE(gate.has_value());
  EXPECT_EQ(gate->text, "faithfulness.mean>=0.9");
  EXPECT_EQ(gate->name, "faithfulness.mean");
  EXPECT_EQ(gate->comparison, GateOperator::at_least);
  EXPECT_DOUBLE_EQ(gate->threshold, 0.9);
  EXPECT_EQ(parse_gate("errored == 0")->comparison, GateOperator::equal);
  EXPECT_EQ(parse_gate("a != 1")->comparison, GateOperator::not_equal);
  EXPECT_EQ(parse_gate("a < 1")->comparison, GateOperator::below);
  EXPECT_EQ(parse_gate("a > 1")->comparison, GateOperator::above);
  EXPECT_EQ(parse_gate("a <= -1e-3")->comparison, GateOperator::at_most);
  EXPECT_DOUBLE_EQ(parse_gate("a <= -1e-3")->threshold, -0.001);
  EXPECT_DOUBLE_EQ(parse_gate("a <= +2")->threshold, 2);
}

TEST(Gate, TakesLabelsWithSpacesAndSigns) {
  const auto gate = parse_gate("precision.a < b, or so >= 0.5");
  ASSERT_TRUE(gate.has_value());
  EXPECT_EQ(gate->name, "precision.a < b, or so");
  EXPECT_EQ(gate->comparison, GateOperator::at_least);
}

TEST(Gate, SaysWhatIsWrongWithIt) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "none of >="},
      {"precision", "none of >="},
      {"precision = 0.8", "use =="},
      {"precision => 0.8", "operator"},
      {">= 0.8", "names no metric"},
      {"precision >=", "no number"},
      {"precision >= high", "\"high\" is not a number"},
      {"precision >= 0.8x", "is not a number"},
      {"precision >= nan", "is not a number"},
      {"precision >= inf", "is not a number"},
      {"precision >= 80%", "write the share 80% as 0.8"},
  };
  for (const auto& [text, expected] : wrong) {
    const auto gate = parse_gate(text);
    ASSERT_FALSE(gate.has_value()) << text;
    EXPECT_NE(gate.error().text().find(expected), std::string::npos) << gate.error().text();
    EXPECT_EQ(gate.error().kind, ErrorKind::config);
  }
}

TEST(Gate, ComparesMetricsCasesAndUsage) {
  const Summary summary = sample_report().summary;  // accuracy 0.6, errored 2, invalid 1, cost 0.0421
  EXPECT_TRUE(passes("accuracy >= 0.6", summary));
  EXPECT_FALSE(passes("accuracy > 0.6", summary));
  EXPECT_TRUE(passes("accuracy <= 0.6", summary));
  EXPECT_FALSE(passes("accuracy < 0.6", summary));
  EXPECT_TRUE(passes("accuracy == 0.6", summary));
  EXPECT_FALSE(passes("accuracy != 0.6", summary));
  EXPECT_FALSE(passes("accuracy >= 0.61", summary));
  EXPECT_TRUE(passes("errored == 2", summary));
  EXPECT_TRUE(passes("cases.errored < 3", summary));
  EXPECT_TRUE(passes("invalid == 1", summary));
  EXPECT_TRUE(passes("total >= 8", summary));
  EXPECT_TRUE(passes("cases.evaluated == 5", summary));
  EXPECT_TRUE(passes("usage.cost_usd <= 0.05", summary));
  EXPECT_TRUE(passes("usage.requests == 10", summary));
  EXPECT_TRUE(passes("miscategorised <= 2", summary));
}

TEST(Gate, DoesNotFailByTheLastBit) {
  Summary summary;
  summary.metrics.push_back(metric("mean", plain_figure(0.1 + 0.2, 3)));  // 0.30000000000000004
  summary.metrics.push_back(metric("low", plain_figure(0.9 - 1e-16, 3)));
  EXPECT_TRUE(passes("mean == 0.3", summary));
  EXPECT_TRUE(passes("mean <= 0.3", summary));
  EXPECT_FALSE(passes("mean > 0.3", summary));
  EXPECT_TRUE(passes("low >= 0.9", summary));
  EXPECT_FALSE(passes("low >= 0.900001", summary));
}

TEST(Gate, FailsOnAnUndefinedFigureAndSaysWhy) {
  Summary summary = sample_report().summary;
  for (const char* text : {"precision >= 0", "precision != 5", "precision < 1"}) {
    const auto result = evaluate_gate(parse_gate(text).value(), summary);
    ASSERT_TRUE(result.has_value());
    EXPECT_FALSE(result->passed);
    EXPECT_FALSE(result->value.has_value());
    EXPECT_EQ(result->note, "undefined: no case was classified as positive");
  }
  summary.usage.cost_usd.reset();
  const auto cost = evaluate_gate(parse_gate("usage.cost_usd <= 100").value(), summary);
  EXPECT_FALSE(cost->passed);
  EXPECT_NE(cost->note, "");
  summary.metrics[0].estimate.value = std::nan("");
  EXPECT_FALSE(evaluate_gate(parse_gate("accuracy != 3").value(), summary)->passed);
}

TEST(Gate, PrefersAMetricToACountOfCasesOfTheSameName) {
  Summary summary = sample_report().summary;
  summary.metrics.push_back(metric("errored", plain_figure(7, 7), Metric::Form::count));
  EXPECT_TRUE(passes("errored == 7", summary));
  EXPECT_TRUE(passes("cases.errored == 2", summary));
}

TEST(Gate, NamesTheNearestMetricsForAnUnknownOne) {
  const auto result = evaluate_gate(parse_gate("acuracy >= 0.5").value(), sample_report().summary);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().text().find("there is no metric \"acuracy\"; the nearest are accuracy"),
            std::string::npos)
      << result.error().text();
  EXPECT_NE(result.error().text().find("acuracy >= 0.5"), std::string::npos);
}

TEST(Gate, IsCheckedBeforeTheRunAgainstTheDeclaredNames) {
  const std::vector<std::string> names = {"accuracy", "f1", "precision.", "coherence.mean"};
  EXPECT_TRUE(check_gate(parse_gate("accuracy >= 1").value(), names).has_value());
  EXPECT_TRUE(check_gate(parse_gate("precision.any label >= 1").value(), names).has_value());
  EXPECT_TRUE(check_gate(parse_gate("errored == 0").value(), names).has_value());
  EXPECT_TRUE(check_gate(parse_gate("usage.cost_usd < 3").value(), names).has_value());
  EXPECT_FALSE(check_gate(parse_gate("precision. >= 1").value(), names).has_value());
  EXPECT_FALSE(check_gate(parse_gate("precision >= 1").value(), names).has_value());
  const auto unknown = check_gate(parse_gate("coherence >= 1").value(), names);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().text().find("the nearest are coherence.mean"), std::string::npos)
      << unknown.error().text();
  EXPECT_FALSE(check_gate(parse_gate("x >= 1").value(), {}).has_value());
}

TEST(Gate, ReadsTheEndsOfAnInterval) {
  Summary summary;
  Metric rate = metric("correct.rate.new", plain_figure(0.9, 100), Metric::Form::share);
  rate.estimate.ci = Interval{0.82, 0.95};
  summary.metrics = {rate, metric("precision.low", plain_figure(0.3, 9)),
                     metric("precision", plain_figure(0.7, 9))};
  summary.metrics.back().estimate.ci = Interval{0.4, 0.8};
  EXPECT_TRUE(passes("correct.rate.new >= 0.9", summary));
  EXPECT_FALSE(passes("correct.rate.new.low >= 0.9", summary));
  EXPECT_TRUE(passes("correct.rate.new.low > 0.8", summary));
  EXPECT_TRUE(passes("correct.rate.new.high <= 0.95", summary));
  EXPECT_TRUE(passes("precision.low == 0.3", summary)) << "a metric of that very name is meant";
  EXPECT_TRUE(passes("precision.high == 0.8", summary));
  EXPECT_EQ(gate_form(parse_gate("correct.rate.new.low > 0").value(), summary), Metric::Form::share);
  const auto known = [](const char* text) {
    const std::vector<std::string> names = {"correct.rate.new", "topic.recall."};
    return check_gate(parse_gate(text).value(), names).has_value();
  };
  EXPECT_TRUE(known("correct.rate.new.low > 0"));
  EXPECT_TRUE(known("topic.recall.refund.high < 1"));
  EXPECT_FALSE(known("correct.rate.old.low > 0"));
  EXPECT_FALSE(known("correct.rate.new.middle > 0"));
  EXPECT_FALSE(known("errored.low > 0"));
}

TEST(Gate, FailsWithoutAnIntervalAndSaysWhy) {
  Summary summary;
  summary.metrics = {metric("a", plain_figure(1, 1)), metric("b", plain_figure(1, 1))};
  summary.metrics[0].estimate.undefined = "no interval: one observation has no spread";
  for (const char* text : {"a.low >= 0", "a.high != 5"}) {
    const auto result = evaluate_gate(parse_gate(text).value(), summary);
    ASSERT_TRUE(result.has_value());
    EXPECT_FALSE(result->passed);
    EXPECT_EQ(result->note, "no interval: one observation has no spread");
  }
  EXPECT_EQ(evaluate_gate(parse_gate("b.low >= 0").value(), summary)->note,
            "no interval: none is made for this figure");
}

TEST(Gates, AreEvaluatedTogetherAndAnUnknownNameFails) {
  const std::vector<Gate> gates = {parse_gate("accuracy >= 0.5").value(),
                                   parse_gate("nonsense >= 1").value()};
  const auto results = evaluate_gates(gates, sample_report().summary);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_TRUE(results[0].passed);
  EXPECT_EQ(results[0].gate, "accuracy >= 0.5");
  EXPECT_FALSE(results[1].passed);
  EXPECT_NE(results[1].note.find("there is no metric"), std::string::npos);
}

}  // namespace
}  // namespace assay
