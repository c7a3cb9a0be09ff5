// The cases that a run takes of those that the data hold.
#include "engine/chosen_cases.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/work.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A line is one case, or two with "/x" and "/y" behind its id; "bad" is a line that cannot be used.
class Lines final : public CaseSource {
 public:
  Lines(std::vector<std::string> ids, bool two_a_line) : ids_(std::move(ids)), two_(two_a_line) {}

  Result<bool> next() override {
    if (two_ && part_ == 0 && at_ > 0 && ids_[at_ - 1] != "bad") return show(at_ - 1, 1);
    while (at_ < ids_.size()) {
      ++at_;
      if (ids_[at_ - 1] != "bad") return show(at_ - 1, 0);
      problems_.push_back({"error", "line " + std::to_string(at_), "cannot be used"});
      ++invalid_;
      part_ = 1;
    }
    return false;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, {}}; }
  Status go_to(const CasePlace& place) override {
    const auto per = static_cast<std::size_t>(cases_per_line());
    const auto index = static_cast<std::size_t>(place.index);
    show(index / per, index % per);
    return {};
  }
  std::vector<Problem> take_problems() override { return std::exchange(problems_, {}); }
  std::int64_t lines() const override { return static_cast<std::int64_t>(at_); }
  std::int64_t invalid() const override { return invalid_; }
  std::int64_t cases_per_line() const override { return two_ ? 2 : 1; }

 private:
  bool show(std::size_t line, std::size_t part) {
    part_ = part;
    current_ = {};
    current_.id = ids_[line] + (two_ ? (part == 0 ? "/x" : "/y") : "");
    current_.index = static_cast<std::int64_t>(line) * cases_per_line() + static_cast<std::int64_t>(part);
    return true;
  }

  std::vector<std::string> ids_;
  bool two_;
  std::size_t at_ = 0;
  std::size_t part_ = 1;
  std::int64_t invalid_ = 0;
  std::vector<Problem> problems_;
  Case current_;
};

struct Taken {
  std::vector<std::string> ids;
  std::vector<std::int64_t> indices;
  std::vector<std::string> problems;
  std::int64_t lines = 0;
  std::int64_t invalid = 0;
  std::int64_t left_out = 0;
  std::string error;
};

Taken take(CaseChoice choice, const std::vector<std::string>& ids, bool two_a_line = false) {
  auto source = chosen_cases(std::move(choice), [&]() -> Result<std::unique_ptr<CaseSource>> {
    return std::make_unique<Lines>(ids, two_a_line);
  });
  Taken taken;
  for (;;) {
    auto more = (*source)->next();
    for (const Problem& problem : (*source)->take_problems()) taken.problems.push_back(problem.where);
    if (!more) taken.error = more.error().text();
    if (!more.value_or(false)) break;
    taken.ids.push_back((*source)->current().id);
    taken.indices.push_back((*source)->current().index);
  }
  taken.lines = (*source)->lines();
  taken.invalid = (*source)->invalid();
  taken.left_out = (*source)->left_out();
  return taken;
}

TEST(ChosenCases, TheFirstOnesKeepTheirIndicesAndCountWhatWasReadForThem) {
  const Taken taken = take({.limit = 2}, {"a", "bad", "b", "c", "bad", "d"});
  EXPECT_THAT(taken.ids, ElementsAre("a", "b"));
  EXPECT_THAT(taken.indices, ElementsAre(0, 2));
  EXPECT_THAT(taken.problems, ElementsAre("line 2")) << "what comes behind them is not looked at";
  EXPECT_EQ(taken.lines, 3);
  EXPECT_EQ(taken.invalid, 1);
  EXPECT_EQ(taken.left_out, 2);
  EXPECT_THAT(take({.limit = 9}, {"a", "b"}).ids, ElementsAre("a", "b"));
  EXPECT_EQ(take({.limit = 9}, {"a", "b"}).left_out, 0);
  EXPECT_THAT(take({.limit = 3}, {"a", "b"}, true).ids, ElementsAre("a/x", "a/y", "b/x"));
}

TEST(ChosenCases, NamedOnesComeInTheOrderOfTheDataWhateverIsWrongElsewhere) {
  const Taken taken = take({.only = {"d", "b", "b"}}, {"a", "bad", "b", "c", "d", "bad"});
  EXPECT_THAT(taken.ids, ElementsAre("b", "d"));
  EXPECT_THAT(taken.indices, ElementsAre(2, 4));
  EXPECT_THAT(taken.problems, IsEmpty());
  EXPECT_EQ(taken.lines, 2);
  EXPECT_EQ(taken.invalid, 0);
  EXPECT_EQ(taken.left_out, 2);
  EXPECT_THAT(take({.limit = 1, .only = {"c", "b"}}, {"a", "b", "c"}).ids, ElementsAre("b"));
}

TEST(ChosenCases, TheIdOfALineNamesAllItsCases) {
  EXPECT_THAT(take({.only = {"b", "c/y"}}, {"a", "b", "c"}, true).ids, ElementsAre("b/x", "b/y", "c/y"));
  EXPECT_THAT(take({.only = {"a"}}, {"a", "a/b"}).ids, ElementsAre("a"))
      << "where a line is a case, it is its own";
}

TEST(ChosenCases, AnIdThatIsNotThereIsAnErrorWithTheNearest) {
  const Taken taken = take({.limit = 1, .only = {"case-1", "cas-2", "xyz"}}, {"case-1", "case-2", "bad"});
  EXPECT_THAT(taken.ids, ElementsAre("case-1"));
  EXPECT_THAT(taken.error, AllOf(HasSubstr(R"(hold no case "cas-2" (did you mean "case-2"?), "xyz")"),
                                 HasSubstr("1 lines cannot be used"), Not(HasSubstr(R"("case-1" )"))));
}

TEST(ChosenCases, ARunMayTakeMoreButNotOthers) {
  EXPECT_TRUE(covers({.limit = 5}, {.limit = 3}));
  EXPECT_TRUE(covers({}, {.limit = 3}));
  EXPECT_TRUE(covers({}, {.only = {"a"}}));
  EXPECT_TRUE(covers({.only = {"b", "a"}}, {.only = {"a"}}));
  EXPECT_TRUE(covers({.limit = 2, .only = {"a", "b"}}, {.limit = 1, .only = {"b", "a"}}));
  EXPECT_FALSE(covers({.limit = 2}, {.limit = 3}));
  EXPECT_FALSE(covers({.limit = 3}, {}));
  EXPECT_FALSE(covers({.only = {"a"}}, {}));
  EXPECT_FALSE(covers({.only = {"a"}}, {.only = {"a", "b"}}));
  EXPECT_FALSE(covers({.limit = 5}, {.limit = 5, .only = {"z"}}));
  EXPECT_FALSE(covers({.limit = 1, .only = {"a", "b"}}, {.limit = 1, .only = {"b"}})) << "a takes b's place";
}

}  // namespace
}  // namespace assay
