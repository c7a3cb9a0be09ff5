// A run in PostgreSQL: several processes write it, the server dies and comes back, and in the end its
// directory is that of any run.
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "store/postgres/run_right.h"
#include "store/run_store.h"
#include "tests/core/mailbox.h"
#include "tests/store/postgres/fresh_database.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class SharedRunTest : public ::testing::Test {
 protected:
  std::string folder() const { return directory_.path(); }
  RunAddress here() const { return {folder(), store_}; }
  RunAddress elsewhere() const { return RunAddress::in(store_, identity().run_id); }
  static StoreAddress address_of(const std::string& url) { return StoreAddress::read(url).value(); }

  static std::unique_ptr<RunStore> good(Result<std::unique_ptr<RunStore>> store) {
    EXPECT_TRUE(store.has_value()) << store.error().text();
    return store ? std::move(*store) : nullptr;
  }
  std::unique_ptr<RunStore> begun() { return good(create_run(here(), {{"prompt", "Be brief."}})); }
  std::unique_ptr<RunStore> joined() { return good(RunStore::join(elsewhere())); }

  std::optional<EffectRow> put(RunStore& store, EffectRow row) {
    auto standing = loop_.await(store.put(std::move(row)));
    EXPECT_TRUE(standing.has_value()) << standing.error().text();
    return standing ? std::move(*standing) : std::nullopt;
  }
  void put(RunStore& store, OutcomeRow row) {
    const auto done = loop_.await(store.put(std::move(row)));
    EXPECT_TRUE(done.has_value()) << done.error().text();
  }
  std::string outcome_of(RunStore& store, std::int64_t index) {
    const auto rows = loop_.await(store.outcomes(index, 1)).value();
    return rows.empty() || rows[0].case_index != index ? "none" : rows[0].outcome;
  }
  std::string why_not(const RunAddress& address) {
    const auto opened = RunStore::open(address, nullptr);
    EXPECT_FALSE(opened.has_value());
    return opened ? "" : opened.error().text();
  }

  Mailbox loop_;
  FreshDatabase database_;
  StoreAddress store_ = database_.address();
  ScratchDirectory directory_{"shared_run"};
};

TEST_F(SharedRunTest, AWorkerThatComesLateTakesTheAnswerThatIsThere) {
  const auto owner = begun();
  const auto first = joined();
  const auto second = joined();
  EffectRow paid = effect(0, "judge");
  paid.reply = R"({"a":"first"})";
  EXPECT_EQ(put(*first, paid), std::nullopt);
  EffectRow late = effect(0, "judge");
  late.reply = R"({"a":"late"})";
  late.latency_us = 99;
  const auto standing = put(*second, late);
  ASSERT_TRUE(standing.has_value());
  EXPECT_EQ(standing->reply, paid.reply);
  EXPECT_EQ(standing->request_hash, paid.request_hash);
  EXPECT_EQ(standing->latency_us, paid.latency_us);
  EXPECT_EQ(put(*first, paid), std::nullopt) << "the same row once more is the row that stands";
  EXPECT_THAT(loop_.await(owner->effects_of(0, Requests::whole)).value(), SizeIs(1));
}

TEST_F(SharedRunTest, AnOutcomeThatStandsIsNeverWrittenOver) {
  const auto owner = begun();
  const auto worker = joined();
  put(*worker, OutcomeRow{1, "one", "scored", R"({"x":1})"});
  put(*owner, OutcomeRow{1, "one", "infra_failed", "{}", false});
  EXPECT_EQ(outcome_of(*owner, 1), "scored");
  put(*worker, OutcomeRow{2, "two", "infra_failed", "{}", false});
  put(*owner, OutcomeRow{2, "two", "scored", "{}"});
  EXPECT_EQ(outcome_of(*worker, 2), "scored");
}

// Each puts its own cases and, at the same time, those that all put; with texts that all share.
TEST_F(SharedRunTest, ManyWritersAtOnceLoseNothingAndDoubleNothing) {
  constexpr int kWriters = 4;
  constexpr int kRows = 200;
  const auto owner = begun();
  const std::string prompt(400, 'p');
  const auto row_of = [&](std::int64_t index, int writer) {
    EffectRow row = effect(index, "judge");
    row.request = fmt::format("{}{}", prompt, index);
    row.request_prefixes = {prompt.size()};
    row.request_hash = sha256(row.request);
    row.reply = fmt::format(R"({{"of":{}}})", writer);
    return row;
  };
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      Mailbox loop;
      const auto store = RunStore::join(elsewhere()).value();
      std::vector<Task<Result<std::optional<EffectRow>>>> puts;
      for (int i = 0; i < kRows; ++i) {
        puts.push_back(store->put(row_of(1000 * (writer + 1) + i, writer)));
        puts.push_back(store->put(row_of(writer % 2 == 0 ? i : kRows - 1 - i, writer)));
      }
      for (const auto& done : loop.await(all(std::move(puts)))) EXPECT_TRUE(done.has_value());
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto begun_cases = loop_.await(owner->states({})).value().begun;
  EXPECT_THAT(begun_cases, SizeIs((kWriters + 1) * kRows));
  EXPECT_EQ(database_.sql("SELECT count(*) FROM assay_effects"), std::to_string((kWriters + 1) * kRows));
  EXPECT_EQ(database_.sql("SELECT count(*) FROM assay_shared_texts"), "1") << "the prompt, once";
  const auto one = loop_.await(owner->effects_of(4, Requests::whole)).value();
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(one[0].request, prompt + "4");
  EXPECT_EQ(defect_of(here()), "");
}

TEST_F(SharedRunTest, WhenTheServerDiesAndComesBackNothingAcknowledgedIsLostAndNothingIsDoubled) {
  auto owner = begun();
  const auto worker = joined();
  std::atomic<bool> over = false;
  std::atomic<std::int64_t> told = 0;
  // The server lives as long as the thread that began it: this one.
  std::thread writer([&] {
    Mailbox loop;
    while (!over) {
      std::vector<Task<Result<std::optional<EffectRow>>>> puts;
      for (int i = 0; i < 10; ++i)
        puts.push_back((i % 2 == 0 ? *owner : *worker).put(effect(told + i, "judge")));
      for (const auto& done : loop.await(all(std::move(puts)))) {
        EXPECT_TRUE(done.has_value()) << done.error().text();
        if (done)
          EXPECT_EQ(*done, std::nullopt) << "put again after a commit of unknown fate, it is still ours";
      }
      told += 10;
    }
  });
  for (int crashes = 0; crashes < 3; ++crashes) {
    const std::int64_t before = told;
    while (told < before + 50) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    FreshDatabase::server().crash();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    FreshDatabase::server().restart();
  }
  const std::int64_t after = told;
  while (told < after + 50) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  over = true;
  writer.join();
  EXPECT_EQ(database_.sql("SELECT count(*), count(DISTINCT case_index) FROM assay_effects"),
            fmt::format("{0}|{0}", told.load()));
  EXPECT_THAT(loop_.await(owner->states({})).value().begun, SizeIs(static_cast<std::size_t>(told)));
  EXPECT_TRUE(RunStore::is_locked(elsewhere())) << "the right came back with the connection";
  owner.reset();
  EXPECT_TRUE(RunStore::lock(elsewhere()).has_value()) << "and went with it";
}

TEST_F(SharedRunTest, NothingThatWasReportedIsLostWhenTheProcessIsKilled) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Mailbox loop;
    auto store = create_run(here());
    if (!store) ::_exit(1);
    for (std::int64_t i = 0;; ++i) {
      const auto done = loop.await((*store)->put(effect(i, "judge")));
      if (!done || ::write(pipe_ends[1], "+", 1) != 1) ::_exit(2);
    }
  }
  std::int64_t told = 0;
  while (told < 100) {
    char buffer[64];
    const auto count = ::read(pipe_ends[0], buffer, sizeof buffer);
    ASSERT_GT(count, 0);
    told += count;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  // The server notices the end of the connection in its own time.
  Result<std::unique_ptr<RunStore>> store = fail(ErrorKind::journal, "not tried");
  for (int tries = 0; tries < 100 && !store; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    store = resume_run(folder());
  }
  ASSERT_TRUE(store.has_value()) << store.error().text();
  EXPECT_GE(static_cast<std::int64_t>(loop_.await((*store)->states({})).value().begun.size()), told);
}

TEST_F(SharedRunTest, TheEndBringsTheJournalIntoTheDirectoryAsThatOfAnyRun) {
  {
    auto owner = begun();
    EXPECT_TRUE(file_exists(folder() + "/run.db.at"));
    EXPECT_FALSE(file_exists(folder() + "/run.db"));
    const auto worker = joined();
    for (std::int64_t i = 5; i >= 0; --i) {
      put(*worker, effect(i, "judge/b"));
      put(*worker, effect(i, "judge/a"));
      put(*worker, OutcomeRow{i, "c" + std::to_string(i), "scored", R"({"x":1})"});
    }
    put(*owner, OutcomeRow{6, "c6", "skipped", "{}"});
    ASSERT_TRUE(loop_.await(owner->note("gone on with by hand")));
    ASSERT_TRUE(loop_.await(worker->keep_file("task.yaml", "a: 1\n")));
    ASSERT_TRUE(loop_.await(owner->share_file("config.yaml", "evaluation: x\n")));
    EXPECT_EQ(loop_.await(worker->file("config.yaml")).value(), "evaluation: x\n");
    EXPECT_EQ(loop_.await(worker->file("none")).value(), std::nullopt);
    const auto before = loop_.await(owner->totals()).value();
    const Status home = owner->bring_home();
    ASSERT_TRUE(home.has_value()) << home.error().text();
    owner.reset();
    const auto copied = good(RunStore::open(folder(), nullptr));
    const auto after = loop_.await(copied->totals()).value();
    EXPECT_EQ(after.requests, before.requests);
    EXPECT_EQ(after.cost_picousd, before.cost_picousd);
    EXPECT_NEAR(after.worked_seconds, before.worked_seconds, 0.0011);
  }
  database_.close();  // from here on the directory is all that is needed
  EXPECT_FALSE(file_exists(folder() + "/run.db.at"));
  EXPECT_FALSE(file_exists(folder() + "/run.db.copy"));
  EXPECT_FALSE(file_exists(folder() + "/config.yaml")) << "shared, not kept";
  EXPECT_EQ(read_file(folder() + "/task.yaml").value(), "a: 1\n");
  EXPECT_EQ(defect_of(folder()), "");
  const auto report = check_journal(folder()).value();
  EXPECT_EQ(report.effects, 12);
  EXPECT_EQ(report.outcomes, 7);
  EXPECT_THAT(report.notes, ElementsAre("gone on with by hand"));
  const auto store = good(resume_run(folder()));
  EXPECT_EQ(store->identity().run_id, identity().run_id);
  EXPECT_THAT(loop_.await(store->texts()).value(), ElementsAre(PlanText{"prompt", "Be brief."}));
  const auto rows = loop_.await(store->effects_of(3, Requests::whole)).value();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].key.step, "judge/b") << "in the order of their writing";
  EXPECT_EQ(rows[0].request, effect(3, "judge/b").request);
  EXPECT_THAT(loop_.await(store->outcomes(0, 100)).value(), SizeIs(7));
}

TEST_F(SharedRunTest, ARunThatCameHomeGoesOnInTheStoreWhereItWas) {
  {
    const auto owner = begun();
    put(*owner, effect(0, "judge"));
    ASSERT_TRUE(owner->bring_home());
  }
  {
    const auto ended = RunStore::join(elsewhere());
    ASSERT_FALSE(ended.has_value());
    EXPECT_THAT(ended.error().text(), HasSubstr("has ended"));
  }
  {
    const auto again = good(resume_run(here()));
    EXPECT_TRUE(file_exists(folder() + "/run.db")) << "nothing changes before the first put";
    put(*again, effect(1, "judge"));
    EXPECT_FALSE(file_exists(folder() + "/run.db"));
    EXPECT_THAT(loop_.await(again->states({})).value().begun, ElementsAre(0, 1));
    put(*joined(), effect(2, "judge"));
    ASSERT_TRUE(again->bring_home());
  }
  EXPECT_EQ(check_journal(folder()).value().effects, 3);
  // Gone on with in the directory alone, the store has an older state of it.
  put(*good(resume_run(folder())), effect(3, "judge"));
  const auto older = resume_run(here());
  ASSERT_FALSE(older.has_value());
  EXPECT_THAT(older.error().text(), HasSubstr("holds an older state of it"));
}

TEST_F(SharedRunTest, ACopyThatWasKilledIsMadeAnew) {
  const auto owner = begun();
  put(*owner, effect(0, "judge"));
  fs::create_directories(folder() + "/run.db.copy");
  ASSERT_TRUE(write_file(folder() + "/run.db.copy/run.db", "half of it"));
  ASSERT_TRUE(owner->bring_home());
  EXPECT_EQ(defect_of(folder()), "");
  EXPECT_FALSE(file_exists(folder() + "/run.db.copy"));
}

TEST_F(SharedRunTest, ARowThatSomebodyChangedIsNamedWhenItIsRead) {
  const auto owner = begun();
  put(*owner, effect(7, "judge"));
  put(*owner, OutcomeRow{7, "seven", "scored", R"({"x":1})"});
  EXPECT_EQ(defect_of(here()), "");
  database_.sql(R"(UPDATE assay_outcomes SET result = '{"x":2}'::bytea)");
  EXPECT_THAT(defect_of(here()), HasSubstr("the outcome of case seven is not as it was put"));
  EXPECT_FALSE(loop_.await(owner->outcomes(0, 10)).has_value());
  database_.sql(R"(UPDATE assay_effects SET reply = '{"a":2}'::bytea)");
  const auto read = loop_.await(owner->effects_of(7, Requests::left_out));
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().text(),
              HasSubstr("the answer of case 7, step judge, attempt 1 is not as it was put"));
  EXPECT_EQ(read.error().kind, ErrorKind::journal);
  EXPECT_FALSE(owner->bring_home().has_value()) << "it is not sealed as if nothing had happened";
}

TEST_F(SharedRunTest, BytesThatAreNoTextAreKeptAsTheyAre) {
  const auto owner = begun();
  EffectRow row = effect(0, std::string("tool/\xff\0x", 8));
  row.reply = std::string("\0\xc3(", 3);
  put(*owner, row);
  put(*owner, OutcomeRow{0, std::string("id\0\x80", 4), "scored", "{}"});
  const auto rows = loop_.await(owner->effects_of(0, Requests::whole)).value();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].key.step, row.key.step);
  EXPECT_EQ(rows[0].reply, row.reply);
  EXPECT_EQ(loop_.await(owner->outcomes(0, 1)).value()[0].case_id, std::string("id\0\x80", 4));
  ASSERT_TRUE(owner->bring_home());
}

// As if the network had been away for long: the server ends the session, and another process is quicker.
TEST_F(SharedRunTest, WhoeverTookTheRunOverMeanwhileKeepsIt) {
  const auto end_sessions = [this] {
    database_.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ '^assay "
        "[0-9a-f]{32}$'");
  };
  const auto alive = [](postgres::Connection& connection) { return connection.query("SELECT 1"); };
  const auto first = postgres::take_right(store_, "run-1").value();
  end_sessions();
  EXPECT_TRUE(first->ask(alive).has_value()) << "it takes its right again with a new connection";
  const auto refused = RunStore::lock(elsewhere());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::journal);
  EXPECT_THAT(refused.error().text(), HasSubstr("another assay process is working on this run"));
  end_sessions();
  const auto second = postgres::take_right(store_, "run-1").value();
  first->set_patience(std::chrono::milliseconds(200));
  const auto lost = first->ask(alive);
  ASSERT_FALSE(lost.has_value());
  EXPECT_THAT(lost.error().text(), HasSubstr("another assay process has taken the run over"));
  EXPECT_TRUE(second->ask(alive).has_value());
  EXPECT_TRUE(RunStore::is_locked(elsewhere()));
}

TEST_F(SharedRunTest, ADirectoryWhoseStoreIsAwaySaysSoAndShowsNoPassword) {
  {
    const auto owner = begun();
  }
  database_.close();
  EXPECT_TRUE(RunStore::holds_run(folder()));
  EXPECT_THAT(why_not(folder()), AllOf(HasSubstr("cannot connect to postgres://postgres@/test_"),
                                       HasSubstr("not currently accepting connections")));
  const auto none = RunAddress::in(address_of("postgres://me:pa55word@127.0.0.1:9/x"), "r");
  EXPECT_THAT(why_not(none),
              AllOf(HasSubstr("cannot connect to postgres://me@127.0.0.1:9/x"), Not(HasSubstr("pa55word"))));
  EXPECT_FALSE(glance_at(folder()).has_value());
}

TEST_F(SharedRunTest, ARunThatTheStoreDoesNotHoldIsSaid) {
  EXPECT_THAT(why_not(elsewhere()), HasSubstr("holds no run run-1"));
  EXPECT_EQ(database_.sql("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'assay%'"), "0")
      << "a look makes nothing";
  {
    const auto owner = begun();
  }
  EXPECT_THAT(why_not(RunAddress::in(store_, "other")), HasSubstr("holds no run other"));
  EXPECT_FALSE(RunStore::holds_run(RunAddress::in(store_, "other")));
}

TEST_F(SharedRunTest, TablesOfANewerVersionAreRefusedWithASentence) {
  {
    const auto owner = begun();
  }
  database_.sql("UPDATE assay_versions SET number = 99 WHERE part = 'runs'");
  EXPECT_THAT(why_not(elsewhere()), HasSubstr("found tables (runs) of version 99"));
  const ScratchDirectory another("shared_run_another");
  EXPECT_THAT(create_run(RunAddress(another.path(), store_)).error().text(), HasSubstr("version 99"));
  EXPECT_FALSE(RunStore::holds_run(another.path()));
}

TEST_F(SharedRunTest, APlaceFileThatSaysNothingIsRefused) {
  for (const char* text :
       {"", "{}", R"({"store":"mysql://x","run":"r"})", R"({"store":"postgres://x"})", "[1"}) {
    ASSERT_TRUE(write_file(folder() + "/run.db.at", text));
    EXPECT_THAT(why_not(folder()), HasSubstr("does not say where the run's journal is")) << text;
  }
  EXPECT_THAT(RunStore::join(ScratchDirectory("plain").path()).error().text(),
              HasSubstr("begin it with --store postgres://"));
}

}  // namespace
}  // namespace assay
