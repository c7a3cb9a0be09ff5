#include "runs/catalogue/catalogue.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "runs/seal.h"
#include "runs/unfinished.h"
#include "store/run_store.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

struct CatalogueTest : testing::Test {
  std::string root = testing::TempDir() + "assay-catalogue-" + std::to_string(::getpid());
  EventLoop loop;

  void SetUp() override { std::filesystem::create_directories(root); }
  void TearDown() override { std::filesystem::remove_all(root); }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  std::string finished(const std::string& name, const std::string& started,
                       const std::string& what = "") const {
    std::string directory = root + "/" + name;
    std::filesystem::create_directories(directory);
    write(directory + "/config.yaml", "evaluation: question_router\nmodel: sim/a\n");
    write(directory + "/results.jsonl", "");
    write(directory + "/summary.json",
          R"({"assay":"0","evaluation":"question_router","what":")" + what + R"(","run_id":"r","started":")" +
              started + R"(","finished":")" + started +
              R"(","cases":{"total":4,"evaluated":3,"errored":1},"metrics":{"accuracy":{"value":0.5,"n":4}},
"usage":{"requests":4,"prompt_tokens":10,"completion_tokens":5,"cost_usd":null,"cached":0},
"gates":[{"gate":"accuracy > 0.9","passed":false,"value":0.5}]})");
    return directory;
  }
  static std::vector<std::string> ids(const RunList& list) {
    std::vector<std::string> ids;
    for (const auto& one : list.runs()) ids.push_back(one->id);
    return ids;
  }
};

TEST_F(CatalogueTest, RunsHaveIdsFromTheirPathsAndTheNewestComesFirst) {
  finished("r/router/one", "2026-11-01T10:00:00Z");
  finished("r/router/two", "2026-11-02T10:00:00Z");
  finished("other/router/one", "2026-11-03T10:00:00Z");
  RunCatalogue catalogue({root + "/r", root + "/other/", root + "/r", root + "/nowhere"});
  const auto list = catalogue.look();
  EXPECT_THAT(ids(*list), ElementsAre("router:one@2", "router:two", "router:one"));
  EXPECT_EQ(list->find("router:one@2")->run.directory, root + "/other/router/one");
  EXPECT_EQ(list->find("router:one")->run.directory, root + "/r/router/one");
  for (const char* none : {"", "router", "../r/router/one", "router/one", "router:one@3"})
    EXPECT_EQ(list->find(none), nullptr) << none;
}

TEST_F(CatalogueTest, AGlanceSaysWhatTheResultsSay) {
  finished("one", "2026-11-01T10:00:00.250Z", "first try");
  RunCatalogue catalogue({root});
  const Json json = to_json(*catalogue.look()->runs().front());
  EXPECT_EQ(to_text(json.at("gates")), R"({"passed":0,"failed":1})");
  EXPECT_EQ(text_at(json, "state"), "gate failed");
  EXPECT_EQ(text_at(json, "finished"), "2026-11-01T10:00:00");
  EXPECT_EQ(text_at(json, "what"), "first try");
  EXPECT_EQ(json.at("done"), 4);
  EXPECT_EQ(json.at("errored"), 1);
  EXPECT_EQ(text_at(json.at("headline"), "name"), "accuracy");
  EXPECT_TRUE(json.at("headline").at("estimate").at("ci").is_null()) << "always there";
  EXPECT_TRUE(json.at("live").is_null());
}

TEST_F(CatalogueTest, WhatChangesIsSeenAndWhatGoesIsForgotten) {
  const std::string one = finished("one", "2026-11-01T10:00:00Z", "before");
  RunCatalogue catalogue({root});
  EXPECT_EQ(catalogue.look()->find("one")->run.what, "before");
  finished("one", "2026-11-01T10:00:00Z", "after");
  finished("deep/er/two", "2026-11-02T10:00:00Z");
  const auto seen = [&](const std::string& what) {
    const auto list = catalogue.look();
    return list->find("one") != nullptr && list->find("one")->run.what == what;
  };
  for (int i = 0; i < 1000 && !seen("after"); ++i) ::usleep(1000);
  EXPECT_TRUE(seen("after"));
  EXPECT_NE(catalogue.look()->find("deep:er:two"), nullptr);
  finished("late", "2026-11-03T10:00:00Z");
  EXPECT_NE(catalogue.find("late"), nullptr) << "nobody has listed it yet";
  EXPECT_EQ(catalogue.find("one")->run.what, "after");
  std::filesystem::remove_all(one);
  EXPECT_EQ(catalogue.find("one"), nullptr);
  EXPECT_THAT(ids(*catalogue.look()), ElementsAre("late", "deep:er:two"));
}

TEST_F(CatalogueTest, ARunIsRunningWhileSomebodyHasItsLock) {
  const std::string directory = root + "/now";
  std::filesystem::create_directories(directory);
  write(directory + "/config.yaml", "evaluation: question_router\n");
  RunCatalogue catalogue({root});
  {
    auto store =
        RunStore::create(directory, std::move(*RunStore::lock(directory)),
                         {"r", "question_router", "0", "2026-11-01T10:00:00Z", "{}", "d", "h", 10}, {});
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_EQ(state_words(*catalogue.look()->runs().front()), "running");
    ASSERT_TRUE(loop.run_until_done((*store)->put(OutcomeRow{0, "a", "scored", R"({"result": {}})"})));
    const auto done = [&] { return catalogue.look()->runs().front()->run.done; };
    for (int i = 0; i < 1000 && done() != 1; ++i) ::usleep(1000);
    EXPECT_EQ(done(), 1);
    const auto rate = [&] { return catalogue.look()->runs().front()->live->rate; };
    for (int i = 0; i < 1000 && !rate(); ++i) ::usleep(1000);
    EXPECT_TRUE(rate()) << "known from the looks before and after";
  }
  EXPECT_EQ(state_words(*catalogue.look()->runs().front()), "unfinished");
}

// Of the run's four cases three were evaluated; then somebody went on with it, and one is done anew so far.
TEST_F(CatalogueTest, WhatAFinishedRunSaidIsNotSaidOfItWhileItIsGoneOnWith) {
  const std::string directory = finished("again", "2026-11-01T10:00:00Z");
  {
    auto store =
        RunStore::create(directory, std::move(*RunStore::lock(directory)),
                         {"r", "question_router", "0", "2026-11-01T10:00:00Z", "{}", "d", "h", 4}, {});
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(loop.run_until_done((*store)->put(OutcomeRow{0, "a", "scored", R"({"result": {}})"})));
  }
  ASSERT_TRUE(write_seal(directory, {}));
  RunCatalogue catalogue({root});
  const auto shown = [&] {
    const auto list = catalogue.look();
    const CataloguedRun& one = *list->runs().front();
    return fmt::format("{}: {} of {}", state_words(one), one.run.done, one.run.cases);
  };
  EXPECT_EQ(shown(), "gate failed: 4 of 4");
  EXPECT_FALSE(is_unfinished(directory));
  ASSERT_TRUE(break_seal(directory));
  EXPECT_EQ(shown(), "unfinished: 1 of 4");
  EXPECT_FALSE(catalogue.look()->runs().front()->run.figure);
  EXPECT_TRUE(is_unfinished(directory));
  mend_seal(directory);
  EXPECT_EQ(shown(), "gate failed: 4 of 4");
}

TEST_F(CatalogueTest, ALookNeverKeepsAnybodyFromTheLock) {
  const std::string directory = root + "/now";
  std::filesystem::create_directories(directory);
  write(directory + "/config.yaml", "evaluation: question_router\n");
  EXPECT_FALSE(RunStore::is_locked(directory));
  EXPECT_FALSE(std::filesystem::exists(directory + "/run.db.lock")) << "a look makes no file";
  ASSERT_TRUE(RunStore::lock(directory));
  std::atomic<bool> stop = false;
  std::vector<std::thread> looking;
  for (int i = 0; i < 2; ++i) {
    looking.emplace_back([&] {
      while (!stop) (void)RunStore::is_locked(directory);
    });
  }
  for (int i = 0; i < 200; ++i) {
    const auto lock = RunStore::lock(directory);
    EXPECT_TRUE(lock);
    EXPECT_TRUE(RunStore::is_locked(directory));
  }
  stop = true;
  for (std::thread& one : looking) one.join();
}

}  // namespace
}  // namespace assay
