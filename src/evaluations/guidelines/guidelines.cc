#include "evaluations/guidelines/guidelines.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/yaml.h"
#include "evaluations/early_stop.h"
#include "evaluations/guidelines/aggregate.h"
#include "evaluations/guidelines/conversation_line.h"
#include "evaluations/guidelines/judge_stress.h"
#include "evaluations/stress/stressed.h"
#include "models/tokens.h"

namespace assay::guidelines {
namespace {

constexpr std::int64_t kTokensPerCheck = 160;

// What is judged of a conversation, in its order.
std::vector<Guideline> judged(const Conversation& conversation, const SkipRules& skip) {
  std::vector<Guideline> list;
  std::ranges::copy_if(conversation.guidelines, std::back_inserter(list),
                       [&](const Guideline& one) { return skipped_because(one, skip).empty(); });
  return list;
}

std::span<const Guideline> chunk_of(const std::vector<Guideline>& list, std::size_t chunk, std::size_t size) {
  return std::span(list).subspan(chunk * size, std::min(size, list.size() - chunk * size));
}

std::size_t chunks_of(const std::vector<Guideline>& list, std::size_t size) {
  return (list.size() + size - 1) / size;
}

// Infrastructure failures come first: a resume tries them again.
void note_failure(Outcome& outcome, const std::string& guideline, const std::string& why, OutcomeKind kind) {
  if (outcome.kind == OutcomeKind::scored || kind == OutcomeKind::infra_failed) outcome.kind = kind;
  outcome.error +=
      fmt::format("{}guideline {} is undetermined: {}", outcome.error.empty() ? "" : "; ", guideline, why);
}

Task<Outcome> evaluate(const Judge& judge, const GuidelinesPlan& plan, Conversation conversation,
                       CaseContext& context) {
  const std::vector<Guideline> list = judged(conversation, plan.skip);
  const std::size_t chunks = chunks_of(list, plan.batch_size);
  std::vector<Task<ChunkVotes>> questions;
  for (int vote = 1; vote <= plan.votes; ++vote) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const auto own = chunk_of(list, chunk, plan.batch_size);
      const std::string step = plan.votes > 1 ? fmt::format("vote{}/checks{}", vote, chunk + 1)
                                              : fmt::format("checks{}", chunk + 1);
      questions.push_back(judge.ask(context, step, conversation, own, vote, plan.votes));
    }
  }
  const std::vector<ChunkVotes> answers = co_await all(std::move(questions));

  Outcome outcome;
  std::vector<Verdict> verdicts;
  std::size_t next = 0;  // among those judged
  for (const Guideline& guideline : conversation.guidelines) {
    if (const auto why = skipped_because(guideline, plan.skip); !why.empty()) {
      Verdict skipped;
      skipped.guideline = guideline.id;
      skipped.skipped = why;
      verdicts.push_back(std::move(skipped));
      continue;
    }
    const std::size_t chunk = next / plan.batch_size;
    const std::size_t place = next % plan.batch_size;
    ++next;
    std::vector<Vote> votes;
    OutcomeKind kind = OutcomeKind::judge_failed;
    for (int vote = 0; vote < plan.votes; ++vote) {
      const ChunkVotes& answer = answers[static_cast<std::size_t>(vote) * chunks + chunk];
      votes.push_back(answer.votes[place]);
      if (answer.error && outcome_of(answer.error->kind) != OutcomeKind::judge_failed)
        kind = outcome_of(answer.error->kind);
    }
    Verdict verdict = decide(guideline.id, votes);
    if (!verdict.applied) note_failure(outcome, guideline.id, verdict.undetermined, kind);
    verdicts.push_back(std::move(verdict));
  }
  outcome.result = outcome_json(verdicts);
  if (!conversation.notes.empty()) {
    JsonArray notes;
    for (const std::string& note : conversation.notes) notes.push_back(boost::json::string(note));
    outcome.result["warnings"] = std::move(notes);
  }
  co_return outcome;
}

SkipRules skip_rules(const Config& config) {
  SkipRules rules;
  for (const std::string& name : config.texts("skip")) {
    if (name == "continuous") rules.continuous = true;
    if (name == "no_action") rules.no_action = true;
    if (name == "low_criticality") rules.low_criticality = true;
  }
  return rules;
}

// A YAML or JSON file: a list, or an object with the list under `guidelines`.
std::vector<Guideline> read_shared(const Config& config, const std::string& path, const SkipRules& rules,
                                   std::vector<ConfigProblem>& problems) {
  auto text = config.read_text(path);
  auto document = text ? parse_yaml(*text) : fail(text.error());
  if (!document) {
    problems.push_back({path, "guidelines", document.error().text()});
    return {};
  }
  const Json* list = find_member(document->value, "guidelines");
  std::vector<std::string> wrong;
  std::vector<Guideline> guidelines =
      read_guidelines(list != nullptr ? *list : document->value, "guidelines", rules, wrong);
  for (std::string& words : wrong) problems.push_back({path, "guidelines", std::move(words)});
  return guidelines;
}

// Tells two lists apart by everything in them that the judge sees or that is decided by.
std::string fingerprint_of(const std::vector<Guideline>& guidelines) {
  JsonArray list;
  for (const Guideline& one : guidelines)
    list.push_back(JsonArray{boost::json::string(one.id), boost::json::string(one.condition),
                             boost::json::string(one.action), boost::json::string(one.description),
                             static_cast<int>(one.criticality), one.continuous});
  return hex(sha256(to_text(list))).substr(0, 16);
}

}  // namespace

GuidelinesEvaluation::GuidelinesEvaluation(GuidelinesPlan plan, Judge judge)
    : plan_(std::move(plan)), judge_(std::move(judge)) {
  lines_.data = plan_.conversations;
  lines_.wanted.others = WantedField{ValueKind::tree, true};
  lines_.check = [this](const Json& line) {
    std::vector<std::string> problems;
    (void)read_conversation(line, plan_.shared, plan_.skip, problems);
    return problems;
  };
  lines_.id = [this](const Json& line) { return conversation(line).id; };
}

Conversation GuidelinesEvaluation::conversation(const Json& line) const {
  std::vector<std::string> none;
  return read_conversation(line, plan_.shared, plan_.skip, none);
}

Task<Outcome> GuidelinesEvaluation::evaluate(const Case& input, CaseContext& context) const {
  return guidelines::evaluate(judge_, plan_, conversation(*CaseTree(input)), context);
}

void GuidelinesEvaluation::estimate(const Case& input, CallEstimate& estimate) const {
  const Conversation one = conversation(*CaseTree(input));
  const std::vector<Guideline> list = judged(one, plan_.skip);
  auto& model = estimate.models[judge_.model()];
  for (std::size_t chunk = 0; chunk < chunks_of(list, plan_.batch_size); ++chunk) {
    const auto own = chunk_of(list, chunk, plan_.batch_size);
    model.calls += plan_.votes;
    model.prompt_tokens += plan_.votes * estimate_prompt_tokens(judge_.request(one, own, 1, plan_.votes));
    model.completion_tokens += plan_.votes * kTokensPerCheck * static_cast<std::int64_t>(own.size());
  }
}

void GuidelinesEvaluation::line(const Case& input, const FinishedCase* finished, ResultLine& line) const {
  conversation_line(input, finished->outcome, conversation(*CaseTree(input)), plan_.skip, line);
}

JsonObject GuidelinesEvaluation::as_judged(const Case& input, std::string_view part) const {
  const Conversation one = conversation(*CaseTree(input));
  JsonObject seen = seen_by_judge(one);
  if (part.empty()) {
    seen.emplace("guidelines", words_for_judge(judged(one, plan_.skip)));
  } else if (const auto found = std::ranges::find(one.guidelines, part, &Guideline::id);
             found != one.guidelines.end()) {
    seen.emplace("guideline", words_for_judge(*found));
  }
  return seen;
}

std::unique_ptr<stress::Stressing> GuidelinesEvaluation::stressing() const {
  return judge_stressing(
      [this](const Case& input) {
        Conversation one = conversation(*CaseTree(input));
        one.guidelines = judged(one, plan_.skip);
        return one;
      },
      plan_.moved);
}

std::vector<std::string> GuidelinesEvaluation::columns() const {
  return conversation_columns();
}

std::unique_ptr<Aggregate> GuidelinesEvaluation::aggregate(OutputFiles& files,
                                                           const RunFacts& /*run*/) const {
  return make_aggregate(plan_.votes, files);
}

std::vector<std::string> GuidelinesEvaluation::metric_names() const {
  std::vector<std::string> names = figure_names();
  add_names(plan_.human, names);
  return names;
}

std::vector<MeanFigure> mean_figures() {
  return {{"exact_set_rate"}, {"applied_rate_per_conversation"}, {"accuracy_per_conversation"}};
}

std::vector<std::string> figure_names() {
  return {"applied_rate",
          "applied_rate.",
          "degree.no",
          "degree.partially",
          "degree.fully",
          "undetermined",
          "skipped",
          "self_consistency",
          "applied_rate.variance.case",
          "applied_rate.variance.vote",
          "accuracy",
          "precision",
          "recall",
          "f1",
          "cohen_kappa",
          "exact_set_rate",
          "applied_rate_per_conversation",
          "accuracy_per_conversation"};
}

Keys guidelines_keys() {
  Key judge = judge_key("The model that judges. Its temperatures are 0.15, 0.3 and 0.1 over the attempts.");
  judge.required = true;
  judge.keys = judge_keys(nullptr);
  judge.example = "{model: openai/gpt-4o}";
  Keys keys{{.name = "conversations",
             .type = KeyType::path,
             .help = "The conversations, one a record: .jsonl, .json (a list), .csv or .tsv, each also .gz; "
                     "`-` for a pipe.",
             .required = true,
             .pipe = Pipe::copied},
            {.name = "guidelines",
             .type = KeyType::path,
             .help = "Guidelines (YAML or JSON) for conversations that bring none of their own."},
            judge,
            {.name = "batch_size",
             .type = KeyType::integer,
             .help = "Guidelines in one request.",
             .default_value = 5,
             .minimum = 1,
             .maximum = 50},
            {.name = "votes",
             .type = KeyType::integer,
             .help = "How often each guideline is judged; the majority counts.",
             .default_value = 1,
             .minimum = 1,
             .maximum = 99},
            {.name = "skip",
             .type = KeyType::text_list,
             .help = "Which guidelines are left out, and reported as skipped.",
             .choices = {"continuous", "no_action", "low_criticality"},
             .example = "[continuous, no_action, low_criticality]"},
            human_key(),
            stop_when_key()};
  Keys data = data_keys();
  keys.insert(keys.begin() + 1, std::make_move_iterator(data.begin()), std::make_move_iterator(data.end()));
  return keys;
}

std::unique_ptr<Evaluation> make_guidelines(const Config& config, std::vector<ConfigProblem>& problems) {
  GuidelinesPlan plan;
  plan.conversations = read_data_file(config, "conversations", problems);
  plan.skip = skip_rules(config);
  plan.batch_size = static_cast<std::size_t>(config.integer("batch_size").value_or(5));
  plan.votes = static_cast<int>(config.integer("votes").value_or(1));
  if (const std::string path = config.text("guidelines"); !path.empty())
    plan.shared = read_shared(config, path, plan.skip, problems);
  PromptLibrary prompts;
  prompts.replace(config, problems);
  plan.prompts = prompts.fingerprints("guidelines/");
  if (!plan.shared.empty()) plan.prompts.emplace("guidelines/shared", fingerprint_of(plan.shared));
  std::vector<MeanFigure> labelled = mean_figures();
  labelled.push_back({.name = "applied_rate", .part = "decision"});
  plan.human = HumanCheck::from(config, labelled, problems);
  plan.moved = stress::moved_part(config);
  Judge judge(read_judge(config, "judge"), prompts, problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<GuidelinesEvaluation>(std::move(plan), std::move(judge));
}

}  // namespace assay::guidelines
