#include "stats/classification/multilabel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/json/json.h"
#include "core/random.h"

namespace assay {
namespace {

using Labels = std::set<std::string>;
using Case = MultilabelCounts::Pair;  // expected, actual

MultilabelCounts counts_of(const std::vector<Case>& cases, const std::vector<std::string>& known = {}) {
  MultilabelCounts counts;
  for (const std::string& label : known) counts.know(label);
  for (const auto& [expected, actual] : cases) counts.add(expected, actual);
  return counts;
}

// The lines g1 to g5 of docs/output_guardrails.md, "By hand". A guardrail that is only ever false is known.
const std::vector<Case> kWorkedExample = {
    {{"contains_pii"}, {"contains_pii"}},
    {{"political"}, {"political", "inappropriate_style"}},
    {{"political"}, {}},
    {{}, {"political"}},
    {{}, {}},
};

std::array<const Estimate*, 6> averages_of(const MultilabelFigures& figures) {
  return {&figures.macro.precision, &figures.macro.recall, &figures.macro.f1,
          &figures.micro.precision, &figures.micro.recall, &figures.micro.f1};
}

bool same(const Estimate& a, const Estimate& b) {
  return a.value == b.value && a.n == b.n && a.count == b.count && a.undefined == b.undefined &&
         a.method == b.method && a.ci.has_value() == b.ci.has_value() &&
         (!a.ci || (a.ci->low == b.ci->low && a.ci->high == b.ci->high));
}

bool same(const MultilabelFigures& a, const MultilabelFigures& b) {
  const auto same_label = [](const MultilabelFigures::Label& one, const MultilabelFigures::Label& other) {
    return one.name == other.name && same(one.precision, other.precision) && same(one.recall, other.recall) &&
           same(one.f1, other.f1);
  };
  return std::ranges::equal(averages_of(a), averages_of(b),
                            [](const auto* one, const auto* other) { return same(*one, *other); }) &&
         std::ranges::equal(a.labels, b.labels, same_label) && same(a.exact_match, b.exact_match);
}

TEST(MultilabelCounts, CountCasesWithTheSameSetsTogether) {
  const MultilabelCounts counts =
      counts_of({{{"b"}, {"a"}}, {{}, {}}, {{"b"}, {"a"}}, {{"a"}, {"b"}}}, {"c"});
  EXPECT_EQ(counts.total(), 4);
  EXPECT_EQ(counts.pairs().size(), 3U);
  EXPECT_EQ(counts.pairs().at({{"b"}, {"a"}}), 2);
  EXPECT_EQ(std::vector<std::string>(counts.labels().begin(), counts.labels().end()),
            (std::vector<std::string>{"a", "b", "c"}));
}

TEST(MultilabelCounts, KnowALabelOnce) {
  MultilabelCounts counts;
  counts.know("a");
  counts.know("a");
  counts.add({"a"}, {});
  EXPECT_EQ(counts.labels().size(), 1U);
  EXPECT_EQ(counts.total(), 1);
}

TEST(MultilabelFigures, GiveTheWorkedExample) {
  const MultilabelFigures figures = multilabel_figures(counts_of(kWorkedExample, {"political", "illegal"}));
  const std::optional<double> none;
  struct Row {
    const char* name;
    std::int64_t tp, fp, fn, tn;
    std::optional<double> precision, recall, f1;
  };
  const std::vector<Row> rows = {
      {"contains_pii", 1, 0, 0, 4, 1, 1, 1},
      {"illegal", 0, 0, 0, 5, none, none, none},
      {"inappropriate_style", 0, 1, 0, 4, 0, none, 0},
      {"political", 1, 1, 1, 2, 0.5, 0.5, 0.5},
  };
  ASSERT_EQ(figures.labels.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MultilabelFigures::Label& label = figures.labels[i];
    EXPECT_EQ(label.name, rows[i].name);
    EXPECT_EQ(label.counts.tp, rows[i].tp) << label.name;
    EXPECT_EQ(label.counts.fp, rows[i].fp) << label.name;
    EXPECT_EQ(label.counts.fn, rows[i].fn) << label.name;
    EXPECT_EQ(label.counts.tn, rows[i].tn) << label.name;
    EXPECT_EQ(label.precision.value, rows[i].precision) << label.name;
    EXPECT_EQ(label.recall.value, rows[i].recall) << label.name;
    EXPECT_EQ(label.f1.value, rows[i].f1) << label.name;
  }
  const std::array<double, 6> averages = {1.5 / 3, 1.5 / 2, 1.5 / 3, 2.0 / 4, 2.0 / 3, 4.0 / 7};
  const std::array<std::int64_t, 6> n = {3, 2, 3, 4, 3, 5};  // labels with a value; denominators
  for (std::size_t i = 0; i < averages.size(); ++i) {
    EXPECT_NEAR(averages_of(figures)[i]->value.value(), averages[i], 1e-12) << i;
    EXPECT_EQ(averages_of(figures)[i]->n, n[i]) << i;
    EXPECT_EQ(averages_of(figures)[i]->method, "bootstrap_percentile") << i;
  }
  EXPECT_EQ(figures.exact_match.value, 0.4);
  EXPECT_EQ(figures.exact_match.count, 2);
  EXPECT_EQ(figures.exact_match.n, 5);
  EXPECT_EQ(figures.exact_match.method, "wilson");
}

// tests/data/components/generate.py.
JsonArray stored_sets() {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/data/components/multilabel.json");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto stored = parse_json(text);
  if (!stored) {
    ADD_FAILURE() << "multilabel.json cannot be read: " << stored.error().text();
    return {};
  }
  return stored->at("sets").as_array();
}

MultilabelCounts stored_counts(const Json& stored) {
  const auto texts = [](const Json& list) {
    std::vector<std::string> all;
    for (const Json& one : list.as_array()) all.emplace_back(as_text(one).value());
    return all;
  };
  std::vector<Case> cases;
  for (const Json& one : stored.at("cases").as_array()) {
    const auto expected = texts(one.at(0));
    const auto actual = texts(one.at(1));
    cases.push_back({{expected.begin(), expected.end()}, {actual.begin(), actual.end()}});
  }
  return counts_of(cases, texts(stored.at("labels")));
}

TEST(MultilabelFigures, AgreeWithScikitLearn) {
  const JsonArray sets = stored_sets();
  ASSERT_GE(sets.size(), 12U);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Json& stored = sets[i];
    const MultilabelFigures figures = multilabel_figures(stored_counts(stored), {.draws = 100});
    const auto check = [&](const Estimate& figure, const Json& reference, const std::string& name) {
      const std::string where = name + " of set " + std::to_string(i);
      ASSERT_EQ(figure.value.has_value(), !reference.is_null()) << where;
      if (figure.value) EXPECT_NEAR(*figure.value, as_number(reference).value(), 1e-12) << where;
      EXPECT_EQ(figure.value.has_value(), figure.n > 0) << where;
    };
    const auto check_macro = [&](const Estimate& figure, const char* name) {
      check(figure, stored.at("macro").at(name), std::string("macro ") + name);
      const JsonArray& each = stored.at("each").at(name).as_array();
      EXPECT_EQ(figure.n, std::ranges::count_if(each, [](const Json& one) { return !one.is_null(); }));
    };
    check_macro(figures.macro.precision, "precision");
    check_macro(figures.macro.recall, "recall");
    check_macro(figures.macro.f1, "f1");
    check(figures.micro.precision, stored.at("micro").at("precision"), "micro precision");
    check(figures.micro.recall, stored.at("micro").at("recall"), "micro recall");
    check(figures.micro.f1, stored.at("micro").at("f1"), "micro f1");
    check(figures.exact_match, stored.at("exact_match"), "exact match");
    ASSERT_EQ(figures.labels.size(), stored.at("labels").as_array().size());
    for (std::size_t at = 0; at < figures.labels.size(); ++at) {
      const MultilabelFigures::Label& label = figures.labels[at];
      EXPECT_EQ(label.name, as_text(stored.at("labels").at(at)));
      for (const auto& [figure, name] :
           {std::pair{&label.precision, "precision"}, {&label.recall, "recall"}, {&label.f1, "f1"}}) {
        const Json& reference = stored.at("each").at(name).at(at);
        ASSERT_EQ(figure->value.has_value(), !reference.is_null()) << name << " of " << label.name;
        if (figure->value) EXPECT_NEAR(*figure->value, as_number(reference).value(), 1e-12) << name;
      }
    }
  }
}

TEST(MultilabelFigures, OfNoCasesAreUndefined) {
  for (const std::vector<std::string>& known : {std::vector<std::string>{}, {"a", "b"}}) {
    const MultilabelFigures figures = multilabel_figures(counts_of({}, known));
    for (const Estimate* average : averages_of(figures)) {
      EXPECT_FALSE(average->value.has_value());
      EXPECT_FALSE(average->ci.has_value());
      EXPECT_EQ(average->n, 0);
    }
    EXPECT_EQ(figures.macro.precision.undefined, "nothing was claimed");
    EXPECT_EQ(figures.micro.recall.undefined, "nothing was expected");
    EXPECT_EQ(figures.micro.f1.undefined, "nothing was expected or claimed");
    EXPECT_FALSE(figures.exact_match.value.has_value());
    EXPECT_FALSE(figures.exact_match.undefined.empty());
    EXPECT_EQ(figures.labels.size(), known.size());
  }
}

TEST(MultilabelFigures, OfEmptySetsOnlyHaveNothingButAnExactMatch) {
  const MultilabelFigures figures = multilabel_figures(counts_of({{{}, {}}, {{}, {}}}));
  for (const Estimate* average : averages_of(figures)) EXPECT_FALSE(average->value.has_value());
  EXPECT_EQ(figures.exact_match.value, 1);
  EXPECT_TRUE(figures.labels.empty());
}

TEST(MultilabelFigures, TellWhatWasNeverClaimedFromWhatWasNeverExpected) {
  const MultilabelFigures missed = multilabel_figures(counts_of({{{"a"}, {}}, {{}, {}}}));
  EXPECT_EQ(missed.macro.precision.undefined, "nothing was claimed");
  EXPECT_EQ(missed.macro.recall.value, 0);
  EXPECT_EQ(missed.micro.f1.value, 0);
  const MultilabelFigures alarmed = multilabel_figures(counts_of({{{}, {"a"}}, {{}, {}}}));
  EXPECT_EQ(alarmed.macro.precision.value, 0);
  EXPECT_EQ(alarmed.micro.recall.undefined, "nothing was expected");
  EXPECT_EQ(alarmed.macro.f1.value, 0);
}

TEST(MultilabelFigures, OfOneLabelAreThoseOfItsYes) {
  const BinaryCounts counts{.tp = 6, .tn = 20, .fp = 3, .fn = 2};
  std::vector<Case> cases;
  cases.insert(cases.end(), 6, {{"a"}, {"a"}});
  cases.insert(cases.end(), 20, {{}, {}});
  cases.insert(cases.end(), 3, {{}, {"a"}});
  cases.insert(cases.end(), 2, {{"a"}, {}});
  const MultilabelFigures figures = multilabel_figures(counts_of(cases));
  const BinaryFigures binary = binary_figures(counts);
  ASSERT_EQ(figures.labels.size(), 1U);
  EXPECT_TRUE(same(figures.labels[0].precision, binary.precision));
  EXPECT_TRUE(same(figures.labels[0].recall, binary.recall));
  EXPECT_TRUE(same(figures.labels[0].f1, binary.f1));
  for (const MultilabelFigures::Average& average : {figures.macro, figures.micro}) {
    EXPECT_EQ(average.precision.value, binary.precision.value);
    EXPECT_EQ(average.recall.value, binary.recall.value);
    EXPECT_EQ(average.f1.value, binary.f1.value);
  }
  EXPECT_EQ(figures.exact_match.value, binary.accuracy.value);
}

TEST(MultilabelIntervals, ContainTheirValue) {
  int intervals = 0;
  const JsonArray sets = stored_sets();
  for (const Json& stored : sets) {
    const MultilabelFigures figures = multilabel_figures(stored_counts(stored));
    for (const Estimate* average : averages_of(figures)) {
      if (!average->ci) {
        EXPECT_FALSE(average->undefined.empty());
        continue;
      }
      ++intervals;
      EXPECT_LE(average->ci->low, average->value.value());
      EXPECT_GE(average->ci->high, average->value.value());
      EXPECT_LT(average->ci->low, average->ci->high);
      EXPECT_GE(average->ci->low, 0);
      EXPECT_LE(average->ci->high, 1);
    }
  }
  EXPECT_GE(intervals, 30);
}

TEST(MultilabelIntervals, AreAbsentForASingleCase) {
  const MultilabelFigures figures = multilabel_figures(counts_of({{{"a", "b"}, {"a", "c"}}}));
  for (const Estimate* average : averages_of(figures)) {
    EXPECT_TRUE(average->value.has_value());
    EXPECT_FALSE(average->ci.has_value());
    EXPECT_EQ(average->undefined,
              "no interval: every resample gives the same figure, which says nothing about its error");
  }
}

TEST(MultilabelIntervals, AreThoseOfDrawingTheCasesAgain) {
  const std::vector<std::string> names = {"a", "b", "c"};
  std::mt19937 random(7);  // its numbers are the same everywhere, those of a distribution are not
  std::vector<Case> cases;
  for (int i = 0; i < 80; ++i) {
    Case one;
    for (const std::string& name : names) {
      const bool expected = random() % 3 == 0;
      if (expected) one.first.insert(name);
      if (expected != (random() % 4 == 0)) one.second.insert(name);
    }
    cases.push_back(one);
  }
  constexpr std::size_t kDraws = 2'000;
  std::array<std::vector<double>, 6> drawn;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    MultilabelCounts again;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto& [expected, actual] = cases[random() % cases.size()];
      again.add(expected, actual);
    }
    const MultilabelFigures figures = multilabel_figures(again, {.draws = 0});
    for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i].push_back(averages_of(figures)[i]->value.value());
  }
  const MultilabelFigures figures = multilabel_figures(counts_of(cases));
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    std::ranges::sort(drawn[i]);
    const Estimate& average = *averages_of(figures)[i];
    EXPECT_NEAR(average.ci.value().low, drawn[i][kDraws / 40], 0.015) << i;
    EXPECT_NEAR(average.ci.value().high, drawn[i][kDraws - kDraws / 40], 0.015) << i;
  }
}

// Three labels that always move together say no more than one: intervals over decisions would be narrower.
TEST(MultilabelIntervals, TakeTheCaseForTheUnit) {
  std::vector<Case> alone;
  std::vector<Case> together;
  const auto add = [&](int number, const Labels& expected, const Labels& actual) {
    const auto tripled = [](const Labels& labels) {
      return labels.empty() ? Labels{} : Labels{"a1", "a2", "a3"};
    };
    alone.insert(alone.end(), static_cast<std::size_t>(number), {expected, actual});
    together.insert(together.end(), static_cast<std::size_t>(number), {tripled(expected), tripled(actual)});
  };
  add(12, {"a"}, {"a"});
  add(5, {"a"}, {});
  add(4, {}, {"a"});
  add(9, {}, {});
  const MultilabelFigures one = multilabel_figures(counts_of(alone));
  const MultilabelFigures three = multilabel_figures(counts_of(together));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(averages_of(one)[i]->ci.value().low, averages_of(three)[i]->ci.value().low, 1e-12) << i;
    EXPECT_NEAR(averages_of(one)[i]->ci.value().high, averages_of(three)[i]->ci.value().high, 1e-12) << i;
  }
  EXPECT_EQ(three.micro.precision.n, 3 * one.micro.precision.n);
}

TEST(MultilabelIntervals, AreNarrowerAtALowerLevel) {
  std::vector<Case> cases;
  for (int i = 0; i < 8; ++i) cases.insert(cases.end(), kWorkedExample.begin(), kWorkedExample.end());
  const MultilabelFigures usual = multilabel_figures(counts_of(cases));
  const MultilabelFigures lower = multilabel_figures(counts_of(cases), {.level = 0.5});
  for (std::size_t i = 0; i < 6; ++i) {
    const Estimate& narrow = *averages_of(lower)[i];
    const Estimate& wide = *averages_of(usual)[i];
    EXPECT_EQ(narrow.level, 0.5) << i;
    EXPECT_LT(narrow.ci.value().high - narrow.ci.value().low, wide.ci.value().high - wide.ci.value().low)
        << i;
  }
  EXPECT_EQ(lower.exact_match.level, 0.5);
}

// Drawn with gen::element: gen::inRange narrows with the size of a test, down to empty sets only.
Labels some_labels() {
  Labels labels;
  for (const char* label : {"a", "b", "c", "d", "e"}) {
    if (*rc::gen::element(0, 0, 1) == 1) labels.insert(label);
  }
  return labels;
}

std::vector<Case> some_cases() {
  const auto number = *rc::gen::inRange<std::size_t>(0, 25);
  std::vector<Case> cases;
  for (std::size_t i = 0; i < number; ++i) cases.emplace_back(some_labels(), some_labels());
  return cases;
}

MultilabelFigures quick_figures(const std::vector<Case>& cases, const std::vector<std::string>& known = {}) {
  return multilabel_figures(counts_of(cases, known), {.draws = 50});
}

RC_GTEST_PROP(MultilabelFigures, LieBetweenZeroAndOne, ()) {
  const MultilabelFigures figures = quick_figures(some_cases());
  const auto fine = [](const Estimate& figure) {
    return !figure.value || (*figure.value >= 0 && *figure.value <= 1 + 1e-12);
  };
  for (const Estimate* average : averages_of(figures)) RC_ASSERT(fine(*average));
  for (const MultilabelFigures::Label& label : figures.labels) {
    RC_ASSERT(fine(label.precision) && fine(label.recall) && fine(label.f1));
  }
  RC_ASSERT(fine(figures.exact_match));
}

RC_GTEST_PROP(MultilabelFigures, DoNotDependOnTheOrderOfCases, (unsigned seed)) {
  const auto cases = some_cases();
  auto shuffled = cases;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  RC_ASSERT(same(quick_figures(cases), quick_figures(shuffled)));
}

RC_GTEST_PROP(MultilabelFigures, NeverFallWithAnotherCaseThatIsRight, ()) {
  auto cases = some_cases();
  const MultilabelFigures before = quick_figures(cases);
  const Labels labels = some_labels();
  cases.emplace_back(labels, labels);
  const MultilabelFigures after = quick_figures(cases);
  const auto never_lower = [](const Estimate& later, const Estimate& earlier) {
    return !earlier.value || *later.value >= *earlier.value;
  };
  RC_ASSERT(never_lower(after.micro.precision, before.micro.precision));
  RC_ASSERT(never_lower(after.micro.recall, before.micro.recall));
  RC_ASSERT(never_lower(after.micro.f1, before.micro.f1));
  RC_ASSERT(never_lower(after.exact_match, before.exact_match));
}

RC_GTEST_PROP(MultilabelFigures, CountEveryCaseForEveryLabel, ()) {
  const auto cases = some_cases();
  const MultilabelFigures figures = quick_figures(cases, {"a", "unused"});
  BinaryCounts sum;
  for (const MultilabelFigures::Label& label : figures.labels) {
    RC_ASSERT(label.counts.total() == static_cast<std::int64_t>(cases.size()));
    RC_ASSERT(label.counts.tn >= 0);
    sum += label.counts;
  }
  RC_ASSERT(figures.micro.precision.value == precision(sum));
  RC_ASSERT(figures.micro.recall.value == recall(sum));
  RC_ASSERT(figures.micro.f1.value == f_beta(sum, 1));
}

RC_GTEST_PROP(MultilabelFigures, SwapPrecisionAndRecallWithTheSides, ()) {
  const auto cases = some_cases();
  std::vector<Case> swapped;
  for (const auto& [expected, actual] : cases) swapped.emplace_back(actual, expected);
  const MultilabelFigures one = quick_figures(cases);
  const MultilabelFigures other = quick_figures(swapped);
  for (const auto& [average, mirrored] : {std::pair{&one.macro, &other.macro}, {&one.micro, &other.micro}}) {
    RC_ASSERT(average->precision.value == mirrored->recall.value);
    RC_ASSERT(average->recall.value == mirrored->precision.value);
    RC_ASSERT(average->f1.value == mirrored->f1.value);
  }
  RC_ASSERT(one.exact_match.value == other.exact_match.value);
}

RC_GTEST_PROP(MultilabelFigures, DoNotChangeWithALabelThatNobodyUses, ()) {
  const auto cases = some_cases();
  const MultilabelFigures without = quick_figures(cases);
  const MultilabelFigures with = quick_figures(cases, {"Unused", "zzz"});
  for (std::size_t i = 0; i < 6; ++i) RC_ASSERT(same(*averages_of(without)[i], *averages_of(with)[i]));
  RC_ASSERT(with.labels.size() == without.labels.size() + 2);
}

TEST(MultilabelIntervals, TakeTheClusterForTheUnitIfThereIsOne) {
  MultilabelCounts once;
  MultilabelCounts copied;
  Random random = Random::keyed("clustered labels");
  for (int i = 0; i < 60; ++i) {
    std::set<std::string> expected;
    std::set<std::string> actual;
    for (const char* label : {"x", "y"}) {
      const bool wanted = random.uniform() < 0.5;
      if (wanted) expected.insert(label);
      if (random.uniform() < (wanted ? 0.8 : 0.2)) actual.insert(label);
    }
    once.add(expected, actual, std::to_string(i));
    for (int copy = 0; copy < 5; ++copy) copied.add(expected, actual, std::to_string(i));
  }
  const MultilabelFigures a = multilabel_figures(once);
  const MultilabelFigures b = multilabel_figures(copied);
  EXPECT_EQ(b.macro.f1.method, "bootstrap_clusters");
  EXPECT_DOUBLE_EQ(a.macro.f1.ci->low, b.macro.f1.ci->low);
  EXPECT_DOUBLE_EQ(a.exact_match.ci->high, b.exact_match.ci->high);
  EXPECT_DOUBLE_EQ(a.labels[0].recall.ci->low, b.labels[0].recall.ci->low);
}

}  // namespace
}  // namespace assay
