#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/progress.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Keys sample() {
  return {{.name = "input_path", .type = KeyType::path, .help = ""},
          {.name = "generate", .type = KeyType::boolean, .help = ""},
          {.name = "verbose", .type = KeyType::boolean, .help = ""}};
}

TEST(Arguments, SeparatesWordsFromFlags) {
  const auto parsed = parse_arguments(
      {"eval.yaml", "--input-path", "a", "--input_path=b", "--no-generate", "-v", "--", "--odd"}, sample());
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
  EXPECT_THAT(parsed->words, ElementsAre("eval.yaml", "--odd"));
  ASSERT_EQ(parsed->flags.size(), 4U);
  EXPECT_EQ(parsed->flags[0].value, "a");
  EXPECT_EQ(parsed->flags[1].value, "b");
  EXPECT_TRUE(parsed->has("no-generate"));
  EXPECT_TRUE(parsed->has("verbose"));
}

TEST(Arguments, AValueMayBeginWithADashOrBeEmpty) {
  const auto parsed = parse_arguments({"--input-path", "-", "--input-path="}, sample());
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->flags[0].value, "-");
  EXPECT_EQ(parsed->flags[1].value, "");
}

TEST(Arguments, NamesTheNearestFlagAndAMissingValue) {
  EXPECT_THAT(parse_arguments({"--imput-path", "x"}, sample()).error().text(),
              HasSubstr("did you mean --input-path?"));
  EXPECT_THAT(parse_arguments({"--input-path"}, sample()).error().text(),
              HasSubstr("--input-path needs a value"));
  EXPECT_THAT(parse_arguments({"-x"}, sample()).error().text(), HasSubstr("unknown flag -x"));
}

TEST(Arguments, TellWhoComesFromAnotherToolWhatServesHere) {
  Keys keys = sample();
  keys.push_back({.name = "limits",
                  .type = KeyType::object,
                  .help = "",
                  .keys = {{.name = "concurrency", .type = KeyType::integer, .help = ""}}});
  const auto told = [&](const std::string& flag) {
    return parse_arguments({flag, "3"}, keys).error().text();
  };
  EXPECT_EQ(told("--concurrency"), "unknown flag --concurrency; did you mean --limits.concurrency?");
  EXPECT_EQ(told("--max_concurrency"), "unknown flag --max_concurrency; did you mean --limits.concurrency?");
  EXPECT_THAT(told("--dry-run"), HasSubstr("`assay check` with the same arguments sends nothing"));
  EXPECT_EQ(told("--max-samples"), "unknown flag --max-samples; did you mean --limit?");
  EXPECT_THAT(told("--frobnicate"), HasSubstr("--help lists the flags"));
}

TEST(Commands, HaveFlagsThatAllHaveHelp) {
  for (const Command& command : commands()) {
    for (const Key& key : command.keys()) EXPECT_FALSE(key.help.empty()) << command.name << " --" << key.name;
  }
}

TEST(Progress, SaysWhatAPersonWantsToKnow) {
  RunProgress progress;
  progress.total = 10'000;
  progress.done = 1'204;
  progress.in_flight = 64;
  progress.errored = 2;
  progress.tokens = 1'234'567;
  progress.spent_picousd = 420'000'000'000;
  EXPECT_EQ(progress_text(progress, std::chrono::seconds(4)),
            "1,204/10,000 cases · 301/s · 64 in flight · 2 errors · 1235k tokens · $0.42 · 29.2 s left");
}

TEST(Progress, OfARunOverSeveralMachinesSaysHowManyWorkAtIt) {
  RunProgress progress;
  progress.total = 100;
  progress.in_flight = 12;
  EXPECT_EQ(progress_text(progress, std::chrono::seconds(4), 3),
            "0/100 cases · 3 workers · 12 in flight · 0 tokens");
  EXPECT_THAT(progress_text(progress, std::chrono::seconds(4), 1), HasSubstr(" · 1 worker · "));
}

TEST(Progress, CountsRequestsWhileCasesAreSlowAndSaysWhatTheOldestWaitsFor) {
  RunProgress progress;
  progress.total = 10;
  progress.in_flight = 8;
  progress.requests = 28;
  progress.answers = 20;
  progress.calls_a_case = 12;
  progress.tokens = 900;
  progress.oldest = AccountFigures::Oldest{"q1", "judge/verdicts", std::chrono::seconds(75)};
  EXPECT_EQ(progress_text(progress, std::chrono::seconds(60)),
            "0/10 cases · 20/~120 requests · 8 in flight · 900 tokens · 5m 00s left · oldest: case q1, "
            "judge/verdicts for 1m 15s");
}

// Cases that advance abreast end all at once; what was asked for them counts before that.
TEST(Progress, TheTimeLeftFollowsFromRequests) {
  RunProgress progress;
  progress.total = 100;
  progress.done = 1;
  progress.answers = 900;
  progress.requests = 900;
  progress.calls_a_case = 10;
  EXPECT_THAT(progress_text(progress, std::chrono::seconds(90)), HasSubstr("10.0 s left"));
  progress.done = 99;
  progress.answers = 1'005;
  EXPECT_THAT(progress_text(progress, std::chrono::seconds(90)), HasSubstr("ms left"))
      << "more was asked than expected, and something is left";
  progress.done = 100;
  EXPECT_THAT(progress_text(progress, std::chrono::seconds(90)), Not(HasSubstr("left")));
}

}  // namespace
}  // namespace assay
