#include "runs/labels/sheets.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "tests/runs/labels/sample_sheets.h"

namespace assay::labels {
namespace {

class SheetsTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "assay-sheets-" + std::to_string(::getpid());
    std::filesystem::create_directories(directory_);
    sheets_ = Sheets::open(directory_).value();
  }
  void TearDown() override {
    sheets_.reset();
    std::filesystem::remove_all(directory_);
  }
  std::string add(SheetKind kind, std::size_t tasks, const std::string& run = "custom:1") {
    return text_at(sheets_->add(sheet_of(kind, tasks), run).value(), "id");
  }
  void reopen() {
    sheets_.reset();
    sheets_ = Sheets::open(directory_).value();
  }
  std::string next_key(const std::string& id, const std::string& person) {
    const auto standing = sheets_->next(id, person).value();
    return standing.task ? text_at(Json(*standing.task), "key") : "";
  }
  std::size_t answer(const std::string& id, const std::string& person, const char* value) {
    return sheets_->answer(id, person, next_key(id, person), value, "").value().done;
  }
  std::string answers_file(const std::string& id) const { return directory_ + "/" + id + "/answers.jsonl"; }

  std::string directory_;
  std::unique_ptr<Sheets> sheets_;
};

TEST_F(SheetsTest, AnswersAreThereAfterOpeningAgain) {
  const std::string id = add(SheetKind::rubric, 3);
  EXPECT_EQ(answer(id, "Kim", "yes"), 1U);
  const std::string key = next_key(id, "Kim");
  reopen();
  EXPECT_EQ(next_key(id, "Kim"), key);
  EXPECT_EQ(answer(id, "Kim", "no"), 2U);
  EXPECT_EQ(answer(id, "Kim", "no"), 3U);
  EXPECT_EQ(next_key(id, "Kim"), "");
}

TEST_F(SheetsTest, TheSameAnswerTwiceCountsOnce) {
  const std::string id = add(SheetKind::rubric, 3);
  const std::string key = next_key(id, "Kim");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sheets_->answer(id, "Kim", key, "yes", "why").value().done, 1U);
  const std::string text = read_file(answers_file(id)).value();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST_F(SheetsTest, UndoGivesTheLastTaskBack) {
  const std::string id = add(SheetKind::pair, 4);
  EXPECT_FALSE(sheets_->undo(id, "Kim").value().task);
  const Json first = sheets_->next(id, "Kim").value().task.value();
  answer(id, "Kim", "A");
  const Json second = sheets_->next(id, "Kim").value().task.value();
  answer(id, "Kim", "B");
  answer(id, "Ana", "B");
  const auto undone = sheets_->undo(id, "Kim").value();
  EXPECT_EQ(Json(undone.task.value()), second);
  EXPECT_EQ(undone.done, 1U);
  EXPECT_EQ(Json(sheets_->undo(id, "Kim").value().task.value()), first);
  reopen();
  EXPECT_EQ(Json(sheets_->next(id, "Kim").value().task.value()), first);
  EXPECT_EQ(sheets_->next(id, "Ana").value().done, 1U);
}

TEST_F(SheetsTest, ALineThatWasNotFinishedIsCutOff) {
  const std::string id = add(SheetKind::rubric, 3);
  answer(id, "Kim", "yes");
  const std::string whole = read_file(answers_file(id)).value();
  sheets_.reset();
  for (std::size_t cut = 1; cut < whole.size(); cut += 7) {
    std::ofstream(answers_file(id), std::ios::trunc) << whole << whole.substr(0, cut);
    reopen();
    EXPECT_EQ(sheets_->next(id, "Kim").value().done, 1U);
    EXPECT_EQ(read_file(answers_file(id)).value(), whole);
    sheets_.reset();
  }
  sheets_ = Sheets::open(directory_).value();
  EXPECT_EQ(answer(id, "Kim", "no"), 2U);
}

TEST_F(SheetsTest, AChangedLineIsToldAndNothingIsGuessed) {
  const std::string id = add(SheetKind::rubric, 3);
  answer(id, "Kim", "yes");
  sheets_.reset();
  std::ofstream(answers_file(id), std::ios::app) << "rubbish\n";
  sheets_ = Sheets::open(directory_).value();
  const auto standing = sheets_->next(id, "Kim");
  ASSERT_FALSE(standing);
  EXPECT_THAT(standing.error().text(), testing::HasSubstr("line 2"));
}

TEST_F(SheetsTest, ManyPeopleAnswerAtOnce) {
  const std::string id = add(SheetKind::rubric, 20);
  std::vector<std::thread> people;
  for (int i = 0; i < 4; ++i) {
    people.emplace_back([&, i] {
      const std::string name = "person " + std::to_string(i);
      for (int done = 0; done < 20; ++done) answer(id, name, done % 2 == 0 ? "yes" : "no");
    });
  }
  for (std::thread& person : people) person.join();
  reopen();
  const auto contents = sheets_->contents(id).value();
  EXPECT_EQ(contents.answers.people().size(), 4U);
  for (const Person& person : contents.answers.people()) EXPECT_EQ(person.given.size(), 20U);
}

TEST_F(SheetsTest, BadAnswersNameTheirField) {
  const std::string id = add(SheetKind::rating, 2);
  const auto field = [&](std::string_view person, std::string_view key, const Json& value) {
    const auto answered = sheets_->answer(id, person, key, value, "");
    return answered ? std::string("taken") : answered.error().context.front().second;
  };
  EXPECT_EQ(field("", "1", 3), "/person");
  EXPECT_EQ(field("Kim", "3", 3), "/key");
  EXPECT_EQ(field("Kim", "../1", 3), "/key");
  EXPECT_EQ(field("Kim", "1", 7), "/value");
  EXPECT_EQ(field("Kim", "1", 3), "taken");
  EXPECT_EQ(sheets_->next("../" + id, "Kim").error().kind, ErrorKind::usage);
}

TEST_F(SheetsTest, OnlyTheSheetsOfTheRunAreListed) {
  const std::string one = add(SheetKind::rating, 2, "custom:1");
  add(SheetKind::rubric, 2, "custom:2");
  const auto found = sheets_->of_run("custom:1");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(text_at(found.front(), "id"), one);
}

TEST_F(SheetsTest, OneServiceHasThemAtATime) {
  EXPECT_FALSE(Sheets::open(directory_));
}

TEST_F(SheetsTest, NothingIsMadeBeforeTheFirstSheet) {
  const std::string later = directory_ + "/deep/labels";
  auto sheets = Sheets::open(later).value();
  auto others = Sheets::open(later).value();
  EXPECT_TRUE(sheets->of_run("custom:1").empty());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/deep"));
  ASSERT_TRUE(sheets->add(sheet_of(SheetKind::rubric, 1), "custom:1"));
  EXPECT_EQ(sheets->of_run("custom:1").size(), 1U);
  EXPECT_EQ(others->add(sheet_of(SheetKind::rubric, 1), "custom:1").error().kind, ErrorKind::usage);
}

// Far more than are kept open at once.
TEST_F(SheetsTest, SheetsThatNobodyUsesAreClosedAndLoseNothing) {
  std::vector<std::string> ids;
  for (int i = 0; i < 40; ++i) ids.push_back(add(SheetKind::rating, 3, i % 2 == 0 ? "custom:1" : "custom:2"));
  for (const std::string& id : ids)
    ASSERT_TRUE(sheets_->answer(id, "kim", next_key(id, "kim"), Json(4), "")) << id;
  for (const std::string& id : ids) {
    EXPECT_EQ(sheets_->next(id, "kim").value().done, 1U) << id;
    ASSERT_TRUE(sheets_->answer(id, "kim", next_key(id, "kim"), Json(2), "")) << id;
  }
  for (const std::string& id : ids) EXPECT_EQ(sheets_->contents(id).value().answers.done("kim"), 2U) << id;
  EXPECT_EQ(sheets_->of_run("custom:1").size(), 20U);
  EXPECT_EQ(sheets_->of_run("custom:2").size(), 20U);
}

}  // namespace
}  // namespace assay::labels
