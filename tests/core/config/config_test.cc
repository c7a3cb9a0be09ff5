#include "core/config/config.h"

#include <filesystem>
#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Keys sample_keys() {
  return {{.name = "input_path", .type = KeyType::path, .help = "The data.", .required = true},
          {.name = "generate", .type = KeyType::boolean, .help = "Ask the target.", .default_value = false},
          {.name = "n_runs",
           .type = KeyType::integer,
           .help = "Runs.",
           .default_value = 2,
           .minimum = 1,
           .maximum = 9},
          {.name = "mode", .help = "How.", .default_value = "plain", .choices = {"plain", "fancy"}},
          {.name = "gates", .type = KeyType::text_list, .help = "Conditions.", .flag = "gate"},
          {.name = "judge",
           .type = KeyType::object,
           .help = "Who rates.",
           .keys = {{.name = "model", .help = "Name.", .required = true},
                    {.name = "temperature", .type = KeyType::number, .help = "Heat.", .default_value = 0}},
           .shorthand = "model"},
          {.name = "metrics",
           .type = KeyType::object_list,
           .help = "What.",
           .keys = {{.name = "name", .help = "Which.", .required = true},
                    {.name = "threshold", .type = KeyType::number, .help = "Bar."}},
           .shorthand = "name"},
          {.name = "prompts",
           .type = KeyType::object_map,
           .help = "Files.",
           .keys = {{.name = "file", .help = "File."}},
           .shorthand = "file"},
          {.name = "timeout", .type = KeyType::duration, .help = "Time.", .default_value = "120s"}};
}

ResolvedConfig resolve(const std::string& yaml, std::vector<FlagValue> flags = {}) {
  auto document = parse_yaml(yaml);
  EXPECT_TRUE(document.has_value());
  return resolve_config(sample_keys(), {"eval.yaml", std::move(*document), std::move(flags)});
}

std::vector<std::string> texts(const ResolvedConfig& resolved) {
  std::vector<std::string> list;
  for (const auto& problem : resolved.problems)
    list.push_back(problem.where + "|" + problem.key + "|" + problem.text);
  return list;
}

TEST(Config, FillsDefaultsAndExpandsShorthands) {
  const auto resolved = resolve(
      "input_path: /data.jsonl\njudge: openai/gpt-4o\nmetrics: [coherence, {name: bias, threshold: 0.5}]\n"
      "prompts: {rag/coherence: mine.txt}\n");
  EXPECT_THAT(texts(resolved), ElementsAre());
  const Config& config = resolved.config;
  EXPECT_EQ(config.text("judge.model"), "openai/gpt-4o");
  EXPECT_EQ(config.number("judge.temperature"), 0);
  EXPECT_EQ(config.integer("n_runs"), 2);
  EXPECT_FALSE(config.boolean("generate"));
  EXPECT_EQ(config.duration("timeout"), std::chrono::seconds(120));
  EXPECT_EQ(to_text(*config.find("metrics")), R"([{"name":"coherence"},{"name":"bias","threshold":0.5}])");
  EXPECT_EQ(to_text(*config.find("prompts")), R"({"rag/coherence":{"file":"mine.txt"}})");
}

TEST(Config, ReportsEveryProblemWithItsPlace) {
  const auto resolved = resolve(
      "imput_path: x\nn_runs: 0\nmode: fance\njudge:\n  temprature: 1\nmetrics:\n  - {threshold: high}\n");
  EXPECT_THAT(
      texts(resolved),
      ElementsAre(
          "eval.yaml, line 1, column 1|imput_path|unknown key; did you mean `input_path`?",
          "eval.yaml, line 2, column 1|n_runs|found 0, expected a whole number from 1 to 9",
          HasSubstr(
              "line 3, column 1|mode|found \"fance\", expected one of plain, fancy; did you mean `fancy`?"),
          HasSubstr("line 5, column 3|judge.temprature|unknown key; did you mean `temperature`?"),
          HasSubstr("line 7, column 6|metrics[0].threshold|found \"high\", expected a number"),
          HasSubstr("|input_path|missing"), HasSubstr("|judge.model|missing"),
          HasSubstr("|metrics[0].name|missing")));
}

TEST(Config, AProblemThatIsFoundLaterStillHasItsPlace) {
  ConfigSource source;
  source.file = "eval.yaml";
  source.document = parse_yaml("judge: j\nmetrics:\n  - {name: a}\n  - {name: b, contains: x}\n").value();
  source.flags = {{"judge.model", "m"}, {"gate", "a > 1"}};
  EXPECT_EQ(place_of(source, "metrics[1].contains"), "eval.yaml, line 4, column 15");
  EXPECT_EQ(place_of(source, "metrics[1].when"), "eval.yaml, line 4, column 5");
  EXPECT_EQ(place_of(source, "judge.model"), "--judge.model");
  EXPECT_EQ(place_of(source, "gates[0]"), "--gate");
  EXPECT_EQ(place_of(source, "slices"), "eval.yaml");
  EXPECT_EQ(place_of({}, "slices"), "command line");
}

TEST(Config, AFlagBeatsTheFileInEitherSpelling) {
  const auto resolved = resolve(
      "input_path: /a\nn_runs: 3\ngenerate: true\n",
      {{"n_runs", "5"}, {"no-generate", std::nullopt}, {"judge.model", "sim/x"}, {"input-path", "/b"}});
  EXPECT_THAT(texts(resolved), ElementsAre());
  EXPECT_EQ(resolved.config.integer("n_runs"), 5);
  EXPECT_FALSE(resolved.config.boolean("generate"));
  EXPECT_EQ(resolved.config.text("judge.model"), "sim/x");
  EXPECT_EQ(resolved.config.text("input_path"), "/b");
}

TEST(Config, ARepeatedListFlagReplacesTheFileOnceAndThenAppends) {
  const auto resolved = resolve("input_path: /a\ngates: [old]\n", {{"gate", "a >= 1"}, {"gate", "b >= 2"}});
  EXPECT_THAT(resolved.config.texts("gates"), ElementsAre("a >= 1", "b >= 2"));
}

TEST(Config, AWrongFlagIsNamedAsOne) {
  const auto resolved = resolve("input_path: /a\n", {{"n-runs", "many"}});
  EXPECT_THAT(texts(resolved),
              ElementsAre("--n-runs|n_runs|found \"many\", expected a whole number from 1 to 9"));
}

TEST(Config, OneObjectIsAListOfOneAndTheFlagMayBeRepeated) {
  const auto alone = resolve("input_path: /a\nmetrics: {name: bias, threshold: 0.5}\n");
  EXPECT_THAT(texts(alone), ElementsAre());
  EXPECT_EQ(to_text(*alone.config.find("metrics")), R"([{"name":"bias","threshold":0.5}])");
  EXPECT_THAT(texts(resolve("input_path: /a\nmetrics: {nam: bias}\n")),
              ElementsAre("eval.yaml, line 2, column 11|metrics.nam|unknown key; did you mean `name`?",
                          HasSubstr("eval.yaml, line 2, column 1|metrics[0].name|missing")));
  EXPECT_THAT(texts(resolve("input_path: /a\nmetrics: 3\n")),
              ElementsAre("eval.yaml, line 2, column 1|metrics|found 3, expected a list of objects"));
  const auto flags = resolve("input_path: /a\nmetrics: [old]\n",
                             {{"metrics", "{name: a, threshold: 1}"}, {"metrics", "[{name: b}]"}});
  EXPECT_EQ(to_text(*flags.config.find("metrics")), R"([{"name":"a","threshold":1},{"name":"b"}])");
}

// Data are read several times: a pipe would be empty the second time, or wait for ever.
TEST(Config, APipeIsNoFileAndIsToldBeforeItIsOpened) {
  const std::string pipe = (std::filesystem::temp_directory_path() / "assay_config_pipe").string();
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("-")}) {
    const auto resolved = resolve("input_path: \"" + path + "\"\n");
    ASSERT_EQ(resolved.problems.size(), 1U);
    EXPECT_EQ(resolved.problems[0].key, "input_path");
    EXPECT_THAT(resolved.problems[0].text,
                HasSubstr(path == "-" ? "found - (standard input)" : "found a pipe"));
    EXPECT_THAT(resolved.problems[0].text, HasSubstr("write it to a file first"));
  }
  std::filesystem::remove(pipe);
}

TEST(Config, ARelativePathIsLookedUpBesideTheConfigThenInTheWorkingDirectory) {
  const auto folder = std::filesystem::temp_directory_path() / "assay_config_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "data.jsonl") << "{}";
  auto document = parse_yaml("input_path: data.jsonl\n");
  const auto beside = resolve_config(sample_keys(), {(folder / "eval.yaml").string(), *document, {}});
  EXPECT_EQ(beside.config.text("input_path"), (folder / "data.jsonl").string());
  const auto by_flag = resolve_config(
      sample_keys(), {(folder / "eval.yaml").string(), *document, {{"input-path", "data.jsonl"}}});
  EXPECT_EQ(by_flag.config.text("input_path"), (std::filesystem::current_path() / "data.jsonl").string());
  std::filesystem::remove_all(folder);
}

TEST(Config, EveryKeyGivesAFlagHelpAndARowOfTheReference) {
  const auto names = flag_names(sample_keys());
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"input-path", "generate", "gate", "judge", "judge.temperature", "metrics"}));
  const std::string help = help_text(sample_keys(), 80);
  EXPECT_THAT(help, HasSubstr("--[no-]generate"));
  EXPECT_THAT(help, HasSubstr("--mode plain|fancy"));
  const std::string reference = reference_markdown(sample_keys());
  EXPECT_THAT(reference, HasSubstr("| `judge.temperature` | a number | `0` | Heat. |"));
  EXPECT_THAT(reference, HasSubstr("| `metrics[].name` |"));
}

TEST(Config, KnowsWhichFlagsTakeAValue) {
  EXPECT_EQ(flag_form(sample_keys(), "generate"), FlagForm::stands_alone);
  EXPECT_EQ(flag_form(sample_keys(), "no-generate"), FlagForm::stands_alone);
  EXPECT_EQ(flag_form(sample_keys(), "n-runs"), FlagForm::takes_value);
  EXPECT_EQ(flag_form(sample_keys(), "no-n-runs"), std::nullopt);
  EXPECT_EQ(flag_form(sample_keys(), "nonsense"), std::nullopt);
}

}  // namespace
}  // namespace assay
