// What limits the conclusions of an experiment, and what would help, in plain sentences.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/experiment/analysis/sentence_words.h"

namespace assay::experiment {
namespace {

// Below this Krippendorff draws not even tentative conclusions from data ("Content Analysis", 2004, page
// 241).
constexpr double kTentative = 0.667;

class Limiting {
 public:
  explicit Limiting(const Analysis& analysis) : analysis_(analysis) {}

  std::vector<std::string> advise() {
    speak_of_runs();
    speak_of_biases();
    speak_of_agreement();
    speak_of_plans();
    return std::move(sentences_);
  }

 private:
  template <class... Parts>
  void say(fmt::format_string<Parts...> form, Parts&&... parts) {
    sentences_.push_back(fmt::format(form, std::forward<Parts>(parts)...));
  }

  const std::string& name(std::size_t condition) const { return analysis_.conditions[condition].name; }
  std::string level() const { return interval_words(analysis_.level); }

  void speak_of_runs() {
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
      if (bias.name == "leaks") continue;  // a conclusion of its own
      if (bias.evaluator) {
        evaluators[bias.name].push_back(*bias.evaluator);
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

std::vector<std::string> limits(const Analysis& analysis) {
  return Limiting(analysis).advise();
}

}  // namespace assay::experiment
