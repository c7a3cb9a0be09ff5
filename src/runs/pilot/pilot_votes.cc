#include "runs/pilot/pilot_votes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/finished_case.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/experiment/judging/records.h"
#include "runs/labels/run_kinds.h"
#include "runs/result_lines.h"
#include "stats/intervals/mean.h"

namespace assay {
namespace {

using labels::JudgedFigure;
using labels::JudgedRun;

constexpr std::string_view kRag = "rag_answers";
constexpr std::string_view kGuidelines = "guidelines";
constexpr std::string_view kPersona = "persona";
constexpr std::string_view kScore = "score.mean";  // of a benchmark; behind it ".CONTENDER"
constexpr std::size_t kPage = 256;

std::unexpected<Error> no_plan(const JudgedRun& run, std::string why) {
  return fail(Error{ErrorKind::data, "no plan: " + std::move(why), {{"directory", run.directory}}});
}

std::vector<double> numbers_in(const JsonArray& list, std::string_view member) {
  std::vector<double> numbers;
  for (const Json& entry : list) {
    const Json* value = member.empty() ? &entry : find_member(entry, member);
    if (const auto number = value == nullptr ? std::nullopt : as_number(*value)) numbers.push_back(*number);
  }
  return numbers;
}

std::optional<double> score_in(const Json& line, std::string_view figure) {
  const Json* scores = find_member(line, "scores");
  const Json* score = scores == nullptr ? nullptr : find_member(*scores, figure);
  return score == nullptr ? std::nullopt : as_number(*score);
}

// Votes on a declared metric; of a rate over a scale the verdict alone is on the figure's scale.
std::vector<double> declared_votes(const Json& metric, std::string_view figure) {
  std::vector<double> votes = numbers_in(list_at(metric, "votes"), "");
  const Json* score = find_member(metric, "score");
  if (votes.empty() && score != nullptr) {
    if (const auto one = as_number(*score)) votes.push_back(*one);
  }
  const bool rate = figure.substr(figure.find('.') + 1).starts_with("rate");
  const bool yes_no = std::ranges::all_of(votes, [](double vote) { return vote == 0 || vote == 1; });
  if (!rate || yes_no) return votes;
  const Json* passed = find_member(metric, "passed");
  const auto verdict = passed == nullptr ? std::nullopt : as_boolean(*passed);
  return verdict ? std::vector<double>{*verdict ? 1.0 : 0.0} : std::vector<double>();
}

// The score that most votes on a declared metric gave.
std::vector<double> declared_verdict(const Json& metric) {
  const Json* score = find_member(metric, "score");
  const auto verdict = score == nullptr ? std::nullopt : as_number(*score);
  return verdict ? std::vector<double>{*verdict} : std::vector<double>();
}

void take_custom(const Json& line, const PilotFigure& figure, PilotCase& one) {
  for (const Json& answer : list_at(line, "answers")) {
    if (text_at(answer, "variant") != figure.system) continue;
    for (const Json& given : list_at(answer, "metrics")) {
      if (text_at(given, "name") != figure.metric) continue;
      one.scores.answers.push_back(declared_votes(given, figure.name));
      one.votes += static_cast<double>(one.scores.answers.back().size());
      if (figure.by_majority) one.scores.answers.back() = declared_verdict(given);
    }
  }
}

// A conversation's score is made of verdicts, each of which most votes gave.
void take_guidelines(const Json& line, const PilotFigure& figure, PilotCase& one) {
  const auto score = score_in(line, figure.name);
  if (!score) return;
  one.scores.answers.push_back({*score});
  std::size_t votes = 1;
  for (const Json& verdict : list_at(line, "verdicts"))
    votes = std::max(votes, list_at(verdict, "votes").size());
  one.votes = static_cast<double>(votes);
}

// What each answer of an experiment's query was given by each evaluator. Of a win rate the answers are pairs,
// and a vote is what one evaluator says of a pair in all orders in which it saw it.
PilotCase taken_from(const experiment::QueryRecord& record, const PilotFigure& figure,
                     const std::vector<std::string>& conditions) {
  using experiment::Choice;
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(conditions, name) - conditions.begin());
  };
  const std::size_t own = place(figure.system);
  std::map<int, std::map<int, Moments>> runs;  // then evaluators
  if (figure.against.empty()) {
    for (const auto& [rating, failures] : record.ratings) {
      if (rating.condition == own)
        runs[rating.run][rating.evaluator].add(rating.scores[experiment::kOverall]);
    }
  } else {
    const std::size_t other = place(figure.against);
    for (const auto& [verdict, failures] : record.pairs) {
      const bool as_a = verdict.condition_a == own && verdict.condition_b == other;
      const bool as_b = verdict.condition_b == own && verdict.condition_a == other;
      if (!as_a && !as_b) continue;
      const bool won = verdict.winner == (as_a ? Choice::a : Choice::b);
      runs[verdict.run][verdict.evaluator].add(verdict.winner == Choice::tie ? 0.5 : won ? 1 : 0);
    }
  }
  PilotCase one;
  for (const auto& [run, evaluators] : runs) {
    std::vector<double>& votes = one.scores.answers.emplace_back();
    for (const auto& [evaluator, said] : evaluators) votes.push_back(*said.mean());
    one.votes += static_cast<double>(votes.size());
  }
  return one;
}

Task<Status> each_outcome(RunStore& store, const std::function<void(const OutcomeRow&)>& tell) {
  for (std::int64_t first = 0;;) {
    auto page = co_await store.outcomes(first, kPage);
    if (!page) co_return fail(std::move(page.error()));
    for (const OutcomeRow& row : *page) tell(row);
    if (page->size() < kPage) co_return Status();
    first = page->back().case_index + 1;
  }
}

Task<Result<PilotCases>> experiment_cases(const JudgedRun& run, const PilotFigure& figure, RunStore& store) {
  PilotCases found;
  const std::function<void(const OutcomeRow&)> take = [&](const OutcomeRow& row) {
    PilotCase one =
        taken_from(experiment::record_from(read_finished(row).outcome.result), figure, run.variants);
    if (!one.scores.answers.empty()) found.cases.emplace_back(row.case_id, std::move(one));
  };
  auto all = co_await each_outcome(store, take);
  if (!all) co_return fail(std::move(all.error()));
  co_return found;
}

std::string contender_of(const Json& line) {
  return text_at(line, "system") + "/" + benchmark::fit_for_file(text_at(line, "model"));
}

// The runs of a benchmark's variation are the answers to one case.
Result<PilotCases> benchmark_cases(const JudgedRun& run, const PilotFigure& figure) {
  PilotCases found;
  std::map<std::string, std::size_t> places;
  std::int64_t scored = 0;
  std::map<std::string, std::int64_t> counted;  // by scorer, not by a judge
  const auto take = [&](const Json& line) -> Status {
    if (contender_of(line) != figure.system) return {};
    found.runs.insert(text_at(line, "id"));
    const auto score = score_in(line, kScore);
    if (!score) return {};
    ++scored;
    if (const std::string scorer = text_at(line, "scorer"); scorer != "rubric") ++counted[scorer];
    const Json* variation = find_member(line, "variation");
    const std::string id =
        fmt::format("{}/variation{}", text_at(line, "input"), variation ? text_or_json(*variation) : "0");
    const auto [at, fresh] = places.emplace(id, found.cases.size());
    if (fresh) found.cases.push_back({id, {{text_at(line, "cluster"), {}}, 0}});
    PilotCase& one = found.cases[at->second].second;
    one.scores.answers.push_back({*score});
    one.votes += 1;
    return {};
  };
  if (auto read = each_result_line(run.directory, take); !read) return fail(std::move(read.error()));
  if (!counted.empty()) {
    std::int64_t others = 0;
    for (const auto& [scorer, runs] : counted) others += runs;
    return no_plan(run, fmt::format("of the {} scored runs of {} {} are scored without a judge ({}), so what "
                                    "a vote brings cannot be told; take tasks with the scorer rubric only",
                                    scored, figure.system, others, counted.begin()->first));
  }
  return found;
}

Result<PilotCases> line_cases(const JudgedRun& run, const PilotFigure& figure) {
  PilotCases found;
  std::set<std::string> personas;
  const auto take = [&](const Json& line) -> Status {
    PilotCase one;
    one.scores.cluster = text_at(line, "cluster");
    if (run.evaluation == kRag) {
      const Json* metrics = find_member(line, "metrics");
      const Json* metric = metrics == nullptr ? nullptr : find_member(*metrics, figure.metric);
      if (metric != nullptr) one.scores.answers.push_back(numbers_in(list_at(*metric, "runs"), "score"));
    } else if (run.evaluation == labels::kCustom) {
      take_custom(line, figure, one);
    } else if (run.evaluation == kGuidelines) {
      take_guidelines(line, figure, one);
    } else if (const auto score = score_in(line, figure.name)) {
      one.scores.answers.push_back({*score});
    }
    if (run.evaluation == kPersona) personas.insert(text_at(line, "personaId"));
    std::erase_if(one.scores.answers, [](const std::vector<double>& votes) { return votes.empty(); });
    if (one.scores.answers.empty()) return {};
    if (one.votes == 0) {
      for (const auto& votes : one.scores.answers) one.votes += static_cast<double>(votes.size());
    }
    found.cases.emplace_back(text_at(line, "id"), std::move(one));
    return {};
  };
  if (auto read = each_result_line(run.directory, take); !read) return fail(std::move(read.error()));
  if (personas.size() > 1) {
    return no_plan(run, fmt::format("{} personas judge every item, each with leanings of its own, which are "
                                    "not votes of one judge; how much they bring the report says "
                                    "(personas.variance.*). A pilot with one persona can be planned from",
                                    personas.size()));
  }
  return found;
}

// Whether the judges of a cascade decide this figure one after the other.
bool decided_by_cascade(const JudgedRun& run, const std::string& metric) {
  const Json config(run.scores.config);
  const Json* judge = find_member(config, "judge");
  if (judge == nullptr || find_member(*judge, "cascade") == nullptr ||
      find_member(*judge, "cascade")->is_null())
    return false;
  for (const Json& entry : list_at(config, "metrics")) {
    if (text_at(entry, "name") != metric || !entry.is_object()) continue;
    // A metric of custom may have a judge of its own.
    return std::ranges::none_of(entry.get_object(),
                                [](const auto& member) { return !text_at(member.value(), "model").empty(); });
  }
  return true;
}

std::vector<PilotFigure> benchmark_figures(const JudgedRun& run) {
  std::vector<PilotFigure> figures;
  for (const std::string& name : run.scores.figures) {
    if (name.size() > kScore.size() + 1 && name.starts_with(kScore) && name[kScore.size()] == '.')
      figures.push_back({.name = name, .system = name.substr(kScore.size() + 1)});
  }
  // With one system they are the same, and the short name is that of the headline.
  if (figures.size() == 1) figures.front().name = kScore;
  return figures;
}

// The first that has a score in two cases comes first: it is taken where none is named.
void put_scored_first(const JudgedRun& run, std::vector<PilotFigure>& figures) {
  const auto scored = [&](const PilotFigure& figure) {
    const auto at = std::ranges::find(run.scores.figures, figure.name) - run.scores.figures.begin();
    const auto place = static_cast<std::size_t>(at);
    return std::ranges::count_if(run.scores.cases, [&](const ScoredCase& one) {
             return place < one.scores.size() && one.scores[place].has_value();
           }) >= 2;
  };
  if (const auto first = std::ranges::find_if(figures, scored); first != figures.end())
    std::rotate(figures.begin(), first, first + 1);
}

}  // namespace

Result<std::vector<PilotFigure>> pilot_figures(const JudgedRun& run) {
  std::vector<PilotFigure> figures;
  if (run.evaluation == labels::kBenchmark) {
    figures = benchmark_figures(run);
    put_scored_first(run, figures);
    if (figures.empty()) return no_plan(run, "no run has a score");
    return figures;
  }
  for (const JudgedFigure& one : run.figures) {
    PilotFigure figure{
        .name = one.name,
        .metric = one.name.substr(0, one.name.find('.')),
        .system = one.variant,
        .by_majority = run.evaluation == kGuidelines || (run.evaluation == labels::kCustom && one.yes_no)};
    if (!decided_by_cascade(run, figure.metric)) figures.push_back(std::move(figure));
  }
  const bool cascade = figures.size() < run.figures.size();
  std::vector<std::string> pairs;
  for (const labels::JudgedPair& pair : run.pairs) {
    if (pair.figure.empty()) continue;
    if (run.evaluation == labels::kExperiment)
      figures.push_back({.name = pair.figure, .system = pair.first, .against = pair.second});
    else
      pairs.push_back(pair.figure);
  }
  put_scored_first(run, figures);
  if (!figures.empty()) return figures;
  if (cascade)
    return no_plan(run,
                   "a cascade of judges decides, and how many are asked hangs on the case; what it "
                   "takes and saves is in its report");
  if (!pairs.empty())
    return no_plan(run, fmt::format("the judge compares two answers ({}); a plan is made for figures about "
                                    "one answer",
                                    join(pairs, ", ")));
  return no_plan(run, fmt::format("no figure of a run of {} is given by a judge alone; to plan without a "
                                  "judge, take assay stats power",
                                  run.evaluation));
}

Result<PilotCases> pilot_cases(const JudgedRun& run, const PilotFigure& figure, EventLoop& loop,
                               RunStore& store) {
  if (run.evaluation == labels::kExperiment) return loop.run_until_done(experiment_cases(run, figure, store));
  if (run.evaluation == labels::kBenchmark) return benchmark_cases(run, figure);
  return line_cases(run, figure);
}

PilotShare pilot_share(std::string_view evaluation, std::string_view step, const PilotFigure& figure) {
  const std::vector<std::string_view> parts = split(step, '/');
  if (evaluation == labels::kExperiment) {
    // response/CONDITION/…, rating/EVALUATOR/CONDITION/…, pair/EVALUATOR/CONDITION~CONDITION/…
    const std::string_view kind = parts.front();
    const std::size_t place = kind == "response" ? 1 : 2;
    if (parts.size() <= place) return PilotShare::nothing;
    const std::vector<std::string_view> about = split(parts[place], '~');
    const auto names = [&](const std::string& condition) {
      return !condition.empty() && std::ranges::find(about, condition) != about.end();
    };
    const bool own = names(figure.system);
    if (figure.against.empty()) {
      if (!own) return PilotShare::nothing;
      return kind == "rating" ? PilotShare::vote : PilotShare::answer;
    }
    if (kind == "pair") return own && names(figure.against) ? PilotShare::vote : PilotShare::nothing;
    return own || names(figure.against) ? PilotShare::answer : PilotShare::nothing;
  }
  if (!figure.system.empty() && evaluation == labels::kCustom && !step.starts_with(figure.system + "/"))
    return PilotShare::nothing;
  const auto asks_metric = [&] { return std::ranges::find(parts, figure.metric) != parts.end(); };
  // A further vote asks again: in rag_answers all metrics, in custom the metric alone, in a benchmark the
  // rubric, elsewhere everything.
  const bool vote = evaluation == kRag                 ? step != "target"
                    : evaluation == labels::kCustom    ? asks_metric()
                    : evaluation == labels::kBenchmark ? step.starts_with("score")
                                                       : true;
  return vote ? PilotShare::vote : PilotShare::answer;
}

}  // namespace assay
