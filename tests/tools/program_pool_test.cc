// Pools of a real program, scorer.py, which behaves or misbehaves on request.
#include "tools/program_pool.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/file.h"
#include "net/process/subprocess.h"
#include "tools/program_files.h"
#include "tools/program_line.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kScorer = std::string(ASSAY_SOURCE_DIR) + "/tests/tools/scorer.py";

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

Task<Result<Json>> asked(ProgramPool& pool, JsonObject question) {
  co_return co_await pool.ask(std::move(question));
}

struct Pool : testing::Test {
  // What every first child brings with it (net/process/life_line.h) is not one test's.
  static void SetUpTestSuite() {
    EventLoop loop;
    ASSERT_TRUE(loop.run_until_done(run_process(loop, {.argv = {"true"}})));
  }

  EventLoop loop;
  std::size_t files_before = open_files();
  pid_t children_before = ::waitpid(-1, nullptr, WNOHANG);
  std::vector<std::string> warnings;
  std::unique_ptr<ProgramPool> pool;

  void run(ProgramSpec program, Environment environment = [](std::string_view) { return std::nullopt; }) {
    pool = std::make_unique<ProgramPool>(loop, std::move(program), std::move(environment),
                                         [this](const std::string& text) { warnings.push_back(text); });
  }
  static ProgramSpec scorer(int in_flight = 16, Duration timeout = 20s) {
    return {.command = {"/usr/bin/python3", kScorer}, .in_flight = in_flight, .timeout = timeout};
  }
  static ProgramSpec shell(std::string script) { return {.command = {"sh", "-c", std::move(script)}}; }

  // All at once; in their order, "0.5" or "error: …".
  std::vector<std::string> ask(const std::vector<JsonObject>& questions) {
    std::vector<Task<Result<Json>>> tasks;
    for (const JsonObject& question : questions) tasks.push_back(asked(*pool, question));
    std::vector<std::string> replies;
    for (const auto& reply : loop.run_until_done(all(std::move(tasks)))) {
      if (!reply) EXPECT_THAT(reply.error().kind, testing::AnyOf(ErrorKind::judge, ErrorKind::auth));
      replies.push_back(!reply                                    ? "error: " + reply.error().text()
                        : find_member(*reply, "score") != nullptr ? to_text(*find_member(*reply, "score"))
                                                                  : to_text(*reply));
    }
    return replies;
  }
  std::string ask(JsonObject question) { return ask(std::vector{std::move(question)}).front(); }
  std::string say(std::string line) { return ask({{"do", "say"}, {"text", std::move(line)}}); }
  void run_for(Duration time) {
    loop.run_until_done([](EventLoop& l, Duration d) -> Task<void> { co_await l.sleep(d); }(loop, time));
  }
  void TearDown() override {
    pool.reset();
    for (int i = 0; i < 2000 && loop.load().watches > 0; ++i) run_for(2ms);
    EXPECT_EQ(loop.load().watches, 0U);
    EXPECT_EQ(loop.load().timers, 0U);
    EXPECT_EQ(open_files(), files_before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), children_before) << "a child was not reaped";
  }
};

TEST_F(Pool, OneProcessAnswersManyQuestions) {
  run(scorer());
  EXPECT_EQ(pool->starts(), 0U) << "started when it is first needed";
  EXPECT_THAT(ask({{{"score", 0.1}}, {{"score", 0.2}}, {{"do", "number"}, {"score", 0.3}}}),
              ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_EQ(ask({{"id", "mine"}, {"score", 1}}), "1");
  EXPECT_EQ(pool->starts(), 1U);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Pool, RepliesFindTheirQuestionsInAnyOrder) {
  ProgramSpec program = scorer();
  program.command.emplace_back("5");
  run(program);
  EXPECT_THAT(ask({{{"score", 1}}, {{"score", 2}}, {{"score", 3}}, {{"score", 4}}, {{"score", 5}}}),
              ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(Pool, TenThousandQuestionsAreSharedByTwoProcesses) {
  ProgramSpec program = scorer();
  program.processes = 2;
  run(program);
  std::vector<Task<Result<Json>>> tasks;
  for (int i = 0; i < 10'000; ++i) tasks.push_back(asked(*pool, {{"score", i}}));
  const auto replies = loop.run_until_done(all(std::move(tasks)));
  std::set<std::int64_t> processes;
  for (int i = 0; i < 10'000; ++i) {
    const auto& reply = replies[static_cast<std::size_t>(i)];
    ASSERT_TRUE(reply) << reply.error().text();
    ASSERT_EQ(as_integer(reply->at("score")), i);
    processes.insert(*as_integer(reply->at("pid")));
  }
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_EQ(pool->starts(), 2U);
}

TEST_F(Pool, ACrashCostsItsQuestionOnly) {
  run(scorer());
  const auto replies =
      ask({{{"score", 1}}, {{"score", 2}}, {{"do", "crash"}}, {{"score", 4}}, {{"score", 5}}});
  EXPECT_EQ(
      replies[2],
      "error: program /usr/bin/python3 scorer.py: /usr/bin/python3 ended with exit code 3; its standard "
      "error ends with: no reference");
  EXPECT_THAT(replies, ElementsAre("1", "2", StartsWith("error: "), "4", "5"));
  EXPECT_EQ(ask({{"score", 6}}), "6");
}

TEST_F(Pool, AProgramThatAnswersOneQuestionAndLeavesIsStartedForEach) {
  run(scorer());
  const JsonObject leave{{"do", "leave"}};
  EXPECT_THAT(ask(std::vector(6, leave)), ElementsAre("1", "1", "1", "1", "1", "1"));
  EXPECT_GE(pool->starts(), 6U);
}

TEST_F(Pool, AProgramThatNeverAnswersIsNotStartedForEver) {
  run(shell("echo no module named torch >&2; exit 1"));
  const auto replies = ask(std::vector<JsonObject>(8, {{"score", 1}}));
  EXPECT_THAT(replies.front(), AllOf(HasSubstr("ended with exit code 1"), HasSubstr("no module named torch"),
                                     Not(HasSubstr("again"))));
  EXPECT_THAT(replies.back(),
              HasSubstr("failed 3 times in a row and is not started again: sh ended with exit "
                        "code 1; its standard error ends with: no module named torch"));
  const std::size_t starts = pool->starts();
  EXPECT_THAT(ask({{"score", 1}}), HasSubstr("is not started again"));
  EXPECT_EQ(pool->starts(), starts);
}

TEST_F(Pool, AProgramThatHasAnsweredMayFailMoreOften) {
  run(scorer(1));
  EXPECT_EQ(ask({{"score", 1}}), "1");
  for (int i = 0; i < 5; ++i) EXPECT_THAT(ask({{"do", "crash"}}), HasSubstr("exit code 3"));
  EXPECT_EQ(ask({{"score", 2}}), "2");
}

TEST_F(Pool, SaysWhyItCannotBeStarted) {
  run({.command = {"assay-no-such-program"}});
  EXPECT_EQ(
      ask({{"score", 1}}),
      "error: program assay-no-such-program: cannot start assay-no-such-program: no such program in PATH");
}

TEST_F(Pool, AHangCostsItsQuestionOnlyAndTheProcessIsReplaced) {
  run(scorer(16, 1500ms));
  const auto replies = ask({{{"score", 1}}, {{"do", "hang"}}, {{"score", 3}}, {{"score", 4}}});
  EXPECT_THAT(replies, ElementsAre("1", HasSubstr("it did not answer within 1.5 s"), "3", "4"));
  EXPECT_EQ(pool->starts(), 2U);
}

TEST_F(Pool, AQuestionThatIsPassedOverFailsAloneAndTheProcessStays) {
  run(scorer(16, 1s));
  Task<Result<Json>> silent = asked(*pool, {{"do", "silent"}});
  // Others are answered all the while.
  const auto both = [](Pool& test, Task<Result<Json>> first) -> Task<Result<Json>> {
    auto [reply, done] = co_await all(std::move(first), [](Pool& t) -> Task<int> {
      int answered = 0;
      for (int i = 0; i < 24; ++i) {
        co_await t.loop.sleep(50ms);
        answered += (co_await t.pool->ask({{"score", i}})).has_value() ? 1 : 0;
      }
      co_return answered;
    }(test));
    EXPECT_EQ(done, 24);
    co_return std::move(reply);
  };
  const auto reply = loop.run_until_done(both(*this, std::move(silent)));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().text(), HasSubstr("did not answer within 1.0 s"));
  EXPECT_EQ(pool->starts(), 1U);
}

TEST_F(Pool, EachQuestionHasItsTimeOnceThoseBeforeItAreAnswered) {
  // Eight of 0.2 s one after the other take longer than the second that each may take.
  ProgramSpec program =
      shell(R"(while read -r line; do sleep 0.2; echo "$line" | sed 's/,.*/,"score":1}/'; done)");
  program.timeout = 1s;
  run(program);
  EXPECT_THAT(ask(std::vector<JsonObject>(8, {{"x", 1}})), testing::Each("1"));
}

TEST_F(Pool, RepliesThatCannotBeTakenFailTheirQuestion) {
  run(scorer(4));
  EXPECT_THAT(say("0.7"), HasSubstr("a reply that cannot be taken, number, expected an object: 0.7"));
  EXPECT_THAT(say(R"({"score": 0.7})"), HasSubstr("without an id"));
  EXPECT_THAT(say(R"({"id": "case-17", "score": 0.7})"), HasSubstr("to an id that nobody was given"));
  EXPECT_THAT(say(R"({"id": "99999", "score": 0.7})"), HasSubstr("to an id that nobody was given"));
  EXPECT_THAT(say(R"({"id": "ID", "score": NaN})"), HasSubstr("not JSON"));
  EXPECT_THAT(say(R"({'id': 'ID', 'score': 1})"), HasSubstr("not JSON"));
  EXPECT_EQ(ask({{"score", 1}}), "1");
  EXPECT_EQ(pool->starts(), 1U);
}

TEST_F(Pool, WhatNamesItsQuestionCostsNoOther) {
  ProgramSpec program = scorer();
  program.command.emplace_back("3");  // the last one is answered first
  run(program);
  EXPECT_THAT(
      ask({{{"score", 1}}, {{"score", 2}}, {{"do", "say"}, {"text", R"({"id": "ID", "score": NaN})"}}}),
      ElementsAre("1", "2", HasSubstr("not JSON")));
}

TEST_F(Pool, ASecondReplyDoesNotCount) {
  run(scorer());
  EXPECT_THAT(ask({{{"do", "twice"}}, {{"score", 2}}, {{"score", 3}}}), ElementsAre("0.25", "2", "3"));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("answered the question 1 twice")));
}

TEST_F(Pool, TalkOnStandardOutputIsPassedOverAndToldInErrors) {
  run(scorer(16, 1s));
  EXPECT_EQ(ask({{"do", "talk"}}), "0.5");
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("print them to standard error: now scoring")));
  EXPECT_THAT(say("good"),
              AllOf(HasSubstr("did not answer within 1.0 s"), HasSubstr("a line that is no reply: good")));
}

TEST_F(Pool, FloodsEndTheProcessAndCostTheirQuestionOnly) {
  run(scorer());
  const auto replies =
      ask({{{"score", 1}}, {{"do", "flood"}}, {{"do", "long"}}, {{"do", "complain"}}, {{"score", 5}}});
  EXPECT_THAT(
      replies,
      ElementsAre("1",
                  HasSubstr("it writes without end; it wrote 1001 lines that are no replies, the first: y"),
                  HasSubstr("wrote a line of more than 1048576 bytes"),
                  AllOf(HasSubstr("exit code 5"), HasSubstr("xxxx"), HasSubstr("the end")), "5"));
  EXPECT_LT(replies[3].size(), 1000U);
}

TEST_F(Pool, OneThatNeverReadsTimesOut) {
  ProgramSpec program = shell("sleep 300");
  program.timeout = 200ms;
  run(program);
  const std::string large(std::size_t{1} << 20, 'x');
  EXPECT_THAT(ask(std::vector<JsonObject>(4, {{"output", large}})),
              testing::Each(HasSubstr("did not answer within 200 ms")));
}

TEST_F(Pool, AQuestionAboveTheCapIsNotSent) {
  ProgramSpec program = scorer();
  program.max_question = 100;
  run(program);
  EXPECT_THAT(ask({{"output", std::string(200, 'x')}}), HasSubstr("at most 100 are sent"));
  EXPECT_EQ(pool->starts(), 0U);
}

TEST_F(Pool, QuestionsAreCancelledByDestruction) {
  run(scorer(2));
  {
    std::vector<Task<Result<Json>>> tasks;
    for (int i = 0; i < 5; ++i) tasks.push_back(asked(*pool, {{"do", "hang"}}));  // 2 in flight, 3 wait
    for (auto& task : tasks) task.await_suspend(std::noop_coroutine()).resume();
    run_for(50ms);
  }
  pool.reset();
  run({.command = {"/usr/bin/python3", kScorer}, .timeout = 1s});
  {
    Task<Result<Json>> given_up = asked(*pool, {{"do", "hang"}});
    given_up.await_suspend(std::noop_coroutine()).resume();
    run_for(50ms);
  }
  EXPECT_EQ(ask({{"score", 2}}), "2") << "what was given up holds up nobody for longer than its time";
}

TEST_F(Pool, ThePoolMayGoBeforeItsQuestions) {
  run(scorer(2));
  std::vector<Task<Result<Json>>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(asked(*pool, {{"do", "hang"}}));
  const auto replies = loop.run_until_done(
      [](Pool& test, std::vector<Task<Result<Json>>> all_tasks) -> Task<std::vector<Result<Json>>> {
        test.loop.call_after(50ms, [&test] { test.pool.reset(); });
        co_return co_await all(std::move(all_tasks));
      }(*this, std::move(tasks)));
  for (const auto& reply : replies) {
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, ErrorKind::cancelled);
  }
}

TEST_F(Pool, ClosingLetsTheProgramEndByItself) {
  const std::string mark = fmt::format("{}/program_pool_{}", testing::TempDir(), ::getpid());
  run(shell(fmt::format(R"(while read -r line; do echo "${{line%%,*}},\"score\":1}}"; done; echo left > {})",
                        mark)));
  EXPECT_EQ(ask({{"x", 1}}), "1");
  loop.run_until_done(pool->close());
  EXPECT_TRUE(std::filesystem::remove(mark)) << "it was asked by the end of its input, not by a signal";
  const auto late = loop.run_until_done(pool->ask({{"x", 1}}));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::cancelled);
}

TEST_F(Pool, SecretsOfItsEnvironmentAreHidden) {
  ProgramSpec program = scorer();
  program.environment = {{"KEY", "Bearer ${TOKEN}"}};
  run(program, [](std::string_view name) {
    return name == "TOKEN" ? std::optional<std::string>("s3cret-word") : std::nullopt;
  });
  EXPECT_THAT(ask({{"do", "show"}, {"text", "KEY"}}), HasSubstr(R"("reason":"Bearer [hidden]")"));
  EXPECT_THAT(say("{ s3cret-word"), AllOf(HasSubstr("[hidden]"), Not(HasSubstr("s3cret"))));
  EXPECT_EQ(to_text(to_json(program).at("environment")), R"({"KEY":"Bearer ${TOKEN}"})");

  program.environment = {{"KEY", "${MISSING}"}};
  run(program);
  EXPECT_THAT(ask({{"score", 1}}), HasSubstr("MISSING is not set"));
}

// The two that users copy, and the page that shows them.
TEST_F(Pool, TheExamplesScoreAlike) {
  const std::string source = ASSAY_SOURCE_DIR;
  const std::string page = read_file(source + "/docs/custom_programs.md").value();
  for (const std::string name : {"score.py", "score.mjs"}) {
    const std::string file = fmt::format("{}/examples/custom/scorers/{}", source, name);
    const std::string code = read_file(file).value();
    EXPECT_THAT(page, HasSubstr(code.substr(code.find("import ")))) << name;
    run({.command = {name == "score.py" ? "/usr/bin/python3" : "node", file}});
    const JsonObject reference{{"reference", "within 14 days"}};
    const auto replies =
        loop.run_until_done(all(asked(*pool, {{"fields", reference}, {"output", "You have 14 days."}}),
                                asked(*pool, {{"fields", JsonObject{}}, {"output", "x"}}),
                                asked(*pool, {{"fields", reference}, {"output", "14 days? Within!"}})));
    const auto& [missing, none, whole] = replies;
    ASSERT_TRUE(missing && none && whole) << name;
    EXPECT_EQ(as_number(missing->at("score")), 1 - 1.0 / 3);
    EXPECT_EQ(missing->at("scores"), Json(JsonObject{{"covered", 1 - 1.0 / 3}, {"short", 1}}));
    EXPECT_EQ(text_at(*missing, "reason"), "missing: within");
    EXPECT_THAT(text_at(*none, "error"), HasSubstr("reference"));
    EXPECT_EQ(as_number(whole->at("score")), 1);
    EXPECT_EQ(pool->starts(), 1U);
    EXPECT_THAT(warnings, IsEmpty());
  }
}

TEST(ProgramLine, IsAReplyABrokenOneOrChatter) {
  using Is = ProgramLine::Is;
  const auto reply = read_program_line(" {\"score\": 1, \"id\": 7}\r");
  EXPECT_EQ(reply.is, Is::reply);
  EXPECT_EQ(reply.id, "7");
  EXPECT_EQ(to_text(reply.reply), R"({"score":1})");
  for (const char* chatter : {"", "   ", "Loading…", "[INFO] ready", "\"unfinished", "\xff\xfe"})
    EXPECT_EQ(read_program_line(chatter).is, Is::chatter) << chatter;
  struct Broken {
    std::string line;
    std::string id;
  };
  for (const auto& [line, id] :
       std::vector<Broken>{{"1", ""},
                           {"[]", ""},
                           {R"({"score": 1})", ""},
                           {R"({"id": [1]})", ""},
                           {R"({"id": null})", ""},
                           {R"({"id": "a-1", "score": Infinity})", "a-1"},
                           {R"({'id': 12, 'score': 1})", "12"},
                           {R"({"id")", ""},
                           {R"({"id":)", ""},
                           {R"({"id": ")", ""},
                           {R"({"id":"x","a":)" + std::string(70, '[') + std::string(70, ']') + "}", "x"}}) {
    const auto read = read_program_line(line);
    EXPECT_EQ(read.is, Is::broken) << line;
    EXPECT_EQ(read.id, id) << line;
    EXPECT_FALSE(read.defect.empty());
  }
}

TEST(ProgramFiles, AreTheWordsThatNameFiles) {
  const std::string directory = fmt::format("{}/program_files_{}", testing::TempDir(), ::getpid());
  std::filesystem::create_directories(directory);
  const std::string script = directory + "/score.py";
  const std::string binary = directory + "/score";
  ASSERT_TRUE(write_file(script, "print(1)\n"));
  ASSERT_TRUE(write_file(binary, std::string("\x7f"
                                             "ELF\0",
                                             5)));
  EXPECT_THAT(files_of_command({"python3", "-u", script, script, directory, "no such"}), ElementsAre(script));
  EXPECT_THAT(files_of_command({binary, script}), ElementsAre(binary, script));
  EXPECT_THAT(texts_of_command({binary, script}), ElementsAre(script));
  const auto print = [](const std::vector<std::string>& command) {
    return program_fingerprint(command).value_or("cannot be read");
  };
  EXPECT_EQ(print({"python3", "-u"}), "");
  const std::string before = print({"python3", script});
  EXPECT_EQ(before.size(), 64U);
  EXPECT_EQ(print({"python3", script, "--fast"}), before);
  EXPECT_NE(print({"python3", "-u", script}), before);
  ASSERT_TRUE(write_file(script, "print(2)\n"));
  EXPECT_NE(print({"python3", script}), before);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace assay
