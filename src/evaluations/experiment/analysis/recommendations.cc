// What follows from the figures, in plain sentences. A sentence claims a difference only if Holm's adjusted p
// is below the level; otherwise it says that none was shown, with the interval of what is still possible.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluations/experiment/analysis/analysis.h"

namespace assay::experiment {
namespace {

// With fewer queries a t interval leans hard on its assumptions, and no bootstrap interval is given.
constexpr std::size_t kFewQueries = 10;
// Below this Krippendorff draws not even tentative conclusions from data ("Content Analysis", 2004, page
// 241).
constexpr double kTentative = 0.667;

class Advisor {
 public:
  explicit Advisor(const Analysis& analysis) : analysis_(analysis) {}

  std::vector<std::string> advise() {
    for (std::size_t condition = 0; condition < analysis_.conditions.size(); ++condition) {
      if (analysis_.conditions[condition].control) continue;
      const Direction ratings = speak_of_ratings(condition);
      const Direction verdicts = speak_of_pairs(condition);
      if (ratings != Direction::none && verdicts != Direction::none && ratings != verdicts) {
        say("Ratings and comparisons of {} point in opposite directions: trust neither before knowing why.",
            name(condition));
      }
    }
    speak_of_ranking();
    speak_of_queries();
    speak_of_biases();
    speak_of_agreement();
    speak_of_plans();
    return std::move(sentences_);
  }

 private:
  enum class Direction { none, up, down };

  template <class... Parts>
  void say(fmt::format_string<Parts...> form, Parts&&... parts) {
    sentences_.push_back(fmt::format(form, std::forward<Parts>(parts)...));
  }

  const std::string& name(std::size_t condition) const { return analysis_.conditions[condition].name; }
  bool sure(const std::optional<double>& p) const { return p && *p < 1 - analysis_.level; }
  std::string level() const { return fmt::format("{:g} % interval", 100 * analysis_.level); }

  std::string points(const Estimate& estimate) const {
    if (!estimate.ci) return fmt::format("{:+.2f} points, {}", *estimate.value, estimate.undefined);
    return fmt::format("{:+.2f} points, {} {:+.2f} to {:+.2f}", *estimate.value, level(), estimate.ci->low,
                       estimate.ci->high);
  }
  std::string percent(const Estimate& estimate) const {
    if (!estimate.ci) return fmt::format("{:.0f} %, {}", 100 * *estimate.value, estimate.undefined);
    return fmt::format("{:.0f} %, {} {:.0f} % to {:.0f} %", 100 * *estimate.value, level(),
                       100 * estimate.ci->low, 100 * estimate.ci->high);
  }
  static std::string p_text(double p) { return p < 0.001 ? "below 0.001" : fmt::format("{:.3f}", p); }

  const PowerFigures* power(std::size_t condition, PowerFigures::Of of) const {
    const auto found = std::ranges::find_if(analysis_.power, [&](const PowerFigures& power) {
      return power.condition == condition && power.of == of && power.detectable.value;
    });
    return found == analysis_.power.end() ? nullptr : &*found;
  }

  // What to add where nothing was shown.
  static std::string open_question(bool interval_excludes_even, std::string_view detectable) {
    std::string words =
        interval_excludes_even
            ? " The interval by itself excludes an even result, but that does not survive the adjustment for "
              "the "
              "number of tests."
            : " That is not to say that they are equal: everything in the interval is possible.";
    if (!detectable.empty()) {
      words += fmt::format(
          " With a chance of 80 %, and before adjusting for several tests, this design would have shown a "
          "difference of {}.",
          detectable);
    }
    return words;
  }

  Direction speak_of_ratings(std::size_t condition) {
    const auto found = std::ranges::find_if(analysis_.contrasts, [&](const ScoreContrast& contrast) {
      return contrast.condition == condition && contrast.criterion == kOverall;
    });
    if (found == analysis_.contrasts.end() || analysis_.ratings == 0) return Direction::none;
    const Estimate& difference = found->clustered.difference;
    if (!difference.value || !found->p_holm) {
      say("Whether {} is rated differently from control cannot be told: {}.", name(condition),
          difference.undefined);
      return Direction::none;
    }
    if (sure(found->p_holm)) {
      const bool up = *difference.value > 0;
      say("{} was rated {} than control overall: {} (Holm-adjusted p {}).", name(condition),
          up ? "higher" : "lower", points(difference), p_text(*found->p_holm));
      return up ? Direction::up : Direction::down;
    }
    const PowerFigures* known = power(condition, PowerFigures::Of::overall_score);
    const bool excludes = difference.ci && (difference.ci->low > 0 || difference.ci->high < 0);
    say("No difference between {} and control was shown in the overall ratings: {}.{}", name(condition),
        points(difference),
        open_question(excludes, known ? fmt::format("{:.2f} points", *known->detectable.value) : ""));
    return Direction::none;
  }

  Direction speak_of_pairs(std::size_t condition) {
    const auto found = std::ranges::find_if(analysis_.pairs, [&](const PairFigures& pair) {
      return pair.condition == condition && analysis_.conditions[pair.against].control;
    });
    if (found == analysis_.pairs.end() || analysis_.pair_verdicts == 0) return Direction::none;
    const WinRate& winner = found->winner;
    if (!winner.rate.value || !winner.p_holm) {
      say("Whether {} wins against control cannot be told: {}.", name(condition),
          winner.rate.value ? winner.test.undefined : winner.rate.undefined);
      return Direction::none;
    }
    if (sure(winner.p_holm)) {
      const bool up = *winner.rate.value > 0.5;
      say("In comparisons {} {} control: win rate (ties half) {} (Holm-adjusted p {}).", name(condition),
          up ? "beats" : "loses to", percent(winner.rate), p_text(*winner.p_holm));
      return up ? Direction::up : Direction::down;
    }
    const PowerFigures* known = power(condition, PowerFigures::Of::win_rate);
    const bool excludes = winner.rate.ci && (winner.rate.ci->low > 0.5 || winner.rate.ci->high < 0.5);
    say("No winner between {} and control was shown in the comparisons: win rate (ties half) {}.{}",
        name(condition), percent(winner.rate),
        open_question(
            excludes,
            known ? fmt::format("{:.0f} percentage points from even", 100 * *known->detectable.value) : ""));
    return Direction::none;
  }

  void speak_of_ranking() {
    const BradleyTerry& ranking = analysis_.ranking;
    if (!ranking.undefined.empty() || ranking.players.size() < 3) return;
    std::vector<std::string> first;
    for (const Strength& player : ranking.players) {
      if (player.ranks && player.ranks->first == 1) first.push_back(player.name);
    }
    if (first.empty()) return;
    if (first.size() == 1) {
      say("Among all conditions {} ranks first in the comparisons.", first.front());
    } else {
      say("The comparisons do not single out a best condition: {} may each be first.",
          fmt::join(first, ", "));
    }
  }

  void speak_of_queries() {
    std::set<std::size_t> judged;
    for (const QueryFigures& figures : analysis_.by_query) {
      if (figures.ratings + figures.verdicts > 0) judged.insert(figures.query);
    }
    const std::size_t queries = judged.size();
    if (queries == 0) {
      say("Nothing was judged, so nothing can be said of any condition.");
    } else if (queries < kFewQueries) {
      say("Few queries limit every conclusion: {} {} judged. The query is the sampling unit, so more runs or "
          "evaluators do not make up for it.",
          queries, queries == 1 ? "query was" : "queries were");
    }
    const bool one_run = std::ranges::all_of(analysis_.by_condition, [](const ConditionFigures& figures) {
      return figures.across_runs.runs.size() <= 1;
    });
    if (one_run && analysis_.ratings > 0)
      say("Each query was answered once per condition: whether the results hold when answers are written "
          "again "
          "is not known.");
  }

  void speak_of_biases() {
    std::map<std::string, std::vector<int>> evaluators;
    for (const Bias& bias : analysis_.biases) {
      if (!bias.flagged) continue;
      // The share of flips and the share of the first seat say the same in one sentence each.
      if (bias.name == "changed_rate" || bias.name == "seat_effect") continue;
      if (bias.evaluator) {
        evaluators[bias.name].push_back(*bias.evaluator);
      } else if (bias.name == "leaks") {
        say("Blinding leaked: role or condition words were left in blinded texts ({:.0f} found). Judges may "
            "have "
            "guessed the condition.",
            *bias.figure.value);
      } else if (bias.name == "missing_responses") {
        say("Answers are missing ({:.0f}); the figures rest on the others.", *bias.figure.value);
      } else if (bias.name == "longer_wins" || bias.name == "length_slope" ||
                 bias.name == "rating_length_slope") {
        say("Length goes with success ({}: {}). Whether longer answers are better or merely preferred cannot "
            "be "
            "told from this.",
            bias.meaning, figure(bias));
      } else {
        say("Flagged: {}: {}{}.", bias.meaning, figure(bias), balance(bias.name));
      }
    }
    for (const auto& [bias, numbers] : evaluators) {
      say("Flagged for evaluator{} {}: {}. See the table of evaluators.", numbers.size() > 1 ? "s" : "",
          fmt::join(numbers, ", "), bias == "format_failures" ? "format failures" : bias);
    }
  }

  // Whether the design takes the edge off a seat effect.
  std::string_view balance(std::string_view bias) const {
    if (bias != "position") return "";
    const auto flips = std::ranges::find(analysis_.biases, "flip_rate", &Bias::name);
    return flips != analysis_.biases.end() && flips->figure.value
               ? "; every pair was shown both ways, so it favours no condition, but it blurs differences"
               : "; seats were drawn at random, so it adds noise; show every pair both ways (swap: true)";
  }

  std::string figure(const Bias& bias) const {
    const Estimate& estimate = bias.figure;
    if (!estimate.ci) return fmt::format("{:.2f}", *estimate.value);
    return fmt::format("{:.2f}, {} {:.2f} to {:.2f}{}", *estimate.value, level(), estimate.ci->low,
                       estimate.ci->high, bias.neutral ? fmt::format("; unbiased {:g}", *bias.neutral) : "");
  }

  void speak_of_agreement() {
    const auto speak = [&](const Estimate& estimate, std::string_view of, std::string_view scale) {
      if (!estimate.value || *estimate.value >= kTentative) return;
      const std::string interval =
          estimate.ci ? fmt::format(", {} {:.2f} to {:.2f}", level(), estimate.ci->low, estimate.ci->high)
                      : fmt::format(", {}", estimate.undefined);
      say("Evaluators agree little on {} (Krippendorff's alpha, {}, {:.2f}{}; 0.667 is the least for "
          "tentative "
          "conclusions): read averages, not single judgements.",
          of, scale, *estimate.value, interval);
    };
    speak(analysis_.agreement.nominal_alpha, "who wins", "nominal");
    speak(analysis_.agreement.ordinal_alpha, "ratings", "ordinal");
  }

  // Of the comparison that needs the most: fewer would not do for all.
  void speak_of_plans() {
    const SpreadFigures* most = nullptr;
    const auto size = [](const SpreadFigures& spread) { return *spread.plan.runs * *spread.plan.evaluators; };
    for (const SpreadFigures& spread : analysis_.spread) {
      if (spread.plan.runs && (most == nullptr || size(spread) > size(*most))) most = &spread;
    }
    if (most == nullptr) return;
    // A facet that the study had once stays at one and is not worth a word.
    const SpreadFigures::Plan& plan = most->plan;
    std::string panel = most->study.evaluators > 1 ? fmt::format("{} evaluator{}", *plan.evaluators,
                                                                 *plan.evaluators == 1 ? "" : "s")
                                                   : "";
    if (most->study.runs > 1)
      panel +=
          fmt::format("{}{} run{}", panel.empty() ? "" : " and ", *plan.runs, *plan.runs == 1 ? "" : "s");
    say("For the comparison of ratings that needs the most ({}), {} would do: at most {:.0f} % of the spread "
        "between "
        "its queries' differences would then be noise, and only more queries would shorten the interval "
        "much.",
        name(most->condition), panel, 100 * (1 - SpreadFigures::kTarget));
  }

  const Analysis& analysis_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> recommendations(const Analysis& analysis) {
  return Advisor(analysis).advise();
}

}  // namespace assay::experiment
