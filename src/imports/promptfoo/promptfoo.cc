#include "imports/promptfoo/promptfoo.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/embedded.h"
#include "core/text.h"
#include "core/yaml.h"
#include "imports/promptfoo/fields.h"
#include "imports/promptfoo/metrics.h"
#include "imports/promptfoo/prompts.h"
#include "imports/promptfoo/providers.h"
#include "imports/promptfoo/tests.h"
#include "imports/promptfoo/variants.h"

namespace assay {

std::span<const EmbeddedText> embedded_adapters();

namespace promptfoo {
namespace {

// Keys at the top of a suite that are read, or that change no verdict.
constexpr auto kSuiteKeys = std::to_array<std::string_view>(
    {"prompts", "providers", "targets", "tests", "defaultTest", "scenarios", "description", "tags",
     "outputPath", "sharing", "writeLatestResults", "evaluateOptions", "commandLineOptions",
     "assertionTemplates", "metadata"});

Json text(std::string_view value) {
  return boost::json::string(value);
}

class Suite {
 public:
  Suite(std::string name, Node root, const SuiteFiles& files)
      : name_(std::move(name)), root_(std::move(root)), reading_{files} {}

  ImportedSuite import() {
    tell_unread();
    tests_ = read_tests(root_, reading_);
    fields_ = std::make_unique<Fields>(tests_.tests);
    const Node providers =
        root_.member("providers").present() ? root_.member("providers") : root_.member("targets");
    std::vector<Prompt> prompts = read_prompts(root_.member("prompts"), reading_);
    providers_ = read_providers(providers, reading_);
    stand_in(providers);
    variants_ = plan_variants(std::move(prompts), providers_, tests_.tests, *fields_, reading_);
    if (variants_.prompts_taken == 0)
      reading_.leave_out(
          root_.member("prompts").present() ? root_.member("prompts") : root_, "prompts",
          "none could be taken: prompts/prompt_1.txt has the variables alone, until you write it");
    out_.files = std::move(variants_.files);
    MetricPlan plan = plan_metrics(tests_.tests, *fields_, reading_);
    if (plan.metrics.empty()) {
      plan.metrics.push_back(JsonObject{{"name", "answered"}, {"words", JsonObject{{"min", 1}}}});
      if (plan.case_checks == 0)
        reading_.note(root_, "metrics",
                      "there is nothing that an answer must be: declare what it must be under `metrics`");
    }
    if (plan.judged) choose_judge();
    write_scorers(plan);
    write_cases(plan);
    write_config(plan);
    count(plan);
    return std::move(out_);
  }

 private:
  void tell_unread() {
    for (const auto& [key, value] : root_.members()) {
      if (among(key, kSuiteKeys)) continue;
      reading_.leave_out(value, key,
                         key == "derivedMetrics" ? "figures are not computed from others"
                         : key == "env"          ? "set the variables where the program is run"
                                                 : "it has no counterpart");
    }
    const Node repeat = root_.member("evaluateOptions").member("repeat");
    if (const auto times = as_integer(repeat.value())) repeat_ = *times;
  }

  // What comes of the suite runs, also where no provider could be taken.
  void stand_in(const Node& providers) {
    if (!providers_.empty()) return;
    Provider& bot = providers_.emplace_back();
    bot.name = bot.id = "bot";
    bot.settings = JsonObject{{"provider", "sim"}, {"name", "writer"}};
    bot.at = providers;
    reading_.leave_out(providers.present() ? providers : root_, "outputs",
                       "no provider could be taken: the built-in model gives them until you put your system "
                       "under `variants`");
  }

  void choose_judge() {
    Node named = tests_.judge;
    if (named.member("text").present()) named = named.member("text");
    if (tests_.judge_prompt.present())
      reading_.leave_out(
          tests_.judge_prompt, "rubricPrompt",
          "the judge is asked in our own words; a `judge` metric takes a prompt and a schema of yours");
    if (named.present()) {
      Reading unheard{
          reading_.files};  // settings of a judge that are left out change nothing that is judged here
      if (auto provider = read_provider(named, unheard);
          provider && provider->kind == Provider::Kind::model) {
        for (const auto& [name, settings] : variants_.models) {
          if (settings == provider->settings) judge_ = std::string(name);
        }
        if (judge_.empty()) {
          judge_ = variants_.models.contains("judge") ? "grader" : "judge";
          variants_.models[judge_] = provider->settings;
        }
        return;
      }
      reading_.leave_out(named, "grading provider",
                         "it is no chat model; the model under `judge` is asked instead");
    }
    const bool anthropic = !providers_.empty() && std::ranges::all_of(providers_, [](const Provider& one) {
      return text_at(one.settings, "provider") == "anthropic";
    });
    judge_ = anthropic ? "anthropic/claude-sonnet-4-5" : "openai/gpt-4.1";
    reading_.note(root_, "judge",
                  fmt::format("the suite names no grader; {} is written down, change it to yours", judge_));
  }

  void write_scorers(MetricPlan& plan) {
    std::map<std::string, std::string> written;  // what a file holds, by its name
    for (const MetricScorer& scorer : plan.scorers) {
      const bool python = scorer.draft.language == ScorerDraft::Language::python;
      const std::string adapter = python ? "python_assert.py" : "javascript_assert.mjs";
      const std::string stem = scorer.draft.file.empty() ? scorer.metric : stem_of_path(scorer.draft.file);
      const std::string end = python                      ? ".py"
                              : scorer.draft.file.empty() ? ".js"
                                                          : extension_of(scorer.draft.file);
      std::string file = stem + end;
      for (int i = 2; written.contains(file) && written[file] != scorer.draft.code; ++i)
        file = fmt::format("{}_{}{}", stem, i, end);
      if (written.emplace(file, scorer.draft.code).second)
        out_.files.push_back({"scorers/" + file, scorer.draft.code});
      if (written.emplace("../" + adapter, "").second) {
        for (const EmbeddedText& one : embedded_adapters()) {
          if (one.name == adapter) out_.files.push_back({"scorers/" + adapter, std::string(one.text)});
        }
      }
      JsonObject settings = {{"file", file}};
      if (scorer.draft.inline_code) settings["inline"] = true;
      if (!scorer.draft.function.empty()) settings["function"] = scorer.draft.function;
      if (scorer.draft.threshold) settings["threshold"] = *scorer.draft.threshold;
      if (scorer.draft.inverse) settings["inverse"] = true;
      if (scorer.draft.parsed) settings["parsed"] = true;
      if (!scorer.draft.config.is_null()) settings["config"] = scorer.draft.config;
      if (!scorer.expected_field.empty()) settings["expected"] = scorer.expected_field;
      JsonObject variables;
      for (const auto& [name, field] : fields_->variables()) variables[name] = field;
      settings["vars"] = std::move(variables);
      settings["prompts"] = variants_.prompts;
      const std::string path = fmt::format("scorers/{}.json", scorer.metric);
      out_.files.push_back({path, pretty_text(settings)});
      for (Json& metric : plan.metrics) {
        if (text_at(metric, "name") == scorer.metric)
          metric.get_object()["program"] =
              JsonArray{python ? "python3" : "node", text("scorers/" + adapter), text(path)};
      }
    }
  }

  // The suite's own ids if every test has one and no two are equal; else the number of the test.
  bool has_ids() const {
    std::vector<std::string> ids;
    for (const Test& test : tests_.tests) {
      const Json* id = test.variables.if_contains("id");
      if (id == nullptr || id->is_structured() || text_or_json(*id).empty()) return false;
      ids.push_back(text_or_json(*id));
    }
    std::ranges::sort(ids);
    return std::ranges::adjacent_find(ids) == ids.end();
  }

  void write_cases(const MetricPlan& plan) {
    const bool own_ids = has_ids();
    std::string lines;
    for (std::size_t i = 0; i < tests_.tests.size(); ++i) {
      const Test& test = tests_.tests[i];
      JsonObject line;
      line["id"] = own_ids ? text_or_json(test.variables.at("id")) : fmt::format("{}", i + 1);
      if (!test.description.empty()) line["description"] = test.description;
      for (const auto& [field, value] : fields_->values(i, test)) line[field] = value;
      for (const auto& [key, value] : test.metadata) {
        if (!line.contains(key)) line[key] = value;
      }
      if (!plan.checks[i].empty()) line["checks"] = plan.checks[i];
      lines += to_text(line) + "\n";
    }
    out_.files.push_back({"cases.jsonl", std::move(lines)});
  }

  void write_config(const MetricPlan& plan) {
    JsonObject config = {{"evaluation", "custom"}};
    const std::string description = root_.text_of("description");
    config["what"] = description.empty() ? "imported from " + name_ : description;
    config["input_path"] = "cases.jsonl";
    if (JsonObject fields = fields_->declaration(); !fields.empty()) config["fields"] = std::move(fields);
    if (variants_.matrix.is_object()) {
      config["matrix"] = variants_.matrix;
    } else if (!variants_.variants.empty()) {
      config["variants"] = variants_.variants;
    }
    if (variants_.order.size() > 1) config["baseline"] = variants_.order.front();
    if (repeat_ > 1) config["repeat"] = repeat_;
    if (!variants_.models.empty()) config["models"] = variants_.models;
    if (!judge_.empty()) config["judge"] = JsonObject{{"model", judge_}};
    if (!plan.metrics.empty()) config["metrics"] = plan.metrics;
    if (!plan.without_weight.empty()) {
      // Weight 0 means: measured, but it fails nothing.
      JsonArray names;
      for (const Json& metric : plan.metrics) {
        const std::string name = text_at(metric, "name");
        if (std::ranges::find(plan.without_weight, name) == plan.without_weight.end())
          names.push_back(text(name));
      }
      config["case_passes"] = std::move(names);
    }
    const std::string head =
        fmt::format("# Made by `assay import promptfoo {}`. Next: assay check, assay run.\n", name_);
    out_.files.insert(out_.files.begin(), {"assay.yaml", head + to_yaml(config)});
  }

  void count(const MetricPlan& plan) {
    out_.prompts = variants_.prompts_taken;
    out_.providers = providers_.size();
    out_.variants = variants_.order.size();
    out_.cases = tests_.tests.size();
    out_.metrics = plan.metrics.size();
    out_.case_checks = plan.case_checks;
    out_.assertions = plan.assertions;
    out_.left_out = std::move(reading_.left_out);
    out_.notes = std::move(reading_.notes);
  }

  std::string name_;
  Node root_;
  Reading reading_;
  Tests tests_;
  std::unique_ptr<Fields> fields_;
  std::vector<Provider> providers_;
  VariantPlan variants_;
  std::string judge_;
  std::int64_t repeat_ = 1;
  ImportedSuite out_;
};

}  // namespace
}  // namespace promptfoo

Result<ImportedSuite> import_promptfoo(const std::string& name, std::string_view text,
                                       const SuiteFiles& files) {
  auto root = promptfoo::read_document(name, text);
  if (!root) return fail(std::move(root.error()));
  if (!root->is_object())
    return fail(Error{ErrorKind::data,
                      fmt::format("found a {}, expected an object with prompts, providers and tests",
                                  kind_word(root->value())),
                      {{"file", name}}});
  if (!root->member("prompts").present() && !root->member("tests").present() &&
      !root->member("scenarios").present() && root->member("redteam").present())
    return fail(
        Error{ErrorKind::data,
              "it holds a red team alone, whose attacks promptfoo makes: nothing of it can be asked from "
              "here. `stress` and jailbreak_guardrails come near to it",
              {{"file", name}}});
  if (!root->member("prompts").present() && !root->member("tests").present() &&
      !root->member("scenarios").present())
    return fail(Error{
        ErrorKind::data, "it has neither prompts nor tests: is it a promptfoo suite?", {{"file", name}}});
  return promptfoo::Suite(name, std::move(*root), files).import();
}

}  // namespace assay
