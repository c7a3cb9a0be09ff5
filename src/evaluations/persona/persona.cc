#include "evaluations/persona/persona.h"

#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "evaluations/persona/aggregate.h"
#include "models/tokens.h"

namespace assay::persona {
namespace {

constexpr std::int64_t kTokensPerVerdict = 90;  // a value and one or two sentences

std::vector<std::string> parts_of(const JobParameters& job) {
  std::vector<std::string> parts;
  for (const Persona& persona : job.personas) {
    if (job.mode == Mode::mode1) {
      parts.push_back("/" + persona.id);
      continue;
    }
    for (const Perspective& perspective : job.perspectives)
      parts.push_back(fmt::format("/{}/{}", persona.id, perspective.id));
  }
  return parts;
}

Task<Outcome> evaluate(const Judge& judge, Mode mode, Json request, CaseContext& context) {
  Judgement judgement = co_await judge.ask(context, "evaluate", std::move(request));
  Outcome outcome;
  if (judgement.error) outcome = failed_outcome(*judgement.error);
  outcome.result = outcome_json(judgement, mode);
  co_return outcome;
}

std::vector<Persona> read_personas(const Config& config, std::vector<ConfigProblem>& problems) {
  std::vector<Persona> personas;
  std::set<std::string> seen;
  for (const std::string& path : config.texts("persona")) {
    auto text = config.read_text(path);
    if (!text) {
      problems.push_back({"config", "persona", text.error().text()});
      continue;
    }
    auto json = parse_json(*text);
    auto persona = json ? read_persona(*json) : fail(json.error());
    if (!persona) {
      problems.push_back({path, "persona", persona.error().text()});
      continue;
    }
    if (!seen.insert(persona->id).second)
      problems.push_back({path, "persona", fmt::format("the id \"{}\" is there twice", persona->id)});
    personas.push_back(std::move(*persona));
  }
  return personas;
}

std::vector<Perspective> read_perspectives(const Config& config, std::vector<ConfigProblem>& problems) {
  std::vector<Perspective> perspectives;
  std::set<std::string> seen;
  const Json* list = config.find("perspectives");
  if (list == nullptr || !list->is_array()) return perspectives;
  for (const Json& entry : list->get_array()) {
    auto perspective = read_perspective(entry);
    const std::string key = fmt::format("perspectives[{}]", perspectives.size());
    if (!perspective) {
      problems.push_back({"config", key, perspective.error().message});
      continue;
    }
    if (!seen.insert(perspective->id).second)
      problems.push_back({"config", key, fmt::format("the id \"{}\" is there twice", perspective->id)});
    perspectives.push_back(std::move(*perspective));
  }
  return perspectives;
}

}  // namespace

PersonaEvaluation::PersonaEvaluation(PersonaPlan plan, Judge judge)
    : plan_(std::move(plan)), judge_(std::move(judge)) {
  lines_.data = plan_.items;
  lines_.wanted.others = WantedField{ValueKind::tree, true};
  lines_.check = item_problems;
  lines_.id = [](const Json& item) { return read_item(item).id; };
  lines_.parts = parts_of(plan_.job);
}

PersonaCase PersonaEvaluation::take_apart(const Json& item, std::size_t part) const {
  const JobParameters& job = plan_.job;
  PersonaCase one{item, read_item(item), part, job.perspectives, {}};
  if (job.mode != Mode::mode1) {
    one.persona = part / job.perspectives.size();
    one.perspectives = {job.perspectives[part % job.perspectives.size()]};
  }
  one.request = request_of(job.mode, job.personas[one.persona], one.perspectives, one.item);
  return one;
}

Task<Outcome> PersonaEvaluation::evaluate(const Case& input, CaseContext& context) const {
  return persona::evaluate(judge_, plan_.job.mode, take_apart(*CaseTree(input), input.part).request, context);
}

void PersonaEvaluation::estimate(const Case& input, CallEstimate& estimate) const {
  const PersonaCase one = take_apart(*CaseTree(input), input.part);
  auto& model = estimate.models[plan_.job.model];
  ++model.calls;
  model.prompt_tokens += estimate_prompt_tokens(judge_.chat(one.request));
  model.completion_tokens +=
      kTokensPerVerdict * static_cast<std::int64_t>(questions_of(plan_.job.mode, one.request).size());
}

PersonaEvaluation::Records PersonaEvaluation::records(const PersonaCase& one, const std::string& context,
                                                      const Outcome& outcome) const {
  return records(one, context, judgement_from(outcome), outcome.kind, outcome.error);
}

PersonaEvaluation::Records PersonaEvaluation::records(const PersonaCase& one, const std::string& context,
                                                      const Judgement& judgement, OutcomeKind kind,
                                                      const std::string& error) const {
  const ChatRequest chat = judge_.chat(one.request);
  const RecordedRequest about{plan_.agent,      context,
                              plan_.job.mode,   plan_.job.personas[one.persona],
                              one.perspectives, plan_.job.tags_dest,
                              one.item_json,    one.item,
                              one.request,      chat};
  Records records;
  records.good = kind == OutcomeKind::scored;
  records.record = records.good ? success_record(about, judgement) : failure_record(about, judgement, error);
  records.job_entry = job_entry(about, judgement);
  if (records.good) records.eval_info = eval_info(about, judgement);
  return records;
}

void PersonaEvaluation::line(const Case& input, const FinishedCase* finished, ResultLine& line) const {
  request_line(input, finished->outcome, take_apart(*CaseTree(input), input.part), plan_.job, line);
}

std::unique_ptr<Aggregate> PersonaEvaluation::aggregate(OutputFiles& files, const RunFacts& run) const {
  return make_aggregate(*this, files, run);
}

JsonObject PersonaEvaluation::as_judged(const Case& input, std::string_view /*part*/) const {
  return take_apart(*CaseTree(input), input.part).request.get_object();
}

std::vector<std::string> figure_names() {
  return {"likert.mean",
          "likert.median",
          "likert.count_1",
          "likert.count_2",
          "likert.count_3",
          "likert.count_4",
          "likert.count_5",
          "likert.mean.",
          "agreement_rate",
          "agreement_rate.",
          "weighted_agreement",
          "weighted_agreement.",
          "selection_mismatches",
          "personas.krippendorff_alpha",
          "personas.variance.",
          "likert.mean_per_request",
          "agreement_rate_per_request"};
}

std::vector<std::string> PersonaEvaluation::metric_names() const {
  std::vector<std::string> names = figure_names();
  if (plan_.human) {
    for (std::string& name : HumanRatings::metric_names()) names.push_back(std::move(name));
  }
  return names;
}

Sampling sampling_of(const JsonObject& params, std::vector<std::string>& problems) {
  Sampling sampling;
  for (const auto& [name, value] : params) {
    const auto number = as_number(value);
    const auto whole = as_integer(value);
    if (name == "temperature" && number && *number >= 0 && *number <= 2) {
      sampling.temperature = number;
    } else if (name == "top_p" && number && *number >= 0 && *number <= 1) {
      sampling.top_p = number;
    } else if ((name == "max_tokens" || name == "max_completion_tokens") && whole && *whole > 0 &&
               *whole < 10'000'000) {
      sampling.max_tokens = static_cast<int>(*whole);
    } else if (name == "seed" && whole) {
      sampling.seed = whole;
    } else {
      problems.push_back(
          fmt::format("params.{}: found {}, expected temperature (0 to 2), top_p (0 to 1), max_tokens (1 or "
                      "more) or seed",
                      std::string_view(name), excerpt(value)));
    }
  }
  return sampling;
}

Keys persona_keys() {
  Keys keys = {
      {.name = "items",
       .type = KeyType::path,
       .help = "The items, one a record: .jsonl, .json (a list), .csv or .tsv, each also .gz; `-` for a "
               "pipe.",
       .required = true,
       .pipe = Pipe::copied},
      {.name = "persona",
       .type = KeyType::path_list,
       .help = "Files with personas (JSON); every persona judges every item.",
       .required = true,
       .example = "[personas/ines.json, personas/tobias.json]"},
      {.name = "perspectives",
       .type = KeyType::object_list,
       .help = "From which angles the items are looked at.",
       .required = true,
       .keys = {{.name = "id", .help = "Its id.", .required = true},
                {.name = "name", .help = "Its name.", .required = true},
                {.name = "text", .help = "The question that the judge is given.", .required = true}},
       .example =
           "[{id: classification, name: Classification, text: \"Is the chosen value the right one?\"}]"},
      {.name = "mode",
       .help = "mode1: nested request, Likert; mode2: flat, Likert; mode3: flat, agree or disagree.",
       .default_value = "mode2",
       .choices = {"mode1", "mode2", "mode3"}},
      {.name = "model", .help = "The judge: `provider/name` or a name under `models`.", .required = true},
      {.name = "params",
       .type = KeyType::object,
       .help = "Sampling parameters of the judge.",
       .keys = {temperature_key(),
                {.name = "top_p", .type = KeyType::number, .help = "Nucleus.", .minimum = 0, .maximum = 1},
                max_tokens_key(),
                {.name = "seed", .type = KeyType::integer, .help = "The provider's own seed."}}},
      {.name = "tags_dest",
       .type = KeyType::text_list,
       .help = "Tags of the results in their records.",
       .example = "[trial-1]"},
      {.name = "agent", .help = "Who is named as having made the records.", .default_value = "assay"},
      {.name = "send_request_schema",
       .type = KeyType::boolean,
       .help = "mode1 only: send the schema of the request as a second system message.",
       .default_value = false},
      {.name = "human",
       .type = KeyType::path,
       .help = "People's own ratings, a sheet of `assay label-sample` (.csv) or JSON Lines: the summary then "
               "says how far the judge agrees with them."}};
  Keys data = data_keys();
  keys.insert(keys.begin() + 1, std::make_move_iterator(data.begin()), std::make_move_iterator(data.end()));
  return keys;
}

std::unique_ptr<Evaluation> make_persona(const Config& config, std::vector<ConfigProblem>& problems) {
  PersonaPlan plan;
  plan.items = read_data_file(config, "items", problems);
  plan.agent = config.text("agent");
  plan.job.mode = mode_of(config.text("mode")).value_or(Mode::mode2);
  plan.job.model = config.text("model");
  plan.job.tags_dest = config.texts("tags_dest");
  plan.job.personas = read_personas(config, problems);
  plan.job.perspectives = read_perspectives(config, problems);
  plan.job.exclude_existing = false;
  if (plan.job.personas.empty() && problems.empty())
    problems.push_back({"config", "persona", "found an empty list, expected at least one file"});
  if (plan.job.perspectives.empty() && problems.empty())
    problems.push_back({"config", "perspectives", "found an empty list, expected at least one"});
  if (const Json* params = config.find("params"); params != nullptr && params->is_object())
    plan.job.params = params->get_object();
  std::vector<std::string> wrong;
  Sampling sampling = sampling_of(plan.job.params, wrong);
  for (std::string& text : wrong) problems.push_back({"config", "params", std::move(text)});
  if (config.has("human")) plan.human = HumanRatings::read(config, plan.job.mode, problems);
  if (config.boolean("send_request_schema") && plan.job.mode != Mode::mode1)
    problems.push_back({"config", "send_request_schema", "is for mode1 only"});
  if (!problems.empty()) return nullptr;
  return make_evaluation(std::move(plan), std::move(sampling), config, problems);
}

std::unique_ptr<PersonaEvaluation> make_evaluation(PersonaPlan plan, Sampling sampling, const Config& config,
                                                   std::vector<ConfigProblem>& problems) {
  PromptLibrary prompts;
  prompts.replace(config, problems);
  plan.prompts = prompts.fingerprints("persona/");
  // Who judges is in files, too.
  for (const Persona& persona : plan.job.personas)
    plan.prompts.emplace("personas/" + persona.id, hex(sha256(canonical_text(persona.json))).substr(0, 16));
  Judge judge(plan.job.mode, plan.job.model, std::move(sampling), judge_attempts(config),
              config.boolean("send_request_schema"), prompts, problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<PersonaEvaluation>(std::move(plan), std::move(judge));
}

}  // namespace assay::persona
