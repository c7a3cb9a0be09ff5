#include "core/file.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/files/write_behind.h"
#include "core/sha256.h"
#include "core/time.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("assay_file_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(FileTest, AnAtomicFileIsInvisibleUntilCommitted) {
  auto file = AtomicFile::create(path("a.txt"));
  ASSERT_TRUE(file.has_value());
  file->write("hello");
  EXPECT_FALSE(file_exists(path("a.txt")));
  ASSERT_TRUE(file->commit().has_value());
  EXPECT_EQ(read_file(path("a.txt")).value(), "hello");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, AnUncommittedFileLeavesNoTraceAndTheOldOneStands) {
  ASSERT_TRUE(write_file(path("a.txt"), "old").has_value());
  {
    auto file = AtomicFile::create(path("a.txt"));
    file->write(std::string(1'000'000, 'x'));
  }
  EXPECT_EQ(read_file(path("a.txt")).value(), "old");
  EXPECT_EQ(entries(), 1U);
}

// Two files at once, in pieces that fit no buffer, far more than may wait at a time.
TEST_F(FileTest, WrittenBehindAFileIsTheSameAndItsHashIsKnown) {
  WriteBehind behind;
  for (const std::size_t pieces : {0U, 1U, 100'000U}) {
    auto one = AtomicFile::create(path("one"), behind).value();
    auto other = AtomicFile::create(path("other"), behind).value();
    std::string expected_one;
    std::string expected_other;
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::string piece = std::to_string(i) + std::string(i % 97, 'x') + "\n";
      one.write(piece);
      expected_one += piece;
      if (i % 3 != 0) continue;
      other.write(piece);
      expected_other += piece;
    }
    EXPECT_EQ(file_exists(path("one")), pieces > 0);
    ASSERT_TRUE(one.commit().has_value());
    ASSERT_TRUE(other.commit().has_value());
    EXPECT_EQ(read_file(path("one")).value(), expected_one);
    EXPECT_EQ(read_file(path("other")).value(), expected_other);
    EXPECT_EQ(one.hash(), hex(sha256(expected_one)));
    EXPECT_EQ(other.hash(), sha256_of_file(path("other")).value());
  }
}

TEST_F(FileTest, WrittenBehindAnUncommittedFileLeavesNoTrace) {
  WriteBehind behind;
  {
    auto file = AtomicFile::create(path("a.txt"), behind).value();
    for (int i = 0; i < 100; ++i) file.write(std::string(100'000, 'x'));
  }
  EXPECT_EQ(entries(), 0U);
}

// A limit on the size of files stands for a full disk: it is met on the other thread.
TEST_F(FileTest, WrittenBehindAFailureShowsInTheCommit) {
  WriteBehind behind;
  auto file = AtomicFile::create(path("a.txt"), behind).value();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1'000'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int i = 0; i < 100; ++i) file.write(std::string(100'000, 'x'));
  const Status done = file.commit();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().text(), HasSubstr("larger than allowed"));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(FileTest, WhatKilledProcessesLeftIsTakenAwayAndNothingElse) {
  fs::create_directories(folder_ / "plots/deeper");
  for (const char* left : {"results.jsonl.1.0.tmp", "plots/a.vl.json.99999.12.tmp"})
    ASSERT_TRUE(write_file(path(left), "x").has_value());
  for (const char* kept :
       {"notes.tmp", "a.1.tmp", ".1.0.tmp", "a.b.0.tmp", "1.0.tmp.txt", "plots/deeper/a.1.0.tmp"})
    ASSERT_TRUE(write_file(path(kept), "x").has_value());
  const auto mine = AtomicFile::create(path("mine"));
  remove_leftovers(folder_.string());
  EXPECT_FALSE(file_exists(path("results.jsonl.1.0.tmp")));
  EXPECT_FALSE(file_exists(path("plots/a.vl.json.99999.12.tmp")));
  EXPECT_EQ(entries(), 7U) << "five files, one directory, and one that is being written";
  EXPECT_TRUE(file_exists(path("plots/deeper/a.1.0.tmp")));
}

// In a container a process often has the number of the one before it.
TEST_F(FileTest, WhatAKilledProcessOfTheSameNumberLeftIsTakenAwayAndStandsInNobodysWay) {
  std::vector<std::string> left;
  for (int i = 0; i < 100; ++i) {
    left.push_back(path("a.txt." + std::to_string(::getpid()) + "." + std::to_string(i) + ".tmp"));
    std::ofstream(left.back()) << "half";
  }
  ASSERT_TRUE(write_file(path("a.txt"), "whole").has_value());
  remove_leftovers(folder_.string());
  EXPECT_EQ(entries(), 1U);
  EXPECT_EQ(read_file(path("a.txt")).value(), "whole");
}

TEST_F(FileTest, AFullDiskIsReportedAndLeavesNoTrace) {
  // /dev/full takes no byte; a temporary beside it cannot be made, so the error shows at creation.
  auto file = AtomicFile::create("/dev/full/x");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().kind, ErrorKind::io);
}

TEST_F(FileTest, ReadingSaysWhatIsWrong) {
  EXPECT_THAT(read_file(folder_.string()).error().text(), HasSubstr("it is a directory, a file is expected"));
  EXPECT_THAT(read_file(path("none")).error().text(), HasSubstr("no such file"));
  ASSERT_TRUE(write_file(path("big"), std::string(100, 'x')).has_value());
  EXPECT_THAT(read_file(path("big"), 10).error().text(), HasSubstr("larger than 10 bytes"));
}

// FIPS 180-4 examples: "abc" and one million times "a".
TEST_F(FileTest, Sha256AgreesWithThePublishedExamples) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  ASSERT_TRUE(write_file(path("million"), std::string(1'000'000, 'a')).has_value());
  EXPECT_EQ(sha256_of_file(path("million")).value(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Time, WritesAndReadsIso8601) {
  const auto time = parse_iso_time("2026-09-01T08:30:00.250Z");
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(iso_time(*time), "2026-09-01T08:30:00.250Z");
  EXPECT_EQ(directory_time(*time), "2026-09-01T08-30-00");
  EXPECT_EQ(iso_time(parse_iso_time("2026-09-01T10:30:00+02:00").value()), "2026-09-01T08:30:00.000Z");
  EXPECT_EQ(iso_time(parse_iso_time("2024-02-29").value()), "2024-02-29T00:00:00.000Z");
  for (const char* wrong :
       {"", "2026-13-01", "2026-02-30", "2026-09-01T25:00:00Z", "2026-09-01T08:30:00+99:00", "yesterday"}) {
    EXPECT_FALSE(parse_iso_time(wrong).has_value()) << wrong;
  }
}

TEST(Time, OfAnyYearIsReadRightOrRefused) {
  // Nanoseconds since 1970 end in 1677 and 2262; milliseconds do not.
  for (const char* early :
       {"1600-01-01T00:00:00Z", "1677-09-20", "0000-01-01", "2262-04-13", "9999-12-31T23:59:59Z"})
    EXPECT_FALSE(parse_iso_time(early).has_value()) << early;
  for (const char* good :
       {"1677-09-22T00:00:00.000Z", "2262-04-11T00:00:00.000Z", "1969-12-31T23:59:59.999Z"})
    EXPECT_EQ(iso_time(parse_iso_time(good).value()), good);
  EXPECT_EQ(parse_iso_ms("1600-01-01").value(), -11'676'096'000'000);  // date -u -d 1600-01-01 +%s
  EXPECT_EQ(parse_iso_ms("1969-12-31T23:59:59.999999Z").value(), -1);
  EXPECT_EQ(parse_iso_ms("0000-01-01T00:00:00+10:00").value(), kFirstTimeMs);
  EXPECT_EQ(parse_iso_ms("9999-12-31T23:59:59.999Z").value(), kLastTimeMs);
  for (const char* text :
       {"0000-01-01T00:00:00.000Z", "1600-02-29T12:30:00.250Z", "9999-12-31T23:59:59.999Z"})
    EXPECT_EQ(iso_time_of_ms(parse_iso_ms(text).value()), text);
}

TEST(Time, ReadsDurations) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_duration("250ms").value(), 250ms);
  EXPECT_EQ(parse_duration("1h30m").value(), 90min);
  EXPECT_EQ(parse_duration("1.5s").value(), 1500ms);
  EXPECT_EQ(parse_duration("30").value(), 30s);
  for (const char* wrong : {"", "fast", "-1s", "1x", "s", "1e99d"})
    EXPECT_FALSE(parse_duration(wrong).has_value()) << wrong;
  EXPECT_EQ(parse_duration(duration_literal(1500ms)).value(), 1500ms);
  EXPECT_EQ(duration_text(90s), "1m 30s");
}

}  // namespace
}  // namespace assay
