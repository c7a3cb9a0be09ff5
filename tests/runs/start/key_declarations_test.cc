#include "runs/start/key_declarations.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;

Keys sample_keys() {
  const Key model{.name = "model", .help = ""};
  const Key top_p{.name = "top_p", .type = KeyType::number, .help = ""};
  const Key command{.name = "command", .type = KeyType::command, .help = ""};
  const Key arguments{.name = "args", .type = KeyType::text_list, .help = ""};
  const Key timeout{.name = "timeout", .type = KeyType::duration, .help = ""};
  const Key address{.name = "base_url", .help = ""};
  return {
      {.name = "limit", .type = KeyType::integer, .help = "How many.", .minimum = 1},
      {.name = "generate", .type = KeyType::boolean, .help = "", .default_value = true},
      {.name = "gates", .type = KeyType::text_list, .help = "", .flag = "gate"},
      {.name = "input_path", .type = KeyType::path, .help = "", .required = true},
      {.name = "output_dir", .type = KeyType::path, .help = ""},
      {.name = "judge", .type = KeyType::object, .help = "", .keys = {model, top_p}, .shorthand = "model"},
      {.name = "target", .type = KeyType::object, .help = "", .keys = {command, arguments, timeout}},
      {.name = "proxy", .help = "", .fills = Fills::when_used},
      {.name = "models", .type = KeyType::object_map, .help = "", .keys = {address}}};
}

Result<std::string> only_good_paths(const std::string& path) {
  if (path == "good.jsonl") return "/configs/good.jsonl";
  return fail(ErrorKind::config, "not here");
}

std::vector<std::string> told(const JsonObject& changes) {
  const auto flags = flags_for(sample_keys(), changes, only_good_paths);
  if (flags) return words_of(*flags);
  std::vector<std::string> problems;
  for (const ChangeProblem& problem : flags.error())
    problems.push_back("! " + problem.key + ": " + problem.message);
  return problems;
}

TEST(KeyDeclarations, AreOneForEachFlagByItsDottedName) {
  std::vector<std::string> names;
  for (const Json& one : key_declarations(sample_keys())) {
    names.push_back(text_at(one, "name") + " " + text_at(one, "type") +
                    (find_member(one, "changeable")->as_bool() ? "" : " fixed"));
  }
  EXPECT_THAT(names, ElementsAre("limit integer", "generate boolean", "gates text_list", "input_path path",
                                 "output_dir path fixed", "judge.model text", "judge.top_p number",
                                 "target.command command fixed", "target.args text_list fixed",
                                 "target.timeout duration", "proxy text fixed", "models object_map fixed"));
}

TEST(KeyDeclarations, ValuesStandUnderTheSameNames) {
  const Json values = JsonObject{{"limit", 5}, {"judge", JsonObject{{"model", "sim/judge"}}}, {"other", 1}};
  EXPECT_EQ(flat_values(sample_keys(), values), (JsonObject{{"limit", 5}, {"judge.model", "sim/judge"}}));
}

TEST(Changes, BecomeTheFlagsThatAPersonWouldType) {
  EXPECT_THAT(told({{"limit", 5},
                    {"generate", false},
                    {"gates", JsonArray{"a >= 1", "--b"}},
                    {"input_path", "good.jsonl"},
                    {"judge.model", "-x; rm -rf $(pwd)"},
                    {"judge.top_p", 0.5},
                    {"proxy", nullptr}}),
              ElementsAre("--limit=5", "--no-generate", "--gate=a >= 1", "--gate=--b",
                          "--input-path=/configs/good.jsonl", "--judge.model=-x; rm -rf $(pwd)",
                          "--judge.top-p=0.5"));
}

TEST(Changes, FillNoVariablesHoweverTheyAreSpelled) {
  EXPECT_THAT(told({{"gates", R"(["\x24{HOME}"])"}}),
              ElementsAre("! gates: found a text that begins with [, expected one that does not"));
  EXPECT_THAT(told({{"gates", JsonArray{"a >= 1", "${HOME}"}}}),
              ElementsAre("! gates: found ${…}: variables are filled in files only"));
}

TEST(Changes, OfWhatTheFileAloneMaySayAreRefusedAllAtOnce) {
  EXPECT_THAT(told({{"output_dir", "/tmp"},
                    {"target.command", JsonArray{"rm"}},
                    {"target.args", JsonArray{"-c"}},
                    {"proxy", "http://elsewhere"},
                    {"models", JsonObject{}}}),
              testing::Each(testing::EndsWith("this can be changed in the file only")));
  EXPECT_THAT(told({{"limti", 5}}), ElementsAre("! limti: there is no such key; did you mean limit?"));
  EXPECT_THAT(told({{"judge.model", "${OPENAI_API_KEY}"}}),
              ElementsAre("! judge.model: found ${…}: variables are filled in files only"));
  EXPECT_THAT(told({{"input_path", "../secret"}}), ElementsAre("! input_path: not here"));
  EXPECT_THAT(told({{"generate", "yes"}}), ElementsAre("! generate: found \"yes\", expected true or false"));
  EXPECT_THAT(told({{"limit", JsonArray{1, 2}}}), ElementsAre(testing::HasSubstr("expected a whole number")));
}

}  // namespace
}  // namespace assay
