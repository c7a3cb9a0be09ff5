#include "runs/audit/audit_runs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "evaluations/benchmark/run_file.h"
#include "report/compare/compare_differences.h"
#include "runs/finished.h"
#include "runs/labels/run_kinds.h"
#include "runs/material.h"
#include "runs/result_lines.h"

namespace assay {
namespace {

// Where the lines of an evaluation's results have what was asked, what is right, and what the system
// answered.
struct Places {
  std::string_view evaluation;
  std::string_view text;
  std::string_view key;
  std::string_view answer;
};
constexpr Places kPlaces[] = {
    {"rag_answers", "question", "ideal_answer", "llm_answer"},
    {"question_router", "question", "expected_outcome", "actual_outcome"},
    {"jailbreak_guardrails", "question", "expected_outcome", "actual_outcome"},
    {"output_guardrails", "message", "expected_guardrails", "actual_guardrails"},
    {"topic_tagger", "question", "expected_primary_topic", "actual_primary_topic"},
    {"retrieval", "question", "expected_exact_paths", "actual_search_results"},
    {"experiment", "query", "", ""},
};
constexpr std::string_view kBenchmark = "benchmark";
constexpr std::string_view kCustom = "custom";
constexpr std::string_view kExperiment = "experiment";
constexpr std::string_view kScore = "score.mean";  // of a benchmark

std::string words_at(const Json& line, std::string_view field) {
  const Json* value = field.empty() ? nullptr : find_member(line, field);
  return value == nullptr || value->is_null() ? std::string() : material_text(*value);
}

// A run with its scores, and of each case what the audit shows.
struct ReadRun {
  RunScores scores;
  // The systems of one run: variants, conditions, or systems with their models; none: the run is one.
  std::vector<std::string> variants = {};
  std::map<std::string, AuditedCase> about = {};
  std::map<std::string, std::map<std::string, std::string>> answers = {};  // by case, then variant
  bool counted = false;  // of a benchmark: some run is scored against what is expected, without a judge
};

std::vector<std::string> variants_of(const RunScores& run) {
  std::vector<std::string> names;
  const Json config(run.config);
  if (const Json* variants = find_member(config, "variants"); variants != nullptr && variants->is_object()) {
    for (const auto& [name, value] : variants->get_object()) names.emplace_back(name);
  }
  if (run.summary.evaluation == kExperiment) {
    for (const Json& condition : list_at(config, "conditions")) names.push_back(text_at(condition, "name"));
  }
  return names;
}

// The figure of one variant: "FIGURE.VARIANT", in an experiment "score.VARIANT.overall" of "score.overall".
std::string figure_of(const ReadRun& run, const std::string& figure, const std::string& variant) {
  const std::size_t dot = figure.rfind('.');
  if (run.scores.summary.evaluation == kExperiment && dot != std::string::npos)
    return fmt::format("{}.{}{}", figure.substr(0, dot), variant, figure.substr(dot));
  return fmt::format("{}.{}", figure, variant);
}

// The other way round; the name as it is where it is no variant's.
std::string without_variant(const ReadRun& run, const std::string& figure) {
  for (const std::string& variant : run.variants) {
    if (figure.ends_with("." + variant)) return figure.substr(0, figure.size() - variant.size() - 1);
    const std::size_t at = figure.find("." + variant + ".");
    if (run.scores.summary.evaluation == kExperiment && at != std::string::npos)
      return figure.substr(0, at) + figure.substr(at + variant.size() + 1);
  }
  return figure;
}

// Names of the fields that the config declares as the key of a case.
std::set<std::string> key_fields(const RunScores& run) {
  std::set<std::string> names;
  const Json config(run.config);
  const Json* fields = find_member(config, "fields");
  if (fields == nullptr || !fields->is_object()) return names;
  for (const auto& [name, field] : fields->get_object()) {
    const Json* key = find_member(field, "answer_key");
    if (key != nullptr && as_boolean(*key).value_or(false)) names.emplace(name);
  }
  return names;
}

void read_declared(const Json& line, const std::set<std::string>& keys, AuditedCase& one,
                   std::map<std::string, std::string>& answers) {
  if (const Json* fields = find_member(line, "fields"); fields != nullptr && fields->is_object()) {
    std::vector<std::string> key;
    for (const auto& [name, value] : fields->get_object()) {
      if (name == "id" || value.is_null()) continue;
      const std::string words = material_text(value);
      if (keys.contains(name)) {
        key.push_back(words);
      } else if (words.size() > one.text.size()) {  // the longest is what the case is about
        one.text = words;
      }
    }
    one.key = join(key, "; ");
  }
  for (const Json& answer : list_at(line, "answers"))
    answers.try_emplace(text_at(answer, "variant"), words_at(answer, "output"));
}

Status read_lines(ReadRun& run) {
  const auto places = std::ranges::find(kPlaces, run.scores.summary.evaluation, &Places::evaluation);
  const std::set<std::string> keys = key_fields(run.scores);
  return each_result_line(run.scores.directory, [&](const Json& line) -> Status {
    const std::string id = text_at(line, "id");
    AuditedCase& one = run.about[id];
    one.id = id;
    if (run.scores.summary.evaluation == kCustom) {
      read_declared(line, keys, one, run.answers[id]);
    } else if (places != std::end(kPlaces)) {
      one.text = words_at(line, places->text);
      one.key = words_at(line, places->key);
      run.answers[id].emplace("", words_at(line, places->answer));
    }
    return {};
  });
}

// What a model with tools was asked in a run of a benchmark; "" of PromptQL, whose files do not hold it.
Result<std::string> task_text(const RunScores& run, const Json& line) {
  if (text_at(line, "system") == "promptql") return std::string();
  const std::string file = run.directory + "/" + text_at(line, "file");
  auto text = read_file(file);
  if (!text) return fail(std::move(text.error()));
  const auto said = benchmark::read_run_file(*text, benchmark::RunForm::conversation);
  if (!said) return fail(Error(said.error()).with("file", file));
  for (const benchmark::Entry& entry : said->conversation) {
    if (entry.kind == benchmark::Entry::Kind::user_message) return entry.text;
  }
  return std::string();
}

// A line of a benchmark is one run by one system. The same run of the same variation is one case, with a
// score for each system.
Status read_benchmark(ReadRun& run) {
  RunScores& scores = run.scores;
  std::vector<ScoredCase> cases;
  std::map<std::string, std::size_t> places;
  std::vector<std::string> figures;
  const auto take = [&](const Json& line) -> Status {
    const std::string id = fmt::format("{}/variation{}/run{}", text_at(line, "input"),
                                       words_at(line, "variation"), words_at(line, "run"));
    const std::string system = fmt::format("{}/{}", text_at(line, "system"), text_at(line, "model"));
    const auto at = std::ranges::find(run.variants, system) - run.variants.begin();
    const auto place = static_cast<std::size_t>(at);
    if (place == run.variants.size()) {
      run.variants.push_back(system);
      figures.push_back(fmt::format("{}.{}", kScore, system));
    }
    const auto [known, fresh] = places.emplace(id, cases.size());
    if (fresh) cases.push_back({id, text_at(line, "cluster"), "scored", "", {}});
    ScoredCase& one = cases[known->second];
    one.scores.resize(std::max(one.scores.size(), place + 1));
    const Json* given = find_member(line, "scores");
    const Json* score = given == nullptr ? nullptr : find_member(*given, kScore);
    if (score != nullptr) one.scores[place] = as_number(*score);
    const std::string scorer = text_at(line, "scorer");
    run.counted = run.counted || (!scorer.empty() && scorer != "rubric");
    AuditedCase& about = run.about[id];
    about.id = id;
    if (about.key.empty()) about.key = words_at(line, "expected");
    if (about.text.empty()) {
      auto text = task_text(scores, line);
      if (!text) return fail(std::move(text.error()));
      about.text = std::move(*text);
    }
    run.answers[id].emplace(system, words_at(line, "answer"));
    return {};
  };
  if (auto read = each_result_line(scores.directory, take); !read) return read;
  scores.figures = std::move(figures);
  scores.cases = std::move(cases);
  return {};
}

struct OneSystem {
  std::size_t run = 0;
  std::string variant;
  std::size_t figure = 0;  // its place in the run's figures
};

// The figure in a run: as it is, or once for each variant.
std::vector<OneSystem> systems_in(const ReadRun& run, std::size_t number, const std::string& figure) {
  std::vector<OneSystem> systems;
  const std::vector<std::string>& figures = run.scores.figures;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i] == figure) return {{number, "", i}};
    for (const std::string& variant : run.variants) {
      if (figures[i] == figure_of(run, figure, variant)) systems.push_back({number, variant, i});
    }
  }
  return systems;
}

std::vector<std::string> figures_of(const ReadRun& run) {
  std::vector<std::string> names;
  for (const std::string& figure : run.scores.figures) {
    std::string name = without_variant(run, figure);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> common_figures(const std::vector<ReadRun>& runs) {
  std::vector<std::string> common = figures_of(runs.front());
  for (const ReadRun& run : runs) {
    const std::vector<std::string> has = figures_of(run);
    std::erase_if(common, [&](const std::string& name) { return std::ranges::find(has, name) == has.end(); });
  }
  return common;
}

Result<std::string> chosen_figure(const std::vector<std::string>& common, const std::string& wanted) {
  if (common.empty())
    return fail(ErrorKind::data, "the runs have no figure in common that is a mean over cases");
  if (wanted.empty()) return common.front();
  if (std::ranges::find(common, wanted) != common.end()) return wanted;
  const auto guess = nearest(wanted, common);
  return fail(ErrorKind::usage,
              guess ? fmt::format("no figure {} in all runs; did you mean {}?", wanted, *guess)
                    : fmt::format("no figure {} in all runs; there are {}", wanted, join(common, ", ")));
}

// The last part of the directory, or all of it where that does not tell the runs apart.
std::vector<std::string> run_names(const std::vector<ReadRun>& runs) {
  std::vector<std::string> names;
  std::set<std::string> different;
  for (const ReadRun& run : runs) {
    std::string directory = run.scores.directory;
    while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
    names.push_back(std::filesystem::path(directory).filename().string());
    different.insert(names.back());
  }
  if (different.size() == names.size()) return names;
  names.clear();
  for (const ReadRun& run : runs) names.push_back(run.scores.directory);
  return names;
}

// Whether the score of a case says that its key was met: then a wrong key can be found.
bool has_keys(const ReadRun& run, std::string_view figure) {
  const std::string& evaluation = run.scores.summary.evaluation;
  if (evaluation == "rag_answers")
    return figure.starts_with("factual_") || figure.starts_with("absence_of_factual_");
  if (evaluation == "guidelines") return figure == "accuracy_per_conversation" || figure == "exact_set_rate";
  if (evaluation == kCustom) return !key_fields(run.scores).empty();
  if (evaluation == kBenchmark) return run.counted;
  return std::ranges::any_of(
      kPlaces, [&](const Places& places) { return places.evaluation == evaluation && !places.key.empty(); });
}

// A system that is there twice would agree with itself.
Status check_different(const std::vector<ReadRun>& runs) {
  std::map<std::string, std::string> seen;
  for (const ReadRun& run : runs) {
    const auto [first, fresh] = seen.emplace(run.scores.summary.run_id, run.scores.directory);
    if (!fresh)
      return fail(ErrorKind::usage, fmt::format("{} and {} are the same run; expected each run once",
                                                first->second, run.scores.directory));
  }
  return {};
}

// What is judged otherwise in a run than in the first; each difference once.
std::vector<std::string> judged_differently(const std::vector<ReadRun>& runs) {
  std::vector<std::string> all;
  for (const ReadRun& run : runs) {
    for (std::string& one : judging_differences(runs.front().scores, run.scores)) {
      if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
    }
  }
  return all;
}

const ScoredCase* find_case(const std::map<std::string, const ScoredCase*>& cases, const std::string& id) {
  const auto at = cases.find(id);
  return at == cases.end() ? nullptr : at->second;
}

void fill(AuditInput& input, const std::vector<ReadRun>& runs, const std::vector<OneSystem>& systems) {
  std::vector<std::map<std::string, const ScoredCase*>> by_id(runs.size());
  std::set<std::string> all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const ScoredCase& one : runs[r].scores.cases) {
      by_id[r].emplace(one.id, &one);
      all.insert(one.id);
    }
  }
  // In the order of the first run.
  std::vector<std::string> ids;
  for (const ScoredCase& one : runs.front().scores.cases) {
    if (std::ranges::all_of(by_id, [&](const auto& cases) { return cases.contains(one.id); }))
      ids.push_back(one.id);
  }
  input.not_in_all = static_cast<std::int64_t>(all.size() - ids.size());
  for (const std::string& id : ids) {
    input.cases.push_back(runs.front().about.at(id));
    input.cases.back().cluster = by_id.front().at(id)->cluster;
  }
  for (const OneSystem& system : systems) {
    auto& scores = input.scores.emplace_back();
    auto& answers = input.answers.emplace_back();
    for (const std::string& id : ids) {
      const ScoredCase* one = find_case(by_id[system.run], id);
      scores.push_back(system.figure < one->scores.size() ? one->scores[system.figure] : std::nullopt);
      const auto given = runs[system.run].answers.find(id);
      const auto answer = given == runs[system.run].answers.end() ? decltype(given->second.begin())()
                                                                  : given->second.find(system.variant);
      const bool known = given != runs[system.run].answers.end() && answer != given->second.end();
      answers.push_back(known ? answer->second : std::string());
    }
  }
}

}  // namespace

Result<AuditInput> read_for_audit(const std::vector<std::string>& directories, const std::string& figure) {
  std::vector<ReadRun> runs;
  for (const std::string& directory : directories) {
    auto scores = read_run_scores(directory);
    if (!scores) return fail(std::move(scores.error()).with("directory", directory));
    if (labels::is_of_file(scores->summary.evaluation, scores->config)) {
      return fail(Error{ErrorKind::usage,
                        "its answers stand in a file and are no system's; expected a run of systems",
                        {{"directory", directory}}});
    }
    ReadRun& run = runs.emplace_back(std::move(*scores));
    run.variants = variants_of(run.scores);
    auto read = run.scores.summary.evaluation == kBenchmark ? read_benchmark(run) : read_lines(run);
    if (!read) return fail(std::move(read.error()));
  }
  if (auto different = check_different(runs); !different) return fail(std::move(different.error()));
  AuditInput input;
  input.judged_differently = judged_differently(runs);
  input.figures = common_figures(runs);
  auto chosen = chosen_figure(input.figures, figure);
  if (!chosen) return fail(std::move(chosen.error()));
  input.figure = *chosen;
  const std::vector<std::string> names = run_names(runs);
  std::vector<OneSystem> systems;
  std::set<std::string> simulated;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const OneSystem& system : systems_in(runs[r], r, *chosen)) {
      input.systems.push_back(system.variant.empty() ? names[r]
                              : runs.size() == 1     ? system.variant
                                                     : fmt::format("{} {}", names[r], system.variant));
      systems.push_back(system);
    }
    simulated.insert(runs[r].scores.summary.simulated.begin(), runs[r].scores.summary.simulated.end());
  }
  input.simulated.assign(simulated.begin(), simulated.end());
  const std::string& full = runs.front().scores.figures[systems.front().figure];
  const auto& metrics = runs.front().scores.summary.metrics;
  if (const auto metric = std::ranges::find(metrics, full, &Metric::name); metric != metrics.end()) {
    input.better = metric->better;
    if (metric->range) input.range = *metric->range;
  }
  input.keyed = std::ranges::all_of(runs, [&](const ReadRun& run) { return has_keys(run, *chosen); });
  fill(input, runs, systems);
  return input;
}

}  // namespace assay
