// Runs at the gateway: what they share, what each has for itself, and the one retry layer.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/gateway.h"
#include "tests/core/mailbox.h"
#include "tests/gateway/fake_effect.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AccountTest : public ::testing::Test {
 protected:
  void open(JsonObject limits, JsonObject more = {}) {
    more["limits"] = std::move(limits);
    std::vector<ConfigProblem> problems;
    gateway_ = std::make_unique<Gateway>(
        loop_, Config(std::move(more)), [](std::string_view) { return std::nullopt; }, problems);
    EXPECT_TRUE(problems.empty());
    one_ = std::make_unique<Account>(*gateway_, [this](const std::string& line) { trace_.push_back(line); });
    two_ = std::make_unique<Account>(*gateway_, nullptr);
  }

  // With what the gateway's environment holds.
  void open_with(std::map<std::string, std::string, std::less<>> variables, JsonObject more) {
    more["limits"] = JsonObject{};
    std::vector<ConfigProblem> problems;
    gateway_ = std::make_unique<Gateway>(
        loop_, Config(std::move(more)),
        [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional(found->second);
        },
        problems);
    EXPECT_TRUE(problems.empty());
    one_ = std::make_unique<Account>(*gateway_, [this](const std::string& line) { trace_.push_back(line); });
  }

  struct Asked {
    std::int64_t expected_dollars = 0;
    int most_at_once = 64;
    Duration takes = 1ms;
  };
  // Ten tokens after a while.
  FakeEffect answers(const std::string& lane, Asked asked) {
    return {{.request = "{}",
             .lane = lane,
             .price_name = "fake",
             .expected_cost = asked.expected_dollars * 1'000'000'000'000,
             .most_at_once = asked.most_at_once,
             .tries = 5},
            [this, lane, asked] { return answer(lane, asked.takes); }};
  }
  FakeEffect answers(const std::string& lane) { return answers(lane, Asked()); }
  Task<TryResult> answer(std::string lane, Duration time) {
    most_[lane] = std::max(most_[lane], ++at_once_[lane]);
    co_await loop_.sleep(time);
    --at_once_[lane];
    co_return Try{.reply = "{}", .usage = {.prompt_tokens = 6, .completion_tokens = 4}};
  }
  // Fails at every try, of three at most.
  FakeEffect fails(const std::string& lane, TryResult how, bool stubborn = false) {
    return {{.request = "{}", .lane = lane, .tries = 3, .stubborn = stubborn},
            [this, how] { return failure(how); }};
  }
  Task<TryResult> failure(TryResult how) {
    ++sent_;
    co_return how;
  }

  // How it went: "ok", or the kind of the error.
  Task<std::string> asking(Account& account, FakeEffect effect) {
    return performing(account, std::move(effect), [](const Answer&) -> Task<Status> { co_return Status(); });
  }
  Task<std::string> performing(Account& account, FakeEffect effect,
                               std::function<Task<Status>(const Answer&)> keep) {
    auto call = std::make_shared<Call>();
    call->terms = effect.terms();
    call->effect = std::make_shared<FakeEffect>(std::move(effect));
    call->place = {0, "step", 1};
    call->keep = std::move(keep);
    auto got = co_await account.perform(std::move(call), 0);
    if (got) co_return "ok";
    message_ = got.error().message;
    co_return std::string(to_string(got.error().kind));
  }
  Task<std::string> asking_often(Account& account, std::string lane, int times) {
    std::string how = "ok";
    for (int i = 0; i < times && how == "ok"; ++i) how = co_await asking(account, answers(lane));
    co_return how;
  }
  std::string ask(Account& account, FakeEffect effect) {
    return loop_.run_until_done(asking(account, std::move(effect)));
  }
  void begin(Account& account, FakeEffect effect, std::string& how) {
    loop_.spawn(note(asking(account, std::move(effect)), how));
  }
  static Task<void> note(Task<std::string> task, std::string& how) { how = co_await task; }
  void run_for(Duration time) {
    loop_.call_after(time, [this] { loop_.stop(); });
    loop_.run();
  }

  EventLoop loop_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<Account> one_;
  std::unique_ptr<Account> two_;
  std::map<std::string, int> at_once_;
  std::map<std::string, int> most_;
  int sent_ = 0;
  std::string message_;
  std::vector<std::string> trace_;
};

// Whoever says it, and wherever it came from: the config, a key of a model, a proxy of the environment.
TEST_F(AccountTest, NoErrorAndNoTraceHoldsASecret) {
  open_with({{"MY_VARIABLE", "k3y-of-a-model"}, {"https_proxy", "http://me:pr0xy-word@proxy:1"}},
            {{"http", JsonObject{{"proxy", "http://me:c0nfig-word@proxy:1"}}},
             {"models", JsonObject{{"m", JsonObject{{"provider", "openai"},
                                                    {"name", "m"},
                                                    {"api_key_env", "MY_VARIABLE"},
                                                    {"structured", "auto"}}}}}});
  EXPECT_EQ(ask(*one_, fails("here", try_failed(ErrorKind::rejected,
                                                "not with k3y-of-a-model, pr0xy-word or c0nfig-word"))),
            "rejected");
  EXPECT_EQ(message_, "not with [hidden], [hidden] or [hidden]");
  ASSERT_EQ(trace_.size(), 1U);
  EXPECT_THAT(trace_[0], HasSubstr("[hidden], [hidden] or [hidden]"));
}

TEST(GatewaySettings, HaveALoopForEachCoreButNoneWithoutARequestInFlight) {
  const auto threads = [](JsonObject values) { return gateway_settings(Config(std::move(values))).threads; };
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_EQ(threads({}), std::min(cores, 64));
  EXPECT_EQ(threads({{"limits", JsonObject{{"concurrency", 1}}}}), 1);
  EXPECT_EQ(threads({{"limits", JsonObject{{"concurrency", 1}}}, {"threads", 3}}), 3);
}

TEST_F(AccountTest, RunsThatAskAtOneAddressShareItsLimit) {
  open({{"concurrency", 3}});
  std::vector<Task<std::string>> runs;
  for (int i = 0; i < 4; ++i) {
    runs.push_back(asking_often(*one_, "a", 5));
    runs.push_back(asking_often(*two_, "a", 5));
    runs.push_back(asking_often(*two_, "b", 5));
  }
  EXPECT_THAT(loop_.run_until_done(all(std::move(runs))), ::testing::Each("ok"));
  EXPECT_EQ(most_["a"], 3);
  EXPECT_EQ(most_["b"], 3) << "another address has a limit of its own";
  EXPECT_EQ(one_->figures().requests, 20);
  EXPECT_EQ(two_->figures().requests, 40);
  EXPECT_EQ(one_->figures().tokens, 200);
  EXPECT_EQ(one_->figures().in_flight, 0);
}

TEST_F(AccountTest, AnAddressMayTakeLessThanTheLimit) {
  open({{"concurrency", 8}});
  const auto narrow = [this] { return answers("a", {.most_at_once = 1}); };
  loop_.run_until_done(all(asking(*one_, narrow()), asking(*two_, narrow()), asking(*two_, narrow())));
  EXPECT_EQ(most_["a"], 1);
}

TEST_F(AccountTest, ACircuitThatOpensStopsWhoAsksThereAndNobodyElse) {
  open({{"concurrency", 2}});
  EXPECT_EQ(ask(*one_, fails("a", try_failed(ErrorKind::auth, "HTTP 401: wrong key"))), "auth");
  EXPECT_EQ(sent_, 1);
  EXPECT_TRUE(one_->stopping());
  EXPECT_EQ(one_->reason()->kind, ErrorKind::circuit_open);
  EXPECT_FALSE(two_->stopping());
  EXPECT_EQ(ask(*two_, answers("b")), "ok") << "another address is asked on";
  EXPECT_EQ(ask(*two_, answers("a")), "circuit_open");
  EXPECT_EQ(most_["a"], 0) << "nothing was sent";
  EXPECT_THAT(two_->reason()->message, HasSubstr("HTTP 401: wrong key"));
  EXPECT_EQ(ask(*two_, answers("b")), "circuit_open") << "its run is being wound down";
}

// A target that works must not hide a judge that does not.
TEST_F(AccountTest, SuccessesElsewhereDoNotKeepACircuitClosed) {
  open({{"same_failures", 4}});
  int failures = 0;
  while (!one_->stopping() && failures < 100) {
    EXPECT_EQ(ask(*one_, answers("target")), "ok");
    ask(*one_, fails("judge", try_failed(ErrorKind::rejected, "HTTP 404")));
    ++failures;
  }
  EXPECT_EQ(failures, 4);
}

TEST_F(AccountTest, RunsShareTheBudget) {
  // A dollar a token.
  open({}, {{"budget", JsonObject{{"usd", 25}}},
            {"prices", JsonObject{{"fake", JsonObject{{"prompt", 1e6}, {"completion", 1e6}}}}}});
  const auto expecting = [this](std::int64_t dollars) { return answers("a", {.expected_dollars = dollars}); };
  EXPECT_EQ(ask(*one_, expecting(25)), "ok");
  EXPECT_EQ(gateway_->budget().spent(), picousd(10)) << "what it really cost";
  EXPECT_EQ(ask(*two_, expecting(15)), "ok");
  EXPECT_EQ(ask(*two_, expecting(6)), "budget");
  EXPECT_THAT(
      two_->reason()->message,
      HasSubstr("the budget of $25.00 does not hold another call, which may cost $6.00: $20.00 is spent"));
  EXPECT_FALSE(one_->stopping());
  EXPECT_EQ(ask(*one_, expecting(5)), "ok");
}

// No tokens are told: it has not worked for nothing.
TEST_F(AccountTest, AnAnswerWithoutTokensHasNoKnownCostAndTakesWhatWasExpectedFromTheBudget) {
  open({}, {{"budget", JsonObject{{"usd", 25}}},
            {"prices", JsonObject{{"fake", JsonObject{{"prompt", 1e6}, {"completion", 1e6}}},
                                  {"free", JsonObject{{"prompt", 0}, {"completion", 0}}}}}});
  std::optional<std::int64_t> cost = 1;
  const auto keep = [&](const Answer& answer) -> Task<Status> {
    cost = answer.cost_picousd;
    co_return Status();
  };
  const auto silent = [](std::string price, std::int64_t expected) {
    return FakeEffect(
        {.request = "{}", .lane = "a", .price_name = std::move(price), .expected_cost = expected},
        []() -> Task<TryResult> { co_return Try{.reply = "{}"}; });
  };
  EXPECT_EQ(loop_.run_until_done(performing(*one_, silent("fake", picousd(3)), keep)), "ok");
  EXPECT_EQ(cost, std::nullopt);
  EXPECT_EQ(gateway_->budget().spent(), picousd(3));
  EXPECT_EQ(loop_.run_until_done(performing(*one_, silent("free", 0), keep)), "ok");
  EXPECT_EQ(cost, 0);
}

TEST_F(AccountTest, ACallThatIsDearerThanTheWholeBudgetIsToldAsThat) {
  open({}, {{"budget", JsonObject{{"usd", 5}}}});
  EXPECT_EQ(ask(*one_, answers("a", {.expected_dollars = 6})), "budget");
  EXPECT_EQ(one_->reason()->message,
            "one call may cost $6.00, more than the whole budget of $5.00; raise budget.usd and resume");
}

TEST_F(AccountTest, ACallThatIsDestroyedUnderWayGivesBackItsPermitAndItsMoney) {
  open({{"concurrency", 1}}, {{"budget", JsonObject{{"usd", 1}}}});
  Mailbox::give_up(asking(*one_, answers("a", {.expected_dollars = 1})));
  EXPECT_EQ(one_->figures().requests, 1);
  EXPECT_EQ(one_->figures().in_flight, 0);
  EXPECT_EQ(gateway_->budget().spent(), 0);
  EXPECT_TRUE(gateway_->budget().reserve(picousd(1)));
  gateway_->budget().settle(picousd(1), 0);
  EXPECT_EQ(ask(*two_, answers("a")), "ok") << "its permit is free";
}

TEST_F(AccountTest, AnAnswerGivesBackItsPermitWhenItComesAndIsDoneWhenItIsDurable) {
  open({{"concurrency", 1}});
  bool came = false;
  bool durable = false;
  const auto keep = [&](const Answer&) -> Task<Status> {
    came = true;
    while (!durable) co_await loop_.sleep(1ms);
    co_return Status();
  };
  std::string how;
  loop_.spawn(note(performing(*one_, answers("a"), keep), how));
  while (!came) run_for(1ms);
  EXPECT_EQ(one_->figures().in_flight, 0);
  EXPECT_EQ(one_->figures().answers, 1);
  EXPECT_EQ(ask(*two_, answers("a")), "ok") << "the next one may go";
  EXPECT_EQ(how, "") << "and this one is not done";
  durable = true;
  while (how.empty()) run_for(1ms);
  EXPECT_EQ(how, "ok");
}

// Otherwise a disk that does not keep up would fill the memory, and a kill would repeat any number.
TEST_F(AccountTest, WhatIsInFlightOrNotYetDurableIsBounded) {
  open({{"concurrency", 2}});
  bool durable = false;
  const auto keep = [&](const Answer&) -> Task<Status> {
    while (!durable) co_await loop_.sleep(1ms);
    co_return Status();
  };
  const auto open_at_most = static_cast<std::size_t>(most_open(2));
  std::vector<std::string> how(2 * open_at_most);
  for (std::string& one : how) loop_.spawn(note(performing(*one_, answers("a"), keep), one));
  while (one_->figures().answers < most_open(2)) run_for(1ms);
  run_for(20ms);
  EXPECT_EQ(one_->figures().requests, most_open(2)) << "no more is sent while the disk stands still";
  EXPECT_THAT(one_->figures().waiting_for, HasSubstr("the disk: 20 answers are being written"));
  durable = true;
  while (std::ranges::count(how, "ok") < std::ssize(how)) run_for(1ms);
  EXPECT_EQ(most_["a"], 2);
}

TEST_F(AccountTest, WhatIsNotYetDurableIsBoundedInBytesToo) {
  open({{"concurrency", 4}});
  bool durable = false;
  const auto keep = [&](const Answer&) -> Task<Status> {
    while (!durable) co_await loop_.sleep(1ms);
    co_return Status();
  };
  const auto large = [] {
    return FakeEffect({.request = "{}", .lane = "a"}, []() -> Task<TryResult> {
      co_return Try{.reply = std::string(kMostReceivedBytes / 2, 'x')};
    });
  };
  std::vector<std::string> how(3);
  for (std::string& one : how) loop_.spawn(note(performing(*one_, large(), keep), one));
  run_for(20ms);
  EXPECT_EQ(one_->figures().requests, 2);
  durable = true;
  while (std::ranges::count(how, "ok") < std::ssize(how)) run_for(1ms);
}

TEST_F(AccountTest, AnAnswerThatCannotBeKeptEndsTheRun) {
  open({});
  const auto keep = [](const Answer&) -> Task<Status> { co_return fail(ErrorKind::journal, "disk full"); };
  EXPECT_EQ(loop_.run_until_done(performing(*one_, answers("a"), keep)), "journal");
  EXPECT_TRUE(one_->stopping());
  EXPECT_EQ(one_->reason()->message, "disk full");
}

TEST_F(AccountTest, WhatMayPassIsTriedAgainAndWhatMayNotIsNot) {
  open({});
  EXPECT_EQ(ask(*one_, fails("a", try_failed(ErrorKind::overloaded, "HTTP 503", 0ms))), "overloaded");
  EXPECT_EQ(sent_, 3);
  EXPECT_EQ(message_, "HTTP 503 (tried 3 times)");
  EXPECT_THAT(trace_, ElementsAre(HasSubstr("model case 0 step step attempt 1 try 1: HTTP 503"),
                                  HasSubstr("try 2: HTTP 503"), HasSubstr("try 3: HTTP 503")));
  sent_ = 0;
  EXPECT_EQ(ask(*one_, fails("a", try_failed(ErrorKind::rejected, "HTTP 400"))), "rejected");
  EXPECT_EQ(sent_, 1);
  EXPECT_EQ(message_, "HTTP 400");
  sent_ = 0;
  EXPECT_EQ(ask(*one_, fails("b", try_failed(ErrorKind::target, "exit code 1", 0ms))), "target");
  EXPECT_EQ(sent_, 1);
  sent_ = 0;
  EXPECT_EQ(ask(*one_, fails("b", try_failed(ErrorKind::target, "exit code 1", 0ms), true)), "target");
  EXPECT_EQ(sent_, 3);
}

TEST_F(AccountTest, AServerThatAsksForTooLongAPauseIsNotWaitedFor) {
  open({});
  EXPECT_EQ(ask(*one_, fails("a", try_failed(ErrorKind::rate_limited, "HTTP 429", 11min))), "rate_limited");
  EXPECT_EQ(sent_, 1);
}

TEST_F(AccountTest, StoppingARunWakesWhatWaitsForItOnly) {
  open({{"concurrency", 1}});
  std::string in_flight;
  std::string waiting;
  std::string others;
  begin(*one_, answers("a", {.takes = 300ms}), in_flight);
  begin(*one_, answers("a"), waiting);
  begin(*two_, answers("a"), others);
  one_->stop(std::nullopt);
  EXPECT_EQ(waiting, "") << "not from inside of whoever stops it";
  run_for(1ms);
  EXPECT_EQ(waiting, "cancelled");
  EXPECT_EQ(in_flight, "");
  EXPECT_EQ(others, "");
  while (in_flight.empty() || others.empty()) run_for(1ms);
  EXPECT_EQ(in_flight, "ok") << "what is in flight ends";
  EXPECT_EQ(others, "ok");
}

TEST_F(AccountTest, ARetryThatWaitsIsGivenUpWhenTheRunStops) {
  open({});
  std::string how;
  begin(*one_, fails("a", try_failed(ErrorKind::overloaded, "HTTP 503", 60'000ms)), how);
  EXPECT_EQ(one_->figures().retrying, 1);
  one_->stop(std::nullopt);
  run_for(1ms);
  EXPECT_EQ(how, "cancelled");
  EXPECT_EQ(one_->figures().retrying, 0);
}

TEST_F(AccountTest, WhatIsBeingStreamedIsCountedUntilItsAnswerIs) {
  open({});
  FakeEffect effect = answers("a", {.takes = 300ms});
  std::string how;
  begin(*one_, effect, how);
  effect.last_asked()->streaming(3);
  effect.last_asked()->streaming(4);
  EXPECT_EQ(one_->figures().tokens, 7);
  EXPECT_EQ(two_->figures().tokens, 0);
  effect.last_asked()->streaming(-7);
  while (how.empty()) run_for(1ms);
  EXPECT_EQ(one_->figures().tokens, 10) << "as it was counted there";
}

TEST_F(AccountTest, AnAccountMayGoRightAfterItWasStopped) {
  open({});
  one_->stop(std::nullopt);
  one_.reset();
  run_for(1ms);
  EXPECT_EQ(ask(*two_, answers("a")), "ok");
}

// Gives a dollar at a time, so often.
class FewDollars final : public BudgetSource {
 public:
  explicit FewDollars(EventLoop& loop, int left) : loop_(loop), left_(left) {}
  Task<Result<std::int64_t>> more(std::int64_t /*needed*/) override {
    ++asked;
    most_at_once = std::max(most_at_once, ++at_once_);
    co_await loop_.sleep(1ms);
    --at_once_;
    if (left_ == 0) co_return 0;
    --left_;
    co_return 1'000'000'000'000;
  }
  int asked = 0;
  int most_at_once = 0;

 private:
  EventLoop& loop_;
  int left_;
  int at_once_ = 0;
};

TEST_F(AccountTest, DrawsOnABudgetThatOthersShareAsItIsNeeded) {
  open({}, {{"budget", JsonObject{{"usd", 100}}}});
  FewDollars source(loop_, 3);
  gateway_->draw_from(&source);
  std::array<std::string, 5> how;
  // What they cost is nothing in the end, but all are under way together.
  for (std::string& one : how) begin(*one_, answers("here", {.expected_dollars = 1, .takes = 50ms}), one);
  run_for(200ms);
  EXPECT_EQ(std::ranges::count(how, "ok"), 3);
  EXPECT_EQ(std::ranges::count(how, "budget"), 2);
  EXPECT_EQ(source.most_at_once, 1) << "one question at a time";
  EXPECT_EQ(gateway_->budget().limit(), 3'000'000'000'000);
}

TEST_F(AccountTest, KeepsToItsShareOfTheLimits) {
  open({{"concurrency", 6}});
  gateway_->take_share({.parts = 4, .place = 1});  // 2, 2, 1, 1
  std::array<std::string, 8> how;
  for (std::string& one : how) begin(*one_, answers("here", {.takes = 2ms}), one);
  run_for(100ms);
  EXPECT_EQ(std::ranges::count(how, "ok"), 8);
  EXPECT_EQ(most_["here"], 2);
  EXPECT_EQ((LimitShare{4, 3}.of(6)), 1);
  EXPECT_EQ((LimitShare{4, 3}.of(2)), 0);
}

}  // namespace
}  // namespace assay
