#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "service/results/result_routes.h"
#include "store/run_store.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Keeps what was answered, from whichever thread.
class Kept final : public Responder {
 public:
  void send(int status, Headers, std::string body) override {
    const std::lock_guard guard(mutex_);
    status_ = status;
    body_ = std::move(body);
    answered_.notify_all();
  }
  void begin_stream(int, Headers) override {}
  void write(std::string) override {}
  void end_stream() override {}
  void when_sent(std::function<void()>) override {}
  bool open() const override { return true; }
  void drop() override {}
  void send_truncated(int, Headers, std::string, std::size_t) override {}
  void after(std::chrono::nanoseconds, std::function<void()>) override {}

  std::pair<int, Json> answer() {
    std::unique_lock guard(mutex_);
    answered_.wait_for(guard, std::chrono::seconds(20), [&] { return status_ != 0; });
    return {status_, parse_json(body_).value_or(Json())};
  }

 private:
  std::mutex mutex_;
  std::condition_variable answered_;
  int status_ = 0;
  std::string body_;
};

struct JudgingRoutesTest : testing::Test {
  std::string root = testing::TempDir() + "assay-judging-" + std::to_string(::getpid());
  void SetUp() override { std::filesystem::create_directories(root); }
  void TearDown() override { std::filesystem::remove_all(root); }

  // Case i is right where `right` has a 1 at its place.
  void write_run(const std::string& name, const std::string& right) const {
    const std::string directory = root + "/" + name;
    std::filesystem::create_directories(directory);
    std::ofstream(directory + "/config.yaml") << "evaluation: question_router\n";
    std::ofstream results(directory + "/results.jsonl");
    for (std::size_t i = 0; i < right.size(); ++i) {
      results << R"({"id":"q)" << i << R"(","outcome":"scored","question":"Question )" << i
              << R"(","expected_outcome":"a","actual_outcome":")" << (right[i] == '1' ? "a" : "b")
              << R"(","scores":{"accuracy":)" << right[i] << "}}\n";
    }
    std::ofstream(directory + "/summary.json")
        << R"({"assay":"0","evaluation":"question_router","run_id":")" << name
        << R"(","started":"2026-11-01T10:00:00Z","cases":{"total":)" << right.size() << R"(,"evaluated":)"
        << right.size()
        << R"(,"errored":0},"metrics":{"accuracy":{"value":0.5,"n":8}},"usage":{"requests":0}})";
  }

  // Thirty anchors that people call good, on `good` of which the judge says so too.
  void write_anchored(const std::string& name, int day, int good) const {
    const std::string directory = root + "/" + name;
    std::filesystem::create_directories(directory);
    std::ofstream(directory + "/config.yaml") << "evaluation: rag_answers\njudge: openai/gpt-4o\n";
    std::ofstream(directory + "/results.jsonl") << "";
    std::ofstream anchors(directory + "/anchors.jsonl");
    for (int i = 0; i < 30; ++i) {
      anchors << R"({"id":"a)" << i << R"(","label":1,"scores":{"coherence.mean":)" << (i < good ? 1 : 0)
              << "}}\n";
    }
    std::ofstream(directory + "/summary.json")
        << R"({"assay":"0","evaluation":"rag_answers","run_id":"r","started":"2026-11-0)" << day
        << R"(T10:00:00Z","cases":{"total":1,"evaluated":1,"errored":0},"metrics":{},"usage":{"requests":0},
"anchors":{"file":"anchors.jsonl","sha256":"f","figure":"coherence.mean","range":[0,1],"cases":30,"judged":30}})";
  }

  std::pair<int, Json> get(const std::string& path, const std::string& query) {
    Results results({root}, std::nullopt, 1);
    const Routes routes(judging_routes(results), std::move(*TokenFile::open("", {})),
                        Access("127.0.0.1", {}, {}));
    const auto kept = std::make_shared<Kept>();
    routes.answer({.method = "GET", .path = path, .query = query}, kept);
    return kept->answer();
  }
  static std::string text_of(const Json& json) { return to_text(json); }
};

TEST_F(JudgingRoutesTest, AnAuditOfSeveralRunsHasSentencesCountsAndSystems) {
  write_run("one", "11110000");
  write_run("two", "11111100");
  write_run("three", "11111110");
  const auto [status, json] = get("/api/audit", "runs=one,two,three");
  ASSERT_EQ(status, 200) << text_of(json);
  const Json& audit = json.at("audit");
  EXPECT_FALSE(audit.at("conclusions").as_array().empty());
  EXPECT_EQ(text_at(audit, "figure"), "accuracy");
  EXPECT_EQ(audit.at("counts").at("cases").as_int64(), 8);
  EXPECT_EQ(text_of(audit.at("solved_by_all")), R"(["q0","q1","q2","q3"])");
  EXPECT_EQ(text_of(audit.at("solved_by_none")), R"(["q7"])");
  std::vector<std::string> names;
  for (const Json& system : audit.at("systems").as_array()) names.push_back(text_at(system, "name"));
  EXPECT_THAT(names, ElementsAre("one", "two", "three"));
  EXPECT_EQ(text_of(json.at("figures")), R"(["accuracy"])");
  EXPECT_EQ(json.at("runs").as_array().size(), 3U);
}

TEST_F(JudgingRoutesTest, WhatCannotBeAuditedIsSaid) {
  write_run("one", "1100");
  write_run("two", "1110");
  EXPECT_EQ(get("/api/audit", "").first, 400);
  EXPECT_EQ(get("/api/audit", "runs=one,two&similarity=2").first, 400);
  EXPECT_EQ(get("/api/audit", "runs=one,nothing").first, 404);
  const auto [twice, why_twice] = get("/api/audit", "runs=one,one");
  EXPECT_EQ(twice, 400) << "one run is not two systems";
  EXPECT_THAT(text_of(why_twice), HasSubstr("found one twice"));
  const auto [figure, why_figure] = get("/api/audit", "runs=one,two&figure=acuracy");
  EXPECT_EQ(figure, 400);
  EXPECT_THAT(text_of(why_figure), HasSubstr("did you mean accuracy"));
  std::string many = "runs=r0";
  for (int i = 1; i <= 20; ++i) many += ",r" + std::to_string(i);
  EXPECT_THAT(text_of(get("/api/audit", many).second), HasSubstr("found 21 runs, expected at most 20"));
}

TEST_F(JudgingRoutesTest, AJudgeThatAnswersOtherwiseIsFoundAndNamed) {
  write_run("router", "1100");
  for (int day = 1; day <= 5; ++day) write_anchored("day" + std::to_string(day), day, 12);
  const auto [status, quiet] = get("/api/drift", "");
  ASSERT_EQ(status, 200) << text_of(quiet);
  EXPECT_THAT(text_of(quiet.at("drift").at("sentences").at(0)), HasSubstr("No change of the judge is seen"));
  write_anchored("day6", 6, 24);
  write_anchored("day7", 7, 24);
  const auto [again, found] = get("/api/drift", "run=day1");
  ASSERT_EQ(again, 200) << text_of(found);
  EXPECT_TRUE(found.at("drift").at("drifted").as_bool());
  EXPECT_THAT(text_of(found.at("drift").at("sentences").at(0)), HasSubstr("The judge has changed"));
  const Json& series = found.at("drift").at("series").at(0);
  EXPECT_EQ(series.at("runs").as_array().size(), 7U);
  EXPECT_EQ(text_at(series.at("drifts").at(0), "since"), root + "/day6");
  EXPECT_EQ(found.at("runs").as_array().size(), 7U);
  EXPECT_EQ(get("/api/drift", "run=router").first, 400) << "it has no anchors";
  EXPECT_EQ(get("/api/drift", "run=nothing").first, 404);
}

TEST_F(JudgingRoutesTest, ARunWhoseAnchorsCannotBeReadIsNamedAndHidesNoOther) {
  write_anchored("good", 1, 12);
  write_anchored("torn", 2, 12);
  std::ofstream(root + "/torn/anchors.jsonl") << "{\"id\":";
  const auto [status, json] = get("/api/drift", "evaluation=rag_answers");
  ASSERT_EQ(status, 200) << text_of(json);
  EXPECT_EQ(text_at(json.at("unread").at(0), "id"), "torn");
  EXPECT_EQ(json.at("drift").at("series").at(0).at("runs").as_array().size(), 1U);
  EXPECT_TRUE(get("/api/drift", "evaluation=persona").second.at("drift").at("series").as_array().empty());
}

TEST_F(JudgingRoutesTest, APilotSaysWhatItReachedAndPlansForOneGoal) {
  const std::string directory = root + "/pilot";
  std::filesystem::create_directories(directory);
  std::ofstream(directory + "/config.yaml") << "evaluation: rag_answers\njudge: openai/gpt-4o\n";
  std::ofstream results(directory + "/results.jsonl");
  for (int i = 0; i < 40; ++i) {
    const double mean = 0.25 * (i % 4) + 0.1;
    results << R"({"id":"c)" << i << R"(","outcome":"scored","question":"q","scores":{"coherence.mean":)"
            << mean << R"(},"metrics":{"coherence":{"runs":[{"score":)" << mean - 0.1 << R"(},{"score":)"
            << mean + 0.1 << "}]}}}\n";
  }
  results.close();
  std::ofstream(directory + "/summary.json")
      << R"({"assay":"0","evaluation":"rag_answers","run_id":"r","started":"2026-11-01T10:00:00Z",
"cases":{"total":40,"evaluated":40,"errored":0},"metrics":{"coherence.mean":{"value":0.475,"n":40}},
"usage":{"requests":0}})";
  EXPECT_THAT(text_of(get("/api/plan", "pilot=pilot").second), HasSubstr("journal of the run is gone"));
  ASSERT_TRUE(RunStore::create(directory, RunStore::lock(directory).value(),
                               {"r", "rag_answers", "0", "now", "{}", "d", "h"}, {})
                  .has_value());
  const auto [status, reached] = get("/api/plan", "pilot=pilot");
  ASSERT_EQ(status, 200) << text_of(reached);
  EXPECT_TRUE(reached.at("plan").is_null()) << "no goal";
  EXPECT_THAT(text_at(reached, "reached"),
              HasSubstr("2 votes of 1 judge on 1 answer of each of 40 cases reach"));
  EXPECT_EQ(text_of(reached.at("figures")), R"(["coherence.mean"])");
  const auto [again, planned] = get("/api/plan", "pilot=pilot&width=0.05");
  ASSERT_EQ(again, 200) << text_of(planned);
  EXPECT_THAT(text_of(planned.at("plan").at("sentences").at(0)), HasSubstr("reach ±0.0"));
  EXPECT_EQ(planned.at("plan").at("designs").as_array().size(), 9U) << "one answer, up to nine votes";
  const auto [far, impossible] = get("/api/plan", "pilot=pilot&width=0.0000001");
  EXPECT_EQ(far, 200);
  EXPECT_THAT(text_at(impossible, "no_plan"), HasSubstr("ten million cases"));
  EXPECT_EQ(get("/api/plan", "").first, 400);
  EXPECT_EQ(get("/api/plan", "pilot=pilot&width=0").first, 400);
  EXPECT_EQ(get("/api/plan", "pilot=pilot&width=0.1&detect=0.1").first, 400);
  EXPECT_EQ(get("/api/plan", "pilot=nothing").first, 404);
  write_run("router", "1100");
  EXPECT_EQ(get("/api/plan", "pilot=router").first, 400) << "nobody judges there";
}

}  // namespace
}  // namespace assay
