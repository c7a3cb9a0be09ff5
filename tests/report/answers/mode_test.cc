#include "report/answers/mode.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/answers/ask.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(Modes, AreToldApartAndSayWhatTheyNeed) {
  std::set<std::string_view> names;
  std::set<std::string_view> asking;
  for (const answers::Mode& mode : answers::modes()) {
    EXPECT_TRUE(names.insert(mode.name).second) << mode.name;
    EXPECT_EQ(answers::find_mode(mode.name), &mode);
    EXPECT_FALSE(mode.title.empty() || mode.needed.empty()) << mode.name;
    for (const std::string_view key : mode.asked_by) {
      EXPECT_TRUE(asking.insert(key).second) << key << " asks two questions";
      EXPECT_NE(find_key(mode.keys, key), nullptr) << key;
    }
    for (const Key& key : mode.keys) EXPECT_FALSE(key.help.empty()) << mode.name << " --" << key.name;
  }
  EXPECT_EQ(answers::find_mode("mode"), nullptr);
}

// A command line is read before it is known which question it asks.
TEST(Modes, AgreeOnWhichFlagsTakeAValue) {
  for (const answers::Mode& mode : answers::modes()) {
    for (const answers::Mode& other : answers::modes()) {
      for (const std::string& flag : flag_names(mode.keys)) {
        const auto theirs = flag_form(other.keys, flag);
        if (theirs)
          EXPECT_EQ(flag_form(mode.keys, flag), theirs) << mode.name << " " << other.name << " --" << flag;
      }
    }
  }
}

TEST(GroupsAnswer, TellsEveryProblemInTheOrderOfLines) {
  const std::string csv = "g,v,c\nx,1,\n,2,q\ny,three,q\n";
  EXPECT_EQ(refused("groups", csv, {{"value", "v"}, {"group", "g"}, {"cluster", "c"}, {"pair", "id"}}),
            "table.csv: there is no column id; there are g, v, c\n"
            "line 2: column c is empty, expected a cluster\n"
            "line 3: column g is empty, expected the name of a group\n"
            "line 4, v: found \"three\", expected a number");
}

TEST(WinnersAnswer, TellsEveryProblemInTheOrderOfLines) {
  EXPECT_EQ(refused("winners", "w,l,r\na,x,y\nz,x,y\na,,y\n", {{"winner", "w"}, {"a", "l"}, {"b", "r"}}),
            "table.csv: line 3: column w: found z, expected a, b, tie, x or y\nline 4: column l is empty");
}

TEST(Answers, TellTheFirstTwentyProblemsAndCountTheRest) {
  std::string csv = "g,v\n";
  for (int i = 0; i < 25; ++i) csv += "x,bad\n";
  const std::string text = refused("groups", csv, {{"value", "v"}, {"group", "g"}});
  EXPECT_EQ(std::ranges::count(text, '\n'), 20);
  EXPECT_THAT(text, HasSubstr("\n… and 5 more"));
}

TEST(PowerAnswer, AsksNoTable) {
  const Json json = asked("power", "unused\n", {{"delta", "0.03"}, {"sd", "0.3333333333333333"}});
  EXPECT_EQ(number_at(json, "/n"), 969);
}

}  // namespace
}  // namespace assay
