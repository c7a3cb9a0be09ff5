#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/help/help.h"
#include "cli/stats/stats_help.h"

namespace assay {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Said {
  int code = 0;
  std::string out;
  std::string error;
};

Said stats(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Said said;
  said.code = stats_command(words, Surroundings{});
  said.out = testing::internal::GetCapturedStdout();
  said.error = testing::internal::GetCapturedStderr();
  return said;
}

std::string table(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(StatsHelp, ShowsEveryModeWithItsFlags) {
  const std::string all = command_help("stats", "", Terminal{});
  for (const answers::Mode& mode : answers::modes()) {
    const std::string one = mode_help(mode, Terminal{});
    EXPECT_THAT(all, HasSubstr(one));
    EXPECT_THAT(one, HasSubstr(stats_usage(mode)));
    for (const std::string& flag : flag_names(mode.keys)) EXPECT_THAT(one, HasSubstr(flag)) << mode.name;
  }
}

TEST(StatsHelp, ReferenceIsTheLastPartOfThePage) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/docs/stats.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_THAT(page, EndsWith("\n\n" + stats_reference()))
      << "put what `assay help stats --reference` prints at the end of docs/stats.md";
}

TEST(StatsCommand, RefusesEveryFlagOfAnotherModeAndNamesItsOwner) {
  const std::string file = table("ratings.csv", "a,b\n1,2\n2,2\n");
  const Said said = stats({"icc", file, "--raters", "a,b", "--delta", "1", "--no-paired", "--k=3"});
  EXPECT_EQ(said.code, kBadInput);
  EXPECT_EQ(said.error,
            "error: --delta belongs to power, not to icc; assay stats icc --help lists what does\n"
            "--no-paired belongs to power, not to icc; assay stats icc --help lists what does\n"
            "--k belongs to pass-at-k, not to icc; assay stats icc --help lists what does\n");
  EXPECT_THAT(stats({file, "--raters", "a,b", "--cluster", "a"}).error,
              HasSubstr("--cluster belongs to groups, alt-test, winners, not to raters"));
  EXPECT_THAT(stats({"power", "--sd", "1", "--delta", "1", "--value", "a"}).error,
              HasSubstr("--value belongs to groups, sequence, not to power"));
}

TEST(StatsCommand, FindsTheQuestionByItsNameOrByItsFlags) {
  const std::string file = table("ratings.csv", "a,b\n1,2\n2,2\n1,1\n");
  const Said named = stats({"raters", file, "--raters", "a,b"});
  EXPECT_EQ(named.code, kDone);
  EXPECT_EQ(named.out, stats({file, "--raters", "a,b"}).out);
  EXPECT_EQ(stats({"power", "--sd", "1", "--delta", "1"}).code, kDone);
}

TEST(StatsCommand, SaysWhatIsMissing) {
  EXPECT_THAT(stats({}).error, HasSubstr("of what?"));
  EXPECT_THAT(stats({"icc"}).error, HasSubstr("of which file? assay stats icc FILE"));
  EXPECT_THAT(stats({"icc", "x.csv"}).error, HasSubstr("error: --raters: missing;"));
  EXPECT_THAT(stats({"ranks.csv"}).error, HasSubstr("what is asked?"));
  EXPECT_THAT(stats({"ranks.csv", "--value", "a", "--raters", "a,b"}).error, HasSubstr("what is asked?"));
  EXPECT_THAT(stats({"ic", "x.csv"}).error, HasSubstr("no question is called ic; did you mean icc?"));
  EXPECT_THAT(stats({"power", "x.csv"}).error, HasSubstr("power is asked of no file, found x.csv"));
}

// A file without an ending is CSV, whatever it is called.
TEST(StatsCommand, TakesAWordThatIsAFileForThatFile) {
  const auto before = std::filesystem::current_path();
  const auto directory = std::filesystem::path(testing::TempDir()) / "stats_words";
  std::filesystem::create_directories(directory);
  std::filesystem::current_path(directory);
  std::ofstream("icc") << "a,b\n1,2\n2,2\n1,1\n";
  const Said said = stats({"icc", "--raters", "a,b"});
  std::filesystem::current_path(before);
  EXPECT_EQ(said.code, kDone) << said.error;
  EXPECT_THAT(said.out, HasSubstr("krippendorff_alpha"));
}

}  // namespace
}  // namespace assay
