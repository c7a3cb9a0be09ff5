#include "engine/chosen_cases.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "engine/work.h"

namespace assay {
namespace {

class ChosenCases final : public CaseSource {
 public:
  ChosenCases(CaseChoice choice, OpenCases open, std::unique_ptr<CaseSource> all)
      : choice_(std::move(choice)),
        open_(std::move(open)),
        all_(std::move(all)),
        lines_are_cases_(all_->cases_per_line() == 1) {
    for (const std::string& id : choice_.only) missing_.emplace(id, true);
  }

  Result<bool> next() override {
    while (!complete()) {
      auto more = all_->next();
      std::vector<Problem> problems = all_->take_problems();
      if (choice_.only.empty()) {
        std::ranges::move(problems, std::back_inserter(problems_));
        invalid_ = all_->invalid() * all_->cases_per_line();
      }
      if (!more) return more;
      if (!*more) break;
      ++seen_;
      if (!take(all_->current().id)) continue;
      if (choice_.only.empty()) return true;
      std::ranges::copy_if(problems, std::back_inserter(problems_),
                           [](const Problem& problem) { return problem.severity != "error"; });
      return true;
    }
    return all_named() ? Result<bool>(false) : Result<bool>(fail(not_there()));
  }

  const Case& current() const override { return all_->current(); }
  CasePlace place() const override { return all_->place(); }
  Status go_to(const CasePlace& place) override { return all_->go_to(place); }
  std::vector<Problem> take_problems() override { return std::exchange(problems_, {}); }
  std::int64_t lines() const override { return given_ + invalid_; }
  std::int64_t invalid() const override { return invalid_; }
  std::string_view unit() const override { return all_->unit(); }

  std::int64_t left_out() override {
    while (all_->next().value_or(false)) {
      ++seen_;
      all_->take_problems();
    }
    return seen_ - given_;
  }

 private:
  bool full() const { return choice_.limit && given_ >= *choice_.limit; }
  // Names are looked for to the end of the data, so that a slip is told however small the limit.
  bool complete() const { return choice_.only.empty() ? full() : lines_are_cases_ && all_named(); }
  bool all_named() const {
    return std::ranges::none_of(missing_, &std::pair<const std::string, bool>::second);
  }

  bool named(std::string_view id) {
    for (;;) {
      const auto found = missing_.find(id);
      if (found != missing_.end()) {
        found->second = false;
        return true;
      }
      const std::size_t slash = id.rfind('/');
      if (lines_are_cases_ || slash == std::string_view::npos) return false;
      id = id.substr(0, slash);
    }
  }

  bool take(std::string_view id) {
    if (!choice_.only.empty() && !named(id)) return false;
    if (full()) return false;
    ++given_;
    return true;
  }

  // The data are read once more: who names what is there pays nothing for it.
  Error not_there() const {
    std::string words;
    for (const auto& [id, missing] : missing_) {
      if (!missing) continue;
      words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", id);
      if (const auto near = nearest_to(id)) words += fmt::format(" (did you mean \"{}\"?)", *near);
    }
    std::string text = fmt::format("the data hold no case {}", words);
    if (all_->invalid() > 0) text += fmt::format("; {} {} cannot be used", all_->invalid(), all_->unit());
    return {ErrorKind::data, std::move(text), {{"key", "only"}}};
  }

  std::optional<std::string> nearest_to(std::string_view id) const {
    std::optional<std::string> best;
    auto again = open_();
    if (!again) return best;
    while ((*again)->next().value_or(false)) {
      (*again)->take_problems();
      const std::string_view other = (*again)->current().id;
      if (best) {
        const std::string_view both[] = {*best, other};
        if (nearest(id, both) == other) best = std::string(other);
      } else if (nearest(id, std::span(&other, 1))) {
        best = std::string(other);
      }
    }
    return best;
  }

  CaseChoice choice_;
  OpenCases open_;
  std::unique_ptr<CaseSource> all_;
  bool lines_are_cases_;
  std::map<std::string, bool, std::less<>> missing_;  // named ids, and whether none was met yet
  std::vector<Problem> problems_;
  std::int64_t seen_ = 0;
  std::int64_t given_ = 0;
  std::int64_t invalid_ = 0;
};

}  // namespace

bool covers(const CaseChoice& now, const CaseChoice& before) {
  if (now.limit && (!before.limit || *now.limit < *before.limit)) return false;
  if (now.only.empty()) return !now.limit || before.only.empty();
  if (before.only.empty()) return false;
  const auto holds = [](const std::vector<std::string>& list, const std::string& id) {
    return std::ranges::find(list, id) != list.end();
  };
  const bool grown = std::ranges::all_of(before.only, [&](const auto& id) { return holds(now.only, id); });
  // With a limit another name may take the place of one that was there.
  const bool same = std::ranges::all_of(now.only, [&](const auto& id) { return holds(before.only, id); });
  return grown && (!now.limit || same);
}

Result<std::unique_ptr<CaseSource>> chosen_cases(CaseChoice choice, OpenCases open) {
  auto all = open();
  if (!all || choice.all()) return all;
  return std::make_unique<ChosenCases>(std::move(choice), std::move(open), std::move(*all));
}

Result<std::unique_ptr<CaseSource>> CaseWork::chosen_cases() const {
  return assay::chosen_cases(choice_, [this] { return cases(); });
}

}  // namespace assay
