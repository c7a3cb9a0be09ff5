#include "report/compare/compare_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/text.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kShownIds = 20;
constexpr std::size_t kShownDifferences = 4;
constexpr std::size_t kShownSame = 8;

std::string_view direction(Metric::Better better, double difference) {
  if (better == Metric::Better::neither) return difference > 0 ? "is higher" : "is lower";
  const bool improved = (difference > 0) == (better == Metric::Better::higher);
  return improved ? "is better" : "is worse";
}

std::string signed_words(double value, Metric::Form form) {
  return (value < 0 ? "−" : "+") + figure_words(std::abs(value), form);
}

std::string missing_clause(const FigureChange& change) {
  if (change.unpaired == 0) return "";
  return fmt::format("{} a score in one run only ({})",
                     counted_words(change.unpaired, "case has", "cases have"),
                     missing_words(change.difference));
}

std::string said_of(const FigureChange& change, const RunComparison& comparison) {
  const Estimate& difference = change.difference;
  if (change.rose + change.fell + change.equal == 0)
    return fmt::format("{}: no case has it in both runs", change.figure);
  if (change.change == Change::same)
    return fmt::format("{} is the same on all {}", change.figure,
                       counted_words(change.equal, "paired case", "paired cases"));
  if (!difference.value || !difference.ci) {
    return fmt::format("{}: nothing can be said about the difference ({})", change.figure,
                       difference.undefined.empty() ? "no interval" : difference.undefined);
  }
  const std::string figures =
      fmt::format("{} changed by {} ({} interval {} to {}, n = {})", change.figure,
                  signed_words(*difference.value, change.form), level_words(difference.level),
                  signed_words(difference.ci->low, change.form),
                  signed_words(difference.ci->high, change.form), count_words(difference.n));
  if (change.change == Change::not_comparable)
    return figures + ": judged differently, so it says nothing about the target";
  if (change.hangs) {
    return fmt::format("{} on the cases that have it in both runs", figures);
  }
  if (change.change == Change::undecided) return figures + ": these cases do not tell the two runs apart";
  std::string text = fmt::format("{}: the new run {}", figures, direction(change.better, *difference.value));
  if (change.p_holm && *change.p_holm >= 1 - difference.level)
    text += fmt::format(". Among all figures compared it may still be chance (p after Holm {:.2g})",
                        *change.p_holm);
  if (change.change == Change::worse && comparison.margin > 0) {
    const std::string margin = figure_words(comparison.margin, change.form);
    text += change.regression ? fmt::format(". It is worse by more than the margin of {}", margin)
                              : fmt::format(". Whether by more than the margin of {} is open", margin);
  }
  return text;
}

std::vector<std::string> names_where(const RunComparison& comparison, bool FigureChange::* what) {
  std::vector<std::string> names;
  for (const FigureChange& change : comparison.figures) {
    if (change.*what && change.figure != kFailedRate) names.push_back(change.figure);
  }
  return names;
}

// Which failures there are, by outcome: "target failed 3, refused 1".
std::string reasons_of(const std::vector<FailedCase>& cases) {
  Estimate counted;
  for (const FailedCase& one : cases) ++counted.missing[one.outcome];
  return missing_words(counted);
}

std::string failures_sentence(const RunComparison& comparison) {
  const std::vector<FailedCase>& failures = comparison.new_failures;
  const auto rate = std::ranges::find(comparison.figures, kFailedRate, &FigureChange::figure);
  const bool targets = std::ranges::any_of(failures, [](const FailedCase& one) {
    return one.outcome != "judge_failed" && one.outcome != "infra_failed" &&
           one.outcome != "context_overflow";
  });
  std::string_view verdict;
  if (rate != comparison.figures.end() && rate->regression)
    verdict = targets ? "Regression: " : "Regression of the run, not of the target: ";
  std::vector<std::string> ids;
  ids.reserve(failures.size());
  for (const FailedCase& one : failures) ids.push_back(one.id);
  return fmt::format("{}{} in base {} in new ({}): {}.", verdict,
                     counted_words(static_cast<std::int64_t>(failures.size()), "case that was scored",
                                   "cases that were scored"),
                     failures.size() == 1 ? "fails" : "fail", reasons_of(failures), first_of(ids, kShownIds));
}

// Of many figures some are worse by chance: what of the regressions does not stand among all of them.
std::string chance_clause(const RunComparison& comparison, std::size_t regressions) {
  std::vector<std::string> weak;
  for (const FigureChange& change : comparison.figures) {
    if (change.regression && change.figure != kFailedRate && change.p_holm && *change.p_holm >= 0.05)
      weak.push_back(change.figure);
  }
  if (weak.empty()) return "";
  return fmt::format(" Among {} figures {} be chance (p after Holm at least 0.05).",
                     comparison.figures.size(),
                     weak.size() < regressions ? fmt::format("{} may", join(weak, ", "))
                     : weak.size() == 1        ? std::string("that may")
                                               : std::string("these may"));
}

// Better, worse or neither, over the figures that can be compared.
std::string scores_sentence(const RunComparison& comparison) {
  std::map<Change, std::int64_t> counts;
  bool incomplete = false;
  for (const FigureChange& change : comparison.figures) {
    if (change.figure == kFailedRate) continue;
    ++counts[change.change];
    incomplete = incomplete || change.unpaired > 0;
  }
  if (counts.empty()) return "";
  if (const auto worse = names_where(comparison, &FigureChange::regression); !worse.empty()) {
    const std::string words =
        comparison.margin > 0
            ? fmt::format("Regression beyond the margin of {}: {}.", number_words(comparison.margin),
                          join(worse, ", "))
            : fmt::format("Regression: {} {} worse.", join(worse, ", "), worse.size() == 1 ? "is" : "are");
    return words + chance_clause(comparison, worse.size());
  }
  const std::int64_t open = counts[Change::undecided] + counts[Change::unknown];
  if (counts[Change::better] + counts[Change::worse] > 0)
    return fmt::format("{} better, {} worse, {} undecided.", counts[Change::better], counts[Change::worse],
                       open);
  if (open > 0) return "No figure can be told apart between the two runs.";
  return incomplete ? "The runs are the same on every case that both have scored."
                    : "The runs are the same on every paired case.";
}

}  // namespace

std::string change_sentence(const FigureChange& change, const RunComparison& comparison) {
  std::string text = said_of(change, comparison);
  const std::string missing = missing_clause(change);
  if (missing.empty()) return text + ".";
  text += "; " + missing;
  if (change.hangs && change.with_missing) {
    return fmt::format(
        "{}, and with those the difference could lie anywhere from {} to {}: nothing is decided.", text,
        signed_words(change.with_missing->low, change.form),
        signed_words(change.with_missing->high, change.form));
  }
  return text + ".";
}

std::vector<std::string> figure_sentences(const RunComparison& comparison) {
  std::vector<std::string> list;
  std::vector<const FigureChange*> same;
  for (const FigureChange& change : comparison.figures) {
    if (change.change == Change::same && change.unpaired == 0) {
      same.push_back(&change);
    } else {
      list.push_back(change.sentence);
    }
  }
  if (same.size() == 1) list.push_back(same.front()->sentence);
  if (same.size() < 2) return list;
  std::vector<std::string> names;
  names.reserve(same.size());
  for (const FigureChange* change : same) names.push_back(change->figure);
  list.push_back(fmt::format("{} figures are the same on every paired case: {}.", same.size(),
                             first_of(names, kShownSame)));
  return list;
}

std::vector<std::string> comparison_conclusions(const RunComparison& comparison) {
  std::vector<std::string> list;
  const bool alike = comparison.judged_differently.empty();
  if (!alike) {
    list.push_back(fmt::format(
        "The two runs are judged differently ({}): a difference between their scores is no regression and no "
        "gain of the target.",
        first_of(comparison.judged_differently, kShownDifferences)));
  }
  if (!comparison.new_failures.empty()) list.push_back(failures_sentence(comparison));
  if (!comparison.mended.empty()) {
    list.push_back(fmt::format("{} in base {} scored in new.",
                               counted_words(static_cast<std::int64_t>(comparison.mended.size()),
                                             "case that failed", "cases that failed"),
                               comparison.mended.size() == 1 ? "is" : "are"));
  }
  if (alike) {
    if (std::string scores = scores_sentence(comparison); !scores.empty()) list.push_back(std::move(scores));
    if (const auto hanging = names_where(comparison, &FigureChange::hangs); !hanging.empty()) {
      list.push_back(fmt::format("{} {} on scores that are missing in one run: nothing is decided there.",
                                 join(hanging, ", "), hanging.size() == 1 ? "hangs" : "hang"));
    }
  }
  if (const auto& lost = comparison.no_longer_pass; !lost.empty()) {
    std::string words = fmt::format(
        "{} in base {} not in new: {}.",
        counted_words(static_cast<std::int64_t>(lost.size()), "case that passed", "cases that passed"),
        lost.size() == 1 ? "does" : "do", first_of(lost, kShownIds));
    if (!comparison.pass_now.empty())
      words += fmt::format(" {} the other way round.", comparison.pass_now.size());
    list.push_back(std::move(words));
  } else if (!comparison.pass_now.empty()) {
    list.push_back(fmt::format("{} not pass in base {} in new.",
                               counted_words(static_cast<std::int64_t>(comparison.pass_now.size()),
                                             "case that did", "cases that did"),
                               comparison.pass_now.size() == 1 ? "does" : "do"));
  }
  if (list.empty()) list.emplace_back("The runs are the same on every paired case.");
  return list;
}

}  // namespace assay
