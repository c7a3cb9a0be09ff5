#include "report/words.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/report/sample.h"

namespace assay {
namespace {

TEST(Words, SharesNeverRoundToCertainty) {
  EXPECT_EQ(share_words(0.6), "60.0%");
  EXPECT_EQ(share_words(1), "100.0%");
  EXPECT_EQ(share_words(0), "0.0%");
  EXPECT_EQ(share_words(0.9996), "99.96%");
  EXPECT_EQ(share_words(0.99999), "99.999%");
  EXPECT_EQ(share_words(0.0001), "0.01%");
  EXPECT_EQ(share_words(-0.0), "0.0%");
  EXPECT_EQ(share_words(std::nan("")), "n/a");
}

TEST(Words, NumbersKeepWhatMatters) {
  EXPECT_EQ(number_words(0.6123), "0.612");
  EXPECT_EQ(number_words(0), "0.000");
  EXPECT_EQ(number_words(-3.14159), "-3.142");
  EXPECT_EQ(number_words(1234567.89), "1,234,567.9");
  EXPECT_EQ(number_words(-12345.6), "-12,345.6");
  EXPECT_EQ(number_words(0.000123456), "0.000123");
  EXPECT_EQ(number_words(1e20), "1e+20");
  EXPECT_EQ(number_words(std::numeric_limits<double>::infinity()), "n/a");
}

TEST(Words, CountsHaveSeparators) {
  EXPECT_EQ(count_words(0), "0");
  EXPECT_EQ(count_words(999), "999");
  EXPECT_EQ(count_words(1000), "1,000");
  EXPECT_EQ(count_words(-1234567), "-1,234,567");
  EXPECT_EQ(count_words(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Words, GiveBytesInTheUnitThatReadsBest) {
  EXPECT_EQ(bytes_words(0), "0 bytes");
  EXPECT_EQ(bytes_words(1), "1 byte");
  EXPECT_EQ(bytes_words(999), "999 bytes");
  EXPECT_EQ(bytes_words(1000), "1.0 kB");
  EXPECT_EQ(bytes_words(999'949), "999.9 kB");
  EXPECT_EQ(bytes_words(999'950), "1.0 MB");
  EXPECT_EQ(bytes_words(41'234'567), "41.2 MB");
  EXPECT_EQ(bytes_words(7'000'000'000'000'000), "7000.0 TB");
}

TEST(Words, CostsShowSmallSumsToo) {
  EXPECT_EQ(cost_words(std::nullopt), "unknown");
  EXPECT_EQ(cost_words(0.0), "$0");
  EXPECT_EQ(cost_words(0.00042), "$0.00042");
  EXPECT_EQ(cost_words(3.4127), "$3.41");
  EXPECT_EQ(cost_words(12345.0), "$12,345.00");
}

TEST(Words, FiguresFollowTheirForm) {
  EXPECT_EQ(value_words(metric("a", wilson(3, 5))), "60.0%");
  EXPECT_EQ(value_words(metric("a", wilson(3, 5), Metric::Form::number)), "0.600");
  EXPECT_EQ(value_words(metric("a", plain_figure(1200, 1), Metric::Form::count)), "1,200");
  EXPECT_EQ(value_words(metric("a", undefined_figure("none"))), "n/a");
  EXPECT_EQ(interval_words(metric("a", wilson(3, 5))), "23.1% – 88.2%");
  EXPECT_EQ(interval_words(metric("a", undefined_figure("none"))), "n/a");
  EXPECT_EQ(interval_words(metric("a", plain_figure(2, 5), Metric::Form::count)), "");
}

Summary with_cases(CaseCounts cases) {
  Summary summary;
  summary.cases = cases;
  return summary;
}

TEST(Words, SayHowManyCasesThereWere) {
  EXPECT_EQ(cases_sentence(with_cases({5, 5, 0, 0})), "All 5 cases were evaluated. Nothing was left out.");
  EXPECT_EQ(cases_sentence(with_cases({1, 1, 0, 0})), "The one case was evaluated. Nothing was left out.");
  EXPECT_EQ(cases_sentence(with_cases({0, 0, 0, 0})), "There were no cases.");
  EXPECT_EQ(
      cases_sentence(with_cases({8, 5, 2, 1})),
      "5 of 8 cases were evaluated. 2 cases ended in error. 1 input line was not valid and was left out.");
  EXPECT_EQ(cases_sentence(with_cases({3, 1, 0, 2})),
            "1 of 3 cases was evaluated. 2 input lines were not valid and were left out.");
  EXPECT_EQ(cases_sentence(with_cases({10, 7, 0, 0})), "7 of 10 cases were evaluated.");
  EXPECT_EQ(cases_sentence(with_cases({10, 1, 0, 0, 9})),
            "1 of 10 cases was evaluated. 9 cases were not needed.");
  EXPECT_EQ(cases_sentence(with_cases({200, 0, 1, 0, 0, 199})),
            "0 of 200 cases were evaluated. 1 case ended in error. 199 cases have no outcome yet.");
  EXPECT_EQ(cases_sentence(with_cases({1, 0, 1, 0})), "0 of 1 case was evaluated. 1 case ended in error.");
}

TEST(Words, TellCasesThatFailedInPartByMetric) {
  Summary summary = with_cases({10, 0, 10, 0});
  const auto add = [&summary](const char* name, double scored) {
    Metric counted = metric(name, plain_figure(scored, 10), Metric::Form::count);
    summary.metrics.push_back(std::move(counted));
  };
  add("coherence.n", 10);
  add("faithfulness.n", 7);
  EXPECT_EQ(cases_sentence(summary),
            "0 of 10 cases were evaluated completely, others in part: coherence on 10, faithfulness on 7. 10 "
            "cases ended in error.");
}

TEST(Words, SayHowTheGatesWent) {
  const GateResult good{"a >= 0", true, 1, ""};
  const GateResult bad{"b >= 0", false, 1, ""};
  const auto said = [](std::vector<GateResult> gates, std::int64_t open = 0) {
    Summary summary;
    summary.gates = std::move(gates);
    summary.cases.open = open;
    return gates_sentence(summary);
  };
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({good}), "The gate passed");
  EXPECT_EQ(said({bad}), "The gate failed");
  EXPECT_EQ(said({good, good}), "All 2 gates passed");
  EXPECT_EQ(said({good, bad, bad}), "2 of 3 gates failed");
  // As long as cases have no outcome, either may still turn.
  EXPECT_EQ(said({}, 5), "");
  EXPECT_EQ(said({good}, 5), "The gate holds so far");
  EXPECT_EQ(said({bad}, 5), "The gate does not hold so far");
  EXPECT_EQ(said({good, good}, 5), "All 2 gates hold so far");
  EXPECT_EQ(said({good, bad}, 5), "1 of 2 gates does not hold so far");
  EXPECT_EQ(said({good, bad, bad}, 5), "2 of 3 gates do not hold so far");
}

TEST(Words, GateValuesHaveTheFormOfTheirMetric) {
  const Summary summary = sample_report().summary;
  EXPECT_EQ(gate_value_words({"accuracy >= 0.5", true, 0.6, ""}, summary), "60.0%");
  EXPECT_EQ(gate_value_words({"errored == 0", false, 2, ""}, summary), "2");
  EXPECT_EQ(gate_value_words({"usage.cost_usd < 1", true, 0.0421, ""}, summary), "$0.04");
  EXPECT_EQ(gate_value_words({"precision >= 0.5", false, std::nullopt, ""}, summary), "n/a");
  EXPECT_EQ(gate_value_words({"no gate at all", false, 0.5, ""}, summary), "0.500");
}

TEST(Words, TimesAreForPeople) {
  EXPECT_EQ(time_words("2026-09-01T08:30:00.250Z"), "2026-09-01 08:30:00 UTC");
  EXPECT_EQ(time_words("whenever"), "whenever");
  EXPECT_EQ(elapsed_words(sample_report().summary), "2m 10s");
  EXPECT_EQ(elapsed_words(Summary()), "");
  Summary interrupted = sample_report().summary;
  interrupted.worked_seconds = 65;
  EXPECT_EQ(elapsed_words(interrupted), "1m 05s") << "a pause between two sittings is no work";
}

TEST(Words, NamesReadAsWords) {
  EXPECT_EQ(title_words("question_router"), "Question router");
  EXPECT_EQ(plain_words("judge_failed"), "judge failed");
  EXPECT_EQ(method_words("clopper_pearson"), "Clopper–Pearson");
  EXPECT_EQ(method_words("something_new"), "something_new");
  EXPECT_EQ(missing_words(sample_report().summary.metrics[0].estimate), "judge failed 2");
  EXPECT_EQ(level_words(0.95), "95%");
}

}  // namespace
}  // namespace assay
