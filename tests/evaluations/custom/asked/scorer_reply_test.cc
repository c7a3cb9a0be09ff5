#include "evaluations/custom/asked/scorer_reply.h"

#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/custom/asked/http_scorer.h"
#include "tests/evaluations/fake_context.h"

namespace assay::custom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Result<ScorerReply> read(std::string_view text, Interval scale = {0, 1}) {
  return read_scorer_reply(parse_json(text).value(), scale);
}

TEST(ScorerReply, HoldsAScoreOrSeveralByName) {
  const auto one =
      read(R"({"score": 0.7, "reason": "two of three", "label": "short", "passed": false, "more": []})");
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(one->score, 0.7);
  EXPECT_EQ(one->reason, "two of three");
  EXPECT_EQ(one->label, "short");
  EXPECT_EQ(one->passed, false);
  const auto several = read(R"({"score": 4, "scores": {"tone": 5, "length": 1.5, "facts": null}})", {1, 5});
  ASSERT_TRUE(several) << several.error().text();
  EXPECT_EQ(several->score, 4);
  EXPECT_THAT(several->scores, ElementsAre(Pair("tone", 5), Pair("length", 1.5)));
  EXPECT_FALSE(several->passed);
}

TEST(ScorerReply, YesAndNoAreOneAndZeroOnThatScaleOnly) {
  EXPECT_EQ(read(R"({"score": true})")->score, 1);
  EXPECT_EQ(read(R"({"passed": false})")->score, 0);
  EXPECT_THAT(read(R"({"scores": {"a": true, "b": false}})")->scores,
              ElementsAre(Pair("a", 1), Pair("b", 0)));
  EXPECT_FALSE(read(R"({"score": true})", {1, 5}));
  EXPECT_FALSE(read(R"({"passed": true})", {1, 5}));
  EXPECT_FALSE(read(R"({"label": "x", "passed": true})", {1, 5})->score);
}

TEST(ScorerReply, EndsOfTheScaleBelongToIt) {
  for (const char* text : {R"({"score": 1})", R"({"score": 5})", R"({"score": 5.0})"})
    EXPECT_TRUE(read(text, {1, 5})) << text;
  EXPECT_FALSE(read(R"({"score": 0.999})", {1, 5}));
  EXPECT_FALSE(read(R"({"score": 5.001})", {1, 5}));
  EXPECT_TRUE(read(R"({"score": -0.0})"));
}

TEST(ScorerReply, SaysWhatWasFoundAndExpected) {
  struct Wrong {
    std::string reply;
    std::string told;
  };
  for (const auto& [reply, told] : std::vector<Wrong>{
           {"0.7", "found 0.7, expected an object with `score` or `scores`"},
           {"{}", "found {}, expected `score` or `scores`"},
           {R"({"score": null, "reason": "x"})", "expected `score` or `scores`"},
           {R"({"scores": {}})", "expected `score` or `scores`"},
           {R"({"score": 1.5})", "score: found 1.5, expected a number from 0 to 1"},
           {R"({"score": "0.5"})", "score: found \"0.5\", expected a number from 0 to 1"},
           {R"({"score": [1]})", "score: found [1], expected a number"},
           {R"({"scores": {"a": 0.5, "b": -1}})", "scores.b: found -1, expected a number from 0 to 1"},
           {R"({"scores": [1]})", "scores: found [1], expected an object"},
           {R"({"scores": {" ": 1}})", "scores: found the name \" \""},
           {R"({"score": 1, "passed": "yes"})", "passed: found \"yes\", expected true or false"},
           {R"({"score": 1, "label": {}})", "label: found {}, expected a text"},
           {R"({"error": "no reference", "score": 1})", "the scorer says: no reference"},
           {R"({"error": {"code": 3}})", R"(the scorer says: {"code":3})"},
       }) {
    const auto wrong = read(reply);
    ASSERT_FALSE(wrong) << reply;
    EXPECT_EQ(wrong.error().kind, ErrorKind::judge);
    EXPECT_THAT(wrong.error().text(), HasSubstr(told));
  }
  JsonObject many;
  for (int i = 0; i < 101; ++i) many[std::to_string(i)] = 1;
  EXPECT_THAT(read_scorer_reply(JsonObject{{"scores", many}}, {0, 1}).error().text(),
              HasSubstr("found 101 numbers, expected 100 at most"));
}

TEST(HttpScorer, IsAskedInTheFormOfAProgram) {
  const ScorerQuestion question{.case_id = "c1",
                                .variant = "new",
                                .repeat = 2,
                                .fields = {{"question", "Why?"}},
                                .output = "Because.",
                                .meta = JsonObject{{"latency_ms", 12}},
                                .trace = JsonArray{JsonObject{{"tool", "search"}}}};
  HttpCall declared;
  declared.url = "http://127.0.0.1:1/score";
  declared.headers = {{"X-Team", "a"}};
  const HttpCall call = scorer_call(declared, question);
  EXPECT_EQ(call.url, declared.url);
  EXPECT_EQ(call.body, R"({"id":"c1","case":"c1","variant":"new","repeat":2,"fields":{"question":"Why?"},)"
                       R"("output":"Because.","meta":{"latency_ms":12},"trace":[{"tool":"search"}]})");
  EXPECT_THAT(call.headers, ElementsAre(Pair("X-Team", "a"), Pair("Content-Type", "application/json")));
  declared.headers = {{"content-type", "text/json"}};
  EXPECT_EQ(scorer_call(declared, question).headers, declared.headers);
  EXPECT_EQ(to_text(to_json(ScorerQuestion{.case_id = "c2"})),
            R"({"case":"c2","variant":null,"repeat":1,"fields":{},"output":null,"meta":{},"trace":[]})");
}

// Fails every request in one way.
class FailingService final : public QuietContext {
 public:
  explicit FailingService(ErrorKind kind) : kind_(kind) {}
  Task<Result<Json>> call_http(std::string, HttpCall) override { co_return fail(kind_, "no"); }

 private:
  ErrorKind kind_;
};

TEST(HttpScorer, ItsOwnFailuresAreThoseOfAJudge) {
  const auto kind_after = [](ErrorKind kind) {
    FailingService service(kind);
    return finish_now(ask_http_scorer(service, "score", {})).error().kind;
  };
  for (const ErrorKind kind :
       {ErrorKind::target, ErrorKind::timeout, ErrorKind::overloaded, ErrorKind::rejected})
    EXPECT_EQ(kind_after(kind), ErrorKind::judge);
  for (const ErrorKind kind :
       {ErrorKind::network, ErrorKind::rate_limited, ErrorKind::auth, ErrorKind::cancelled})
    EXPECT_EQ(kind_after(kind), kind);
}

}  // namespace
}  // namespace assay::custom
