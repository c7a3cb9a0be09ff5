#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/words.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/effect_size.h"
#include "stats/comparisons/pairs.h"
#include "stats/comparisons/two_groups.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/median.h"

namespace assay::answers {
namespace {

// Each is tested in several ways: about a second for all of them.
constexpr std::size_t kMostComparisons = 20'000;

// Pairs rows of two groups by `pair`; intervals and tests honour `cluster`. Columns that are not asked for
// are empty.
struct GroupQuestion {
  std::string value;
  std::string group;
  std::string control;  // compare with this one only
  std::string cluster;
  std::string pair;
};

struct Group {
  std::string name;
  std::vector<double> values;
  std::vector<std::string> clusters;  // one per value, if there is a cluster column
  std::map<std::string, std::size_t> by_pair;
  std::int64_t missing = 0;
};

// The rows by group, in the order of first sight. A row without group is an error; one without value is
// counted.
Result<std::vector<Group>> read_groups(const DataTable& table, const GroupQuestion& question) {
  Columns columns(table);
  const auto values = columns.numbers(question.value);
  const auto names = columns.texts(question.group);
  const bool clustered = !question.cluster.empty();
  const bool paired = !question.pair.empty();
  const auto clusters = clustered ? columns.texts(question.cluster) : Columns::Texts();
  const auto pairs = paired ? columns.texts(question.pair) : Columns::Texts();
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t row = 0; row < columns.rows(); ++row) {
    const auto& name = names[row];
    if (!name) {
      columns.empty(row, question.group, "the name of a group");
      continue;
    }
    const auto [place, fresh] = places.try_emplace(std::string(*name), groups.size());
    if (fresh) groups.push_back(Group{*name, {}, {}, {}, 0});
    Group* at = &groups[place->second];
    if (!values[row]) {
      ++at->missing;
      continue;
    }
    if (clustered) {
      if (!clusters[row]) {
        columns.empty(row, question.cluster, "a cluster");
        continue;
      }
      at->clusters.push_back(*clusters[row]);
    }
    if (paired) {
      if (!pairs[row]) {
        columns.empty(row, question.pair, "the name of a pair");
        continue;
      }
      if (!at->by_pair.emplace(*pairs[row], at->values.size()).second)
        columns.wrong(row,
                      fmt::format("{} {} is there twice in group {}", question.pair, *pairs[row], *name));
    }
    at->values.push_back(*values[row]);
  }
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));
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
  Row row;
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

Result<Answer> compare_groups(const DataTable& table, const Config& config) {
  const GroupQuestion question{config.text("value"), config.text("group"), config.text("control"),
                               config.text("cluster"), config.text("pair")};
  if (question.value.empty() || question.group.empty())
    return fail(ErrorKind::usage, "--value COLUMN and --group COLUMN belong together");
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
  std::vector<Row> rows{{"group", "n", "mean", "95% interval", "sd", "median", "missing"}};
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

  const std::size_t comparisons =
      question.control.empty() ? groups->size() * (groups->size() - 1) / 2 : groups->size() - 1;
  if (comparisons > kMostComparisons) {
    return fail(
        Error{ErrorKind::usage,
              fmt::format("{} groups of column {} make {} comparisons, and at most {} are made; name the "
                          "one to compare with (--control), or group by another column",
                          groups->size(), question.group, comparisons, kMostComparisons),
              {{"file", table.path()}}});
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
  std::vector<Row> test_rows{
      {"difference", "value", "95% interval", "p", "p (Holm)", "Cohen's d", "Cliff's δ", "test"}};
  for (std::size_t i = 0; i < tests.size(); ++i) {
    tests[i].json["p_holm"] = number_json(adjusted[i]);
    tests[i].row[4] = p_words(adjusted[i]);
    test_rows.push_back(tests[i].row);
    list.push_back(std::move(tests[i].json));
  }
  Answer answer;
  answer.json = JsonObject{{"value", question.value},
                           {"group", question.group},
                           {"groups", std::move(by_group)},
                           {"tests", std::move(list)}};
  answer.text = text_table(rows);
  if (test_rows.size() > 1) answer.text += "\n" + text_table(test_rows);
  return answer;
}

}  // namespace

Mode groups_mode() {
  return {.name = "groups",
          .title = "do groups differ",
          .needed = "--value COLUMN --group COLUMN",
          .asked_by = {"value", "group"},
          .keys =
              {
                  {.name = "value", .help = "Column of the scores."},
                  {.name = "group", .help = "Column that says which group a row belongs to."},
                  {.name = "control", .help = "Compare every group with this one only."},
                  {.name = "cluster",
                   .help = "Column that says which rows belong together; intervals and tests honour it."},
                  {.name = "pair",
                   .help = "Column that pairs a row of one group with one of another: the case's id."},
              },
          .answer = compare_groups};
}

}  // namespace assay::answers
