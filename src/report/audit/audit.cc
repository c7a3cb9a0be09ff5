#include "report/audit/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/unicode.h"
#include "report/conclusions.h"
#include "report/words.h"
#include "stats/comparisons/association.h"
#include "stats/comparisons/planning.h"
#include "stats/intervals/mean.h"
#include "stats/items/item_response.h"
#include "stats/items/wrong_keys.h"
#include "stats/texts/near_duplicates.h"

namespace assay {
namespace {

constexpr std::size_t kLongestAnswer = 200;  // longer ones are never word for word the same
constexpr std::size_t kNamed = 5;            // ids in a sentence
constexpr std::size_t kShownDifferences = 3;
constexpr std::size_t kFewestForKeys = 3;  // two that disagree do not say which of them is right

SolvedTable solved_table(const AuditInput& input) {
  SolvedTable table{input.systems.size(), input.cases.size(), {}};
  const double middle = (input.range.low + input.range.high) / 2;
  for (const auto& row : input.scores) {
    for (const std::optional<double>& score : row) {
      if (!score) {
        table.cells.push_back(std::numeric_limits<double>::quiet_NaN());
      } else if (input.better == Metric::Better::lower) {
        table.cells.push_back(*score < middle ? 1 : 0);
      } else {
        table.cells.push_back(*score >= middle ? 1 : 0);
      }
    }
  }
  return table;
}

std::string comparable(const std::string& answer) {
  if (answer.empty() || answer.size() > kLongestAnswer) return "";
  return collapse_white_space(without_punctuation(casefold(answer)));
}

// A number for each different answer; -1 for one that cannot be compared.
std::vector<int> answer_numbers(const AuditInput& input) {
  std::vector<int> numbers;
  bool any = false;
  for (std::size_t j = 0; j < input.systems.size(); ++j) {
    for (std::size_t i = 0; i < input.cases.size(); ++i) numbers.push_back(-1);
  }
  for (std::size_t i = 0; i < input.cases.size(); ++i) {
    std::map<std::string, int> known;
    for (std::size_t j = 0; j < input.answers.size(); ++j) {
      const std::string answer = comparable(input.answers[j][i]);
      if (answer.empty()) continue;
      numbers[j * input.cases.size() + i] =
          known.emplace(answer, static_cast<int>(known.size())).first->second;
      any = true;
    }
  }
  return any ? numbers : std::vector<int>();
}

// How many cases each system solved, of how many that it has a score of.
struct Solved {
  double solved = 0;
  double asked = 0;
};
std::vector<Solved> solved_by(const SolvedTable& table) {
  std::vector<Solved> systems(table.systems);
  for (std::size_t j = 0; j < table.systems; ++j) {
    for (std::size_t i = 0; i < table.cases; ++i) {
      if (!std::isfinite(table.at(j, i))) continue;
      systems[j].solved += table.at(j, i);
      systems[j].asked += 1;
    }
  }
  return systems;
}

// Against the mean of the others, so that a case does not agree with itself.
Estimate rest_correlation(const SolvedTable& table, const std::vector<Solved>& systems, std::size_t one) {
  std::vector<double> solved;
  std::vector<double> rest;
  for (std::size_t j = 0; j < table.systems; ++j) {
    const double own = table.at(j, one);
    if (!std::isfinite(own) || systems[j].asked < 2) continue;
    solved.push_back(own);
    rest.push_back((systems[j].solved - own) / (systems[j].asked - 1));
  }
  return point_biserial(solved, rest).coefficient;
}

std::vector<Audit::OneCase> described_cases(const AuditInput& input, const SolvedTable& table, Audit& audit) {
  const ItemFits fits = fit_items(table);
  audit.no_model = fits.undefined;
  const WrongKeys keys = suspect_keys(table, answer_numbers(input));
  const std::vector<Solved> systems = solved_by(table);
  // Cases that the same systems solve have the same one; its interval takes a millisecond.
  std::map<std::vector<int>, Estimate> correlations;
  const auto correlation = [&](std::size_t i) -> const Estimate& {
    std::vector<int> marks(table.systems, -1);
    for (std::size_t j = 0; j < table.systems; ++j)
      if (std::isfinite(table.at(j, i))) marks[j] = static_cast<int>(table.at(j, i));
    const auto known = correlations.find(marks);
    if (known != correlations.end()) return known->second;
    return correlations.emplace(std::move(marks), rest_correlation(table, systems, i)).first->second;
  };
  std::vector<Audit::OneCase> cases;
  for (std::size_t i = 0; i < input.cases.size(); ++i) {
    Audit::OneCase one;
    one.id = input.cases[i].id;
    for (std::size_t j = 0; j < table.systems; ++j) {
      if (!std::isfinite(table.at(j, i))) continue;
      ++one.asked;
      one.solved += table.at(j, i) >= 0.5 ? 1 : 0;
    }
    one.point_biserial = correlation(i);
    const std::string why = fits.undefined;
    one.discrimination = why.empty() ? fits.cases[i].discrimination : undefined_figure(why, one.asked);
    one.difficulty = why.empty() ? fits.cases[i].difficulty : undefined_figure(why, one.asked);
    one.wrong_key = keys.undefined.empty() ? keys.probability[i] : 0;
    if (one.asked == static_cast<std::int64_t>(table.systems) && one.solved == one.asked)
      audit.solved_by_all.push_back(i);
    if (one.asked == static_cast<std::int64_t>(table.systems) && one.solved == 0)
      audit.solved_by_none.push_back(i);
    cases.push_back(std::move(one));
  }
  return cases;
}

Audit::Suspect suspect(const AuditInput& input, const SolvedTable& table, std::size_t place) {
  Audit::Suspect one;
  one.place = place;
  std::map<std::string, std::pair<std::int64_t, std::string>> given;
  for (std::size_t j = 0; j < input.systems.size(); ++j) {
    const std::string answer = j < input.answers.size() ? input.answers[j][place] : std::string();
    one.answers.push_back(answer);
    if (!std::isfinite(table.at(j, place)) || table.at(j, place) >= 0.5) continue;
    const std::string form = comparable(answer);
    if (form.empty()) continue;
    auto& [count, as_given] = given[form];
    if (++count == 1) as_given = answer;
  }
  for (const auto& [form, counted] : given) {
    if (counted.first < 2 || counted.first <= one.giving_it) continue;
    one.giving_it = counted.first;
    one.common_answer = counted.second;
  }
  return one;
}

std::vector<Audit::Cluster> clusters_of(const NearDuplicates& found) {
  std::map<std::size_t, Audit::Cluster> by_first;
  for (std::size_t i = 0; i < found.cluster_of.size(); ++i) by_first[found.cluster_of[i]].places.push_back(i);
  for (const NearPair& link : found.links) {
    double& least = by_first[found.cluster_of[link.first]].least_similar;
    least = std::min(least, link.similarity);
  }
  std::vector<Audit::Cluster> clusters;
  for (auto& [first, cluster] : by_first) {
    if (cluster.places.size() > 1) clusters.push_back(std::move(cluster));
  }
  std::ranges::sort(clusters, {}, [](const Audit::Cluster& one) {
    return std::pair(-static_cast<std::ptrdiff_t>(one.places.size()), one.places.front());
  });
  return clusters;
}

bool named_clusters(const std::vector<AuditedCase>& cases) {
  return std::ranges::any_of(cases, [](const AuditedCase& one) { return !one.cluster.empty(); });
}

// What is drawn together, by case: near-duplicates, and the cases of one of the runs' clusters.
std::vector<std::string> units_of(const AuditInput& input, const NearDuplicates& found) {
  std::vector<std::size_t> unit = found.cluster_of;  // the least place of it
  std::map<std::string_view, std::size_t> named;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const std::string& cluster = input.cases[i].cluster;
    if (cluster.empty()) continue;
    const std::size_t own = unit[i];
    const std::size_t other = unit[named.try_emplace(cluster, i).first->second];
    std::ranges::replace(unit, std::max(own, other), std::min(own, other));
  }
  std::vector<std::string> names;
  names.reserve(unit.size());
  for (const std::size_t place : unit) names.push_back(std::to_string(place));
  return names;
}

std::vector<Audit::System> described_systems(const AuditInput& input, const NearDuplicates& found) {
  const std::vector<std::string> units = units_of(input, found);
  std::vector<Audit::System> systems;
  for (std::size_t j = 0; j < input.systems.size(); ++j) {
    std::vector<double> values;
    std::vector<std::string> clusters;
    for (std::size_t i = 0; i < input.cases.size(); ++i) {
      if (!input.scores[j][i]) continue;
      values.push_back(*input.scores[j][i]);
      clusters.push_back(units[i]);
    }
    systems.push_back({input.systems[j], within_range(estimate_mean(values), input.range),
                       within_range(estimate_mean(values, clusters), input.range),
                       observed_design_effect(values, clusters).value});
  }
  return systems;
}

std::string named(const Audit& audit, const std::vector<std::size_t>& places) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min(places.size(), kNamed); ++i) ids.push_back(audit.cases[places[i]].id);
  std::string words = fmt::format("{}", fmt::join(ids, ", "));
  if (places.size() > kNamed) words += fmt::format(" and {} more", places.size() - kNamed);
  return words;
}

// Why nothing is known of keys; "" if something is.
std::string no_keys(const AuditInput& input) {
  if (!input.keyed)
    return fmt::format("{} is not scored against a key, so none can be found wrong.", input.figure);
  if (input.systems.size() < kFewestForKeys)
    return "Whether a key is wrong cannot be told: it takes three systems at least.";
  return "";
}

std::vector<std::string> sentences(const AuditInput& input, const Audit& audit) {
  std::vector<std::string> list;
  const auto all = static_cast<std::int64_t>(audit.cases.size());
  const auto systems = static_cast<std::int64_t>(audit.systems.size());
  if (const auto& differently = input.judged_differently; !differently.empty()) {
    list.push_back(
        fmt::format("The runs are judged differently ({}): what tells them apart may be their judges, "
                    "not the systems.",
                    first_of(differently, kShownDifferences)));
  }
  if (!audit.suspects.empty()) {
    std::vector<std::size_t> places;
    places.reserve(audit.suspects.size());
    for (const Audit::Suspect& one : audit.suspects) places.push_back(one.place);
    list.push_back(
        fmt::format("{} probably marked against a wrong key: {}. Look at {} first.",
                    counted_words(static_cast<std::int64_t>(places.size()), "case is", "cases are"),
                    named(audit, places), places.size() == 1 ? "it" : "them"));
  } else {
    const std::string why = no_keys(input);
    list.push_back(why.empty() ? "No case looks as if its key were wrong." : why);
  }
  const auto telling = static_cast<std::int64_t>(std::ranges::count_if(
      audit.cases, [](const Audit::OneCase& one) { return one.solved > 0 && one.solved < one.asked; }));
  const auto same = static_cast<std::int64_t>(audit.solved_by_all.size() + audit.solved_by_none.size());
  list.push_back(fmt::format(
      "{} of {} tell these {} apart; {} solved by all of them and {} by none{}.", count_words(telling),
      counted_words(all, "case", "cases"), counted_words(systems, "system", "systems"),
      audit.solved_by_all.size(), audit.solved_by_none.size(),
      all > telling + same ? fmt::format(", and {} tell nothing by the scores that they have",
                                         count_words(all - telling - same))
                           : ""));
  const bool named_by_runs = named_clusters(audit.about);
  const std::string worth =
      fmt::format("{} worth {} independent ones.", counted_words(all, "case is", "cases are"),
                  count_words(std::llround(audit.effective_cases)));
  const auto by_the_runs = [&] {
    if (named_by_runs) list.push_back(fmt::format("By the clusters that the runs name, {}", worth));
  };
  const bool texts =
      std::ranges::any_of(audit.about, [](const AuditedCase& one) { return !one.text.empty(); });
  if (!texts) {
    list.push_back("The texts of the cases are not known, so near-duplicates are not looked for.");
    by_the_runs();
    return list;
  }
  if (audit.clusters.empty()) {
    list.push_back("No two cases have nearly the same text.");
    by_the_runs();
    return list;
  }
  std::int64_t in = 0;
  for (const Audit::Cluster& cluster : audit.clusters) in += static_cast<std::int64_t>(cluster.places.size());
  list.push_back(
      fmt::format("{} nearly the same text as another, in {}; with them{}, {}",
                  counted_words(in, "case has", "cases have"),
                  counted_words(static_cast<std::int64_t>(audit.clusters.size()), "cluster", "clusters"),
                  named_by_runs ? " and the clusters that the runs name" : "", worth));
  return list;
}

}  // namespace

Result<Audit> audit_cases(const AuditInput& input, const AuditOptions& options) {
  if (input.systems.size() < 2)
    return fail(ErrorKind::usage, "an audit needs two systems at least: runs, or variants of one run");
  if (input.cases.size() < 2)
    return fail(ErrorKind::data,
                fmt::format("the runs have {} in common that has a score, expected two at least",
                            counted_words(static_cast<std::int64_t>(input.cases.size()), "case", "cases")));
  Audit audit;
  audit.figure = input.figure;
  audit.simulated = input.simulated;
  audit.about = input.cases;
  audit.not_in_all = input.not_in_all;
  const SolvedTable table = solved_table(input);
  audit.cases = described_cases(input, table, audit);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < audit.cases.size(); ++i) {
    if (input.keyed && audit.cases[i].wrong_key >= options.suspected) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-audit.cases[i].wrong_key, i); });
  for (const std::size_t place : order) audit.suspects.push_back(suspect(input, table, place));
  std::vector<std::string> texts;
  texts.reserve(input.cases.size());
  for (const AuditedCase& one : input.cases) texts.push_back(one.text);
  const NearDuplicates found = near_duplicates(texts, options.similarity);
  audit.clusters = clusters_of(found);
  audit.systems = described_systems(input, found);
  Moments effects;
  for (const Audit::System& system : audit.systems) {
    if (system.design_effect) effects.add(*system.design_effect);
  }
  const auto all = static_cast<double>(audit.cases.size());
  // Chance may make the clusters' cases less alike than others; they are never worth more than they are.
  audit.effective_cases = all / std::max(1.0, effects.mean().value_or(1.0));
  audit.conclusions = sentences(input, audit);
  return audit;
}

}  // namespace assay
