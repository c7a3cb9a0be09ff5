#include "imports/datasets/datasets.h"

#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/json.h"
#include "core/text.h"
#include "imports/datasets/records.h"

namespace assay::datasets {
namespace {

constexpr std::string_view kLists[] = {"samples"};

TEST(ForeignTexts, AreReadFromListsJsonPythonAndDividedTexts) {
  const auto texts = [](const Json& value, std::string_view separator = "") {
    return to_text(Json(texts_of(value, separator)));
  };
  EXPECT_EQ(texts(JsonArray{"a", 1}), R"(["a","1"])");
  EXPECT_EQ(texts(R"(["a", "b"])"), R"(["a","b"])");
  EXPECT_EQ(texts(R"(['a, b', "it's", 'c\'d\n'])"), R"(["a, b","it's","c'd\n"])");
  EXPECT_EQ(texts(R"(['\u00e9\xe9\U0001F600\r\q', '\u12'])"), "[\"\u00e9\u00e9\U0001F600\\rq\",\"u12\"]");
  EXPECT_EQ(texts("['not closed"), R"(["['not closed"])");
  EXPECT_EQ(texts("['an array'\n 'of numpy']"), R"(["an array","of numpy"])");
  EXPECT_EQ(texts("a; b;", ";"), R"(["a","b"])");
  EXPECT_EQ(texts("a; b"), R"(["a; b"])");
  EXPECT_EQ(texts("[]"), "[]");
}

TEST(ForeignRecords, KnowTheirLinesInEveryForm) {
  const auto lines = read_records("x.jsonl", "{\"a\": 1}\n\n[1]\nno\n{\"a\": 2}\n", kLists);
  ASSERT_TRUE(lines) << lines.error().text();
  ASSERT_EQ(lines->list.size(), 2U);
  EXPECT_EQ(lines->place(lines->list[1]), "x.jsonl, line 5");
  ASSERT_EQ(lines->bad.size(), 2U);
  EXPECT_EQ(lines->bad[0].place, "x.jsonl, line 3");
  EXPECT_EQ(lines->bad[1].place, "x.jsonl, line 4");
  const auto under = read_records("x.json", R"({"samples": [{"a": 1}, 2]})", kLists);
  ASSERT_TRUE(under);
  EXPECT_EQ(under->place(under->list[0]), "x.json, record 1");
  EXPECT_EQ(under->bad[0].place, "x.json, record 2");
  const auto table = read_records("x.csv", "a,b\n\"1\n2\",\n3,4\n", kLists);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->place(table->list[1]), "x.csv, line 4");
  EXPECT_FALSE(table->list[0].fields.contains("b")) << "an empty cell is no value";
  EXPECT_FALSE(read_records("x.jsonl", "nothing\n", kLists));
}

// As json.dump of Python writes scores that could not be made.
TEST(ForeignRecords, FiguresThatPythonAloneCanWriteAreNull) {
  const auto list =
      read_records("x.json", R"([{"a": "NaN", "b": NaN, "c": [-Infinity, Infinity], "d": "\"NaN"}])", kLists);
  ASSERT_TRUE(list) << list.error().text();
  ASSERT_EQ(list->list.size(), 1U);
  EXPECT_EQ(to_text(Json(list->list[0].fields)), R"({"a":"NaN","b":null,"c":[null,null],"d":"\"NaN"})");
  const auto lines = read_records("x.jsonl", "{\"a\": NaN}\n{\"a\": NaNo}\n", kLists);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->list.size(), 1U);
  EXPECT_EQ(lines->bad.size(), 1U);
}

TEST(ForeignRecords, StandInColumnsToo) {
  const auto lists = read_records("x.json", R"({"question": ["a", "b"], "contexts": [["c"], []]})", kLists);
  ASSERT_TRUE(lists);
  ASSERT_EQ(lists->list.size(), 2U);
  EXPECT_EQ(to_text(Json(lists->list[0].fields)), R"({"question":"a","contexts":["c"]})");
  EXPECT_EQ(lists->place(lists->list[1]), "x.json, record 2");
  const auto frame = read_records("x.json", R"({"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": null}})", kLists);
  ASSERT_TRUE(frame);
  ASSERT_EQ(frame->list.size(), 2U);
  EXPECT_EQ(to_text(Json(frame->list[1].fields)), R"({"a":2,"b":null})");
  // One record whose members happen to be lists of different sizes is one record.
  const auto one = read_records("x.json", R"({"a": [1], "b": [1, 2]})", kLists);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->list.size(), 1U);
}

std::string cases_of(const Result<ImportedSuite>& suite) {
  return suite ? suite->files.back().text : suite.error().text();
}

TEST(DeepevalImport, ReadsTablesAsTheyAreSavedAndTheLatestRunInItsWrapping) {
  EXPECT_EQ(cases_of(import_deepeval("x.csv",
                                     "input,actual_output,retrieval_context,tools_called,expected_tools,"
                                     "additional_metadata\n"
                                     "a,b,one; still one|two,search;book,\"[{\"\"name\"\": \"\"book\"\"}]\","
                                     "\"{\"\"area\"\": \"\"x\"\"}\"\n"
                                     "c,d,not; divided,,,\n")),
            R"({"input":"a","output":"b","contexts":["one; still one","two"],)"
            R"("trace":[{"tool":"search"},{"tool":"book"}],"expected_tools":["book"],"area":"x"})"
            "\n"
            R"({"input":"c","output":"d","contexts":["not; divided"]})"
            "\n");
  const auto latest = import_deepeval(
      ".latest_test_run.json",
      R"({"testRunData": {"testCases": [{"input": "a", "actualOutput": "b"}], "conversationalTestCases": )"
      R"([{"name": "talk", "turns": [{"role": "user", "content": "x"}]}]}, "testRunLink": null})");
  EXPECT_EQ(cases_of(latest), "{\"input\":\"a\",\"output\":\"b\"}\n");
  ASSERT_EQ(latest->left_out.size(), 1U);
  EXPECT_EQ(latest->left_out[0].what, "conversation");
}

TEST(InspectImport, ReadsTablesAndKeepsATargetThatLooksLikeAList) {
  const auto suite = import_inspect("x.csv",
                                    "input,target,choices,metadata\n"
                                    "Sum?,\"[1, 2]\",\"one, two\",\"{\"\"area\"\": \"\"sums\"\"}\"\n");
  EXPECT_EQ(cases_of(suite),
            R"({"id":"1","sample":"1","input":"Sum?","first_target":"[1, 2]","target":["[1, 2]"],)"
            R"("choices":["one","two"],"area":"sums"})"
            "\n");
  ASSERT_EQ(suite->notes.size(), 1U);
  EXPECT_EQ(suite->notes[0].what, "choices");
}

TEST(DeepevalImport, SaysThatTheAddressOfARunIsNotTheRun) {
  EXPECT_EQ(cases_of(import_deepeval(".latest_test_run.json", R"({"testRunLink": "https://x/test-runs/1"})")),
            ".latest_test_run.json: found the address of a test run and not the run: logged in, DeepEval "
            "keeps it at its service. Set DEEPEVAL_RESULTS_FOLDER, test again and import the file that is "
            "written there, or export the run");
}

// What match, exact, choice and f1 look past: src/inspect_ai/scorer of Inspect 0.3.
TEST(InspectImport, MeasuresAsTheScorersOfTheLogDo) {
  const auto log = [](std::string_view scores) {
    return fmt::format(R"({{"samples": [{{"id": 1, "input": "q", "target": " Yes ", "output": {{"choices": )"
                       R"([{{"message": {{"content": "Yes"}}}}]}}, "scores": {{{}}}}}]}})",
                       scores);
  };
  const auto targets = [](const Result<ImportedSuite>& suite) {
    const auto one = parse_json(trim(cases_of(suite)));
    return one ? to_text(*find_member(*one, "target")) : cases_of(suite);
  };
  const auto suite = import_inspect(
      "log.json", log(R"("match": {"value": "C"}, "choice": {"value": "I"}, "f1": {"value": NaN})"));
  EXPECT_EQ(targets(suite), R"(["Yes"])");
  EXPECT_THAT(suite->files.front().text,
              testing::HasSubstr(R"(regex: "(?i)ANSWER\\s*:\\s*\\(?{first_target}\\b")"));
  EXPECT_THAT(suite->files.front().text, testing::HasSubstr(R"(token_f1: "{target}")"));
  EXPECT_EQ(
      targets(import_inspect("log.json", log(R"("includes": {"value": "I"}, "match": {"value": "C"})"))),
      R"([" Yes "])");
  const auto exact = import_inspect("log.json", log(R"("exact": {"value": "C"})"));
  EXPECT_THAT(exact->files.front().text, testing::HasSubstr("ignore_punctuation: true"));
}

TEST(RagasImport, LeavesOutTheSamplesThatHaveNoAnswer) {
  const auto suite = import_ragas("x.jsonl", R"({"user_input": "a", "response": "b"})"
                                             "\n"
                                             R"({"user_input": "c"})");
  ASSERT_TRUE(suite) << suite.error().text();
  EXPECT_FALSE(suite->files[0].text.contains("generate: true")) << "answers of two systems are not mixed";
  EXPECT_THAT(suite->files[1].text, testing::HasSubstr(R"("llm_answer":"b")"));
  EXPECT_THAT(suite->files[1].text, testing::Not(testing::HasSubstr(R"("c")")));
  ASSERT_EQ(suite->left_out.size(), 1U);
  EXPECT_EQ(suite->left_out[0].what, "sample");
}

}  // namespace
}  // namespace assay::datasets
