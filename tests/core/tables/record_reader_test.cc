#include "core/tables/record_reader.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/random.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string gzip(const std::string& content) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(::deflateBound(&stream, content.size()) + 64, '\0');
  std::string copy = content;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

// A file of that name, for as long as the object lives.
class NamedFile {
 public:
  NamedFile(const std::string& name, const std::string& content)
      : path_(std::filesystem::path(testing::TempDir()) / fmt::format("{}-{}", ::getpid(), name)) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;
  ~NamedFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// "line/entry text", or "line/entry! problems"; the error that ends it all last.
std::vector<std::string> records(const std::string& name, const std::string& content,
                                 std::optional<RecordFormat> format = {}) {
  const NamedFile file(name, content);
  auto reader = RecordReader::open(file.path(), format);
  std::vector<std::string> found;
  const auto without_directory = [](const std::string& text) { return text.substr(text.rfind('-') + 1); };
  if (!reader) return {without_directory(reader.error().text())};
  for (;;) {
    auto line = reader->next();
    if (!line) {
      found.push_back(without_directory(line.error().text()));
      return found;
    }
    if (!*line) return found;
    std::string words = fmt::format("{}/{}", (*line)->number, (*line)->entry);
    if (reader->problems().empty()) {
      words += fmt::format(" {}", (*line)->text);
    } else {
      for (const std::string& problem : reader->problems()) words += "! " + problem;
    }
    found.push_back(std::move(words));
  }
}

TEST(RecordReader, ReadsTheSameRecordsFromEveryForm) {
  const std::string lines = "{\"a\":\"1\",\"b\":\"x\"}\n{\"a\":\"2\",\"b\":\"y\"}\n";
  EXPECT_THAT(records("d.jsonl", lines), ElementsAre(R"(1/1 {"a":"1","b":"x"})", R"(2/2 {"a":"2","b":"y"})"));
  EXPECT_EQ(records("data", lines), records("d.jsonl", lines));
  EXPECT_EQ(records("d.ndjson", lines), records("d.jsonl", lines));
  EXPECT_THAT(records("d.json", R"([{"a":"1","b":"x"},{"a":"2","b":"y"}])"),
              ElementsAre(R"(1/1 {"a":"1","b":"x"})", R"(1/2 {"a":"2","b":"y"})"));
  EXPECT_THAT(records("d.csv", "a,b\n1,x\n2,y\n"),
              ElementsAre(R"(2/1 {"a":"1","b":"x"})", R"(3/2 {"a":"2","b":"y"})"));
  EXPECT_EQ(records("d.TSV", "a\tb\n1\tx\n2\ty\n"), records("d.csv", "a,b\n1,x\n2,y\n"));
  for (const char* name : {"d.csv.gz", "d.csv"}) {
    EXPECT_EQ(records(name, gzip("a,b\n1,x\n") + gzip("2,y\n")), records("d.csv", "a,b\n1,x\n2,y\n"))
        << "two members, as gzip itself writes them one behind the other";
  }
  EXPECT_EQ(records("d.txt", "a,b\n1,x\n2,y\n", RecordFormat::csv), records("d.csv", "a,b\n1,x\n2,y\n"));
}

TEST(RecordReader, TakesTablesAsSpreadsheetsWriteThem) {
  EXPECT_THAT(
      records("d.csv",
              "\xEF\xBB\xBF id ,\"said\"\r\n1,\"two\nlines, and \"\"quotes\"\"\"\r\n\r\n2,'=SUM(1)\r\n3,"),
      ElementsAre(R"(2/1 {"id":"1","said":"two\nlines, and \"quotes\""})",
                  R"x(5/2 {"id":"2","said":"=SUM(1)"})x", R"(6/3 {"id":"3","said":""})"));
  EXPECT_THAT(records("d.csv", "a,b\rold,mac\r"), ElementsAre(R"(2/1 {"a":"old","b":"mac"})"));
  EXPECT_THAT(records("d.csv", "a,b\n"), IsEmpty());
}

TEST(RecordReader, TellsWhatIsWrongWithARowAndGoesOn) {
  EXPECT_THAT(records("d.csv", "a,b\n1\n1,2,3\n1,\"x\" y\n\xff,x\nok,ok\n1,\"open\n2,3\n"),
              ElementsAre("2/1! found 1 cells, expected 2 as in the first row",
                          "3/2! found 3 cells, expected 2 as in the first row",
                          "4/3! text stands behind a closing quote; a quote inside a cell is written twice",
                          "5/4! the row holds invalid UTF-8; save the file as UTF-8",
                          R"(6/5 {"a":"ok","b":"ok"})", "7/6! a quote that opens a cell is never closed"));
  EXPECT_THAT(records("d.csv", "a,,a\n1,2,3\n"),
              ElementsAre("d.csv, line 1: column 2 has no name; column a is there twice"));
  EXPECT_THAT(records("d.csv", " \n\n"), ElementsAre(HasSubstr("line 1: column 1 has no name")));
  EXPECT_THAT(records("d.csv", ""),
              ElementsAre("d.csv, line 1: the file is empty, expected a row of column names"));
}

TEST(RecordReader, FindsTheElementsOfAListByQuotesAndBrackets) {
  EXPECT_THAT(
      records("d.json", "\n[ {\"a\": \"}]\\\"\",\n  \"b\": [[1], {\"c\": 2}]},\n\t3 ,\"t,\", []\n]\n"),
      ElementsAre("2/1 {\"a\": \"}]\\\"\",\n  \"b\": [[1], {\"c\": 2}]}", "4/2 3", "4/3 \"t,\"", "4/4 []"));
  EXPECT_THAT(records("d.json", "[]"), IsEmpty());
  EXPECT_THAT(records("d.json", ""),
              ElementsAre("d.json, line 1, column 1: the file is empty, expected a JSON list of objects"));
  EXPECT_THAT(
      records("d.json", "[{}\n, ]"),
      ElementsAre("1/1 {}",
                  "d.json, line 2, column 3: an element is missing here; is there a comma too many?"));
  EXPECT_THAT(
      records("d.json", "[{}\n {}]"),
      ElementsAre("1/1 {}", "d.json, line 2, column 2: expected a comma or ] behind an element of the list"));
  EXPECT_THAT(
      records("d.json", "[{},\n {\"é\": \""),
      ElementsAre("1/1 {}",
                  "d.json, line 2, column 2: the file ends inside a text of the element that begins here"));
  EXPECT_THAT(
      records("d.json", "[{}"),
      ElementsAre("1/1 {}", "d.json, line 1, column 4: the list is not closed with ]; is the file cut off?"));
  EXPECT_THAT(records("d.json", "[{}] {}"),
              ElementsAre("1/1 {}", HasSubstr("column 6: something stands behind the list")));
  // Where it went wrong inside an element is told by the lines of the file.
  const Line element{.text = "{\"a\": 1,\n \"b\": x}", .number = 7, .column = 3, .entry = 2};
  EXPECT_EQ(not_json_words(element, parse_json(element.text).error()).substr(0, 28),
            "not JSON: line 8, column 7: ");
}

TEST(RecordReader, SaysWhenNameAndContentDoNotFit) {
  EXPECT_THAT(
      records("d.jsonl", "[\n  {\"a\": 1}\n]\n"),
      ElementsAre(
          "d.jsonl: found a JSON list, expected JSON Lines (one object a line); name the file .json or "
          "set `input_format: json`"));
  EXPECT_THAT(records("d.json", "{\"a\": 1}\n{\"a\": 2}\n"), ElementsAre(HasSubstr("name the file .jsonl")));
  EXPECT_THAT(records("d.csv", "{\"a\": 1}\n"), ElementsAre(HasSubstr("found JSON, expected a table")));
  EXPECT_THAT(records("d.csv", "a\tb\n1\t2\n"), ElementsAre(HasSubstr("name the file .tsv")));
  EXPECT_THAT(records("d.tsv", "a,b\n1,2\n"), ElementsAre(HasSubstr("name the file .csv")));
  EXPECT_THAT(records("d.csv", "a;b\n1;2\n"), ElementsAre(HasSubstr("the first row has semicolons")));
  EXPECT_THAT(records("d.csv.gz", "a,b\n"),
              ElementsAre(HasSubstr("not compressed with gzip; rename the file")));
  const std::string packed = gzip("a,b\n1,2\n");
  EXPECT_THAT(records("d.csv.gz", packed.substr(0, packed.size() - 9)),
              ElementsAre(HasSubstr("the gzip data end too early")));
  EXPECT_THAT(records("d.csv.gz", packed + "rubbish"), ElementsAre(HasSubstr("not gzip stands behind")));
  // A column whose name begins like a footnote is no list.
  EXPECT_THAT(records("d.csv", "[1],b\nx,y\n"), ElementsAre(R"(2/1 {"[1]":"x","b":"y"})"));
}

// Several pieces of a megabyte, cells with line breaks over their borders, and one that is larger than a
// piece.
TEST(RecordReader, ComesBackToAnyRecordItGave) {
  std::string table = "\xEF\xBB\xBFid,text\r\n";
  std::string list = "[";
  for (int i = 0; i < 30'000; ++i) {
    const std::string text(i == 20'000 ? std::size_t{3} << 20 : static_cast<std::size_t>(i % 97), 'x');
    table += fmt::format("{},\"{}\r\n\"\"{}\"\r\n{}", i, text, i, i % 7 == 0 ? "\r\n" : "");
    list += fmt::format("{}{{\"id\":{},\n\"text\":\"{}\"}}\n", i > 0 ? "," : "", i, text);
  }
  list += "]\n";
  for (const auto& [name, content] :
       {std::pair("p.csv", table), std::pair("p.csv.gz", gzip(table)), std::pair("p.json", list)}) {
    const NamedFile file(name, content);
    auto reader = RecordReader::open(file.path());
    ASSERT_TRUE(reader.has_value());
    std::vector<std::pair<LinePlace, std::string>> kept;
    for (;;) {
      auto line = reader->next();
      ASSERT_TRUE(line.has_value());
      if (!*line) break;
      ASSERT_TRUE(reader->problems().empty());
      kept.emplace_back(reader->place(), std::string((*line)->text));
    }
    ASSERT_EQ(kept.size(), 30'000U) << name;
    Random random = Random::keyed("places");
    for (int i = 0; i < 300; ++i) {
      const auto& [place, text] = kept[i == 0 ? 20'000 : random.below(kept.size())];
      ASSERT_TRUE(reader->go_to(place).has_value());
      auto line = reader->next();
      ASSERT_TRUE(line.has_value() && *line);
      ASSERT_EQ((*line)->text, text);
      ASSERT_EQ((*line)->number, place.number);
      ASSERT_EQ((*line)->entry, place.entry);
    }
  }
}

TEST(RecordReader, KnowsTheFormOfWhatHasNoName) {
  const auto form = [](const std::string& content) {
    const NamedFile file("pipe", content);
    const auto found = content_form(file.path());
    return fmt::format("{}{}", to_string(found->format), found->gzip ? " gzip" : "");
  };
  EXPECT_EQ(form("\n {\"a\": 1}\n"), "jsonl");
  EXPECT_EQ(form("[{}]"), "json");
  EXPECT_EQ(form("a,b\n1\t,2\n"), "csv");
  EXPECT_EQ(form("a\tb\n"), "tsv");
  EXPECT_EQ(form(gzip("a,b\n")), "csv gzip");
  EXPECT_EQ(form(""), "jsonl");
}

}  // namespace
}  // namespace assay
