#include "evaluations/experiment/experiment.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "evaluations/experiment/aggregate.h"
#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/experiment/design/role_marks.h"
#include "evaluations/experiment/judged/judge_stress.h"
#include "evaluations/experiment/judged/judged_answers.h"
#include "evaluations/experiment/judging/trials.h"
#include "models/tokens.h"

namespace assay::experiment {
namespace {

constexpr std::int64_t kTokensPerAnswer = 400;
constexpr std::int64_t kTokensPerJudgement = 350;
constexpr std::int64_t kTokensPerRoleAnswer = 80;
constexpr std::size_t kFingerprintDigits = 16;
constexpr std::size_t kLongestName = 100;

// It becomes part of file names.
bool usable_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                  c == '-' || c == '.';
         });
}

class Reader {
 public:
  Reader(const Config& config, std::vector<ConfigProblem>& problems) : config_(config), problems_(problems) {}

  // Everything that is wrong is told, with what the queries' own lines lack if there is anything at all:
  // nobody should have to mend one half to hear of the other.
  ExperimentPlan plan(const PromptLibrary& prompts, Result<QueryList> queries) {
    ExperimentPlan plan;
    generate_ = config_.boolean("generate");
    plan.attempts = judge_attempts(config_);
    plan.temperature = config_.number("temperature");
    if (const auto tokens = config_.integer("max_tokens")) plan.max_tokens = static_cast<int>(*tokens);
    plan.prompts = prompts.fingerprints("experiment/");
    plan.design = design_of(config_);
    check_design(plan.design);
    read_conditions(plan);
    if (queries) {
      plan.queries = std::move(*queries);
      check_roles(plan);
      if (!generate_ && config_.has("responses") && names_usable_) read_existing(plan);
    } else {
      wrong("queries", queries.error().text());
    }
    return plan;
  }

  void tell_bad_queries(const QueryList& queries) {
    if (problems_.empty() || config_.boolean("skip_invalid")) return;
    for (const Problem& problem : queries.problems) {
      if (problem.severity == "error") problems_.push_back({problem.where, "", problem.text});
    }
  }

 private:
  void wrong(const std::string& key, std::string text) {
    problems_.push_back({"config", key, std::move(text)});
  }

  void check_design(const Design& design) {
    if (design.evaluators() == 0)
      wrong("pairwise", "found no evaluators; expected `pairwise`, `absolute` or both");
    if (generate_ && config_.has("responses"))
      wrong("responses", "answers are generated; to take these instead, set generate: false");
    if (!generate_ && !config_.has("responses"))
      wrong("responses", "with generate: false, name the directory of the files with the answers");
    if (design.conditions.size() < 2)
      wrong("conditions", fmt::format("found {}, expected at least two", design.conditions.size()));
    // design_of has chosen the one named control, if there is one.
    const auto controls = std::ranges::count_if(design.conditions, &Condition::control);
    if (controls > 1) wrong("conditions", "more than one has control: true; expected one");
    if (controls == 0)
      wrong("conditions", "none is the control; name one `control`, or give it control: true");
  }

  void read_conditions(ExperimentPlan& plan) {
    const Json* list = config_.find("conditions");
    std::set<std::string> names;
    for (std::size_t i = 0; i < plan.design.conditions.size(); ++i) {
      const Condition& condition = plan.design.conditions[i];
      const std::string key = fmt::format("conditions[{}]", i);
      if (!usable_name(condition.name)) {
        names_usable_ = false;
        wrong(key + ".name",
              fmt::format("found \"{}\", expected letters, digits, _, - and . (it is part of file names)",
                          condition.name));
      }
      constexpr std::size_t kRoom = 40;  // "_run_12_responses.json"
      if (condition.name.size() + kRoom > kLongestFileName)
        wrong(key + ".name", fmt::format("found {} bytes, expected at most {} (it is part of file names)",
                                         condition.name.size(), kLongestFileName - kRoom));
      if (!names.insert(lower_ascii(condition.name)).second)
        wrong(key + ".name", fmt::format("found \"{}\", which an earlier condition has", condition.name));
      plan.answering.push_back(read_answering(list->get_array()[i], condition, key, plan));
    }
  }

  Answering read_answering(const Json& json, const Condition& condition, const std::string& key,
                           ExperimentPlan& plan) {
    Answering how;
    const std::string model = text_at(json, "model");
    how.model = model.empty() ? config_.text("model") : model;
    if (!generate_) return how;
    if (how.model.empty())
      wrong("model",
            fmt::format("no model answers for {}; set `model`, or one for the condition", condition.name));
    const std::string path = text_at(json, "prompt");
    if (path.empty()) {
      if (condition.role_per_query) wrong(key + ".role", "a role needs a prompt with {role} in it");
      return how;
    }
    auto text = config_.read_text(path);
    if (!text) {
      wrong(key + ".prompt", text.error().text());
      return how;
    }
    how.prompt = std::string(trim(*text));
    plan.prompts.emplace("conditions/" + condition.name,
                         hex(sha256(how.prompt)).substr(0, kFingerprintDigits));
    if (how.prompt.empty()) problems_.push_back({path, key + ".prompt", "the prompt is empty"});
    const bool placed = how.prompt.find("{role}") != std::string::npos;
    if (condition.role_per_query && !placed)
      problems_.push_back(
          {path, key + ".prompt", "the placeholder {role} is missing, but role: per_query is set"});
    if (!condition.role_per_query && placed)
      problems_.push_back({path, key + ".prompt", "{role} is in the prompt, but role: per_query is not set"});
    return how;
  }

  void check_roles(const ExperimentPlan& plan) {
    if (std::ranges::none_of(plan.design.conditions, &Condition::role_per_query)) return;
    for (const QueryEntry& entry : plan.queries.entries) {
      if (trim(entry.query.role).empty())
        problems_.push_back(
            {fmt::format("{}, line {}", plan.queries.path, entry.line), "role",
             fmt::format("query {} has none, but a condition has role: per_query", entry.query.id)});
    }
  }

  void read_existing(ExperimentPlan& plan) {
    plan.existing =
        read_responses(config_, config_.text("responses"),
                       config_.boolean("incomplete_responses") ? Answers::as_they_are : Answers::complete,
                       plan.design, plan.queries, problems_);
    for (std::size_t place = 0; place < plan.existing.size(); ++place)
      plan.prompts.emplace("responses/" + plan.design.file_at(place), plan.existing[place].fingerprint);
  }

  const Config& config_;
  std::vector<ConfigProblem>& problems_;
  bool generate_ = true;
  bool names_usable_ = true;
};

Key evaluators_key() {
  return {.name = "evaluators",
          .type = KeyType::integer,
          .help = "How many there are; each is the same judge with a seed of its own.",
          .default_value = 7,
          .minimum = 1,
          .maximum = 1000};
}

Keys evaluator_keys() {
  Keys keys{evaluators_key()};
  for (Key& key : judge_keys(0.7)) keys.push_back(std::move(key));
  return keys;
}

// As the file has them, where it is; on a worker's machine as they were read there.
Result<QueryList> given_queries(const Config& config, const DataFile& data) {
  auto text = config.made("queries in " + data.path, [&]() -> Result<std::string> {
    auto list = read_queries(data);
    if (!list) return fail(std::move(list.error()));
    return queries_text(*list);
  });
  if (!text) return fail(std::move(text.error()));
  return queries_in(*text, data.path);
}

}  // namespace

ExperimentEvaluation::ExperimentEvaluation(ExperimentPlan plan, Judges judges)
    : plan_(std::move(plan)), judges_(std::move(judges)), score_names_(score_names(plan_.design)) {}

Task<Outcome> ExperimentEvaluation::evaluate(const Case& input, CaseContext& context) const {
  return evaluate_query(plan_, judges_, query_of(input), input.index, context);
}

void ExperimentEvaluation::estimate(const Case& input, CallEstimate& estimate) const {
  const Query asked = query_of(input);
  const Design& design = plan_.design;
  const auto add = [&](const std::string& model, std::int64_t calls, std::int64_t prompt,
                       std::int64_t completion) {
    auto& own = estimate.models[model];
    own.calls += calls;
    own.prompt_tokens += calls * prompt;
    own.completion_tokens += calls * completion;
  };
  std::int64_t with_role = 0;
  for (std::size_t condition = 0; condition < design.conditions.size(); ++condition) {
    if (plan_.existing.empty())
      add(plan_.answering[condition].model, design.runs,
          estimate_prompt_tokens(answer_request(plan_, condition, asked, 1, 1)), kTokensPerAnswer);
    with_role += design.conditions[condition].has_role() ? design.runs : 0;
  }
  const Tone tone = design.any_tone() ? Tone::asked : Tone::not_asked;
  if (design.pairwise_evaluators > 0)
    add(judges_.pairwise().model, design.pairwise_evaluators * showings_per_query(design),
        estimate_prompt_tokens(judges_.compare(asked.text, "", "", 1, tone)) + 2 * kTokensPerAnswer,
        kTokensPerJudgement);
  if (design.absolute_evaluators > 0)
    add(judges_.absolute().model, design.absolute_evaluators * ratings_per_query(design),
        estimate_prompt_tokens(judges_.rate(asked.text, "", 1, tone)) + kTokensPerAnswer,
        kTokensPerJudgement);
  const auto [first, last] = design.role_evaluators();
  if (with_role > 0 && last >= first)
    add(judges_.role().model, (last - first + 1) * with_role,
        estimate_prompt_tokens(judges_.role(asked, "", "", 1)) + kTokensPerAnswer, kTokensPerRoleAnswer);
}

std::vector<std::string> ExperimentEvaluation::models() const {
  std::set<std::string> names;
  if (plan_.existing.empty()) {
    for (const Answering& how : plan_.answering) names.insert(how.model);
  }
  if (plan_.design.pairwise_evaluators > 0) names.insert(judges_.pairwise().model);
  if (plan_.design.absolute_evaluators > 0) names.insert(judges_.absolute().model);
  return {names.begin(), names.end()};
}

void ExperimentEvaluation::line(const Case& input, const FinishedCase* finished, ResultLine& line) const {
  if (finished == nullptr) return;  // does not come: everything is asked outside
  JudgedQuery& judged = line.facts<QueryFacts>().judged;
  judged = judged_query(plan_.design, query_of(input), record_from(finished->outcome.result));
  const auto& [query, record, answers, roles] = judged;
  line.text("query", query.text);
  if (!query.query_type.empty()) line.text("query_type", query.query_type);
  if (!query.role.empty()) line.text("role", query.role);
  line.boolean("ambiguous", query.ambiguous);
  JsonArray missing;
  for (std::size_t place = 0; place < answers.size(); ++place) {
    if (!answers[place]) missing.emplace_back(plan_.design.file_at(place));
  }
  line.number("answers", static_cast<double>(answers.size() - missing.size()));
  if (!missing.empty()) line.json("missing", missing);
  line.number("pairs", static_cast<double>(record.pairs.size()));
  line.number("ratings", static_cast<double>(record.ratings.size()));
  line.number("role_verdicts", static_cast<double>(record.roles.size()));
  line.number("lost", static_cast<double>(record.lost.size()));
  line.scores(query_scores(plan_.design, score_names_, record));
  if (!line.scored()) {
    line.notable(-1,
                 [&] { return NotableCase{judged.query.id, line.error(), {{"query", judged.query.text}}}; });
  } else if (const auto lowest = lowest_score(plan_.design, judged.record); lowest && lowest->goodness < 1) {
    line.notable(lowest->goodness, [&] { return low_query(plan_.design, judged, *lowest); });
  }
}

Json ExperimentEvaluation::material(const Case& input, const FinishedCase* finished) const {
  JsonObject material{{"query", query_of(input).text}};
  if (finished != nullptr)
    material["trials"] = trials_json(plan_.design, record_from(finished->outcome.result));
  return material;
}

std::unique_ptr<Aggregate> ExperimentEvaluation::aggregate(OutputFiles& files, const RunFacts& run) const {
  return make_aggregate(*this, files, run);
}

std::vector<std::string> ExperimentEvaluation::metric_names() const {
  std::vector<std::string> names = figure_names();
  add_names(human_, names);
  return names;
}

std::string ExperimentEvaluation::unchecked() const {
  const std::vector<MeanFigure> figures = mean_figures();
  return !human_.empty() || figures.empty() ? "" : not_checked(figures.front().name);
}

// Of each query one answer: that of the first condition that is not control, in the first run, beside
// control's. Both blinded already: a mark that a change moves to another line might be none there.
std::unique_ptr<stress::Stressing> ExperimentEvaluation::stressing() const {
  const auto one_answer = [this](const Case& input) -> std::optional<JudgedAnswer> {
    const auto& conditions = plan_.design.conditions;
    const auto own = std::ranges::find(conditions, false, &Condition::control) - conditions.begin();
    const auto control = std::ranges::find(conditions, true, &Condition::control) - conditions.begin();
    const Query query = query_of(input);
    const auto text = [&](std::ptrdiff_t condition) -> std::optional<std::string> {
      const std::size_t place = plan_.design.place(static_cast<std::size_t>(condition), 1);
      const auto& texts = plan_.existing[place].texts;
      const auto found = texts.find(query.id);
      return found == texts.end() ? std::nullopt : std::optional(take_out_roles(found->second).text);
    };
    auto answer = text(own);
    auto beside = plan_.design.pairwise_evaluators > 0 ? text(control) : std::string();
    if (!answer || !beside) return std::nullopt;
    return JudgedAnswer{query.text, *std::move(answer), *std::move(beside)};
  };
  return judge_stressing(plan_.design, one_answer,
                         plan_.existing.empty() ? "the conditions would be asked for their answers" : "");
}

std::vector<MeanFigure> ExperimentEvaluation::mean_figures() const {
  constexpr Interval kLevels{1, 5};
  std::vector<MeanFigure> figures;
  for (std::size_t i = 0; i < score_names_.size(); ++i) {
    if (plan_.design.absolute_evaluators > 0) figures.push_back({score_names_[i].overall, kLevels});
    if (plan_.design.pairwise_evaluators > 0 && !plan_.design.conditions[i].control)
      figures.push_back({score_names_[i].win_rate});
  }
  return figures;
}

Status ExperimentEvaluation::prepare(const std::string& directory, const RunFacts& run) {
  auto key = commit_to_key(plan_.design, directory, run.started);
  if (!key) return fail(std::move(key.error()));
  key_ = std::move(*key);
  return {};
}

Design design_of(const Config& config) {
  Design design;
  design.runs = static_cast<int>(config.integer("runs").value_or(1));
  design.seed = static_cast<std::uint64_t>(config.integer("seed").value_or(0));
  design.role_question = config.boolean("role_question");
  if (config.has("pairwise")) {
    design.pairwise_evaluators = static_cast<int>(config.integer("pairwise.evaluators").value_or(0));
    design.swap = config.boolean("pairwise.swap");
    design.against = config.text("pairwise.against") == "all" ? Against::all : Against::control;
  }
  if (config.has("absolute"))
    design.absolute_evaluators = static_cast<int>(config.integer("absolute.evaluators").value_or(0));
  const Json* list = config.find("conditions");
  if (list == nullptr || !list->is_array()) return design;
  for (const Json& json : list->get_array()) {
    const auto yes = [&](std::string_view name) {
      const Json* value = find_member(json, name);
      return value != nullptr && as_boolean(*value).value_or(false);
    };
    design.conditions.push_back({text_at(json, "name"), yes("control"), yes("reports_role"), yes("tone"),
                                 text_at(json, "role") == "per_query"});
  }
  // The one that says so, else the one of that name.
  if (std::ranges::none_of(design.conditions, &Condition::control)) {
    const auto named = std::ranges::find(design.conditions, "control", &Condition::name);
    if (named != design.conditions.end()) named->control = true;
  }
  return design;
}

Keys experiment_keys() {
  Keys pairwise = evaluator_keys();
  pairwise.push_back({.name = "swap",
                      .type = KeyType::boolean,
                      .help = "Show every pair a second time, the other way round.",
                      .default_value = true});
  pairwise.push_back({.name = "against",
                      .help = "Whom each condition is compared with: control, or all others.",
                      .default_value = "control",
                      .choices = {"control", "all"}});
  Keys keys = {
      {.name = "queries",
       .type = KeyType::path,
       .help = "The questions: a list in YAML or JSON, JSONL, CSV or TSV; the last three and JSON also .gz.",
       .required = true},
      {.name = "conditions",
       .type = KeyType::object_list,
       .help = "Ways to prompt the model. One is the control.",
       .required = true,
       .keys = {{.name = "name", .help = "Letters, digits, _, - and .", .required = true},
                {.name = "prompt",
                 .type = KeyType::path,
                 .help = "File with the system prompt; {role} stands for the query's role."},
                {.name = "role",
                 .help = "`per_query`: the query's `role` is put into the prompt.",
                 .choices = {"per_query"}},
                {.name = "reports_role",
                 .type = KeyType::boolean,
                 .help = "Its answers name their role, as in [Role: X].",
                 .default_value = false},
                {.name = "tone",
                 .type = KeyType::boolean,
                 .help = "Its tone is judged too.",
                 .default_value = false},
                {.name = "control",
                 .type = KeyType::boolean,
                 .help = "It is the one that others are compared with; by default the one named control.",
                 .default_value = false},
                {.name = "model", .help = "Who answers, if not `model`."}},
       .example = "[{name: short, prompt: short.txt}, {name: control}]"},
      {.name = "runs",
       .type = KeyType::integer,
       .help = "Answers per condition and query.",
       .default_value = 1,
       .minimum = 1,
       .maximum = 1000},
      {.name = "model", .help = "Who answers: `provider/name` or a name under `models`."},
      {.name = "temperature",
       .type = KeyType::number,
       .help = "Sampling temperature of the answers.",
       .minimum = 0,
       .maximum = 2},
      {.name = "max_tokens",
       .type = KeyType::integer,
       .help = "Longest answer, in tokens.",
       .minimum = 1,
       .maximum = 10'000'000},
      {.name = "generate",
       .type = KeyType::boolean,
       .help = "Ask for the answers; false takes those in `responses`.",
       .default_value = true},
      {.name = "responses",
       .type = KeyType::path,
       .help = "With `generate: false`: the directory that holds CONDITION_run_R_responses.json (with one "
               "run CONDITION_responses.json)."},
      {.name = "incomplete_responses",
       .type = KeyType::boolean,
       .help = "With `generate: false`: a query without an answer in `responses` counts as failed, and is no "
               "mistake of the files. `assay score` sets it.",
       .default_value = false},
      {.name = "answers",
       .type = KeyType::path,
       .help = "Answers that the judges rate and compare as they stand, instead of the experiment; no "
               "condition is asked: lines with `query`, `answer` and, to compare it with, `against`."},
      {.name = "pairwise",
       .type = KeyType::object,
       .help = "Evaluators that compare two answers, numbered from 1.",
       .keys = std::move(pairwise),
       .shorthand = "model",
       .example = "{evaluators: 7, model: openai/gpt-4o, swap: true}"},
      {.name = "absolute",
       .type = KeyType::object,
       .help = "Evaluators that rate one answer at a time, numbered behind those.",
       .keys = evaluator_keys(),
       .shorthand = "model",
       .example = "{evaluators: 7, model: openai/gpt-4o}"},
      {.name = "role_question",
       .type = KeyType::boolean,
       .help = "Ask, after all else, whether the role of an answer suits the query.",
       .default_value = true},
      human_key()};
  Keys data = data_keys();
  keys.insert(keys.begin() + 1, std::make_move_iterator(data.begin()), std::make_move_iterator(data.end()));
  return keys;
}

ExperimentPlan read_plan(const Config& config, const PromptLibrary& prompts, Result<QueryList> queries,
                         std::vector<ConfigProblem>& problems) {
  return Reader(config, problems).plan(prompts, std::move(queries));
}

Judges read_judges(const Config& config, const Design& design, const PromptLibrary& prompts,
                   std::vector<ConfigProblem>& problems) {
  const JudgeSettings pairwise = read_judge(config, "pairwise");
  const JudgeSettings absolute = read_judge(config, "absolute");
  return {pairwise,
          absolute,
          design.pairwise_evaluators > 0 ? pairwise : absolute,
          design.any_tone() ? Tone::asked : Tone::not_asked,
          prompts,
          problems};
}

std::unique_ptr<Evaluation> make_experiment(const Config& config, std::vector<ConfigProblem>& problems) {
  PromptLibrary prompts;
  prompts.replace(config, problems);
  if (config.has("answers")) return make_judged_answers(config, prompts, problems);
  ExperimentPlan plan = read_plan(
      config, prompts, given_queries(config, read_data_file(config, "queries", problems)), problems);
  Judges judges = read_judges(config, plan.design, prompts, problems);
  Reader(config, problems).tell_bad_queries(plan.queries);
  if (!problems.empty()) return nullptr;
  auto evaluation = std::make_unique<ExperimentEvaluation>(std::move(plan), std::move(judges));
  evaluation->check_against(HumanCheck::from(config, evaluation->mean_figures(), problems));
  return problems.empty() ? std::move(evaluation) : nullptr;
}

}  // namespace assay::experiment
