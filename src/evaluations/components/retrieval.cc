#include "evaluations/components/retrieval.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/components/component.h"
#include "evaluations/components/guides.h"
#include "evaluations/components/sentences.h"
#include "evaluations/figures.h"
#include "evaluations/worst_cases.h"
#include "stats/classification/classification.h"
#include "stats/classification/retrieval.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/missing.h"

namespace assay::components {
namespace {

using namespace figures;

enum Field : std::size_t { kQuestion, kPaths, kUids, kWantedIndex, kResults, kUsedIndex };

constexpr std::array<const char*, 4> kSetFigures = {"precision", "recall", "f1", "f2"};
constexpr std::size_t kF1 = 2;  // among them
constexpr std::array<const char*, 3> kRankFigures = {"precision_at_", "recall_at_", "ndcg_at_"};

// One value where a list is meant is a list of one; null is none.
JsonArray as_list(const Json& value) {
  if (value.is_array()) return value.get_array();
  if (value.is_null()) return {};
  return {value};
}

std::vector<std::string> texts(const Json& value) {
  std::vector<std::string> list;
  for (const Json& item : as_list(value)) {
    if (const auto text = as_text(item)) list.emplace_back(*text);
  }
  return list;
}

std::string check_texts(const Json& value) {
  const JsonArray list = as_list(value);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string())
      return fmt::format("entry {}: found {}, expected text", i + 1, excerpt(list[i]));
  }
  return "";
}

std::string check_results(const Json& value) {
  if (value.is_null()) return "found null, expected a list of results, which may be empty";
  const JsonArray list = as_list(value);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object())
      return fmt::format("entry {}: found {}, expected an object", i + 1, excerpt(list[i]));
    for (const char* name : {"exact_path", "chunk_uid"}) {
      const Json* text = find_member(list[i], name);
      if (text != nullptr && !text->is_string())
        return fmt::format("entry {}, {}: found {}, expected text", i + 1, name, excerpt(*text));
    }
    const Json* similarity = nullptr;
    for (const char* name : {"weighted_score", "semantic_score", "original_score", "score"}) {
      const Json* number = find_member(list[i], name);
      if (number == nullptr || number->is_null()) continue;
      if (!number->is_number())
        return fmt::format("entry {}, {}: found {}, expected a number", i + 1, name, excerpt(*number));
      if (std::string_view(name) == "weighted_score") continue;
      if (similarity != nullptr && *similarity != *number) {
        return fmt::format(
            "entry {}: semantic_score, original_score and score are names of one field, but their values "
            "differ",
            i + 1);
      }
      similarity = number;
    }
  }
  return "";
}

// What a line is scored on: uids, or paths where only those are expected.
struct Wanted {
  const char* key = "chunk_uid";
  std::vector<std::string> names;  // each once, in the order given
};

Wanted wanted_of(const DataFields& fields, const LineParser& line) {
  Wanted wanted{"chunk_uid", texts(fields.tree(line, kUids))};
  if (wanted.names.empty()) {
    if (auto paths = texts(fields.tree(line, kPaths)); !paths.empty())
      wanted = {"exact_path", std::move(paths)};
  }
  std::unordered_set<std::string> seen;
  std::erase_if(wanted.names, [&seen](const std::string& name) { return !seen.insert(name).second; });
  return wanted;
}

std::vector<std::string> check_line(const DataFields& fields, const LineParser& line) {
  if (!fields.value(line, kPaths).present() && !fields.value(line, kUids).present())
    return {"fields expected_chunk_uids and expected_exact_paths: both are missing, expected at least one"};
  if (!fields.declares(kResults)) return {};
  const Wanted wanted = wanted_of(fields, line);
  if (wanted.names.empty()) return {};
  const JsonArray results = as_list(fields.tree(line, kResults));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (find_member(results[i], wanted.key) == nullptr) {
      return {fmt::format("field actual_search_results: entry {} has no {}, which is what the line expects",
                          i + 1, wanted.key)};
    }
  }
  return {};
}

// One line's search, taken apart.
struct Search {
  std::vector<std::string> found;   // hits, in the returned order
  std::vector<std::string> wrong;   // returned and not wanted, in the returned order
  std::vector<std::string> missed;  // in the expected order
  RankedHits ranked;
  BinaryCounts counts() const {
    return {.tp = static_cast<std::int64_t>(found.size()),
            .tn = 0,
            .fp = static_cast<std::int64_t>(wrong.size()),
            .fn = static_cast<std::int64_t>(missed.size())};
  }
};

Search take_apart(const Wanted& wanted, const JsonArray& results) {
  Search search;
  const std::unordered_set<std::string> names(wanted.names.begin(), wanted.names.end());
  std::unordered_set<std::string> returned;
  for (const Json& result : results) {
    const Json* name = find_member(result, wanted.key);
    // Where nothing is expected, a result may go by its other name.
    if (name == nullptr) name = find_member(result, "exact_path");
    const std::string text(name != nullptr ? as_text(*name).value_or("") : "");
    if (!returned.insert(text).second) continue;
    const bool hit = names.contains(text);
    search.ranked.hits.push_back(hit);
    (hit ? search.found : search.wrong).push_back(text);
  }
  for (const std::string& name : wanted.names) {
    if (!returned.contains(name)) search.missed.push_back(name);
  }
  search.ranked.expected = wanted.names.size();
  return search;
}

Json json_list(const std::vector<std::string>& items) {
  JsonArray list;
  for (const std::string& item : items) list.emplace_back(item);
  return list;
}

Json or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string cell(std::optional<double> value) {
  return value ? number_text(*value) : "";
}

// Of the figures on ranks.
constexpr std::size_t kUsualCutoffs[] = {1, 3, 5, 10, 20};

std::vector<std::string> rank_names(const std::vector<std::size_t>& cutoffs) {
  std::vector<std::string> names = {"mrr", "map"};
  for (const char* figure : kRankFigures) {
    for (const std::size_t k : cutoffs) names.push_back(fmt::format("{}{}", figure, k));
  }
  return names;
}

using SetValues = std::array<std::optional<double>, kSetFigures.size()>;

struct SearchFacts final : CaseFacts {
  SetValues sets;                            // in the order of kSetFigures
  std::vector<std::optional<double>> ranks;  // in the order of rank_names()
};

// Scores a line; depends on how far down the list the figures on ranks look.
class SearchScoring {
 public:
  explicit SearchScoring(std::vector<std::size_t> cutoffs)
      : cutoffs_(std::move(cutoffs)), names_(rank_names(cutoffs_)) {
    for (std::size_t i = 0; i < kSetFigures.size(); ++i)
      mean_names_[i] = std::string(kSetFigures[i]) + ".mean";
  }

  std::vector<std::string> columns() const {
    std::vector<std::string> names{"id",
                                   "question",
                                   "expected_exact_paths",
                                   "expected_chunk_uids",
                                   "actual_search_results",
                                   "expected_opensearch_index",
                                   "actual_opensearch_index"};
    names.insert(names.end(), kSetFigures.begin(), kSetFigures.end());
    names.insert(names.end(), names_.begin(), names_.end());
    names.insert(names.end(), {"true_positives", "false_negatives", "false_positives"});
    return names;
  }

  void score(const CaseLine& line, ResultLine& result) const {
    const std::string_view question = line[kQuestion].text;
    const Wanted wanted = wanted_of(line.fields, line.parser);
    const JsonArray results = as_list(line.tree(kResults));
    const Search search = take_apart(wanted, results);
    const BinaryCounts counts = search.counts();
    auto& facts = result.facts<SearchFacts>();
    facts.sets = {precision(counts), recall(counts), f_beta(counts, 1), f_beta(counts, 2)};
    facts.ranks = rank_figures(search.ranked);

    const std::string paths = to_text(json_list(texts(line.tree(kPaths))));
    const std::string uids = to_text(json_list(texts(line.tree(kUids))));
    const std::string results_text = to_text(results);
    const std::string_view wanted_index = line[kWantedIndex].text;
    const std::string_view used_index = line[kUsedIndex].text;
    result.text("question", question);
    result.written("expected_exact_paths", paths);
    result.written("expected_chunk_uids", uids);
    result.written("actual_search_results", results_text);
    if (!wanted_index.empty()) result.text("expected_opensearch_index", wanted_index);
    if (!used_index.empty()) result.text("actual_opensearch_index", used_index);
    result.text("scored_on", wanted.key);
    std::vector<Score> scores;
    scores.reserve(kSetFigures.size() + names_.size());
    for (std::size_t i = 0; i < kSetFigures.size(); ++i) {
      result.json(kSetFigures[i], or_null(facts.sets[i]));
      scores.push_back({mean_names_[i], facts.sets[i]});
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      result.json(names_[i], or_null(facts.ranks[i]));
      scores.push_back({names_[i], facts.ranks[i]});
    }
    result.scores(scores);
    std::vector<std::string> row{
        line.input.id,          std::string(question), paths, uids, results_text, std::string(wanted_index),
        std::string(used_index)};
    for (const Score& score : scores) row.push_back(cell(score.value));
    for (const auto& [name, list] : {std::pair("true_positives", &search.found),
                                     {"false_negatives", &search.missed},
                                     {"false_positives", &search.wrong}}) {
      row.push_back(to_text(json_list(*list)));
      result.written(name, row.back());
    }
    result.row(row);
    note(line, search, facts.sets[kF1], result);
  }

 private:
  // In the order of names_.
  std::vector<std::optional<double>> rank_figures(const RankedHits& ranked) const {
    std::vector<std::optional<double>> values{reciprocal_rank(ranked), average_precision(ranked)};
    for (const auto figure : {precision_at, recall_at, ndcg_at}) {
      for (const std::size_t k : cutoffs_) values.push_back(figure(ranked, k));
    }
    return values;
  }

  static void note(const CaseLine& line, const Search& search, std::optional<double> f1, ResultLine& result) {
    if (!f1 || *f1 >= 1) return;
    // Of equals, first those that miss more.
    const double missed = 1 / (1 + static_cast<double>(search.missed.size() + search.wrong.size()));
    result.notable(then_by(*f1, missed), [&] {
      NotableCase shown{
          line.input.id, fmt::format("f1 {:.2f}", *f1), {{"question", text_of(line[kQuestion])}}};
      const auto list = [&shown](const char* title, const std::vector<std::string>& items) {
        if (!items.empty()) shown.fields.emplace_back(title, join(items, "\n"));
      };
      list("found (TP)", search.found);
      list("missed (FN)", search.missed);
      list("not wanted (FP)", search.wrong);
      return shown;
    });
  }

  std::vector<std::size_t> cutoffs_;
  std::vector<std::string> names_;  // of the figures on ranks
  std::array<std::string, kSetFigures.size()> mean_names_;
};

class RetrievalFigures final : public FactsFold<SearchFacts> {
 public:
  explicit RetrievalFigures(std::vector<std::string> rank_names)
      : names_(std::move(rank_names)), ranks_(names_.size()) {}

  void finish(const MissingCases& missing, Summary& summary) override {
    for (std::size_t i = 0; i < kSetFigures.size(); ++i) {
      const std::string name = kSetFigures[i];
      const Moments& moments = sets_[i].moments;
      Metric mean = share(name + ".mean", with_missing(within_range(estimate_mean(moments)), missing));
      mean.headline = name == "precision" || name == "recall";
      summary.metrics.push_back(std::move(mean));
      summary.metrics.push_back(share(name + ".median", median_with_missing(sets_[i].values, missing)));
      summary.metrics.push_back(number(name + ".max", count_missing(estimate_maximum(moments), missing)));
      summary.metrics.push_back(number(name + ".std",
                                       count_missing(estimate_population_deviation(moments), missing),
                                       Metric::Better::neither));
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Metric mean = share(names_[i], with_missing(within_range(estimate_mean(ranks_[i])), missing));
      mean.headline = names_[i] == "mrr" || names_[i] == "ndcg_at_10";
      summary.metrics.push_back(std::move(mean));
    }
  }

  void conclude(Summary& summary) const override { conclude_retrieval(summary); }

 private:
  // A stream of values, kept for the median.
  struct Values {
    Moments moments;
    std::vector<double> values;
    void add(double value) {
      moments.add(value);
      values.push_back(value);
    }
  };

  void fold(const Case& /*input*/, const SearchFacts& facts) override {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (facts.sets[i]) sets_[i].add(*facts.sets[i]);
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (facts.ranks[i]) ranks_[i].add(*facts.ranks[i]);
    }
  }

  std::array<Values, kSetFigures.size()> sets_;
  std::vector<std::string> names_;  // of ranks_
  std::vector<Moments> ranks_;
};

Json result_schema() {
  const auto text = [](const char* description) {
    return JsonObject{{"type", "string"}, {"description", description}};
  };
  return JsonObject{
      {"type", "object"},
      {"properties",
       JsonObject{{"actual_search_results",
                   JsonObject{{"type", "array"},
                              {"description", "What is found, best first."},
                              {"items",
                               JsonObject{{"type", "object"},
                                          {"properties", JsonObject{{"exact_path", text("The chunk's path.")},
                                                                    {"chunk_uid", text("The chunk's uid.")}}},
                                          {"required", JsonArray{"exact_path", "chunk_uid"}},
                                          {"additionalProperties", false}}}}}}},
      {"required", JsonArray{"actual_search_results"}},
      {"additionalProperties", false}};
}

ComponentTask task(const std::vector<std::size_t>& cutoffs) {
  ComponentTask declared;
  declared.text_field = "question";
  declared.input = {
      {.name = "question", .meaning = "what the user asked"},
      {.name = "expected_exact_paths",
       .type = FieldType::any,
       .presence = Presence::optional,
       .meaning = "paths that should be found",
       .answer_key = true,
       .check = check_texts},
      {.name = "expected_chunk_uids",
       .type = FieldType::any,
       .presence = Presence::optional,
       .meaning = "chunks that should be found; with them, paths are not compared",
       .answer_key = true,
       .check = check_texts},
      {.name = "expected_opensearch_index",
       .presence = Presence::optional,
       .meaning = "where to search"},  // says where to search
  };
  declared.actual = {{.name = "actual_search_results",
                      .type = FieldType::any,
                      .other_names = {"actual_chunk_uids_exact_paths_and_scores"},
                      .meaning = "what was found: exact_path, chunk_uid, scores",
                      .expected = "a list of results, best first",
                      .check = check_results},
                     {.name = "actual_opensearch_index",
                      .presence = Presence::optional,
                      .meaning = "where it was searched",
                      .secondary = true}};
  declared.check = check_line;
  declared.actual_schema = result_schema();
  for (const char* figure : kSetFigures) {
    for (const char* part : {".mean", ".median", ".max", ".std"})
      declared.metrics.push_back(fmt::format("{}{}", figure, part));
  }
  for (const char* figure : kSetFigures) declared.means.push_back({fmt::format("{}.mean", figure)});
  for (const std::string& name : rank_names(cutoffs)) {
    declared.metrics.push_back(name);
    declared.means.push_back({name});
  }
  const auto scoring = std::make_shared<const SearchScoring>(cutoffs);
  declared.columns = scoring->columns();
  declared.score = [scoring](const CaseLine& line, ResultLine& result) { scoring->score(line, result); };
  declared.aggregate = [cutoffs](OutputFiles&) {
    return std::make_unique<RetrievalFigures>(rank_names(cutoffs));
  };
  return declared;
}

std::vector<std::size_t> cutoffs_of(const Config& config, std::vector<ConfigProblem>& problems) {
  std::vector<std::size_t> cutoffs;
  const Json* given = config.find("k");
  for (const Json& item : as_list(given != nullptr ? *given : Json())) {
    const auto k = as_integer(item);
    if (!k || *k < 1 || *k > 10'000) {
      problems.push_back(
          {"config", "k", fmt::format("found {}, expected whole numbers from 1 to 10000", excerpt(item))});
    } else {
      cutoffs.push_back(static_cast<std::size_t>(*k));
    }
  }
  if (cutoffs.empty() && problems.empty())
    problems.push_back({"config", "k", "found an empty list, expected at least one whole number"});
  std::sort(cutoffs.begin(), cutoffs.end());
  cutoffs.erase(std::unique(cutoffs.begin(), cutoffs.end()), cutoffs.end());
  return cutoffs;
}

}  // namespace

ComponentTask retrieval_task() {
  return task({kUsualCutoffs, std::end(kUsualCutoffs)});
}

Keys retrieval_keys() {
  Keys keys = component_keys();
  keys.push_back({.name = "k",
                  .type = KeyType::any,
                  .help = "How far down the list the figures on ranks look; one number or several.",
                  .default_value = JsonArray(std::begin(kUsualCutoffs), std::end(kUsualCutoffs)),
                  .example = "[1, 5, 10]"});
  return keys;
}

std::unique_ptr<Evaluation> make_retrieval(const Config& config, std::vector<ConfigProblem>& problems) {
  const std::vector<std::size_t> cutoffs = cutoffs_of(config, problems);
  return make_component(config, task(cutoffs), problems);
}

}  // namespace assay::components
