#include "evaluations/custom/subject_path.h"

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::custom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kFields = {"question", "contexts", "Customer ID"};

struct Answered {
  Json output = boost::json::string(R"({"refund": {"amount": 5, "a/b": [1]}, "meta": {"x": 1}})");
  Json trace = parse_json(R"([{"tool": "refund"}])").value();
  Json meta = parse_json(R"({"latency_ms": 20, "cost_usd": null})").value();
  Json contexts = parse_json(R"(["first", "second"])").value();
  JsonObject fields = {{"question", "Why?"}, {"contexts", "of the data"}};
};

FoundSubject find(std::string_view of, const Answered& answer, bool lenient = false) {
  const auto path = SubjectPath::parse(of, kFields);
  EXPECT_TRUE(path.has_value()) << (path ? "" : path.error().text());
  return path->find({answer.output, answer.trace, answer.meta, answer.contexts, answer.fields}, lenient);
}
std::string found(std::string_view of, const Answered& answer = {}, bool lenient = false) {
  const FoundSubject subject = find(of, answer, lenient);
  return subject.value != nullptr ? to_text(*subject.value) : "nothing";
}

TEST(SubjectPath, NamesOutputFieldsAndWhatIsKnown) {
  const Answered answer;
  EXPECT_EQ(
      SubjectPath().find({answer.output, answer.trace, answer.meta, answer.contexts, answer.fields}).value,
      &answer.output);
  EXPECT_EQ(find("output", answer).value, &answer.output);
  EXPECT_EQ(found("question"), "\"Why?\"");
  EXPECT_EQ(found("{question}"), "\"Why?\"");
  EXPECT_EQ(found("/refund/amount"), "5");
  EXPECT_EQ(found("/refund/a~1b/0"), "1");
  EXPECT_EQ(found("/output/meta/x"), "1");
  EXPECT_EQ(found("/trace/0/tool"), "\"refund\"");
  EXPECT_EQ(found("/meta/latency_ms"), "20");
  EXPECT_EQ(found("/contexts/1"), "\"second\"");
  EXPECT_EQ(found("contexts"), "\"of the data\"");  // a field of that name is meant
  EXPECT_EQ(found("trace"), R"([{"tool":"refund"}])");
  EXPECT_EQ(SubjectPath::parse("{question}", kFields)->field(), "question");
  EXPECT_EQ(SubjectPath::parse("/question", kFields)->field(), "");
  Answered structured;
  structured.output = parse_json(R"({"a": [1, 2]})").value();
  EXPECT_EQ(found("/a/1", structured), "2");
  EXPECT_TRUE(find("/a/1", structured).inside_json);
  EXPECT_TRUE(find("/refund/amount", answer).inside_json);
  EXPECT_FALSE(find("output", structured).inside_json);
  EXPECT_FALSE(find("question", answer).inside_json);
}

TEST(SubjectPath, TellsWhatTheAnswerLacksFromWhatIsNotKnown) {
  Answered answer;
  FoundSubject lacking = find("/refund/total", answer);
  EXPECT_EQ(lacking.value, nullptr);
  EXPECT_TRUE(lacking.lacking);
  EXPECT_EQ(lacking.reason, "the output has no /refund/total; /refund has amount, a/b");
  EXPECT_EQ(find("/total", answer).reason, "the output has no /total; it has refund, meta");
  EXPECT_THAT(find("/refund/amount/x", answer).reason, HasSubstr("/refund/amount is 5"));
  EXPECT_THAT(find("/trace/3", answer).reason, HasSubstr("it has 1 items"));
  answer.output = boost::json::string("Sorry.");
  EXPECT_TRUE(find("/a", answer).lacking);
  EXPECT_THAT(find("/a", answer).reason, HasSubstr("the output is not JSON, so there is no /a"));
  answer.output = boost::json::string("Here:\n```json\n{\"a\": 1}\n```");
  EXPECT_EQ(found("/a", answer), "nothing");
  EXPECT_EQ(found("/a", answer, true), "1");

  for (const char* unknown : {"/meta/tokens", "/meta/cost_usd"}) {
    const FoundSubject nothing = find(unknown, answer);
    EXPECT_EQ(nothing.value, nullptr);
    EXPECT_FALSE(nothing.lacking);
    EXPECT_THAT(nothing.reason, Not(testing::IsEmpty()));
  }
  answer.trace = nullptr;
  EXPECT_EQ(find("/trace/0", answer).reason, "the answer has no trace");
  EXPECT_FALSE(find("/trace/0", answer).lacking);
  answer.fields.clear();
  EXPECT_EQ(find("question", answer).reason, "the case has no question");
}

TEST(SubjectPath, RefusesWhatNamesNothing) {
  const auto refused = [](std::string_view of) { return SubjectPath::parse(of, kFields).error().text(); };
  EXPECT_THAT(refused("qestion"), HasSubstr("did you mean \"question\"?"));
  EXPECT_THAT(refused("refund/amount"), AllOf(HasSubstr("there are question, contexts, Customer ID"),
                                              HasSubstr("begins with a slash")));
  EXPECT_THAT(refused(""), HasSubstr("there is no field"));
  EXPECT_THAT(refused("/a~2"), HasSubstr("~0"));
  EXPECT_THAT(refused("a\xF2"), HasSubstr("expected text in UTF-8"));
}

}  // namespace
}  // namespace assay::custom
