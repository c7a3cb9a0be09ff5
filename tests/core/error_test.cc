#include "core/error.h"

#include <set>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ErrorText, PutsContextBeforeTheMessageAndLeavesTheWordFileOut) {
  const Error error{ErrorKind::data,
                    "found 3, expected text",
                    {{"file", "data.jsonl"}, {"line", "12"}, {"field", "question"}}};
  EXPECT_EQ(error.text(), "data.jsonl, line 12, field question: found 3, expected text");
}

TEST(ErrorText, IsTheMessageAloneWithoutContext) {
  EXPECT_EQ((Error{ErrorKind::io, "no such file", {}}.text()), "no such file");
}

// Latin-1 in a message, half a character in a name.
TEST(ErrorText, IsUtf8WhateverWasRepeated) {
  const Error error{ErrorKind::target, "it said: caf\xE9", {{"file", "na\xC3"}}};
  EXPECT_EQ(error.text(), "na\uFFFD: it said: caf\uFFFD");
}

TEST(ErrorContext, GrowsOutwards) {
  auto error = Error{ErrorKind::data, "missing", {}}
                   .with("field", "question")
                   .with("line", "12")
                   .with("file", "a.jsonl");
  EXPECT_EQ(error.text(), "a.jsonl, line 12, field question: missing");
  EXPECT_EQ(error.context.front().first, "file");
}

TEST(ErrorContext, SaysNothingTwice) {
  auto error = Error{ErrorKind::data, "empty", {{"file", "a.csv"}, {"line", "1"}}}.with("file", "a.csv");
  EXPECT_EQ(error.text(), "a.csv, line 1: empty");
  EXPECT_EQ(std::move(error).with("file", "b.yaml").text(), "b.yaml, a.csv, line 1: empty");
}

TEST(ErrorFail, ConvertsToAnyResult) {
  const Result<int> number = fail(ErrorKind::usage, "wrong");
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().kind, ErrorKind::usage);
  const Status status = fail(number.error());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "wrong");
}

TEST(ErrorKinds, HaveDistinctNames) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(ErrorKind::internal);
  for (int kind = 0; kind <= last; ++kind) names.insert(to_string(static_cast<ErrorKind>(kind)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_EQ(to_string(ErrorKind::rate_limited), "rate_limited");
}

TEST(ErrorKinds, OnlyPassingTroubleOfTheNetworkIsRetryable) {
  std::set<std::string_view> retried;
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal); ++kind) {
    if (retryable(static_cast<ErrorKind>(kind))) retried.insert(to_string(static_cast<ErrorKind>(kind)));
  }
  EXPECT_EQ(retried, (std::set<std::string_view>{"network", "overloaded", "rate_limited", "timeout"}));
}

}  // namespace
}  // namespace assay
