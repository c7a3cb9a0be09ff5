#include "tools/command.h"

#include <cstdlib>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/http_call.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

Result<Json> run(std::vector<std::string> command, std::string input = "{}",
                 std::chrono::nanoseconds timeout = std::chrono::seconds(10)) {
  EventLoop loop;
  CommandCall call;
  call.command = std::move(command);
  call.input = std::move(input);
  call.environment = {{"INPUT", "hello"}};
  call.timeout = timeout;
  return loop.run_until_done(run_command(loop, std::move(call)));
}

TEST(Command, GivesTheJsonThatTheProgramPrints) {
  const auto value =
      run({"sh", "-c", "printf '{\"in\": %s, \"text\": \"%s\"}' \"$(cat)\" \"$INPUT\""}, "[1,2]");
  ASSERT_TRUE(value.has_value()) << value.error().text();
  EXPECT_EQ(to_text(*value), R"({"in":[1,2],"text":"hello"})");
}

TEST(Command, SaysWhyItFailed) {
  EXPECT_THAT(run({"sh", "-c", "echo broken >&2; exit 3"}).error().text(), HasSubstr("exit code 3: broken"));
  EXPECT_THAT(run({"sh", "-c", "echo '{\"a\": tr'"}).error().text(), HasSubstr("not one JSON value"));
  EXPECT_THAT(run({"true"}).error().text(), HasSubstr("printed nothing"));
  EXPECT_THAT(run({"/no/such/program"}).error().text(), HasSubstr("/no/such/program"));
  EXPECT_EQ(run({"sleep", "30"}, "", std::chrono::milliseconds(100)).error().kind, ErrorKind::timeout);
}

Environment with_token() {
  return [](std::string_view name) -> std::optional<std::string> {
    return name == "TOKEN" ? std::optional<std::string>("s3cret") : std::nullopt;
  };
}

Result<Json> run(CommandCall call) {
  EventLoop loop;
  return loop.run_until_done(run_command(loop, std::move(call), with_token()));
}

TEST(Command, FillsItsEnvironmentFromOursButNeverFromData) {
  CommandCall call;
  call.command = {"sh", "-c",
                  "test \"$KEY\" = 'Bearer s3cret' && printf '[\"%s\", \"%s\"]' \"$INPUT\" \"$BOTH\""};
  call.environment = {{"KEY", "Bearer ${TOKEN}"}, {"BOTH", "${TOKEN}"}};
  call.literal_environment = {{"INPUT", "what is ${TOKEN}?"}, {"BOTH", "${OTHER}"}};
  const auto value = run(call);
  ASSERT_TRUE(value.has_value()) << value.error().text();
  EXPECT_EQ(to_text(*value), R"(["what is ${TOKEN}?","${OTHER}"])");
  EXPECT_EQ(to_text(to_json(call).at("environment")),
            R"({"KEY":"Bearer ${TOKEN}","BOTH":"${OTHER}","INPUT":"what is ${TOKEN}?"})");

  call.environment = {{"KEY", "${MISSING}"}};
  const Error missing = run(call).error();
  EXPECT_EQ(missing.kind, ErrorKind::auth);
  EXPECT_THAT(missing.text(), HasSubstr("MISSING is not set"));
}

// Whatever the program makes of the secret that it was given.
Result<Json> run_with_key(std::string script) {
  CommandCall call;
  call.command = {"sh", "-c", std::move(script)};
  call.environment = {{"KEY", "Bearer ${TOKEN}"}};
  return run(std::move(call));
}

TEST(Command, ASecretThatItPrintsIsHidden) {
  const auto printed = run_with_key(R"(printf '{"a": ["x %s y"], "%s": 1}' "$KEY" "${KEY#Bearer }")");
  ASSERT_TRUE(printed) << printed.error().text();
  EXPECT_EQ(to_text(*printed), R"({"a":["x Bearer [hidden] y"],"[hidden]":1})");
  EXPECT_THAT(run_with_key("echo \"no access for $KEY\" >&2; exit 1").error().text(),
              HasSubstr("exit code 1: no access for Bearer [hidden]"));
  EXPECT_THAT(run_with_key("echo $KEY").error().text(), HasSubstr("it ends with: Bearer [hidden]"));
}

TEST(Command, ASecretIsHiddenBeforeWhatItPrintsIsCut) {
  // The last 500 bytes begin in the middle of the secret.
  const auto failed = run_with_key("printf '%s%497s' \"$KEY\" end >&2; exit 1");
  EXPECT_THAT(failed.error().text(), testing::Not(HasSubstr("ret")));
}

TEST(Command, GetsOurWholeEnvironmentOrOnlyWhatIsSafe) {
  ::setenv("ASSAY_TEST_API_KEY", "s3cret", 1);
  CommandCall call;
  call.command = {"sh", "-c", "printf '\"%s\"' \"$ASSAY_TEST_API_KEY${PATH:+ and a path}\""};
  EXPECT_EQ(to_text(run(call).value()), R"("[hidden] and a path")") << "it has the key; nobody else gets it";
  EXPECT_EQ(to_text(to_json(call)).find("inherited"), std::string::npos);
  call.inherited = InheritedVariables::safe;
  EXPECT_EQ(to_text(run(call).value()), R"(" and a path")");
  EXPECT_THAT(to_text(to_json(call)), HasSubstr(R"("inherited":"safe")"));
}

TEST(HttpCall, FillsHeadersFromTheEnvironmentOrSaysWhatIsMissing) {
  const Environment environment = with_token();
  EXPECT_EQ(fill_environment("Bearer ${TOKEN}!", environment).value(), "Bearer s3cret!");
  EXPECT_EQ(fill_environment("plain $TOKEN ${open", environment).value(), "plain $TOKEN ${open");
  EXPECT_THAT(fill_environment("${OTHER}", environment).error().text(), HasSubstr("OTHER is not set"));
}

TEST(HttpCall, IsJournaledWithoutSecrets) {
  HttpCall call;
  call.headers = {{"Authorization", "Bearer ${TOKEN}"}};
  EXPECT_THAT(to_text(to_json(call)), HasSubstr("${TOKEN}"));
}

}  // namespace
}  // namespace assay
