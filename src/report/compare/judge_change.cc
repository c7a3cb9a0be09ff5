#include "report/compare/judge_change.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/compare/compare.h"
#include "report/figure_json.h"
#include "report/markdown.h"
#include "report/pages/html.h"
#include "report/pages/html_parts.h"
#include "report/words.h"
#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/krippendorff.h"
#include "stats/agreement/levels.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr double kSame = 1e-9;
constexpr std::size_t kShownFlips = 20;
constexpr std::size_t kShownReason = 240;

struct JudgedPair {
  const ScoredCase* one = nullptr;    // by the new judge
  const ScoredCase* other = nullptr;  // by the one before
  double base = 0;
  double fresh = 0;
};

std::optional<double> score_in(const RunScores& run, const ScoredCase& one, const std::string& figure) {
  const auto at = std::ranges::find(run.figures, figure);
  const auto place = static_cast<std::size_t>(at - run.figures.begin());
  return at == run.figures.end() || place >= one.scores.size() ? std::nullopt : one.scores[place];
}

std::vector<JudgedPair> pairs_of(const RunScores& base, const RunScores& fresh, const std::string& figure,
                                 const JudgedAnswers& answers) {
  std::map<std::string_view, const ScoredCase*> before;
  for (const ScoredCase& one : base.cases) before.emplace(one.id, &one);
  std::vector<JudgedPair> pairs;
  for (const ScoredCase& one : fresh.cases) {
    const auto other = before.find(one.id);
    if (other == before.end() || answers.differ.contains(one.id)) continue;
    const auto x = score_in(base, *other->second, figure);
    const auto y = score_in(fresh, one, figure);
    if (x && y) pairs.push_back({&one, other->second, *x, *y});
  }
  return pairs;
}

// Whether a case passes, where that is a figure beside the mean: "faithfulness.pass_rate" of
// "faithfulness.mean".
std::string pass_figure(const std::string& name) {
  constexpr std::string_view kMean = ".mean";
  const std::size_t at = name.find(kMean);
  return at == std::string::npos ? std::string() : std::string(name).replace(at, kMean.size(), ".pass_rate");
}

bool yes_or_no(double value) {
  return value == 0 || value == 1;
}

std::string signed_number(double value) {
  return fmt::format("{}{}", value < 0 ? "−" : "+", number_words(std::abs(value)));
}

std::string sentence_of(const JudgeChange::Figure& figure) {
  const std::string cases = counted_words(figure.agreement.n, "case", "cases");
  std::string text = metric_words(figure.name) + ": ";
  if (figure.agreement.value) {
    text += fmt::format("the judges agree on {} of {} ({}, 95% interval {}), ",
                        figure.agreement.count.value_or(0), cases, share_words(*figure.agreement.value),
                        figure.agreement.ci ? range_words(*figure.agreement.ci, Metric::Form::share)
                                            : std::string(kNotAvailable));
  } else {
    text += fmt::format("on {} the judges' ", cases);
  }
  text += fmt::format(
      "{} is {}", figure.pass_or_fail ? "kappa" : "alpha",
      figure.beyond_chance.value ? number_words(*figure.beyond_chance.value) : std::string(kNotAvailable));
  if (figure.beyond_chance.ci)
    text += fmt::format(" (95% interval {})", range_words(*figure.beyond_chance.ci, Metric::Form::number));
  if (figure.rose + figure.fell == 0) return text + "; no score moves.";
  text += fmt::format("; the new judge moves it by {}", signed_number(figure.shift.value.value_or(0)));
  if (figure.shift.ci) {
    text += fmt::format(" (95% interval {} to {})", signed_number(figure.shift.ci->low),
                        signed_number(figure.shift.ci->high));
  }
  return text + fmt::format("; {} up, {} down.", counted_words(figure.rose, "case", "cases"), figure.fell);
}

JudgeChange::Figure described(const std::string& name, const std::vector<JudgedPair>& pairs) {
  JudgeChange::Figure figure;
  figure.name = name;
  figure.pass_or_fail = std::ranges::all_of(
      pairs, [](const JudgedPair& pair) { return yes_or_no(pair.base) && yes_or_no(pair.fresh); });
  Ratings ratings(2);
  ClusteredMoments same;
  std::int64_t equal = 0;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<std::string> clusters;
  const bool clustered =
      std::ranges::any_of(pairs, [](const JudgedPair& pair) { return !pair.one->cluster.empty(); });
  bool levels = true;
  for (const JudgedPair& pair : pairs) {
    levels = levels && is_level(pair.base) && is_level(pair.fresh);
    const bool alike = std::abs(pair.base - pair.fresh) <= kSame;
    const std::string& cluster = clustered && !pair.one->cluster.empty() ? pair.one->cluster : pair.one->id;
    ratings.add_unit(std::vector<double>{pair.base, pair.fresh}, clustered ? cluster : std::string());
    same.add(cluster, alike ? 1 : 0);
    equal += alike ? 1 : 0;
    figure.rose += !alike && pair.fresh > pair.base ? 1 : 0;
    figure.fell += !alike && pair.fresh < pair.base ? 1 : 0;
    before.push_back(pair.base);
    after.push_back(pair.fresh);
    clusters.push_back(cluster);
  }
  const auto n = static_cast<std::int64_t>(pairs.size());
  if (levels) {
    figure.agreement = clustered ? wilson_clustered(same) : wilson(equal, n);
    figure.agreement.count = equal;
  } else {
    figure.agreement = undefined_figure("scores that are no levels are hardly ever equal", n);
  }
  figure.beyond_chance = figure.pass_or_fail ? cohen_kappa(ratings).figure.resampled
                                             : krippendorff_alpha(ratings, Scale::interval);
  figure.shift = clustered ? paired_difference(after, before, clusters).difference
                           : paired_difference(after, before).difference;
  figure.sentence = sentence_of(figure);
  return figure;
}

double width_of(const RunScores& run, const std::string& figure, const std::vector<JudgedPair>& pairs) {
  const auto metric = std::ranges::find(run.summary.metrics, figure, &Metric::name);
  if (metric != run.summary.metrics.end() && metric->range) return metric->range->high - metric->range->low;
  double low = 0;
  double high = 1;
  for (const JudgedPair& pair : pairs) {
    low = std::min({low, pair.base, pair.fresh});
    high = std::max({high, pair.base, pair.fresh});
  }
  return high - low;
}

std::string cost_sentence(const JudgeChange& change) {
  const auto words = [](const UsageTotals& usage) {
    std::string text = fmt::format("{} for {}", counted_words(usage.requests, "request", "requests"),
                                   cost_words(usage.cost_usd));
    if (usage.cached > 0)
      text +=
          fmt::format(" ({} taken from an earlier run)", counted_words(usage.cached, "answer", "answers"));
    return text;
  };
  return fmt::format("New sent {}; base, with the answers where it asked for them, {}.",
                     words(change.fresh_usage), words(change.base_usage));
}

}  // namespace

JudgeChange compare_judges(const RunScores& base, const RunScores& fresh, const JudgedAnswers& answers) {
  JudgeChange change;
  change.answers_known = answers.known;
  change.base_usage = base.summary.usage;
  change.fresh_usage = fresh.summary.usage;
  std::set<std::string_view> ids;
  for (const ScoredCase& one : base.cases) ids.insert(one.id);
  for (const ScoredCase& one : fresh.cases) {
    if (!ids.contains(one.id)) continue;
    ++(answers.differ.contains(one.id) ? change.other_answers : change.same_answers);
  }
  for (const std::string& name : answers.figures) {
    const std::vector<JudgedPair> pairs = pairs_of(base, fresh, name, answers);
    if (pairs.empty()) continue;
    change.figures.push_back(described(name, pairs));
    const double far = change.figures.back().pass_or_fail ? 1 : width_of(fresh, name, pairs) / 2;
    const std::string passes = pass_figure(name);
    for (const JudgedPair& pair : pairs) {
      const auto passed = score_in(base, *pair.other, passes);
      const auto passes_now = score_in(fresh, *pair.one, passes);
      const bool crosses = passed && passes_now && *passed != *passes_now;
      if (crosses || std::abs(pair.fresh - pair.base) + kSame >= far)
        change.flips.push_back({pair.one->id, name, pair.base, pair.fresh, {}, {}, pair.one->text});
    }
  }
  std::ranges::sort(change.flips, {}, [](const JudgeChange::Flip& flip) {
    return std::tuple(-std::abs(flip.fresh - flip.base), flip.figure, flip.id);
  });
  if (!change.answers_known)
    change.sentences.emplace_back(
        "The files do not tell whether the answers are the same: what follows is of "
        "the judges only if they are.");
  if (change.other_answers > 0) {
    change.sentences.push_back(fmt::format("The answers differ in {}, which {} left out here.",
                                           counted_words(change.other_answers, "case", "cases"),
                                           change.other_answers == 1 ? "is" : "are"));
  }
  for (const JudgeChange::Figure& figure : change.figures) change.sentences.push_back(figure.sentence);
  change.sentences.push_back(cost_sentence(change));
  return change;
}

Json to_json(const JudgeChange& change) {
  JsonArray figures;
  for (const JudgeChange::Figure& one : change.figures) {
    figures.push_back(JsonObject{{"metric", one.name},
                                 {"pass_or_fail", one.pass_or_fail},
                                 {"agreement", figure_json(one.agreement)},
                                 {"beyond_chance", figure_json(one.beyond_chance)},
                                 {"shift", figure_json(one.shift)},
                                 {"rose", one.rose},
                                 {"fell", one.fell},
                                 {"sentence", one.sentence}});
  }
  JsonArray flips;
  for (const JudgeChange::Flip& one : change.flips) {
    flips.push_back(JsonObject{{"id", one.id},
                               {"metric", one.figure},
                               {"base", one.base},
                               {"new", one.fresh},
                               {"base_reason", one.base_reason},
                               {"new_reason", one.fresh_reason}});
  }
  JsonArray sentences;
  for (const std::string& one : change.sentences) sentences.emplace_back(one);
  const auto usage = [](const UsageTotals& one) {
    return JsonObject{
        {"requests", one.requests}, {"cost_usd", number_json(one.cost_usd)}, {"cached", one.cached}};
  };
  return JsonObject{{"sentences", std::move(sentences)},      {"same_answers", change.same_answers},
                    {"other_answers", change.other_answers},  {"answers_known", change.answers_known},
                    {"metrics", std::move(figures)},          {"flips", std::move(flips)},
                    {"base_usage", usage(change.base_usage)}, {"new_usage", usage(change.fresh_usage)}};
}

std::string markdown_judges(const JudgeChange& change) {
  std::string out = "\n### The two judges on the same answers\n\n";
  for (const std::string& one : change.sentences) out += fmt::format("- {}\n", prose(one));
  if (change.flips.empty()) return out;
  out +=
      "\n| case that flips | figure | base | new | base says | new says |\n| --- | --- | ---: | ---: | --- | "
      "--- |\n";
  for (std::size_t i = 0; i < std::min(change.flips.size(), kShownFlips); ++i) {
    const JudgeChange::Flip& one = change.flips[i];
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", code_span(one.id), code_span(one.figure),
                       number_words(one.base), number_words(one.fresh),
                       code_span(shorten(one.base_reason, kShownReason)),
                       code_span(shorten(one.fresh_reason, kShownReason)));
  }
  if (change.flips.size() > kShownFlips)
    out += fmt::format("\n{} more in the JSON form.\n",
                       count_words(static_cast<std::int64_t>(change.flips.size() - kShownFlips)));
  return out;
}

std::string html_judges(const JudgeChange& change) {
  std::string out = "<ul>\n";
  for (const std::string& one : change.sentences) out += fmt::format("<li>{}</li>\n", html::text(one));
  out += "</ul>\n";
  if (change.flips.empty()) return out;
  Table table{"flips",
              "Cases that flip, with both reasons",
              {"case", "figure", "base", "new", "base says", "new says"},
              {},
              false,
              "",
              ""};
  for (const JudgeChange::Flip& one : change.flips) {
    table.rows.push_back({boost::json::string(one.id), boost::json::string(one.figure), one.base, one.fresh,
                          boost::json::string(shorten(one.base_reason, 400)),
                          boost::json::string(shorten(one.fresh_reason, 400))});
  }
  return out + html::table_section(table);
}

}  // namespace assay
