#include "core/config/variables.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/config.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

Environment of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(std::string(name));
    return found != variables.end() ? std::optional(found->second) : std::nullopt;
  };
}

const Keys& keys() {
  static const Keys kKeys = {
      {.name = "input_path", .type = KeyType::path, .help = ""},
      {.name = "note", .help = ""},
      {.name = "runs", .type = KeyType::integer, .help = ""},
      {.name = "command", .type = KeyType::command, .help = ""},
      {.name = "body", .type = KeyType::any, .help = ""},
      {.name = "kept_in", .type = KeyType::database, .help = "", .fills = Fills::when_used},
      {.name = "headers", .type = KeyType::any, .help = "", .fills = Fills::when_used},
      {.name = "models",
       .type = KeyType::object_map,
       .help = "",
       .keys = {{.name = "name", .help = ""}},
       .shorthand = "name"}};
  return kKeys;
}

ResolvedConfig resolve(const std::string& yaml, std::map<std::string, std::string> variables,
                       std::vector<FlagValue> flags = {}) {
  return resolve_config(
      keys(), {"/etc/some/eval.yaml", parse_yaml(yaml).value(), std::move(flags), of(std::move(variables))});
}

TEST(ConfigVariables, AnAddressThatAVariableHoldsIsNoFileBesideTheConfig) {
  EXPECT_EQ(resolve("kept_in: ${STORE}\n", {}).config.text("kept_in"), "${STORE}");
  EXPECT_EQ(resolve("kept_in: store\n", {}).config.text("kept_in"), "/etc/some/store");
}

TEST(ConfigVariables, FillsEveryTextAndKeepsHowItWasWritten) {
  const auto resolved = resolve(R"(
input_path: sets/${SET}.jsonl
note: "for $${SET}, ${1}, ${a b}, $ and {SET}"
runs: ${RUNS}
command: [run, "--key=${API_KEY}"]
body: {list: ["${SET}", 1], deep: {x: "${SET}-${SET}"}}
headers: {Authorization: "Bearer ${API_KEY}"}
models: {fast: "${SET}-mini"}
)",
                                {{"SET", "spring"}, {"RUNS", "3"}, {"API_KEY", "k-12345"}});
  ASSERT_EQ(resolved.problems.size(), 1U);
  EXPECT_EQ(resolved.problems[0].key, "command");
  EXPECT_TRUE(resolved.problems[0].text.contains("list of processes")) << resolved.problems[0].text;
  EXPECT_EQ(
      to_text(resolved.config.values()),
      R"({"input_path":"/etc/some/sets/spring.jsonl","note":"for ${SET}, ${1}, ${a b}, $ and {SET}","runs":3,)"
      R"("command":["run","--key=k-12345"],"body":{"list":["spring",1],"deep":{"x":"spring-spring"}},)"
      R"("headers":{"Authorization":"Bearer ${API_KEY}"},"models":{"fast":{"name":"spring-mini"}}})");
  EXPECT_EQ(to_text(resolved.config.written()),
            R"({"input_path":"/etc/some/sets/${SET}.jsonl","note":"for $${SET}, ${1}, ${a b}, $ and {SET}",)"
            R"("runs":"${RUNS}","command":["run","--key=${API_KEY}"],)"
            R"("body":{"list":["${SET}",1],"deep":{"x":"${SET}-${SET}"}},)"
            R"("headers":{"Authorization":"Bearer ${API_KEY}"},"models":{"fast":{"name":"${SET}-mini"}}})");
  EXPECT_THAT(resolved.config.filled_secrets(), ElementsAre("k-12345"));
}

TEST(ConfigVariables, WhatDecidesAnswersIsComparedAsFilledButASecretOnlyByItsFingerprint) {
  const auto deciding = [](const std::string& set, const std::string& key) {
    return to_text(resolve("{note: '${SET}', command: [run, '${API_KEY}'], headers: {a: '${API_KEY}'}}",
                           {{"SET", set}, {"API_KEY", key}})
                       .config.deciding());
  };
  // printf k-12345 | sha256sum
  EXPECT_EQ(deciding("spring", "k-12345"),
            R"x({"note":"spring","command":["run","${API_KEY} (sha256 f0180efdce383765)"],)x"
            R"x("headers":{"a":"${API_KEY}"}})x");
  EXPECT_NE(deciding("spring", "k-12345"), deciding("spring", "k-12346"));
  EXPECT_NE(deciding("spring", "k-12345"), deciding("autumn", "k-12345"));
}

TEST(ConfigVariables, OneThatIsNotSetIsAProblemWithItsKey) {
  const auto resolved =
      resolve("{note: '${ONE} ${TWO} ${ONE}', body: {x: ['${TWO}']}, headers: {a: '${NONE}'}}", {},
              {{"runs", "${RUNS}"}});
  std::vector<std::string> told;
  for (const ConfigProblem& problem : resolved.problems)
    told.push_back(problem.where + " " + problem.key + ": " + problem.text);
  const std::string advice = "; set it, or write $${";
  EXPECT_THAT(
      told,
      ElementsAre(
          "/etc/some/eval.yaml, line 1, column 2 note: the environment variable ONE is not set" + advice +
              "ONE} for these characters",
          "/etc/some/eval.yaml, line 1, column 2 note: the environment variable TWO is not set" + advice +
              "TWO} for these characters",
          "/etc/some/eval.yaml, line 1, column 32 body: the environment variable TWO is not set" + advice +
              "TWO} for these characters",
          "--runs runs: the environment variable RUNS is not set" + advice + "RUNS} for these characters"));
  // Where nobody gives an environment (a task, a flag of another command), texts stay as they are.
  EXPECT_EQ(resolve_config(keys(), {"", {}, {{"note", "${ONE}"}}}).config.text("note"), "${ONE}");
}

}  // namespace
}  // namespace assay
