#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/stats/stats_modes.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/effect_size.h"
#include "stats/comparisons/pairs.h"
#include "stats/comparisons/two_groups.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/median.h"

namespace assay {
namespace {

struct Group {
  std::string name;
  std::vector<double> values;
  std::vector<std::string> clusters;  // one per value, if there is a cluster column
  std::map<std::string, std::size_t> by_pair;
  std::int64_t missing = 0;
};

Json test_json(const TestResult& test, const char* statistic) {
  JsonObject json{
      {statistic, number_json(test.statistic)}, {"p", number_json(test.p)}, {"method", test.method}};
  if (test.df) json["df"] = *test.df;
  if (!test.undefined.empty()) json["undefined"] = test.undefined;
  return json;
}

// The rows by group, in the order of first sight. A row without group is an error; one without value is
// counted.
Result<std::vector<Group>> read_groups(const DataTable& table, const GroupQuestion& question) {
  const auto value = table.column(question.value);
  if (!value) return fail(value.error());
  const auto group = table.column(question.group);
  if (!group) return fail(group.error());
  std::optional<std::size_t> cluster;
  std::optional<std::size_t> pair;
  for (const auto& [name, place] : {std::pair(question.cluster, &cluster), std::pair(question.pair, &pair)}) {
    if (name.empty()) continue;
    const auto found = table.column(name);
    if (!found) return fail(found.error());
    *place = *found;
  }
  const auto values = table.numbers(*value);
  if (!values) return fail(values.error());
  std::vector<Group> groups;
  std::string problems;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto problem = [&](const std::string& what) {
      problems += fmt::format("{}line {}: {}", problems.empty() ? "" : "\n", table.line(row), what);
    };
    const auto name = table.text(row, *group);
    if (!name) {
      problem(fmt::format("column {} is empty, expected the name of a group", question.group));
      continue;
    }
    auto at = std::ranges::find(groups, *name, &Group::name);
    if (at == groups.end()) at = groups.insert(groups.end(), Group{*name, {}, {}, {}, 0});
    if (!(*values)[row]) {
      ++at->missing;
      continue;
    }
    if (cluster) {
      const auto of = table.text(row, *cluster);
      if (!of) {
        problem(fmt::format("column {} is empty, expected a cluster", question.cluster));
        continue;
      }
      at->clusters.push_back(*of);
    }
    if (pair) {
      const auto id = table.text(row, *pair);
      if (!id) {
        problem(fmt::format("column {} is empty, expected the name of a pair", question.pair));
        continue;
      }
      if (!at->by_pair.emplace(*id, at->values.size()).second)
        problem(fmt::format("{} {} is there twice in group {}", question.pair, *id, *name));
    }
    at->values.push_back(*(*values)[row]);
  }
  if (!problems.empty()) return fail(Error{ErrorKind::data, problems, {{"file", table.path()}}});
  return groups;
}

Estimate mean_of(const Group& group) {
  return group.clusters.empty() ? estimate_mean(group.values) : estimate_mean(group.values, group.clusters);
}

// Rows of both groups that have the same pair.
struct Pairs {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<std::string> clusters;
};

Pairs pair_rows(const Group& a, const Group& b) {
  Pairs pairs;
  for (const auto& [id, first] : a.by_pair) {
    const auto found = b.by_pair.find(id);
    if (found == b.by_pair.end()) continue;
    pairs.a.push_back(a.values[first]);
    pairs.b.push_back(b.values[found->second]);
    if (!a.clusters.empty()) pairs.clusters.push_back(a.clusters[first]);
  }
  return pairs;
}

struct GroupTest {
  JsonObject json;
  std::optional<double> p;  // of the test that the design asks for
  std::vector<std::string> row;
};

GroupTest test_groups(const Group& a, const Group& b, bool paired) {
  GroupTest result;
  result.json["a"] = a.name;
  result.json["b"] = b.name;
  const Contrast welch = welch_t(a.values, b.values);
  result.json["welch_t"] = test_json(welch.test, "t");
  result.json["student_t"] = test_json(student_t(a.values, b.values).test, "t");
  result.json["mann_whitney"] = test_json(mann_whitney(a.values, b.values).test, "u");
  Contrast main = a.clusters.empty() ? welch : clustered_t(a.values, a.clusters, b.values, b.clusters);
  if (paired) {
    const Pairs pairs = pair_rows(a, b);
    main = pairs.clusters.empty() ? paired_t(pairs.a, pairs.b) : paired_t(pairs.a, pairs.b, pairs.clusters);
    result.json["pairs"] = pairs.a.size();
    result.json["paired_t"] = test_json(main.test, "t");
    result.json["wilcoxon"] = test_json(wilcoxon_signed_rank(pairs.a, pairs.b).test, "v");
  }
  const Estimate d = cohen_d(a.values, b.values);
  const Estimate delta = cliffs_delta(a.values, b.values);
  result.json["cohen_d"] = figure_json(d);
  result.json["hedges_g"] = figure_json(hedges_g(a.values, b.values));
  result.json["cliffs_delta"] = figure_json(delta);
  JsonObject difference = figure_json(main.difference);
  difference["clustered"] = !a.clusters.empty();
  result.json["difference"] = std::move(difference);
  result.p = main.test.p;
  result.row = {fmt::format("{} − {}", a.name, b.name),
                number_or_none(main.difference.value),
                interval_or_none(main.difference),
                p_words(result.p),
                "",
                number_or_none(d.value),
                number_or_none(delta.value),
                main.test.method};
  return result;
}

}  // namespace

Result<StatsAnswer> compare_groups(const DataTable& table, const GroupQuestion& question) {
  const auto groups = read_groups(table, question);
  if (!groups) return fail(groups.error());
  const auto control = std::ranges::find(*groups, question.control, &Group::name);
  if (!question.control.empty() && control == groups->end()) {
    return fail(
        Error{ErrorKind::data,
              fmt::format("no row of column {} holds the control {}", question.group, question.control),
              {{"file", table.path()}}});
  }
  JsonObject by_group;
  std::vector<std::vector<std::string>> rows{
      {"group", "n", "mean", "95% interval", "sd", "median", "missing"}};
  for (const Group& group : *groups) {
    const Estimate mean = mean_of(group);
    Moments moments;
    for (const double value : group.values) moments.add(value);
    by_group[group.name] = JsonObject{{"n", group.values.size()},
                                      {"mean", number_json(mean.value)},
                                      {"sd", number_json(moments.sample_deviation())},
                                      {"median", number_json(median(group.values))},
                                      {"ci", interval_json(mean.ci)},
                                      {"method", mean.method},
                                      {"missing", group.missing}};
    rows.push_back({group.name, std::to_string(group.values.size()), number_or_none(mean.value),
                    interval_or_none(mean), number_or_none(moments.sample_deviation()),
                    number_or_none(median(group.values)), std::to_string(group.missing)});
  }

  std::vector<GroupTest> tests;
  for (std::size_t i = 0; i < groups->size(); ++i) {
    for (std::size_t j = i + 1; j < groups->size(); ++j) {
      const Group& a = (*groups)[i];
      const Group& b = (*groups)[j];
      if (question.control.empty()) {
        tests.push_back(test_groups(a, b, !question.pair.empty()));
      } else if (a.name == question.control || b.name == question.control) {
        const bool first = a.name == question.control;
        tests.push_back(test_groups(first ? b : a, first ? a : b, !question.pair.empty()));
      }
    }
  }
  std::vector<std::optional<double>> p;
  p.reserve(tests.size());
  for (const GroupTest& test : tests) p.push_back(test.p);
  const auto adjusted = holm(p);
  JsonArray list;
  std::vector<std::vector<std::string>> test_rows{
      {"difference", "value", "95% interval", "p", "p (Holm)", "Cohen's d", "Cliff's δ", "test"}};
  for (std::size_t i = 0; i < tests.size(); ++i) {
    tests[i].json["p_holm"] = number_json(adjusted[i]);
    tests[i].row[4] = p_words(adjusted[i]);
    test_rows.push_back(tests[i].row);
    list.push_back(std::move(tests[i].json));
  }
  StatsAnswer answer;
  answer.json = JsonObject{{"value", question.value},
                           {"group", question.group},
                           {"groups", std::move(by_group)},
                           {"tests", std::move(list)}};
  answer.text = text_table(rows);
  if (test_rows.size() > 1) answer.text += "\n" + text_table(test_rows);
  return answer;
}

}  // namespace assay
