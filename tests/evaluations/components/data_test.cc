#include "evaluations/components/data.h"

#include <filesystem>
#include <fstream>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::components {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Data in a file, for as long as the object lives.
class DataFile {
 public:
  explicit DataFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("assay_data_" + std::to_string(::getpid()) + ".jsonl")) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;
  ~DataFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

DataFields sample_fields() {
  return DataFields({{.name = "question", .other_names = {"message"}},
                     {.name = "expected", .type = FieldType::boolean, .answer_key = true},
                     {.name = "score", .type = FieldType::number, .presence = Presence::optional}});
}

struct Read {
  std::vector<std::string> cases;     // "index/line id question"
  std::vector<std::string> problems;  // "severity line…: text"
  std::int64_t invalid = 0;
};

Read read(const std::string& content) {
  const DataFile file(content);
  const DataFields fields = sample_fields();
  auto source = open_data({file.path()}, fields);
  Read result;
  while ((*source)->next().value()) {
    const Case& current = (*source)->current();
    result.cases.push_back(std::to_string(current.index) + "/" + std::to_string(current.line) + " " +
                           std::string(current.id) + " " +
                           std::string(fields.value(*current.fields, 0).text));
  }
  for (const Problem& problem : (*source)->take_problems()) {
    result.problems.push_back(problem.severity + problem.where.substr(problem.where.find(", line")) + ": " +
                              problem.text);
  }
  result.invalid = (*source)->invalid();
  return result;
}

TEST(Data, TheLineNumberIsTheIdWhereNoneIsGiven) {
  const Read data = read(
      "{\"question\":\"a\",\"expected\":true}\n\n{\"id\":\"x\",\"question\":\"b\",\"expected\":false}\n{"
      "\"id\":7,\"question\":\"c\",\"expected\":false}\n");
  EXPECT_THAT(data.cases, ElementsAre("0/1 1 a", "1/3 x b", "2/4 7 c"));
  EXPECT_THAT(data.problems, ElementsAre());
}

TEST(Data, BlankLinesCountInTheNumberingOfIds) {
  // Line 2 is blank: nobody has "2" until it is given.
  const Read data = read(
      "{\"question\":\"a\",\"expected\":true}\n\n{\"question\":\"b\",\"expected\":true}\n"
      "{\"id\":\"2\",\"question\":\"c\",\"expected\":true}\n");
  EXPECT_THAT(data.cases, ElementsAre("0/1 1 a", "1/3 3 b", "2/4 2 c"));
  EXPECT_THAT(data.problems, ElementsAre());
}

TEST(Data, AnIdThatIsALaterLinesNumberIsAClashWithThatLine) {
  const Read data = read(
      "{\"question\":\"a\",\"expected\":true}\n{\"id\":\"3\",\"question\":\"b\",\"expected\":true}\n"
      "{\"question\":\"c\",\"expected\":true}\n");
  EXPECT_THAT(data.cases, ElementsAre("0/1 1 a", "1/2 3 b"));
  EXPECT_THAT(data.problems,
              ElementsAre("error, line 3: field id: \"3\" is there on an earlier line already"));
}

TEST(Data, ACaseThatHasTravelledIsReadFromItsPayload) {
  const DataFile file("{\"message\":\"a\",\"expected\":true,\"score\":0.5,\"note\":{\"by\":\"me\"}}\n");
  const DataFields fields = sample_fields();
  Case travelled;
  {
    auto source = open_data({file.path()}, fields);
    ASSERT_TRUE((*source)->next().value());
    travelled = (*source)->current().travelling();
  }
  ASSERT_EQ(travelled.fields, nullptr);
  const CaseFields read(fields, travelled);
  EXPECT_EQ(fields.value(*read, 0).text, "a");
  EXPECT_TRUE(fields.value(*read, 1).boolean);
  EXPECT_EQ(fields.value(*read, 2).number, 0.5);
  EXPECT_EQ(to_text((*read).extras()), "{\"note\":{\"by\":\"me\"}}");
}

TEST(Data, TheClustersFieldIsNotAmongTheDeclaredOnes) {
  // What is declared for lines without outputs ends before the first actual field, also with a cluster.
  const DataFields asked({{.name = "question"}}, {}, "document");
  EXPECT_TRUE(asked.declares(0));
  EXPECT_FALSE(asked.declares(1));
  EXPECT_EQ(asked.fields().size(), 2U);
  const DataFields grouped_by_question({{.name = "question"}}, {}, "question");
  EXPECT_EQ(grouped_by_question.fields().size(), 1U);
}

TEST(Data, ReadsEitherSpellingAndRefusesTwoThatDiffer) {
  const Read data = read(
      "{\"message\":\"a\",\"expected\":true}\n{\"message\":\"b\",\"question\":\"b\",\"expected\":true}\n"
      "{\"message\":\"b\",\"question\":\"c\",\"expected\":true}\n");
  EXPECT_THAT(data.cases, ElementsAre("0/1 1 a", "1/2 2 b"));
  EXPECT_THAT(
      data.problems,
      ElementsAre(HasSubstr("error, line 3: fields question and message: are two names of one field")));
}

TEST(Data, TellsEveryProblemOfALine) {
  const Read data = read(
      "{\"question\":null,\"expected\":\"yes\",\"score\":\"high\"}\n{\"score\":null,\"expected\":true,"
      "\"question\":\"ok\"}\n");
  EXPECT_THAT(data.problems,
              ElementsAre("error, line 1: field question: found null, expected text",
                          "error, line 1: field expected: found \"yes\", expected true or false",
                          "error, line 1: field score: found \"high\", expected a number"));
  EXPECT_THAT(data.cases, ElementsAre("1/2 2 ok"));
  EXPECT_EQ(data.invalid, 1);
}

TEST(Data, AnIdMayStandOnlyOnceAlsoAgainstLineNumbers) {
  EXPECT_THAT(read("{\"id\":\"a\",\"question\":\"q\",\"expected\":true}\n{\"id\":\"a\",\"question\":\"q\","
                   "\"expected\":true}\n")
                  .problems,
              ElementsAre("error, line 2: field id: \"a\" is there on an earlier line already"));
  EXPECT_THAT(
      read("{\"question\":\"q\",\"expected\":true}\n{\"id\":\"1\",\"question\":\"q\",\"expected\":true}\n")
          .problems,
      ElementsAre("error, line 2: field id: \"1\" is there on an earlier line already"));
  EXPECT_THAT(
      read("{\"id\":\"2\",\"question\":\"q\",\"expected\":true}\n{\"question\":\"q\",\"expected\":true}\n")
          .problems,
      ElementsAre("error, line 2: field id: \"2\" is there on an earlier line already"));
  EXPECT_THAT(read("{\"id\":true,\"question\":\"q\",\"expected\":true}\n").problems,
              ElementsAre("error, line 1: field id: found a value that is neither text nor a whole number"));
}

}  // namespace
}  // namespace assay::components
