#include "runs/show/case_places.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/sha256.h"
#include "runs/show/whole_case.h"

namespace assay {
namespace {

// A finished run of data that are there, written long enough ago to be at rest.
struct CasePlacesTest : testing::Test {
  std::string directory = testing::TempDir() + "assay-places-" + std::to_string(::getpid());

  void SetUp() override {
    std::filesystem::create_directories(directory);
    write(
        "config.yaml",
        fmt::format("evaluation: question_router\ngenerate: false\ninput_path: {}/data.jsonl\n", directory));
    write("summary.json", "{}");
    write_data("permit");
    std::string results;
    for (int i = 0; i < 50; ++i)
      results += fmt::format(R"({{"id":"case-{}","outcome":"scored","actual_outcome":"a{}"}})", i, i) + "\n";
    write("results.jsonl", results);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void write(const std::string& name, const std::string& text) const {
    const std::string path = directory + "/" + name;
    std::ofstream(path) << text;
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(10));
  }
  void write_data(const std::string& word) const {
    std::string lines;
    for (int i = 0; i < 50; ++i) {
      lines +=
          fmt::format(
              R"({{"id":"case-{0}","question":"{1} {0}?","expected_outcome":"a","actual_outcome":"a{0}"}})",
              i, word) +
          "\n\n";
    }
    write("data.jsonl", lines);
  }
};

TEST_F(CasePlacesTest, ACaseThatIsOpenedByItsPlaceIsTheSame) {
  CaseFinder finder;
  EXPECT_FALSE(finder.knows(directory));
  finder.prepare(directory);
  ASSERT_TRUE(finder.knows(directory)) << CasePlaces::read(directory).error().text();
  for (const char* id : {"case-0", "case-31", "case-49"}) {
    const auto slow = show_case(directory, id);
    const auto fast = finder.show(directory, id);
    ASSERT_TRUE(slow && fast) << id;
    EXPECT_EQ(to_text(to_json(*fast)), to_text(to_json(*slow)));
    EXPECT_TRUE(fast->input);
    EXPECT_EQ(text_at(fast->result, "id"), id);
  }
  const auto none = finder.show(directory, "case-5o");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text(), show_case(directory, "case-5o").error().text());
}

// The data have an empty line behind each case.
TEST_F(CasePlacesTest, ACaseIsTheLineThatItsResultTellsIfItHasItsId) {
  const std::string id = "case-31";
  for (const int told : {63, 61, 62, 4'000}) {  // 63 it is
    std::string results;
    for (int i = 0; i < 50; ++i) {
      results += fmt::format(R"({{"id":"case-{}","line":{},"outcome":"scored","actual_outcome":"a{}"}})", i,
                             i == 31 ? told : 2 * i + 1, i) +
                 "\n";
    }
    write("results.jsonl", results);
    const auto found = show_case(directory, id);
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_TRUE(found->input) << told;
    EXPECT_EQ(text_at(*found->input, "question"), "permit 31?") << told;
    EXPECT_EQ(text_at(found->result, "actual_outcome"), "a31");
  }
}

TEST_F(CasePlacesTest, AFileIsHashedAgainOnlyIfItChanged) {
  HashedFiles hashes;
  const std::string path = directory + "/data.jsonl";
  EXPECT_EQ(*hashes.sha256(path), *sha256_of_file(path));
  write_data("another");
  EXPECT_EQ(*hashes.sha256(path), *sha256_of_file(path));
  // The same size and the same time: it is taken for the same file.
  const auto written = std::filesystem::last_write_time(path);
  const std::string before = *hashes.sha256(path);
  std::fstream(path, std::ios::in | std::ios::out).put('[');
  std::filesystem::last_write_time(path, written);
  EXPECT_EQ(*hashes.sha256(path), before);
  EXPECT_FALSE(hashes.sha256(directory + "/nowhere.jsonl"));
}

TEST_F(CasePlacesTest, PlacesOfDataThatChangedAreForgotten) {
  CaseFinder finder;
  finder.prepare(directory);
  ASSERT_TRUE(finder.knows(directory));
  write_data("another text of");
  EXPECT_FALSE(finder.knows(directory));
  EXPECT_EQ(text_at(*finder.show(directory, "case-7")->input, "question"), "another text of 7?");
}

}  // namespace
}  // namespace assay
