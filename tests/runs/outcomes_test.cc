#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "runs/collect.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

// Cases whose indices come in an order of their own, as those of a benchmark do.
class ListedCases final : public CaseSource {
 public:
  explicit ListedCases(const std::vector<std::int64_t>& indices) : indices_(indices) {}
  Result<bool> next() override {
    if (next_ == indices_.size()) return false;
    current_ = {.index = indices_[next_], .id = std::to_string(indices_[next_])};
    ++next_;
    return true;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, {}}; }
  Status go_to(const CasePlace&) override { return fail(ErrorKind::internal, "nobody asks for a place"); }
  std::vector<Problem> take_problems() override { return {}; }
  std::int64_t lines() const override { return static_cast<std::int64_t>(next_); }
  std::int64_t invalid() const override { return 0; }

 private:
  const std::vector<std::int64_t>& indices_;
  std::size_t next_ = 0;
  Case current_;
};

class ListedEvaluation final : public Evaluation {
 public:
  explicit ListedEvaluation(std::vector<std::int64_t> indices) : indices_(std::move(indices)) {}
  Result<std::unique_ptr<CaseSource>> cases() const override {
    return std::make_unique<ListedCases>(indices_);
  }
  std::string data_path() const override { return ""; }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case&, CaseContext&) const override { co_return Outcome{}; }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {}; }
  void line(const Case&, const FinishedCase*, ResultLine&) const override {}
  std::unique_ptr<Aggregate> aggregate(OutputFiles&, const RunFacts&) const override { return nullptr; }
  std::vector<std::string> metric_names() const override { return {}; }
  std::vector<MeanFigure> mean_figures() const override { return {}; }

 private:
  std::vector<std::int64_t> indices_;
};

TEST(Outcomes, AreFoundInWhateverOrderTheIndicesCome) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("assay_outcomes_" + std::to_string(::getpid()))).string();
  std::filesystem::create_directories(folder);
  EventLoop loop;
  {
    auto store = RunStore::create(folder, std::move(*RunStore::lock(folder)),
                                  {"r", "e", "0", "now", "{}", "d", "h"}, {});
    ASSERT_TRUE(store) << store.error().text();
    for (const std::int64_t index : {5, 40, 700}) {
      ASSERT_TRUE(loop.run_until_done(
          (*store)->put(OutcomeRow{index, std::to_string(index), "scored", R"({"result": {}})"})));
    }
    // 9000 and 6 have none.
    const ListedEvaluation evaluation({40, 9000, 700, 5, 6, 40});
    std::vector<std::int64_t> heard;
    ASSERT_TRUE(loop.run_until_done(hear_outcomes(
        evaluation, **store, [&](const Case& input, const Outcome&) { heard.push_back(input.index); })));
    EXPECT_THAT(heard, ElementsAre(40, 700, 5, 40));

    std::vector<std::size_t> when_ready;
    heard.clear();
    ASSERT_TRUE(loop.run_until_done(hear_outcomes(
        evaluation, **store, [&](const Case& input, const Outcome&) { heard.push_back(input.index); },
        [&]() -> Task<void> {
          when_ready.push_back(heard.size());
          co_await loop.sleep(std::chrono::microseconds(1));
        })));
    EXPECT_THAT(when_ready, ElementsAre(1, 2, 3, 4)) << "who hears them is waited for after each";
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace assay
