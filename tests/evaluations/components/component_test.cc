#include "evaluations/components/component.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/figures.h"
#include "tests/evaluations/fake_context.h"

namespace assay::components {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

enum Field : std::size_t { kQuestion, kExpected, kActual, kBroken };

struct Reply final : CaseFacts {
  bool right = false;
};

class RightReplies final : public FactsFold<Reply> {
  void fold(const Case&, const Reply& reply) override {
    ++all_;
    right_ += reply.right ? 1 : 0;
  }
  void finish(const MissingCases&, Summary& summary) override {
    summary.metrics.push_back(figures::count("right", right_, all_));
  }
  std::int64_t right_ = 0;
  std::int64_t all_ = 0;
};

// The shortest task there is. Nothing says of its actual fields that a target must not see them.
ComponentTask echo() {
  ComponentTask declared;
  declared.text_field = "question";
  declared.input = {{.name = "question"}, {.name = "expected", .answer_key = true}};
  declared.actual = {
      {.name = "actual", .other_names = {"output"}},
      {.name = "broken", .type = FieldType::boolean, .presence = Presence::optional},
  };
  declared.check = [](const DataFields& fields, const LineParser& line) {
    if (!fields.declares(kActual) || fields.value(line, kActual).text != "impossible")
      return std::vector<std::string>{};
    return std::vector<std::string>{"field actual: cannot be"};
  };
  declared.columns = {"id", "actual"};
  declared.score = [](const CaseLine& line, ResultLine& result) {
    if (line[kBroken].boolean) return result.failed(OutcomeKind::target_failed, "says that it is broken");
    const bool right = line[kExpected].text == line[kActual].text;
    result.text("actual", line[kActual].text);
    result.score("accuracy", right);
    result.row({line.input.id, line[kActual].text});
    result.facts<Reply>().right = right;
  };
  declared.aggregate = [](OutputFiles&) { return std::make_unique<RightReplies>(); };
  return declared;
}

JsonObject generating() {
  return {{"generate", true}, {"input_path", "x"}, {"target", JsonObject{{"command", JsonArray{"cat"}}}}};
}

std::unique_ptr<Evaluation> made(JsonObject config) {
  std::vector<ConfigProblem> problems;
  auto evaluation = make_component(Config(std::move(config)), echo(), problems);
  EXPECT_TRUE(problems.empty());
  return evaluation;
}

Case case_of(std::string payload) {
  return {.line = 1, .id = "1", .payload = std::move(payload)};
}

// As the journal gives it back.
FinishedCase with_reply(const char* reply) {
  return {{OutcomeKind::scored, {{"generated", parse_json(reply).value()}}, ""}, JsonObject{}, 5};
}

std::string line_of(const Evaluation& evaluation, const Case& input, const FinishedCase* finished,
                    ResultLine& line) {
  line.begin(finished);
  evaluation.line(input, finished, line);
  return std::string(line.whole(input, finished));
}

TEST(Component, ATargetNeverSeesWhatItIsToGive) {
  // The line was answered before, under either spelling.
  const Case input =
      case_of(R"({"question":"q","expected":"key","actual":"old","output":"old","broken":false,"note":"n"})");
  FakeContext context;
  context.replies["target"] = {R"({"actual":"new"})"};
  const Outcome outcome = finish_now(made(generating())->evaluate(input, context));
  ASSERT_EQ(context.commands.size(), 1U);
  EXPECT_EQ(context.commands[0].input, R"({"id":"1","question":"q","note":"n"})");
  EXPECT_EQ(to_text(outcome.result), R"({"generated":{"actual":"new"}})");
}

TEST(Component, AGeneratedLineIsScoredLikeTheSameLineSupplied) {
  ResultLine line;
  const FinishedCase finished = with_reply(R"({"actual":"a"})");
  const Case asked = case_of(R"({"question":"q","expected":"a","output":"old","note":7})");
  EXPECT_EQ(
      line_of(*made(generating()), asked, &finished, line),
      R"({"id":"1","line":1,"outcome":"scored","actual":"a","scores":{"accuracy":1},"extra":{"note":7},)"
      R"("usage":{},"latency_ms":5})"
      "\n");
  EXPECT_EQ(line.rows(), "1,a\r\n");
  const std::string generated = line.generated();
  EXPECT_EQ(generated, R"({"id":"1","question":"q","expected":"a","note":7,"actual":"a"})");
  const Case supplied = case_of(generated);
  EXPECT_EQ(
      line_of(*made({{"input_path", "x"}}), supplied, nullptr, line),
      R"({"id":"1","line":1,"outcome":"scored","actual":"a","scores":{"accuracy":1},"extra":{"note":7}})"
      "\n");
  EXPECT_EQ(line.generated(), "");
}

TEST(Component, AReplyThatDoesNotFitTheCaseIsTheTargetsFailure) {
  ResultLine line;
  const FinishedCase finished = with_reply(R"({"actual":"impossible"})");
  EXPECT_THAT(line_of(*made(generating()), case_of(R"({"question":"q","expected":"a"})"), &finished, line),
              HasSubstr(R"("outcome":"target_failed","question":"q","expected":"a",)"
                        R"("error":"the reply does not fit the case: field actual: cannot be")"));
  EXPECT_EQ(line.generated(), "");
  ASSERT_EQ(line.notable().size(), 1U);
  EXPECT_LT(line.notable()[0].first, 0);
  EXPECT_THAT(line.notable()[0].second.fields,
              ElementsAre(Pair("input", "q"),
                          Pair("error", "the reply does not fit the case: field actual: cannot be")));
}

TEST(Component, ALineThatSaysThatTheSystemFailedHasItsFieldsAndNoScore) {
  ResultLine line;
  const auto evaluation = made({{"input_path", "x"}});
  const Case input = case_of(R"({"question":"q","expected":"a","actual":"a","broken":true})");
  EXPECT_EQ(line_of(*evaluation, input, nullptr, line),
            R"({"id":"1","line":1,"outcome":"target_failed","question":"q","expected":"a","actual":"a",)"
            R"("broken":true,"error":"says that it is broken"})"
            "\n");
  EXPECT_TRUE(line.scores().empty());
}

TEST(Component, OnlyScoredLinesAreFolded) {
  const auto evaluation = made({{"input_path", "x"}});
  OutputFiles files = OutputFiles::nowhere();
  const auto aggregate = evaluation->aggregate(files, {});
  ResultLine line;
  for (const char* payload : {R"({"question":"q","expected":"a","actual":"a"})",
                              R"({"question":"q","expected":"a","actual":"a","broken":true})",
                              R"({"question":"q","expected":"a","actual":"b"})"}) {
    const Case input = case_of(payload);
    line_of(*evaluation, input, nullptr, line);
    aggregate->add(input, line);
  }
  Summary summary;
  aggregate->finish({}, summary);
  EXPECT_EQ(summary.metrics.at(0).estimate.value, 1);
  EXPECT_EQ(summary.metrics.at(0).estimate.n, 2);
}

}  // namespace
}  // namespace assay::components
