// The seal of a run: every byte, every file too many or too few is noticed, and a new seal names the one
// before.
#include "runs/seal.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "core/sha256.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class SealTest : public ::testing::Test {
 protected:
  SealTest() : folder_(fs::temp_directory_path() / ("assay_seal_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "plots");
    write("report.html", "<p>0.75</p>\n");
    write("plots/accuracy.vl.json", "{}");
    write("empty", "");
    write("a\\b\nc", "an odd name");
  }
  ~SealTest() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file((folder_ / name).string(), text).has_value());
  }
  std::string folder() const { return folder_.string(); }
  std::vector<std::string> defects() {
    std::vector<std::string> found;
    for (const SealDefect& defect : check_seal(folder()).value().defects) found.push_back(defect.words());
    return found;
  }
  fs::path folder_;
};

// What was hashed while it was written is not read again, and what is on the disk must fit it.
TEST_F(SealTest, TakesTheHashesThatAreKnown) {
  const std::string plain = write_seal(folder(), {}).value();
  EXPECT_EQ(write_seal(folder(), {}, {{"report.html", hex(sha256("<p>0.75</p>\n"))}}).value(), plain);
  EXPECT_THAT(defects(), IsEmpty());
  ASSERT_TRUE(write_seal(folder(), {}, {{"report.html", hex(sha256("<p>0.76</p>\n"))}}).has_value());
  EXPECT_THAT(defects(), ElementsAre("report.html was changed after the run was sealed"));
}

TEST_F(SealTest, NoticesEveryByteOfEveryFileItsOwnIncluded) {
  ASSERT_FALSE(check_seal(folder())->sealed);
  ASSERT_TRUE(write_seal(folder(), {}).has_value());
  EXPECT_THAT(defects(), IsEmpty());
  for (const char* name : {"report.html", "plots/accuracy.vl.json", "a\\b\nc", kSealFile}) {
    const std::string path = (folder_ / name).string();
    const std::string text = read_file(path).value();
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ 1);
      ASSERT_TRUE(write_file(path, changed).has_value());
      EXPECT_THAT(defects(), ::testing::Contains(HasSubstr(name))) << i;
    }
    ASSERT_TRUE(write_file(path, text + "\n").has_value());
    EXPECT_THAT(defects(), ElementsAre(HasSubstr("was changed after the run was sealed")));
    ASSERT_TRUE(write_file(path, text).has_value());
  }
  EXPECT_THAT(defects(), IsEmpty());
}

TEST_F(SealTest, NoticesFilesTooManyAndTooFew) {
  ASSERT_TRUE(write_seal(folder(), {}).has_value());
  write("plots/other.vl.json", "{}");
  fs::remove(folder_ / "empty");
  EXPECT_THAT(defects(), ElementsAre("plots/other.vl.json was not there when the run was sealed",
                                     "empty is missing: it was there when the run was sealed"));
}

TEST_F(SealTest, IsReadBySha256sum) {
  ASSERT_TRUE(write_seal(folder(), {}).has_value());
  const std::string check = "cd '" + folder() + "' && sha256sum --status -c " + kSealFile;
  EXPECT_EQ(std::system(check.c_str()), 0);
  write("report.html", "<p>0.95</p>\n");
  EXPECT_NE(std::system(check.c_str()), 0);
}

TEST_F(SealTest, ANewSealNamesTheSealsBeforeItAndWhatWasAccepted) {
  const std::string first = write_seal(folder(), {}).value();
  EXPECT_EQ(seal_of(folder()), first);
  EXPECT_EQ(first, hex(sha256([&] {
              const std::string text = read_file(folder() + "/" + kSealFile).value();
              return text.substr(0, text.rfind("# seal "));
            }())))
      << "the hash of all lines above it";
  auto history = break_seal(folder());
  ASSERT_TRUE(history.has_value());
  EXPECT_THAT(history->earlier, ElementsAre(first));
  EXPECT_FALSE(check_seal(folder())->sealed);
  // Killed here: whoever resumes finds the same.
  EXPECT_THAT(break_seal(folder())->earlier, ElementsAre(first));
  history->accepted.push_back("report.html was changed\nby hand");
  write("report.html", "anew");
  const std::string second = write_seal(folder(), *history).value();
  EXPECT_NE(second, first);
  const auto report = check_seal(folder());
  EXPECT_THAT(report->history.earlier, ElementsAre(first));
  EXPECT_THAT(report->history.accepted, ElementsAre("report.html was changed\nby hand"));
  EXPECT_THAT(break_seal(folder())->earlier, ElementsAre(first, second));
}

TEST_F(SealTest, ABrokenSealIsMendedWhereNothingWasWritten) {
  const std::string seal = write_seal(folder(), {}).value();
  ASSERT_TRUE(break_seal(folder()).has_value());
  mend_seal(folder());
  EXPECT_EQ(check_seal(folder())->seal, seal);
  EXPECT_THAT(defects(), IsEmpty());
}

TEST_F(SealTest, WhatAKilledProcessHasLeftUnfinishedIsNotSealed) {
  write("results.jsonl.4711.3.tmp", "half");
  write("notes.tmp", "not ours");
  ASSERT_TRUE(write_seal(folder(), {}).has_value());
  EXPECT_FALSE(fs::exists(folder_ / "results.jsonl.4711.3.tmp"));
  EXPECT_TRUE(fs::exists(folder_ / "notes.tmp"));
  EXPECT_THAT(defects(), IsEmpty());
}

}  // namespace
}  // namespace assay
