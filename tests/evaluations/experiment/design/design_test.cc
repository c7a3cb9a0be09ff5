#include "evaluations/experiment/design/design.h"

#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json/json.h"
#include "core/sha256.h"
#include "evaluations/experiment/design/blinding.h"
#include "evaluations/experiment/design/queries.h"
#include "evaluations/experiment/design/responses.h"

namespace assay::experiment {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

Design small_design() {
  Design design;
  design.conditions = {
      {"short", false, false, false}, {"control", true, false, false}, {"long", false, true, true}};
  design.runs = 3;
  design.seed = 42;
  design.pairwise_evaluators = 4;
  design.absolute_evaluators = 2;
  design.swap = true;
  return design;
}

TEST(ExperimentDesign, ComparesEachConditionWithControlOrWithEveryOther) {
  Design design = small_design();
  EXPECT_THAT(design.pairs(), ElementsAre(Pair(0, 1), Pair(2, 1)));
  design.against = Against::all;
  EXPECT_THAT(design.pairs(), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(2, 1)));
}

TEST(ExperimentDesign, EveryEvaluatorSeesEveryPairBothWaysRoundInAnOrderOfItsOwn) {
  const Design design = small_design();
  const auto list = showings(design, "q1");
  EXPECT_EQ(list.size(), 4U * 2 * 3 * 2);
  EXPECT_EQ(showings_per_query(design), 12);
  std::map<int, std::vector<std::pair<std::size_t, int>>> order;
  std::map<std::tuple<int, std::size_t, int>, std::set<std::pair<std::size_t, bool>>> shown;
  for (const Showing& one : list) {
    EXPECT_EQ(one.place, static_cast<std::int64_t>(order[one.evaluator].size()));
    order[one.evaluator].emplace_back(one.pair, one.run);
    shown[{one.evaluator, one.pair, one.run}].emplace(one.condition_a, one.swapped);
    EXPECT_NE(one.condition_a, one.condition_b);
  }
  for (const auto& [key, sides] : shown) {
    EXPECT_EQ(sides.size(), 2U);
    EXPECT_NE(sides.begin()->first, sides.rbegin()->first) << "once as A and once as B";
    EXPECT_NE(sides.begin()->second, sides.rbegin()->second);
  }
  EXPECT_NE(order[1], order[2]);
}

TEST(ExperimentDesign, FirstPositionsAreDrawnFairlyAndFollowFromTheSeed) {
  Design design = small_design();
  design.pairwise_evaluators = 7;
  design.swap = false;
  int first = 0;
  int all = 0;
  for (int query = 0; query < 100; ++query) {
    for (const Showing& one : showings(design, "q" + std::to_string(query))) {
      first += one.condition_b == 1 ? 1 : 0;
      ++all;
    }
  }
  EXPECT_EQ(all, 4200);
  // Binomial(4200, 1/2) has a standard deviation of 32.4; the draws are fixed by the seed.
  EXPECT_NEAR(first, 2100, 130);
  const auto again = showings(design, "q3");
  const auto same = showings(design, "q3");
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].condition_a, same[i].condition_a);
  design.seed = 43;
  const auto other = showings(design, "q3");
  bool differs = false;
  for (std::size_t i = 0; i < again.size(); ++i)
    differs = differs || again[i].condition_a != other[i].condition_a || again[i].run != other[i].run;
  EXPECT_TRUE(differs);
}

TEST(ExperimentDesign, RatersAreNumberedBehindThoseWhoCompare) {
  const auto turns = rating_turns(small_design(), "q1");
  EXPECT_EQ(turns.size(), 2U * 9);
  EXPECT_EQ(turns.front().evaluator, 5);
  EXPECT_EQ(turns.back().evaluator, 6);
}

constexpr const char* kSomeSalt = "00112233445566778899aabbccddeeff";

TEST(BlindingKey, CodesAreRandomUniqueAndFollowFromNamesSeedAndSalt) {
  const BlindingKey key(small_design(), kSomeSalt);
  Json json = parse_json(key.text()).value();
  EXPECT_EQ(text_at(json, "salt"), kSomeSalt);
  json.get_object().erase("salt");
  EXPECT_EQ(json.get_object().size(), 9U);
  std::set<std::string> codes;
  for (const auto& [file, code] : json.get_object()) {
    EXPECT_THAT(std::string(*as_text(code)), testing::MatchesRegex("dataset_[a-z0-9]{4}\\.json"));
    codes.emplace(*as_text(code));
  }
  EXPECT_EQ(codes.size(), 9U);
  EXPECT_EQ(text_at(json, "control_run_2_responses.json"), key.code(small_design().place(1, 2)));
  EXPECT_EQ(key.hash(), hex(sha256(key.text())));
  EXPECT_EQ(BlindingKey(small_design(), kSomeSalt).text(), key.text());
  const BlindingKey salted(small_design(), "ffeeddccbbaa99887766554433221100");
  EXPECT_NE(salted.code(0), key.code(0));
  EXPECT_NE(salted.hash(), key.hash());
  Design other = small_design();
  other.seed = 7;
  EXPECT_NE(BlindingKey(other, kSomeSalt).text(), key.text());
  other.runs = 1;
  EXPECT_THAT(BlindingKey(other, kSomeSalt).text(), HasSubstr("\"control_responses.json\""));
  // Of 36^4 codes, 5000 names would collide by chance about seven times.
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back(std::to_string(i));
  const auto many = blinding_codes(names, 1, kSomeSalt);
  EXPECT_EQ(std::set<std::string>(many.begin(), many.end()).size(), 5000U);
}

class Directory {
 public:
  Directory()
      : path_(testing::TempDir() + "assay-experiment-" + std::to_string(::getpid()) + "-" +
              std::to_string(++made_)) {
    std::filesystem::create_directories(path_);
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(make_directories(std::filesystem::path(path(name)).parent_path().string()));
    ASSERT_TRUE(write_file(path(name), text));
  }

 private:
  static inline int made_ = 0;
  std::string path_;
};

TEST(BlindingKey, IsCommittedToOnceAndFoundAgain) {
  const Directory directory;
  const auto key = commit_to_key(small_design(), directory.path(), "2026-01-02T03:04:05Z");
  ASSERT_TRUE(key);
  const Json commitment = parse_json(read_file(directory.path(kCommitmentFile)).value()).value();
  EXPECT_EQ(text_at(commitment, "sha256"), sha256_of_file(directory.path(kKeyFile)).value());
  EXPECT_EQ(text_at(commitment, "started"), "2026-01-02T03:04:05Z");
  const auto again = commit_to_key(small_design(), directory.path(), "2027-01-01T00:00:00Z");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->text(), key->text()) << "the salt is taken from the key that is there";
  EXPECT_EQ(parse_json(read_file(directory.path(kCommitmentFile)).value()).value(), commitment);
}

// Who knows config and program knows neither codes nor what was committed to.
TEST(BlindingKey, TwoRunsOfOneDesignHaveDifferentCodes) {
  const Directory one;
  const Directory other;
  const auto first = commit_to_key(small_design(), one.path(), "t");
  const auto second = commit_to_key(small_design(), other.path(), "t");
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->code(0) + first->code(1) + first->code(2),
            second->code(0) + second->code(1) + second->code(2));
  EXPECT_NE(first->hash(), second->hash());
}

TEST(BlindingKey, WhatWasChangedOrTakenAwaySinceIsRefused) {
  for (const std::string change : {"key", "salt", "commitment", "key gone"}) {
    const Directory directory;
    const auto key = commit_to_key(small_design(), directory.path(), "t");
    ASSERT_TRUE(key);
    if (change == "key") {
      ASSERT_TRUE(write_file(directory.path(kKeyFile), key->text() + " "));
    } else if (change == "salt") {
      ASSERT_TRUE(write_file(directory.path(kKeyFile), BlindingKey(small_design(), kSomeSalt).text()));
    } else if (change == "commitment") {
      ASSERT_TRUE(write_file(directory.path(kCommitmentFile), "{\"sha256\": \"0\"}"));
    } else {
      std::filesystem::remove(directory.path(kKeyFile));
    }
    const auto again = commit_to_key(small_design(), directory.path(), "t");
    ASSERT_FALSE(again) << change;
    EXPECT_EQ(again.error().kind, ErrorKind::changed) << change;
  }
}

TEST(Queries, AreReadFromYamlJsonAndLines) {
  const auto yaml =
      parse_queries("- {id: a, text: What, query_type: t, role: R, ambiguous: true}\n- Why?\n", "q.yaml");
  ASSERT_TRUE(yaml);
  ASSERT_THAT(yaml->entries, SizeIs(2));
  EXPECT_THAT(yaml->entries[0].query,
              AllOf(Field(&Query::id, "a"), Field(&Query::text, "What"), Field(&Query::role, "R"),
                    Field(&Query::query_type, "t"), Field(&Query::ambiguous, true)));
  EXPECT_EQ(yaml->entries[1].query.id, "query_2");
  EXPECT_EQ(yaml->entries[1].line, 2U);
  const auto json = parse_queries(R"({"queries": [{"id": 7, "query": "What?"}]})", "q.json");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->entries[0].query.id, "7");
  const auto lines = parse_queries("{\"text\": \"What?\"}\n\n\"Why?\"\n", "q.jsonl");
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->entries[1].line, 3U);
  EXPECT_EQ(lines->entries[1].query.id, "query_2");
}

TEST(Queries, EveryProblemIsToldWithItsPlaceAndTheGoodOnesStay) {
  const auto list = parse_queries(
      "- {id: a, text: What}\n- {id: a, text: Again}\n- {id: b}\n- 7\n- {text: [1], ambiguous: perhaps}\n"
      "- {text: Good, ambigous: true}\n",
      "q.yaml");
  ASSERT_TRUE(list);
  std::vector<std::string> told;
  for (const Problem& problem : list->problems) told.push_back(problem.where + ": " + problem.text);
  EXPECT_THAT(told, Contains("q.yaml, line 2: field id: found \"a\", which an earlier query has"));
  EXPECT_THAT(told, Contains("q.yaml, line 3: field text: found nothing, expected the question"));
  EXPECT_THAT(told, Contains(HasSubstr("q.yaml, line 4: found number")));
  EXPECT_THAT(told, Contains(HasSubstr("q.yaml, line 5: field text: found [1]")));
  EXPECT_THAT(told, Contains(HasSubstr("q.yaml, line 5: field ambiguous")));
  EXPECT_THAT(told,
              Contains(HasSubstr(
                  "q.yaml, line 6: field ambigous: not known and not used; did you mean `ambiguous`?")));
  EXPECT_EQ(list->invalid, 4);
  EXPECT_EQ(list->total, 6);
  ASSERT_THAT(list->entries, SizeIs(2));
  EXPECT_EQ(list->entries[1].index, 5);
  EXPECT_FALSE(parse_queries("text: no list", "q.yaml"));
  // As a worker without the file is given them.
  const QueryList shipped = queries_in(queries_text(*list), "q.yaml");
  EXPECT_EQ(shipped.total, 6);
  EXPECT_EQ(shipped.invalid, 4);
  ASSERT_THAT(shipped.problems, SizeIs(list->problems.size()));
  EXPECT_EQ(shipped.problems.front().text, list->problems.front().text);
  ASSERT_THAT(shipped.entries, SizeIs(2));
  EXPECT_EQ(shipped.entries[1].index, 5);
  EXPECT_EQ(shipped.entries[1].line, list->entries[1].line);
  EXPECT_EQ(shipped.entries[1].query.text, "Good");
}

TEST(Responses, EverythingThatIsWrongIsToldAtOnce) {
  const Directory directory;
  Design design = small_design();
  design.runs = 1;
  design.conditions.push_back({"d", false, false, false});
  design.conditions.push_back({"e", false, false, false});
  const QueryList queries = parse_queries("- What?\n- Why?\n", "q.yaml").value();
  directory.write("short_responses.json", R"({"query_1": "So.", "query_3": "Extra."})");
  directory.write("control_responses.json", "");
  directory.write("long_responses.json", R"(["So."])");
  directory.write("d_responses.json", R"({"query_1": 7, "query_2": "  "})");
  std::vector<ConfigProblem> problems;
  (void)read_responses(Config(), directory.path(), Answers::complete, design, queries, problems);
  std::vector<std::string> told;
  for (const ConfigProblem& problem : problems)
    told.push_back(std::filesystem::path(problem.where).filename().string() + ": " + problem.text);
  EXPECT_THAT(told, Contains("short_responses.json: no answer to query_2"));
  EXPECT_THAT(told, Contains("short_responses.json: answers to query_3, which the queries do not have"));
  EXPECT_THAT(told, Contains(HasSubstr("control_responses.json: the file is empty")));
  EXPECT_THAT(told, Contains(HasSubstr("long_responses.json: found list, expected an object")));
  EXPECT_THAT(told,
              Contains("d_responses.json: what stands under query_1, query_2 is no text, or an empty one"));
  EXPECT_THAT(told, Contains(HasSubstr("e_responses.json")));
  EXPECT_THAT(told, SizeIs(6));
}

}  // namespace
}  // namespace assay::experiment
