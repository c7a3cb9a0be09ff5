#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/progress.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace assay
