// What the tests of the runner share: numbers as cases, a server that answers as a test says, and sittings of
// a run in a directory.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/environment.h"
#include "engine/runner.h"
#include "tests/gateway/fake_effect.h"

namespace assay {

// Numbers as cases; no file behind them.
class NumberSource final : public CaseSource {
 public:
  explicit NumberSource(std::int64_t count, std::int64_t throws_at = -1)
      : count_(count), throws_at_(throws_at) {}
  Result<bool> next() override {
    if (next_ == count_) return false;
    if (next_ == throws_at_) throw std::runtime_error("vector::at: 7 is out of range");
    current_ = {.index = next_, .line = static_cast<std::uint64_t>(next_ + 1), .id = std::to_string(next_)};
    ++next_;
    return true;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, {}}; }
  Status go_to(const CasePlace& place) override {
    next_ = place.index;
    return next() ? Status() : fail(ErrorKind::data, "there is no such case");
  }
  std::vector<Problem> take_problems() override { return {}; }
  std::int64_t lines() const override { return next_; }
  std::int64_t invalid() const override { return 0; }

 private:
  std::int64_t count_;
  std::int64_t throws_at_;
  std::int64_t next_ = 0;
  Case current_;
};

// Echoes after a pause; fails as the test says.
class FakeServer {
 public:
  explicit FakeServer(EventLoop& loop) : loop_(loop) {}

  std::shared_ptr<Effect> question(std::string text) {
    // A tenth of a cent a token, and up to a thousand tokens for an answer under way.
    Terms terms{.request = canonical_text(JsonObject{{"question", text}}),
                .lane = "fake",
                .price_name = "fake",
                .expected_tokens = 1000,
                .expected_cost = 1'000'000'000'000,
                .tries = tries};
    return std::make_shared<FakeEffect>(std::move(terms), [this, text] { return answer(text); });
  }
  std::int64_t requests() const {
    std::int64_t sum = 0;
    for (const auto& [text, count] : asked_) sum += count;
    return sum;
  }
  std::vector<int> counts() const {
    std::vector<int> list;
    for (const auto& [text, count] : asked_) list.push_back(count);
    return list;
  }

  std::function<std::optional<TryFailure>(const std::string&, int)> fail;
  std::function<void()> on_request;
  int most_at_once = 0;
  int tries = 5;

 private:
  Task<TryResult> answer(std::string text) {
    ++asked_[text];
    most_at_once = std::max(most_at_once, ++at_once_);
    co_await loop_.sleep(std::chrono::milliseconds(1));
    --at_once_;
    if (on_request) on_request();
    if (fail) {
      if (auto failure = fail(text, asked_[text])) co_return std::unexpected(*failure);
    }
    co_return Try{.reply = to_text(Json("re: " + text)),
                  .usage = {.prompt_tokens = 10, .completion_tokens = 10}};
  }

  EventLoop& loop_;
  std::map<std::string, int> asked_;
  int at_once_ = 0;
};

// Numbered cases, each evaluated by a function of the test.
class NumberWork final : public CaseWork {
 public:
  using Evaluate = std::function<Task<Outcome>(std::string id, CaseContext& context)>;
  NumberWork(std::int64_t count, Evaluate evaluate) : count_(count), evaluate_(std::move(evaluate)) {}
  Result<std::unique_ptr<CaseSource>> cases() const override {
    return std::make_unique<NumberSource>(count_, throws_at);
  }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    return evaluate_(input.id, context);
  }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {}; }

  std::int64_t throws_at = -1;  // this case cannot even be read

 private:
  std::int64_t count_;
  Evaluate evaluate_;
};

class RunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        (std::filesystem::temp_directory_path() / ("assay_runner_" + std::to_string(::getpid()))).string();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Asks twice in a row and keeps both answers.
  NumberWork two_questions(std::int64_t count, const std::string& wording = "question") {
    return {count, [this, wording](const std::string& id, CaseContext& context) {
              return ask_twice(server_, wording + " " + id, context);
            }};
  }
  static Task<Outcome> ask_twice(FakeServer& server, std::string wording, CaseContext& context) {
    Outcome outcome;
    for (const char* step : {"first", "second"}) {
      auto reply = co_await perform_json(context, step, server.question(wording + " " + step));
      if (!reply) co_return failed_outcome(reply.error());
      outcome.result[step] = *reply;
    }
    co_return outcome;
  }

  std::unique_ptr<RunStore> read(const std::string& folder) {
    return std::move(RunStore::open(folder, nullptr).value());
  }

  // One sitting: opens or creates the store in `folder`, runs, closes.
  RunResult sit(const CaseWork& work, const std::string& folder) {
    std::filesystem::create_directories(folder);
    std::vector<ConfigProblem> problems;
    Gateway gateway(loop_, Config(config_), process_environment(), problems);
    EXPECT_TRUE(problems.empty());
    auto lock = RunStore::lock(folder);
    EXPECT_TRUE(lock.has_value()) << lock.error().text();
    auto store = RunStore::holds_run(folder)
                     ? RunStore::open(folder, std::move(*lock))
                     : RunStore::create(folder, std::move(*lock), {"r", "e", "0", "now", "{}", "d", "h"}, {});
    EXPECT_TRUE(store.has_value()) << store.error().text();
    Runner runner(gateway, options_);
    runner_ = &runner;
    RunResult result = loop_.run_until_done(runner.run(work, **store, 0));
    progress_ = runner.progress();
    runner_ = nullptr;
    return result;
  }
  RunResult sit(const CaseWork& work) { return sit(work, folder_); }
  // A new run in a directory of its own that takes answers of the first one.
  RunResult sit_again_reusing(const CaseWork& work, const std::string& folder) {
    const auto earlier = read(folder_);
    options_.earlier_answers = earlier.get();
    RunResult result = sit(work, folder);
    options_.earlier_answers = nullptr;
    return result;
  }

  std::vector<std::string> outcomes(const std::string& folder) {
    const auto store = read(folder);
    std::vector<std::string> list;
    for (const OutcomeRow& row : loop_.run_until_done(store->outcomes(0, 1'000'000)).value()) {
      auto tree = parse_json(row.result);
      list.push_back(row.case_id + " " + row.outcome + " " + to_text(*find_member(*tree, "result")));
    }
    return list;
  }
  std::string error_of_case(std::int64_t index) {
    const auto rows = loop_.run_until_done(read(folder_)->outcomes(index, 1)).value();
    return rows.empty() ? "no outcome" : text_at(parse_json(rows.front().result).value(), "error");
  }
  void limit(JsonObject limits) { config_["limits"] = std::move(limits); }

  EventLoop loop_;
  FakeServer server_{loop_};
  JsonObject config_{{"prices", JsonObject{{"fake", JsonObject{{"prompt", 1000}, {"completion", 1000}}}}}};
  RunnerOptions options_;
  Runner* runner_ = nullptr;  // while it sits
  RunProgress progress_;
  std::string folder_;
};

}  // namespace assay
