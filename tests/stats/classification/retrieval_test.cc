#include "stats/classification/retrieval.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/json/json.h"
#include "stats/classification/classification.h"

namespace assay {
namespace {

// A search as data hold it; what is returned again is collapsed, as callers do.
struct Search {
  std::set<std::string> expected;
  std::vector<std::string> returned;  // each thing once

  RankedHits ranked() const {
    RankedHits ranked{.hits = {}, .expected = expected.size()};
    for (const std::string& thing : returned) ranked.hits.push_back(expected.contains(thing));
    return ranked;
  }
  BinaryCounts sets() const {
    const auto tp = std::ranges::count_if(returned, [&](const auto& one) { return expected.contains(one); });
    return {.tp = tp,
            .tn = 0,
            .fp = static_cast<std::int64_t>(returned.size()) - tp,
            .fn = static_cast<std::int64_t>(expected.size()) - tp};
  }
};

Search search_of(std::set<std::string> expected, const std::vector<std::string>& returned) {
  Search search{std::move(expected), {}};
  std::set<std::string> seen;
  for (const std::string& thing : returned) {
    if (seen.insert(thing).second) search.returned.push_back(thing);
  }
  return search;
}

double mean_of_defined(const std::vector<std::optional<double>>& values) {
  double sum = 0;
  int n = 0;
  for (const auto& value : values) {
    sum += value.value_or(0);
    n += value.has_value() ? 1 : 0;
  }
  return sum / n;
}

// The lines q1 to q5 of docs/retrieval.md, "By hand".
const std::vector<Search>& worked_example() {
  static const std::vector<Search> kLines = {
      search_of({"u1", "u2", "u3"}, {"u1", "u9", "u3", "u1", "u8"}),
      search_of({"u4", "u5"}, {"u7", "u5"}),
      search_of({"/fines#pay"}, {"/fines#appeal", "/courts", "/fines#pay"}),
      search_of({}, {"u2"}),
      search_of({"u6"}, {}),
  };
  return kLines;
}

void expect_same(std::optional<double> value, std::optional<double> reference, const std::string& where) {
  ASSERT_EQ(value.has_value(), reference.has_value()) << where;
  if (value) EXPECT_NEAR(*value, *reference, 1e-12) << where;
}

// shared/reference/statistics.md, 4.11: gains 10 0 0 1 5 at scores .1 .2 .3 4 70, so the list is 5 1 0 0 10:
// (5 + 1/log2(3) + 10/log2(6)) / (10 + 5/log2(3) + 1/2) = 0.695694.
TEST(Retrieval, GivesThePublishedNdcgOfGradedGains) {
  const std::vector<double> gains = {10, 0, 0, 1, 5};
  const std::vector<double> scores = {.1, .2, .3, 4, 70};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  std::ranges::sort(order, std::greater<>(), [&](std::size_t i) { return scores[i]; });
  std::vector<double> ranked;
  for (const std::size_t i : order) ranked.push_back(gains[i]);
  EXPECT_NEAR(ndcg_at(ranked, gains, 5).value(), 0.695694, 5e-7);
  EXPECT_NEAR(ndcg_at(ranked, gains, 1).value(), 0.5, 1e-15);
  EXPECT_EQ(ndcg_at(gains, gains, 1), 1);
  // Things that are wanted and were not returned count in the ideal list.
  EXPECT_NEAR(ndcg_at(std::vector<double>{5}, gains, 5).value(), 5 / 13.6546487, 1e-8);
  EXPECT_EQ(ndcg_at(std::vector<double>{}, gains, 5), 0);
}

TEST(Retrieval, HasNoNdcgOfGainsThatAreNone) {
  const std::vector<double> gains = {2, 1};
  EXPECT_FALSE(ndcg_at(gains, gains, 0).has_value());
  EXPECT_FALSE(ndcg_at(std::vector<double>{}, std::vector<double>{}, 3).has_value());
  EXPECT_FALSE(ndcg_at(std::vector<double>{0, 0}, std::vector<double>{0, 0}, 3).has_value());
  EXPECT_FALSE(ndcg_at(gains, std::vector<double>{2, -1}, 3).has_value());
  EXPECT_FALSE(ndcg_at(std::vector<double>{std::nan("")}, gains, 3).has_value());
}

RC_GTEST_PROP(Retrieval, OfEqualGainsIsTheBinaryNdcg, (const std::vector<bool>& hits, std::uint8_t more)) {
  RankedHits ranked{.hits = hits, .expected = more % 5U};
  std::vector<double> gains;
  std::vector<double> wanted(ranked.expected, 3.0);
  for (const bool hit : hits) {
    gains.push_back(hit ? 3 : 0);
    if (hit) wanted.push_back(3);
    ranked.expected += hit ? 1 : 0;
  }
  for (const std::size_t k : {std::size_t{1}, std::size_t{3}, hits.size()}) {
    const auto graded = ndcg_at(gains, wanted, k);
    const auto binary = ndcg_at(ranked, k);
    RC_ASSERT(graded.has_value() == binary.has_value());
    if (graded) RC_ASSERT(std::fabs(*graded - *binary) < 1e-12);
  }
}

TEST(Retrieval, GivesTheWorkedExampleLineByLine) {
  const double second = 1 / std::log2(3);  // the gain of a hit at rank 2
  const std::optional<double> none;
  struct Row {
    std::optional<double> precision, recall, f1, f2, reciprocal_rank, average_precision;
    std::optional<double> precision_at_3, recall_at_3, ndcg_at_3;
  };
  const std::vector<Row> rows = {
      {2.0 / 4, 2.0 / 3, 4.0 / 7, 10.0 / 16, 1, (1 + 2.0 / 3) / 3, 2.0 / 3, 2.0 / 3, 1.5 / (1.5 + second)},
      {1.0 / 2, 1.0 / 2, 2.0 / 4, 5.0 / 10, 1.0 / 2, 1.0 / 4, 1.0 / 3, 1.0 / 2, second / (1 + second)},
      {1.0 / 3, 1, 2.0 / 4, 5.0 / 7, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1, 0.5},
      {0, none, 0, 0, none, none, none, none, none},
      {none, 0, 0, 0, 0, 0, 0, 0, 0},
  };
  ASSERT_EQ(rows.size(), worked_example().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string line = "q" + std::to_string(i + 1);
    const RankedHits ranked = worked_example()[i].ranked();
    const BinaryCounts sets = worked_example()[i].sets();
    expect_same(precision(sets), rows[i].precision, line + " precision");
    expect_same(recall(sets), rows[i].recall, line + " recall");
    expect_same(f_beta(sets, 1), rows[i].f1, line + " f1");
    expect_same(f_beta(sets, 2), rows[i].f2, line + " f2");
    expect_same(reciprocal_rank(ranked), rows[i].reciprocal_rank, line + " mrr");
    expect_same(average_precision(ranked), rows[i].average_precision, line + " map");
    expect_same(precision_at(ranked, 3), rows[i].precision_at_3, line + " precision_at_3");
    expect_same(recall_at(ranked, 3), rows[i].recall_at_3, line + " recall_at_3");
    expect_same(ndcg_at(ranked, 3), rows[i].ndcg_at_3, line + " ndcg_at_3");
  }
}

// The last table of docs/retrieval.md, "By hand", with mrr and map above it: four digits.
TEST(Retrieval, GivesTheAveragesOfTheWorkedExample) {
  const auto mean = [](const auto& figure) {
    std::vector<std::optional<double>> values;
    for (const Search& line : worked_example()) values.push_back(figure(line.ranked()));
    return mean_of_defined(values);
  };
  EXPECT_NEAR(mean([](const RankedHits& ranked) { return reciprocal_rank(ranked); }), 0.4583, 5e-5);
  EXPECT_NEAR(mean([](const RankedHits& ranked) { return average_precision(ranked); }), 0.2847, 5e-5);
  struct Row {
    std::size_t k;
    double precision, recall, ndcg;
  };
  for (const Row& row : std::vector<Row>{{1, 0.2500, 0.0833, 0.2500},
                                         {3, 0.3333, 0.5417, 0.3977},
                                         {5, 0.2000, 0.5417, 0.3977},
                                         {10, 0.1000, 0.5417, 0.3977},
                                         {20, 0.0500, 0.5417, 0.3977}}) {
    const std::size_t k = row.k;
    EXPECT_NEAR(mean([k](const RankedHits& one) { return precision_at(one, k); }), row.precision, 5e-5) << k;
    EXPECT_NEAR(mean([k](const RankedHits& one) { return recall_at(one, k); }), row.recall, 5e-5) << k;
    EXPECT_NEAR(mean([k](const RankedHits& one) { return ndcg_at(one, k); }), row.ndcg, 5e-5) << k;
  }
}

// tests/data/components/generate.py.
TEST(Retrieval, AgreesWithScikitLearn) {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/data/components/retrieval.json");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto stored = parse_json(text);
  ASSERT_TRUE(stored.has_value()) << stored.error().text();
  const JsonArray& searches = stored->at("searches").as_array();
  ASSERT_GE(searches.size(), 60U);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    const Json& row = searches[i];
    const auto texts = [&](const char* field) {
      std::vector<std::string> all;
      for (const Json& one : row.at(field).as_array()) all.emplace_back(as_text(one).value());
      return all;
    };
    const auto expected = texts("expected");
    const Search search = search_of({expected.begin(), expected.end()}, texts("returned"));
    const auto check = [&](std::optional<double> value, const Json& reference, const std::string& name) {
      expect_same(value, as_number(reference), name + " of search " + std::to_string(i));
    };
    check(precision(search.sets()), row.at("precision"), "precision");
    check(recall(search.sets()), row.at("recall"), "recall");
    check(f_beta(search.sets(), 1), row.at("f1"), "f1");
    check(f_beta(search.sets(), 2), row.at("f2"), "f2");
    const RankedHits ranked = search.ranked();
    check(reciprocal_rank(ranked), row.at("reciprocal_rank"), "reciprocal rank");
    check(average_precision(ranked), row.at("average_precision"), "average precision");
    const JsonArray& ks = stored->at("k").as_array();
    ASSERT_EQ(ks.size(), 5U);
    for (std::size_t at = 0; at < ks.size(); ++at) {
      const auto k = static_cast<std::size_t>(as_integer(ks[at]).value());
      const std::string suffix = " at " + std::to_string(k);
      check(precision_at(ranked, k), row.at("precision_at").at(at), "precision" + suffix);
      check(recall_at(ranked, k), row.at("recall_at").at(at), "recall" + suffix);
      check(ndcg_at(ranked, k), row.at("ndcg_at").at(at), "ndcg" + suffix);
    }
  }
}

TEST(Retrieval, SaysNothingWhereNothingIsExpected) {
  for (const RankedHits& ranked : {RankedHits{}, RankedHits{.hits = {false, false}, .expected = 0}}) {
    for (const std::size_t k : {0, 1, 5}) {
      EXPECT_FALSE(precision_at(ranked, k).has_value());
      EXPECT_FALSE(recall_at(ranked, k).has_value());
      EXPECT_FALSE(ndcg_at(ranked, k).has_value());
    }
    EXPECT_FALSE(reciprocal_rank(ranked).has_value());
    EXPECT_FALSE(average_precision(ranked).has_value());
  }
}

TEST(Retrieval, IsZeroWithoutAHit) {
  for (const RankedHits& ranked : {RankedHits{.hits = {}, .expected = 2},  // an empty list is an answer
                                   RankedHits{.hits = {false, false, false}, .expected = 1}}) {
    for (const std::size_t k : {1, 3, 20}) {
      EXPECT_EQ(precision_at(ranked, k), 0);
      EXPECT_EQ(recall_at(ranked, k), 0);
      EXPECT_EQ(ndcg_at(ranked, k), 0);
    }
    EXPECT_EQ(reciprocal_rank(ranked), 0);
    EXPECT_EQ(average_precision(ranked), 0);
  }
}

TEST(Retrieval, HasNoPrecisionAndNoNdcgAmongTheFirstZero) {
  const RankedHits ranked{.hits = {true, false}, .expected = 1};
  EXPECT_FALSE(precision_at(ranked, 0).has_value());
  EXPECT_FALSE(ndcg_at(ranked, 0).has_value());
  EXPECT_EQ(recall_at(ranked, 0), 0);  // none of what is wanted is among no things
}

TEST(Retrieval, LooksNoFurtherThanK) {
  const RankedHits ranked{.hits = {false, false, true}, .expected = 1};
  EXPECT_EQ(precision_at(ranked, 2), 0);
  EXPECT_EQ(recall_at(ranked, 2), 0);
  EXPECT_EQ(ndcg_at(ranked, 2), 0);
  EXPECT_EQ(recall_at(ranked, 3), 1);
  EXPECT_EQ(ndcg_at(ranked, 3), 0.5);  // 1/log2(4)
}

TEST(Retrieval, TakesAnyKBeyondTheEnd) {
  const RankedHits ranked{.hits = {true}, .expected = 2};
  const auto most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(recall_at(ranked, most), 0.5);
  EXPECT_NEAR(precision_at(ranked, most).value(), 0, 1e-12);
  EXPECT_NEAR(ndcg_at(ranked, most).value(), 1 / (1 + 1 / std::log2(3)), 1e-12);
}

constexpr std::size_t kLongest = 30;

// Drawn with gen::element: gen::inRange narrows with the size of a test, down to misses only.
RankedHits some_ranking(std::size_t shortest = 0) {
  const auto length = *rc::gen::inRange<std::size_t>(shortest, kLongest);
  const auto places = *rc::gen::container<std::vector<int>>(length, rc::gen::element(0, 1));
  RankedHits ranked;
  for (const int place : places) ranked.hits.push_back(place == 1);
  const auto found = static_cast<std::size_t>(std::accumulate(places.begin(), places.end(), 0));
  ranked.expected = found + *rc::gen::inRange<std::size_t>(0, 6);
  return ranked;
}

std::size_t some_k() {
  return *rc::gen::inRange<std::size_t>(1, kLongest + 5);
}

RC_GTEST_PROP(Retrieval, LiesBetweenZeroAndOne, ()) {
  const RankedHits ranked = some_ranking();
  const std::size_t k = some_k();
  for (const std::optional<double> value : {precision_at(ranked, k), recall_at(ranked, k), ndcg_at(ranked, k),
                                            reciprocal_rank(ranked), average_precision(ranked)}) {
    RC_ASSERT(value.has_value() == (ranked.expected > 0));
    RC_ASSERT(!value || (*value >= 0 && *value <= 1 + 1e-12));
  }
}

RC_GTEST_PROP(Retrieval, NeverFallsWhenAHitMovesUp, ()) {
  const RankedHits before = some_ranking(4);
  std::vector<std::size_t> movable;  // hits right behind a miss
  for (std::size_t place = 1; place < before.hits.size(); ++place) {
    if (before.hits[place] && !before.hits[place - 1]) movable.push_back(place);
  }
  RC_PRE(!movable.empty());
  const std::size_t place = *rc::gen::elementOf(movable);
  RankedHits after = before;
  after.hits[place - 1] = true;
  after.hits[place] = false;
  RC_ASSERT(reciprocal_rank(after).value() >= reciprocal_rank(before).value());
  RC_ASSERT(average_precision(after).value() > average_precision(before).value());
  for (std::size_t k = 1; k <= before.hits.size(); ++k) {
    RC_ASSERT(precision_at(after, k).value() >= precision_at(before, k).value());
    RC_ASSERT(recall_at(after, k).value() >= recall_at(before, k).value());
    RC_ASSERT(ndcg_at(after, k).value() >= ndcg_at(before, k).value());
  }
}

RC_GTEST_PROP(Retrieval, CountsPlacesBeyondTheEndAsMisses, ()) {
  const RankedHits ranked = some_ranking();
  const std::size_t k = some_k();
  RankedHits padded = ranked;
  padded.hits.resize(ranked.hits.size() + *rc::gen::inRange<std::size_t>(1, 10), false);
  RC_ASSERT(precision_at(padded, k) == precision_at(ranked, k));
  RC_ASSERT(recall_at(padded, k) == recall_at(ranked, k));
  RC_ASSERT(ndcg_at(padded, k) == ndcg_at(ranked, k));
  RC_ASSERT(reciprocal_rank(padded) == reciprocal_rank(ranked));
  RC_ASSERT(average_precision(padded) == average_precision(ranked));
}

RC_GTEST_PROP(Retrieval, RecallNeverFallsAsKGrows, ()) {
  const RankedHits ranked = some_ranking();
  RC_PRE(ranked.expected > 0);
  for (std::size_t k = 1; k <= kLongest; ++k) {
    RC_ASSERT(recall_at(ranked, k).value() >= recall_at(ranked, k - 1).value());
  }
}

RC_GTEST_PROP(Retrieval, IsOneAtEveryKForAPerfectOrder, ()) {
  const auto wanted = *rc::gen::inRange<std::size_t>(1, kLongest);
  RankedHits ranked{.hits = std::vector<bool>(wanted, true), .expected = wanted};
  ranked.hits.resize(wanted + *rc::gen::inRange<std::size_t>(0, 10), false);
  const std::size_t k = some_k();
  RC_ASSERT(std::fabs(ndcg_at(ranked, k).value() - 1) < 1e-12);
  RC_ASSERT(reciprocal_rank(ranked) == 1);
  RC_ASSERT(std::fabs(average_precision(ranked).value() - 1) < 1e-12);
}

}  // namespace
}  // namespace assay
