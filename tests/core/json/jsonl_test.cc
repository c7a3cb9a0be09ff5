#include "core/json/jsonl.h"

#include <filesystem>
#include <fstream>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/random.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("assay_jsonl_" + std::to_string(::getpid()) + ".jsonl")) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::vector<std::string> lines_of(const std::string& content) {
  const TemporaryFile file(content);
  auto reader = LineReader::open(file.path());
  std::vector<std::string> lines;
  for (;;) {
    auto line = reader->next();
    if (!line) return {"error: " + line.error().text()};
    if (!*line) return lines;
    lines.push_back(std::to_string((*line)->number) + ":" + std::string((*line)->text));
  }
}

TEST(LineReader, SkipsBlankLinesButCountsThem) {
  EXPECT_THAT(lines_of("a\n\n  \t\nb"), ElementsAre("1:a", "4:b"));
}

TEST(LineReader, AcceptsByteOrderMarkCrLfAndAMissingLastLineEnd) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBF{}\r\n{\"a\":1}\r\n\r\n[]"), ElementsAre("1:{}", "2:{\"a\":1}", "4:[]"));
}

TEST(LineReader, AnEmptyFileHasNoLines) {
  EXPECT_THAT(lines_of(""), ElementsAre());
}

TEST(LineReader, LinesLongerThanTheBufferComeWhole) {
  const std::string huge(5'000'000, 'x');
  const auto lines = lines_of("a\n" + huge + "\nb\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1], "2:" + huge);
  EXPECT_EQ(lines[2], "3:b");
}

TEST(LineReader, RefusesALineBeyondTheLimitInsteadOfEatingAllMemory) {
  const TemporaryFile file(std::string(4'000'000, 'x'));
  auto reader = LineReader::open(file.path(), 1'000'000);
  auto line = reader->next();
  ASSERT_FALSE(line.has_value());
  EXPECT_THAT(line.error().text(), HasSubstr("line 1: the line is longer than 1000000 bytes"));
}

TEST(LineReader, SaysWhatIsWrongWithADirectoryOrAMissingFile) {
  EXPECT_THAT(LineReader::open("/tmp").error().text(), HasSubstr("it is a directory"));
  EXPECT_THAT(LineReader::open("/nonexistent/x.jsonl").error().text(), HasSubstr("no such file"));
}

RC_GTEST_PROP(LineReader, GivesTheSameLinesAsASimpleSplit, (const std::vector<std::string>& parts)) {
  std::string content;
  std::vector<std::string> expected;
  std::size_t number = 0;
  for (std::string part : parts) {
    std::erase_if(part, [](char c) {
      return c == '\n' || c == '\r' || c == '\0' || static_cast<unsigned char>(c) > 126;
    });
    content += part + "\n";
    ++number;
    if (part.find_first_not_of(" \t\v\f") != std::string::npos)
      expected.push_back(std::to_string(number) + ":" + part);
  }
  RC_ASSERT(lines_of(content) == expected);
}

Line padded(std::string& text) {
  text.reserve(text.size() + 64);
  return {text, 1};
}

TEST(LineParser, FindsDeclaredFieldsAndKeepsTheOthers) {
  LineParser parser({"question", "score", "flag", "none", "list"});
  std::string text =
      R"({"question":"a \"b\" é","x":[1,{"y":null}],"score":0.5,"flag":true,"none":null,"list":[1]})";
  ASSERT_TRUE(parser.parse(padded(text)).has_value());
  EXPECT_EQ(parser.field(0).text, "a \"b\" é");
  EXPECT_EQ(parser.field(1).number, 0.5);
  EXPECT_TRUE(parser.field(2).boolean);
  EXPECT_EQ(parser.field(3).kind, FieldValue::Kind::null);
  EXPECT_EQ(parser.field(4).kind, FieldValue::Kind::list);
  EXPECT_EQ(to_text(parser.tree(4)), "[1]");
  std::string extras;
  parser.append_extras(extras);
  EXPECT_EQ(extras, R"({"x":[1,{"y":null}]})");
}

TEST(LineParser, OfARepeatedKeyTheLastOneCountsAndIsNamed) {
  LineParser parser({"a"});
  std::string text = R"({"a":1,"b":1,"a":2,"b":3})";
  ASSERT_TRUE(parser.parse(padded(text)).has_value());
  EXPECT_EQ(parser.field(0).number, 2);
  EXPECT_THAT(parser.repeated(), ElementsAre("a", "b"));
  EXPECT_EQ(to_text(parser.extras()), R"({"b":3})");
}

std::string parse_problem(std::string text) {
  LineParser parser({"a"});
  auto parsed = parser.parse(padded(text));
  return parsed ? "" : parsed.error().message;
}

TEST(LineParser, ManyFieldsThatNobodyDeclaredAreKeptInOrderAndRepeatsNamed) {
  std::string line = R"({"question":"q")";
  for (int i = 0; i < 200'000; ++i) line += fmt::format(R"(,"f{}":{})", i, i);
  line += R"(,"f7":"again","f0":"again"})";
  LineParser parser({"question"});
  ASSERT_TRUE(parser.parse_copy(line));
  const JsonObject extras = parser.extras();
  EXPECT_EQ(extras.size(), 200'000U);
  EXPECT_EQ(extras.begin()->key(), "f0");
  EXPECT_EQ(extras.at("f7"), "again");
  EXPECT_THAT(parser.repeated(), ElementsAre("f7", "f0"));
  ASSERT_TRUE(parser.parse_copy(R"({"question":"q","f7":1})"));
  EXPECT_EQ(parser.extras().size(), 1U);
}

TEST(LineParser, SaysWhatIsWrongWithALine) {
  EXPECT_THAT(parse_problem("{\"a\": \"\xff\"}"), HasSubstr("invalid UTF-8"));
  EXPECT_THAT(parse_problem("[1]"), HasSubstr("found a list, expected a JSON object"));
  EXPECT_THAT(parse_problem("\"x\""), HasSubstr("found text, expected a JSON object"));
  EXPECT_THAT(parse_problem("{\"a\": 1"), Not(HasSubstr("internal")));
  EXPECT_THAT(parse_problem("nothing"), AllOf(HasSubstr("not JSON: column 1"), Not(HasSubstr("line"))));
  EXPECT_NE(parse_problem("{\"a\": 1,}"), "");
  EXPECT_NE(parse_problem("{\"a\": [1 2]}"), "");
  EXPECT_NE(parse_problem("{\"a\": 1} x"), "");
  EXPECT_NE(parse_problem("{\"extra\": [1 2], \"a\": 1}"), "");
  EXPECT_NE(parse_problem(std::string(2000, '[')), "");
}

TEST(LineParser, StaysUsableAfterABadLine) {
  LineParser parser({"a"});
  std::string bad = "{\"a\": ";
  std::string good = "{\"a\": 1}";
  EXPECT_FALSE(parser.parse(padded(bad)).has_value());
  EXPECT_TRUE(parser.parse(padded(good)).has_value());
  EXPECT_EQ(parser.field(0).number, 1);
}

TEST(LineReader, ComesBackToAnyLineItGave) {
  // Long enough for several chunks, with a BOM, blank lines and both kinds of line end.
  const std::string path = testing::TempDir() + "assay-places.jsonl";
  {
    std::ofstream file(path, std::ios::binary);
    file << "\xEF\xBB\xBF";
    for (int i = 0; i < 60'000; ++i)
      file << "{\"i\":" << i << ",\"text\":\"" << std::string(static_cast<std::size_t>(i % 97), 'x')
           << (i % 3 == 0 ? "\"}\r\n" : "\"}\n") << (i % 7 == 0 ? "\n" : "");
  }
  auto reader = LineReader::open(path);
  ASSERT_TRUE(reader.has_value());
  std::vector<std::pair<LinePlace, std::string>> lines;
  for (;;) {
    auto line = reader->next();
    ASSERT_TRUE(line.has_value());
    if (!*line) break;
    lines.emplace_back(reader->place(), std::string((*line)->text));
  }
  ASSERT_EQ(lines.size(), 60'000U);
  Random random = Random::keyed("places");
  for (int i = 0; i < 2'000; ++i) {
    const auto& [place, text] =
        lines[i < 5 ? 59'999 - static_cast<std::size_t>(i) : random.below(lines.size())];
    ASSERT_TRUE(reader->go_to(place).has_value());
    auto line = reader->next();
    ASSERT_TRUE(line.has_value() && *line);
    ASSERT_EQ((*line)->text, text);
    ASSERT_EQ((*line)->number, place.number);
  }
}

}  // namespace
}  // namespace assay
