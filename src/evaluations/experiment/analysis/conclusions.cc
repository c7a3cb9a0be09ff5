// What was shown, and what was not, in plain sentences. A sentence claims a difference only if Holm's p over
// everything that is tested is below 1 − level, also with everything that is missing set against it;
// otherwise it says that none was shown, with the interval of what is still possible, or that what is missing
// could change what the rest shows.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/experiment/analysis/sentence_words.h"

namespace assay::experiment {
namespace {

// Shares of missing answers that lie so far apart are worth a sentence of their own.
constexpr double kUneven = 0.05;

// One thing that was tested, as sentences name it.
struct Tested {
  std::string what;
  const Finding* finding = nullptr;
  FigureForm form = FigureForm::points;
};

class Concluding {
 public:
  explicit Concluding(const Analysis& analysis) : analysis_(analysis) {}

  std::vector<std::string> conclude() {
    if (analysis_.pair_verdicts + analysis_.ratings == 0)
      say(undecided_, "Nothing was judged, so nothing can be said of any condition.");
    for (std::size_t condition = 0; condition < analysis_.conditions.size(); ++condition) {
      if (analysis_.conditions[condition].control) continue;
      const Direction ratings = speak_of_ratings(condition);
      Direction verdicts = Direction::none;
      for (const PairFigures& pair : analysis_.pairs) {
        if (pair.condition != condition) continue;
        const Direction direction = speak_of_pair(pair);
        if (against_control(pair)) verdicts = direction;
        speak_of_tone(pair);
      }
      if (ratings != Direction::none && verdicts != Direction::none && ratings != verdicts) {
        say(shaky_,
            "Ratings and comparisons of {} point in opposite directions: trust neither before knowing why.",
            name(condition));
      }
    }
    speak_of_missing();
    speak_of_ranking();
    speak_of_cautions();
    std::vector<std::string> all;
    all.reserve(shown_.size());
    for (auto& [p, sentence] : shown_) all.push_back(std::move(sentence));
    for (std::vector<std::string>* part : {&shaky_, &missing_, &open_, &undecided_, &cautions_})
      std::ranges::move(*part, std::back_inserter(all));
    return all;
  }

 private:
  enum class Direction { none, up, down };

  template <class... Parts>
  static void say(std::vector<std::string>& part, fmt::format_string<Parts...> form, Parts&&... parts) {
    part.push_back(fmt::format(form, std::forward<Parts>(parts)...));
  }

  const std::string& name(std::size_t condition) const { return analysis_.conditions[condition].name; }
  bool against_control(const PairFigures& pair) const { return analysis_.conditions[pair.against].control; }

  static char upper_ascii(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
  static bool is_up(const Finding& finding) { return *finding.figure.value > finding.neutral; }
  Direction direction_of(const Finding& finding) const {
    const Standing standing = standing_of(finding, analysis_.level);
    if (standing != Standing::shown && standing != Standing::shaky) return Direction::none;
    return is_up(finding) ? Direction::up : Direction::down;
  }

  // "overall +0.52 points (95 % interval +0.31 to +0.73, p below 0.001)"
  std::string item(const Tested& tested) const {
    const Estimate& figure = tested.finding->figure;
    const std::string interval =
        figure.ci ? fmt::format("{} {}", interval_words(figure.level), range_words(*figure.ci, tested.form))
                  : figure.undefined;
    return fmt::format("{} {} ({}, p {})", tested.what, value_words(*figure.value, tested.form), interval,
                       p_words(*tested.finding->p_holm));
  }

  // The first in full, the others by their values: whole intervals stand in the tables.
  std::string items(const std::vector<Tested>& list) const {
    std::string words = item(list.front());
    if (list.size() == 1) return words;
    double most = 0;
    std::vector<std::string> others;
    for (std::size_t i = 1; i < list.size(); ++i) {
      others.push_back(
          fmt::format("{} {}", list[i].what, value_words(*list[i].finding->figure.value, list[i].form)));
      most = std::max(most, *list[i].finding->p_holm);
    }
    return fmt::format("{}; also {} (p {}{})", words, fmt::join(others, ", "),
                       others.size() > 1 && most >= 0.001 ? "at most " : "", p_words(most));
  }

  // Those of the list that stand so, in this direction.
  std::vector<Tested> standing(const std::vector<Tested>& all, Standing standing, Direction direction) const {
    std::vector<Tested> some;
    for (const Tested& one : all) {
      if (standing_of(*one.finding, analysis_.level) == standing && direction_of(*one.finding) == direction)
        some.push_back(one);
    }
    return some;
  }

  // `lead` and `words` say what the list has in common: "in comparisons ", "test_1 beats control".
  void claim(std::string lead, const std::string& words, const std::vector<Tested>& list, Standing standing) {
    if (list.empty()) return;
    if (standing == Standing::shown && !lead.empty()) lead.front() = upper_ascii(lead.front());
    const Tested& first = list.front();
    const Estimate& figure = first.finding->figure;
    const std::string rest =
        fmt::format("{}; p is Holm-adjusted over {} tests", queries_words(figure.n), analysis_.tests);
    const std::string bounds = figure.bounds
                                   ? fmt::format("{} with the worst and the best in place of what is missing",
                                                 range_words(*figure.bounds, first.form))
                                   : "";
    if (standing == Standing::shown) {
      shown_.emplace(*first.finding->p_holm,
                     fmt::format("{}{}: {}. {}{}.", lead, words, items(list), rest,
                                 bounds.empty() ? "" : fmt::format("; {} lies at {}", first.what, bounds)));
      return;
    }
    say(shaky_,
        "No winner is declared: where both were judged, {}{}: {} ({}). But judgements are missing, {} lies "
        "at {}, and that could change the conclusion.",
        lead, words, items(list), rest, first.what, bounds);
  }

  const PowerFigures* power(std::size_t condition, PowerFigures::Of of) const {
    const auto found = std::ranges::find_if(analysis_.power, [&](const PowerFigures& power) {
      return power.condition == condition && power.of == of;
    });
    return found == analysis_.power.end() ? nullptr : &*found;
  }

  // What to add where nothing was shown.
  std::string open_question(const Finding& finding, std::size_t condition, PowerFigures::Of of,
                            std::string_view unit) const {
    const Estimate& figure = finding.figure;
    const bool excludes =
        figure.ci && (figure.ci->low > finding.neutral || figure.ci->high < finding.neutral);
    std::string words =
        excludes ? " The interval by itself excludes an even result, but that does not survive the "
                   "adjustment for the number of tests."
                 : " That is not to say that they are equal";
    if (!excludes) words += figure.ci ? ": everything in the interval is possible." : ".";
    const PowerFigures* known = power(condition, of);
    if (known != nullptr && known->detectable.undefined == kNothingPossible)
      return words +
             " With so few queries that differ so much, this design would hardly have shown even the "
             "largest difference that is possible.";
    if (known != nullptr && known->detectable.value) {
      const double scale = of == PowerFigures::Of::overall_score ? 1 : 100;
      words += fmt::format(
          " With a chance of 80 %, and before adjusting for several tests, this design would have shown a "
          "difference of {:.{}f} {}.",
          scale * *known->detectable.value, of == PowerFigures::Of::overall_score ? 2 : 0, unit);
    }
    return words;
  }

  // ", 20 queries"; with the others that are missing.
  static std::string rests_on(const Estimate& figure) {
    std::int64_t missing = 0;
    for (const auto& [reason, count] : figure.missing) missing += count;
    return missing == 0 ? fmt::format(", {}", queries_words(figure.n))
                        : fmt::format(", {} of {}", figure.n, queries_words(figure.n + missing));
  }

  bool any_stands(const std::vector<Tested>& all) const {
    return std::ranges::any_of(
        all, [&](const Tested& one) { return direction_of(*one.finding) != Direction::none; });
  }

  Direction speak_of_ratings(std::size_t condition) {
    std::vector<Tested> all;
    const Finding* overall = nullptr;
    for (const ScoreContrast& contrast : analysis_.contrasts) {
      if (contrast.condition != condition) continue;
      const Tested one{words_of(rated_name(contrast.criterion)), &contrast.difference, FigureForm::points};
      if (contrast.criterion == kOverall) overall = &contrast.difference;
      contrast.criterion == kOverall ? (void)all.insert(all.begin(), one) : all.push_back(one);
    }
    if (overall == nullptr || analysis_.ratings == 0) return Direction::none;
    for (const Standing standing : {Standing::shown, Standing::shaky}) {
      claim("", fmt::format("{} was rated higher than control", name(condition)),
            this->standing(all, standing, Direction::up), standing);
      claim("", fmt::format("{} was rated lower than control", name(condition)),
            this->standing(all, standing, Direction::down), standing);
    }
    if (standing_of(*overall, analysis_.level) == Standing::unknown) {
      say(undecided_, "Whether {} is rated differently from control cannot be told: {}.", name(condition),
          overall->figure.value ? overall->test.undefined : overall->figure.undefined);
    } else if (standing_of(*overall, analysis_.level) == Standing::open) {
      say(open_, "No difference between {} and control was shown in the overall ratings: {}{}.{}{}",
          name(condition), figure_words(overall->figure, FigureForm::points), rests_on(overall->figure),
          any_stands(all) ? "" : " Nor was one shown on any other criterion.",
          open_question(*overall, condition, PowerFigures::Of::overall_score, "points"));
    }
    return direction_of(*overall);
  }

  Direction speak_of_pair(const PairFigures& pair) {
    if (pair.verdicts == 0 && (!against_control(pair) || analysis_.pair_verdicts == 0))
      return Direction::none;
    const std::string& other = name(pair.against);
    const Finding& winner = pair.winner.rate;
    std::vector<Tested> all{{"win rate (ties half)", &winner, FigureForm::share}};
    for (std::size_t i = 0; i < kCriteria.size(); ++i)
      all.push_back({words_of(kCriteria[i]), &pair.criteria[i].rate, FigureForm::share});
    for (const Standing standing : {Standing::shown, Standing::shaky}) {
      claim("in comparisons ", fmt::format("{} beats {}", name(pair.condition), other),
            this->standing(all, standing, Direction::up), standing);
      claim("in comparisons ", fmt::format("{} loses to {}", name(pair.condition), other),
            this->standing(all, standing, Direction::down), standing);
    }
    // Pairs beside those with control are spoken of where they show something.
    if (against_control(pair)) {
      if (standing_of(winner, analysis_.level) == Standing::unknown) {
        say(undecided_, "Whether {} wins against {} cannot be told: {}.", name(pair.condition), other,
            winner.figure.value ? winner.test.undefined : winner.figure.undefined);
      } else if (standing_of(winner, analysis_.level) == Standing::open) {
        say(open_, "No winner between {} and {} was shown in the comparisons: win rate (ties half) {}{}.{}{}",
            name(pair.condition), other, figure_words(winner.figure, FigureForm::share),
            rests_on(winner.figure), any_stands(all) ? "" : " Nor was one shown on any criterion.",
            open_question(winner, pair.condition, PowerFigures::Of::win_rate, "percentage points from even"));
      }
    }
    return direction_of(winner);
  }

  void speak_of_tone(const PairFigures& pair) {
    if (!pair.tone) return;
    const PairTone& tone = *pair.tone;
    const std::vector<Tested> good{{"tone consistency", &tone.marks[0].difference, FigureForm::points},
                                   {"interaction feel", &tone.marks[1].difference, FigureForm::points},
                                   {"found more natural", &tone.more_natural, FigureForm::share}};
    const std::vector<Tested> bad{
        {"jarring shifts", &tone.jarring_shift.difference, FigureForm::share_difference},
        {"awkward language", &tone.awkward_language.difference, FigureForm::share_difference}};
    for (const Standing standing : {Standing::shown, Standing::shaky}) {
      for (const Direction direction : {Direction::up, Direction::down}) {
        const bool up = direction == Direction::up;
        std::vector<Tested> list = this->standing(good, standing, direction);
        std::ranges::move(this->standing(bad, standing, up ? Direction::down : Direction::up),
                          std::back_inserter(list));
        claim("side by side ",
              fmt::format("the tone of {} was judged {} than that of {}", name(pair.condition),
                          up ? "better" : "worse", name(pair.against)),
              list, standing);
      }
    }
  }

  // Where one arm lacks more than another, what is left of the two is no fair sample any more.
  void speak_of_missing() {
    speak_of_uneven("Answers", [](const ConditionFigures& figures) {
      return std::pair{figures.unanswered, figures.answers};
    });
    speak_of_uneven("Ratings", [&](const ConditionFigures& figures) {
      return std::pair{figures.ratings_lost,
                       (figures.answers - figures.unanswered) * std::int64_t{analysis_.raters}};
    });
  }

  template <class Count>
  void speak_of_uneven(std::string_view what, Count count) {
    std::vector<std::string> lacks;
    double least = 1;
    double most = 0;
    for (const ConditionFigures& figures : analysis_.by_condition) {
      const auto [missing, all] = count(figures);
      if (all == 0) continue;
      const double share = static_cast<double>(missing) / static_cast<double>(all);
      least = std::min(least, share);
      most = std::max(most, share);
      lacks.push_back(missing == 0 ? fmt::format("{} none of {}", figures.name, all)
                                   : fmt::format("{} {} of {}", figures.name, missing, all));
    }
    if (most - least < kUneven) return;
    say(missing_,
        "{} are missing unevenly: {}. Conditions are compared on the queries that both have, and what is "
        "missing may not be like the rest.",
        what, fmt::join(lacks, ", "));
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
      say(open_, "Among all conditions {} ranks first in the comparisons.", first.front());
    } else {
      say(open_, "The comparisons do not single out a best condition: {} may each be first.",
          fmt::join(first, ", "));
    }
  }

  // What casts doubt on all of it.
  void speak_of_cautions() {
    const auto leaks = std::ranges::find(analysis_.biases, "leaks", &Bias::name);
    if (leaks != analysis_.biases.end() && leaks->flagged) {
      say(cautions_,
          "Blinding leaked: role or condition words were left in blinded texts ({:.0f} found). Judges may "
          "have guessed the condition.",
          *leaks->figure.value);
    }
    std::set<std::size_t> judged;
    for (const QueryFigures& figures : analysis_.by_query) {
      if (figures.ratings + figures.verdicts > 0) judged.insert(figures.query);
    }
    const auto queries = static_cast<std::int64_t>(judged.size());
    if (queries > 0 && queries < kFewestQueries) {
      say(cautions_,
          "Few queries limit every conclusion: {} {} judged. The query is the sampling unit, so more runs or "
          "evaluators do not make up for it.",
          queries_words(queries), queries == 1 ? "was" : "were");
    }
  }

  static std::string words_of(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
  }

  const Analysis& analysis_;
  // By adjusted p: what is surest comes first, and of equally sure findings those of earlier conditions.
  std::multimap<double, std::string> shown_;
  std::vector<std::string> shaky_;
  std::vector<std::string> missing_;
  std::vector<std::string> open_;
  std::vector<std::string> undecided_;
  std::vector<std::string> cautions_;
};

}  // namespace

std::vector<std::string> conclusions(const Analysis& analysis) {
  return Concluding(analysis).conclude();
}

}  // namespace assay::experiment
