#include "evaluations/benchmark/scoring/answer.h"

#include <chrono>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Answer answer_in(std::vector<std::string> messages) {
  return extract_answer(messages);
}

// The value as JSON, or the state and why.
std::string shown(std::vector<std::string> messages) {
  const Answer answer = answer_in(std::move(messages));
  return answer.state == AnswerState::found ? to_text(answer.value) : answer.error;
}

TEST(Answer, IsTheLastJsonBlockOfTheLastMessageThatHasOne) {
  EXPECT_EQ(shown({"First\n```json\n[1]\n```\nno, better\n```json\n[2]\n```\nDone."}), "[2]");
  EXPECT_EQ(shown({"```json\n[1]\n```", "```json\n[2]\n```", "That is my answer, {\"a\": 1}."}), "[2]");
  EXPECT_EQ(shown({"```JSON\n{\"a\": 1}\n```"}), R"({"a":1})");
  EXPECT_EQ(shown({"Here: ```json {\"a\": 1}```."}), R"({"a":1})");
  EXPECT_EQ(shown({"- item\n  ```json\n  {\"a\": 1}\n  ```\n"}), R"({"a":1})");
  EXPECT_EQ(shown({"````json\n{\"a\": \"x\"}\n````"}), R"({"a":"x"})");
  EXPECT_EQ(shown({"```json title=\"result\"\n[3]\n```"}), "[3]");
  EXPECT_EQ(shown({"```json\r\n[1,\r\n2]\r\n```\r\n"}), "[1,2]");
}

TEST(Answer, AJsonBlockBeatsOtherBlocksAndTheseBeatBareValues) {
  EXPECT_EQ(shown({"```json\n[1]\n```", "```\n[2]\n```", "[3]"}), "[1]");
  EXPECT_EQ(shown({"```\n[2]\n```", "[3, 4]"}), "[2]");
  EXPECT_EQ(shown({"```sql\nselect 1\n```\n```text\n[2]\n```\n```python\nx = [5, 6]\n```"}), "[2]");
  EXPECT_EQ(shown({"[3, 4]"}), "[3,4]");
  EXPECT_EQ(shown({"The order is [3, 1, 2]."}), "[3,1,2]");
  EXPECT_EQ(shown({"42.5"}), "42.5");
  EXPECT_EQ(shown({"[{\"a\": 1}]", "I am done."}), R"([{"a":1}])");
}

TEST(Answer, CodeAndProseAreNoAnswer) {
  for (const char* text :
       {"I used data[0] and items[] and {} here.", "See [1].", "```python\nprint(rows[0], {'a': 1})\n```",
        "I will put it into a ```json block.", "There are 42 tickets.", "```bash\n# nothing\n```"}) {
    EXPECT_EQ(answer_in({text}).state, AnswerState::missing) << text << shown({text});
  }
}

// A fence inside a text of the answer does not end the block.
TEST(Answer, FencesInsideTextsAreText) {
  EXPECT_EQ(shown({"```json\n{\"code\": \"```sql select 1```\"}\n```"}), R"({"code":"```sql select 1```"})");
  EXPECT_EQ(shown({"```python\ns = '```json [9]'\n```\n```json\n[1]\n```"}), "[1]");
}

TEST(Answer, ForgivesCommentsAndTrailingCommasAndSaysSo) {
  const Answer answer =
      answer_in({"```json\n[{\n  \"ticket_id\": \"123\", // the first\n  \"score\": 84.1,\n}]\n```"});
  EXPECT_EQ(to_text(answer.value), R"([{"ticket_id":"123","score":84.1}])");
  EXPECT_THAT(answer.notes, ElementsAre("comment", "trailing comma"));
  EXPECT_THAT(answer_in({"```json\n[1]\n```"}).notes, IsEmpty());
  EXPECT_THAT(answer_in({"```\n[1]\n```"}).notes, ElementsAre("code block that is not marked json"));
  EXPECT_THAT(answer_in({"[1]"}).notes, ElementsAre("no code block"));
  EXPECT_THAT(answer_in({"```json\n[1]\n"}).notes, ElementsAre("code block that is never closed"));
}

TEST(Answer, MissingInvalidAndEmptyAreThreeThings) {
  EXPECT_EQ(shown({}), "missing: the assistant wrote nothing");
  EXPECT_EQ(shown({"", " \n"}), "missing: the assistant wrote nothing");
  EXPECT_EQ(shown({"I cannot say."}), "missing: the assistant's messages hold no JSON");

  EXPECT_EQ(answer_in({"```json\n[1, oops]\n```"}).state, AnswerState::invalid);
  EXPECT_THAT(shown({"```json\n[\n1, oops]\n```"}), HasSubstr("line 2, column 4"));
  EXPECT_THAT(shown({"```json\n[{\"a\": 1}, {\"b"}), HasSubstr("invalid: in the ```json block"));
  EXPECT_THAT(shown({"```json\n{\"a\": 1}\n{\"b\": 2}\n```"}), HasSubstr("text beside the JSON value"));
  EXPECT_THAT(shown({"```json {\"a\" 1}\n```"}), HasSubstr("invalid: in the ```json block"));
  EXPECT_EQ(answer_in({"{\"a\": [1, 2"}).state, AnswerState::invalid);
  EXPECT_EQ(answer_in({"```\n{\"a\": oops}\n```"}).state, AnswerState::invalid);
  // Not the good block before it: the last one is what the model means.
  EXPECT_EQ(answer_in({"```json\n[1]\n```\n```json\n[oops]\n```"}).state, AnswerState::invalid);

  EXPECT_EQ(shown({"```json\n[1]\n```", "```json\n```"}), "empty: the ```json block holds nothing");
  EXPECT_EQ(shown({"```json\n  // to do\n```"}), "empty: the ```json block holds nothing");
  // An empty value is an answer.
  EXPECT_EQ(shown({"```json\n[]\n```"}), "[]");
  EXPECT_EQ(shown({"```json\nnull\n```"}), "null");
  EXPECT_EQ(shown({"```json\n\"\"\n```"}), R"("")");
}

// Each of these made every attempt read to the end in a naive search.
TEST(Answer, HostileTextCostsTimeInItsLengthOnly) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string piece : {"```/*", "```#", "```a", "\n```x a```b", "\n```json\n[", "[{\"a\":", "```",
                                  "``` ", "\n```json\n", "\n````\n```\n"}) {
    std::string text;
    while (text.size() < 300'000) text += piece;
    (void)answer_in({text});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Answer, OfPromptqlIsTheLastArtifactOfThatName) {
  const Json reply = parse_json(R"({"modified_artifacts": [
    {"identifier": "a", "data": [1]}, {"identifier": "b", "data": [2]}, {"identifier": "a", "data": []},
    {"identifier": "n", "data": null}, {"identifier": "m"}, 7]})")
                         .value();
  EXPECT_EQ(to_text(artifact_answer(reply, "a").value), "[]");
  EXPECT_EQ(artifact_answer(reply, "a").state, AnswerState::found);
  EXPECT_EQ(artifact_answer(reply, "n").error, "empty: the artifact `n` has no data");
  EXPECT_EQ(artifact_answer(reply, "m").state, AnswerState::empty);
  EXPECT_EQ(artifact_answer(reply, "c").error, "missing: there is no artifact `c`");
  EXPECT_EQ(artifact_answer(Json("rubbish"), "c").state, AnswerState::missing);
}

}  // namespace
}  // namespace assay::benchmark
