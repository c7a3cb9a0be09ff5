// What every RunStore promises, whatever is behind its address. A new kind of store is one more Place.
#include "store/run_store.h"

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mailbox.h"
#include "tests/store/postgres/fresh_database.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An address that holds no run; what it stands for goes with the owner.
struct FreshPlace {
  RunAddress address;
  std::shared_ptr<void> owner;
};
// Where stores of one kind are made.
struct Place {
  std::string name;
  std::function<FreshPlace()> fresh;
};

Place directories() {
  return {"directory", [] {
            auto directory = std::make_shared<ScratchDirectory>("run_store");
            return FreshPlace{directory->path(), directory};
          }};
}

// A directory whose journal is in PostgreSQL, and a run there without a directory.
Place directories_with_postgres() {
  return {"directory_with_postgres", [] {
            auto directory = std::make_shared<ScratchDirectory>("run_store");
            return FreshPlace{RunAddress(directory->path(), FreshDatabase().address()), directory};
          }};
}

Place postgres_alone() {
  return {"postgres",
          [] { return FreshPlace{RunAddress::in(FreshDatabase().address(), identity().run_id), nullptr}; }};
}

class RunStoreTest : public ::testing::TestWithParam<Place> {
 protected:
  void create(const std::vector<PlanText>& texts = {}) { take(create_run(address_, texts)); }
  void reopen() {
    store_.reset();
    take(resume_run(address_));
  }
  void take(Result<std::unique_ptr<RunStore>> made) {
    ASSERT_TRUE(made.has_value()) << made.error().text();
    store_ = std::move(*made);
  }
  template <class Row>
  void put(Row row) {
    const auto done = loop_.await(store_->put(std::move(row)));
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
  template <class T>
  T get(Task<Result<T>> task) {
    auto got = loop_.await(std::move(task));
    EXPECT_TRUE(got.has_value()) << got.error().text();
    return got ? std::move(*got) : T();
  }

  Mailbox loop_;
  FreshPlace place_ = GetParam().fresh();
  const RunAddress& address_ = place_.address;
  std::unique_ptr<RunStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Places, RunStoreTest,
                         ::testing::Values(directories(), directories_with_postgres(), postgres_alone()),
                         [](const auto& place) { return place.param.name; });

TEST_P(RunStoreTest, GivesBackWhatWasPutAlsoAfterReopening) {
  EXPECT_FALSE(RunStore::holds_run(address_));
  create();
  EXPECT_TRUE(RunStore::holds_run(address_));
  const EffectRow row = effect(3, "judge/b", 2);
  put(effect(3, "judge/a"));
  put(row);
  put(effect(5, "judge/a"));
  for (int opening = 0; opening < 2; ++opening) {
    const auto rows = get(store_->effects_of(3, Requests::whole));
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows[1].key, row.key);
    EXPECT_EQ(rows[1].kind, row.kind);
    EXPECT_EQ(rows[1].request, row.request);
    EXPECT_EQ(rows[1].request_hash, sha256(row.request));
    EXPECT_EQ(rows[1].reply, row.reply);
    EXPECT_EQ(rows[1].model, row.model);
    EXPECT_EQ(rows[1].cost_picousd, row.cost_picousd);
    EXPECT_EQ(rows[1].tries, row.tries);
    EXPECT_EQ(rows[1].finished, row.finished);
    EXPECT_FALSE(rows[1].reused);
    const auto without = get(store_->effects_of(3, Requests::left_out));
    ASSERT_THAT(without, SizeIs(2));
    EXPECT_EQ(without[1].request, "");
    EXPECT_EQ(without[1].request_hash, sha256(row.request));
    EXPECT_EQ(without[1].reply, row.reply);
    EXPECT_THAT(get(store_->effects_of(5, Requests::left_out)), SizeIs(1));
    EXPECT_THAT(get(store_->effects_of(4, Requests::left_out)), IsEmpty());
    reopen();
  }
}

TEST_P(RunStoreTest, KnowsWhichRunItIs) {
  create();
  store_.reset();
  const auto read = read_identity(address_);
  ASSERT_TRUE(read.has_value()) << read.error().text();
  reopen();
  for (const RunIdentity& found : {*read, store_->identity()}) {
    EXPECT_EQ(found.run_id, "run-1");
    EXPECT_EQ(found.evaluation, "question_router");
    EXPECT_EQ(found.assay, "0.1.0");
    EXPECT_EQ(found.started, "now");
    EXPECT_EQ(found.config, R"({"seed":1})");
    EXPECT_EQ(found.data_path, "data.jsonl");
    EXPECT_EQ(found.data_hash, "hash");
  }
}

TEST_P(RunStoreTest, KeepsThePlansTextsByTheirNames) {
  const PlanText persona{"persona", "Ines, \xC3\xA9l\xC3\xA8ve\n"};
  const PlanText prompt{"prompt", std::string(100'000, 'p')};
  create({prompt, persona});
  reopen();
  EXPECT_THAT(get(store_->texts()), ElementsAre(persona, prompt));
}

TEST_P(RunStoreTest, SaysHowFarEachCaseHasCome) {
  create();
  put(effect(1, "a"));  // no outcome yet
  put(effect(3, "a"));
  put(OutcomeRow{3, "three", "scored", "{}"});
  put(effect(4, "a"));
  put(OutcomeRow{4, "four", "infra_failed", "{}"});
  put(OutcomeRow{0, "zero", "skipped", "{}"});  // asked nothing
  const CaseStates states = get(store_->states({"infra_failed", "limit_hit"}));
  EXPECT_THAT(states.ended, ElementsAre(0, 3, 4));
  EXPECT_THAT(states.finished, ElementsAre(0, 3));
  EXPECT_THAT(states.begun, ElementsAre(1, 4));
  EXPECT_THAT(get(store_->states({})).finished, ElementsAre(0, 3, 4));
  EXPECT_THAT(get(store_->states({})).begun, ElementsAre(1));
}

TEST_P(RunStoreTest, ACaseTriedAgainHasItsLastOutcome) {
  create();
  put(OutcomeRow{0, "a", "infra_failed", "{}", false});
  put(OutcomeRow{0, "a", "scored", R"({"x":1})"});
  EXPECT_THAT(get(store_->states({"infra_failed"})).finished, ElementsAre(0));
  const auto last = get(store_->outcomes(0, 10));
  ASSERT_THAT(last, SizeIs(1));
  EXPECT_EQ(last[0].outcome, "scored");
  EXPECT_EQ(last[0].result, R"({"x":1})");
  EXPECT_EQ(last[0].case_id, "a");
}

TEST_P(RunStoreTest, GivesOutcomesInOrderAPageAtATime) {
  create();
  for (const std::int64_t index : {7, 2, 9, 4}) put(OutcomeRow{index, std::to_string(index), "scored", "{}"});
  const auto indices = [this](std::int64_t first, std::size_t most) {
    std::vector<std::int64_t> list;
    for (const OutcomeRow& row : get(store_->outcomes(first, most))) list.push_back(row.case_index);
    return list;
  };
  EXPECT_THAT(indices(0, 3), ElementsAre(2, 4, 7));
  EXPECT_THAT(indices(8, 3), ElementsAre(9));
  EXPECT_THAT(indices(10, 3), IsEmpty());
  EXPECT_THAT(indices(0, 0), IsEmpty());
}

TEST_P(RunStoreTest, SumsWhatWasAskedAndLeavesOutWhatWasReused) {
  create();
  put(effect(0, "a"));
  put(effect(1, "a"));
  EffectRow reused = effect(1, "b");
  reused.reused = true;
  reused.cost_picousd = 0;
  put(reused);
  const RunTotals all = get(store_->totals());
  EXPECT_EQ(all.requests, 4) << "tries are counted";
  EXPECT_EQ(all.prompt_tokens, 20);
  EXPECT_EQ(all.completion_tokens, 10);
  EXPECT_EQ(all.cost_picousd, 14);
  EXPECT_TRUE(all.cost_known);
  EXPECT_EQ(all.reused, 1);
  EffectRow unknown = effect(2, "a");
  unknown.cost_picousd.reset();
  unknown.model = "sim/judge";
  unknown.kind = "embedding";
  put(unknown);
  EXPECT_FALSE(get(store_->totals()).cost_known);
  // Who writes keeps them along; who reads, and a later sitting, adds up the rows.
  const RunTotals along = get(store_->totals());
  reopen();
  const RunTotals again = get(store_->totals());
  EXPECT_EQ(again.requests, along.requests);
  EXPECT_EQ(again.retries, along.retries);
  EXPECT_EQ(again.reused, along.reused);
  EXPECT_EQ(again.cost_picousd, along.cost_picousd);
  EXPECT_EQ(again.cost_known, along.cost_known);
  EXPECT_EQ(again.simulated, along.simulated);
  EXPECT_DOUBLE_EQ(again.worked_seconds, along.worked_seconds);
}

// A journal may hold whatever a server once said of itself.
TEST_P(RunStoreTest, SumsThatPassEveryBoundStayAtTheLargestNumber) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  create();
  EffectRow huge = effect(0, "a");
  huge.prompt_tokens = huge.completion_tokens = huge.cached_tokens = huge.reasoning_tokens = kMost;
  huge.cost_picousd = kMost;
  put(huge);
  EXPECT_EQ(get(store_->totals()).prompt_tokens, kMost);
  huge.key.case_index = 1;
  put(huge);
  const RunTotals all = get(store_->totals());
  EXPECT_EQ(all.prompt_tokens, kMost);
  EXPECT_EQ(all.completion_tokens, kMost);
  EXPECT_EQ(all.cached_tokens, kMost);
  EXPECT_EQ(all.reasoning_tokens, kMost);
  EXPECT_EQ(all.cost_picousd, kMost);
  EXPECT_EQ(all.requests, 4);
}

TEST_P(RunStoreTest, SumsOfLargeNumbersAreExact) {
  create();
  for (std::int64_t i = 0; i < 3; ++i) {
    EffectRow large = effect(i, "a");
    large.prompt_tokens = (std::int64_t{1} << 33) + 7;
    large.cost_picousd = (std::int64_t{1} << 60) + 1;
    put(large);
  }
  EXPECT_EQ(get(store_->totals()).prompt_tokens, 3 * ((std::int64_t{1} << 33) + 7));
  EXPECT_EQ(get(store_->totals()).cost_picousd, 3 * ((std::int64_t{1} << 60) + 1));
}

TEST_P(RunStoreTest, CountsWhatWasAskedAgainAndNamesTheSimulatedModelsThatAnswered) {
  create();
  EXPECT_THAT(get(store_->totals()).simulated, IsEmpty());
  EffectRow first = effect(0, "judge/verdicts");
  first.tries = 3;
  first.model = "sim/judge";
  put(first);
  EffectRow repair = first;
  repair.key.attempt = 2;
  repair.tries = 1;
  put(repair);
  EffectRow target = effect(0, "target");
  target.tries = 1;
  target.model = "gpt-4o-2024-11-20";
  put(target);
  EffectRow reused = effect(1, "judge/verdicts");
  reused.key.attempt = 2;
  reused.reused = true;
  reused.model = "sim/a,b \"c\"";
  put(reused);
  const RunTotals all = get(store_->totals());
  EXPECT_EQ(all.requests, 5);
  EXPECT_EQ(all.retries, 2);
  EXPECT_EQ(all.repairs, 1) << "what an earlier run asked again was not asked here";
  EXPECT_THAT(all.simulated, ElementsAre("sim/a,b \"c\"", "sim/judge"));
}

TEST_P(RunStoreTest, FindsAnAnswerByRequestStepAndAttemptWhateverItsCase) {
  create();
  EffectRow elsewhere = effect(1, "judge");
  elsewhere.key.step = "other step";  // the same request at another step
  put(elsewhere);
  put(effect(1, "judge"));
  store_.reset();
  take(RunStore::open(address_, nullptr));
  const Digest known = effect(1, "judge").request_hash;
  const auto found = get(store_->find_answer(known, "judge", 1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->key, (EffectKey{1, "judge", 1}));
  EXPECT_EQ(found->reply, R"({"a":1})");
  EXPECT_TRUE(get(store_->find_answer(known, "other step", 1)).has_value());
  EXPECT_FALSE(get(store_->find_answer(known, "third step", 1)).has_value());
  EXPECT_FALSE(get(store_->find_answer(known, "judge", 2)).has_value());
  EXPECT_FALSE(get(store_->find_answer(sha256("else"), "judge", 1)).has_value());
}

TEST_P(RunStoreTest, IsLockedForOthersWhileItIsOpenForWriting) {
  create();
  const auto second = RunStore::lock(address_);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::journal);
  EXPECT_THAT(second.error().text(), HasSubstr("another assay process is working on this run"));
  store_.reset();
  EXPECT_TRUE(RunStore::lock(address_).has_value()) << "let go of with the store";
  EXPECT_TRUE(RunStore::lock(address_).has_value()) << "let go of with the lock";
}

TEST_P(RunStoreTest, ReadingNeedsNoLockAndSeesWhatIsCommitted) {
  create();
  put(effect(0, "a"));
  auto reader = RunStore::open(address_, nullptr);
  ASSERT_TRUE(reader.has_value()) << reader.error().text();
  EXPECT_THAT(get((*reader)->effects_of(0, Requests::left_out)), SizeIs(1));
  put(effect(0, "b"));
  EXPECT_THAT(get((*reader)->effects_of(0, Requests::left_out)), SizeIs(2))
      << "also what came after it was opened";
  const auto refused = loop_.await((*reader)->put(effect(0, "c")));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text(), HasSubstr("for reading only"));
}

TEST_P(RunStoreTest, AnAddressThatHoldsARunIsNotBegunAgain) {
  create();
  store_.reset();
  const auto second = create_run(address_);
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text(), HasSubstr("holds a run already"));
}

TEST_P(RunStoreTest, WhatWasPutIsCommittedBeforeTheStoreGoes) {
  create();
  for (int i = 0; i < 100; ++i) Mailbox::give_up(store_->put(effect(i, "a")));
  reopen();
  EXPECT_THAT(get(store_->states({})).begun, SizeIs(100));
}

// A case may be dropped at any point, while the other threads still work for it.
TEST_P(RunStoreTest, ACoroutineThatIsDestroyedWhileItWaitsIsNotResumed) {
  create();
  Mailbox::give_up(store_->put(effect(0, "a")));
  Mailbox::give_up(store_->put(OutcomeRow{0, "zero", "scored", "{}"}));
  Mailbox::give_up(store_->effects_of(0, Requests::left_out));
  Mailbox::give_up(store_->texts());
  Mailbox::give_up(store_->outcomes(0, 10));
  Mailbox::give_up(store_->totals());
  Mailbox::give_up(store_->states({"infra_failed"}));
  Mailbox::give_up(store_->find_answer(effect(0, "a").request_hash, "a", 1));
  put(effect(1, "a"));
  EXPECT_THAT(get(store_->effects_of(0, Requests::left_out)), SizeIs(1))
      << "what was begun is written all the same";
  EXPECT_THAT(get(store_->outcomes(0, 10)), SizeIs(1));
}

}  // namespace
}  // namespace assay
