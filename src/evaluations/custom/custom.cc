#include "evaluations/custom/custom.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/missing.h"
#include "evaluations/cascade/cascade_figures.h"
#include "evaluations/custom/asked/cascaded.h"
#include "evaluations/custom/case_record.h"
#include "evaluations/custom/figures/case_scores.h"
#include "evaluations/custom/judge_stress.h"
#include "evaluations/custom/lines.h"
#include "evaluations/custom/plan.h"
#include "evaluations/early_stop.h"

namespace assay::custom {
namespace {

JsonObject fields_of(const Case& input) {
  const CaseTree tree(input);
  const JsonObject* fields = tree->if_object();
  return fields != nullptr ? *fields : JsonObject();
}

// The worst of what happened decides how the case ended: what nobody under test is to blame for comes first,
// since a resume tries it again.
void note(Outcome& outcome, OutcomeKind kind, const std::string& where, const std::string& error) {
  constexpr std::size_t kLongestError = 2000;
  if (outcome.kind == OutcomeKind::scored || kind == OutcomeKind::infra_failed) outcome.kind = kind;
  if (outcome.error.size() > kLongestError) return;
  if (!outcome.error.empty()) outcome.error += "; ";
  outcome.error += where + ": " + error;
}

class CustomEvaluation final : public Evaluation {
 public:
  explicit CustomEvaluation(std::unique_ptr<Plan> plan) : plan_(std::move(plan)), lines_(*plan_) {}

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_trees(plan_->lines); }
  std::string data_path() const override { return plan_->lines.data.path; }
  bool asks_outside() const override { return plan_->asks; }

  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    const JsonObject fields = fields_of(input);
    const auto checks = plan_->case_checks(fields);
    if (!checks) co_return Outcome{OutcomeKind::infra_failed, {}, checks.error().message};
    const Asking asking{fields, input.id, *checks, context};
    CaseRecord record;
    const auto repeats = static_cast<std::size_t>(plan_->design.repeats);
    record.answers.assign(plan_->variants.size(), std::vector<Answered>(repeats));
    std::vector<Task<void>> answers;
    for (std::size_t variant = 0; variant < plan_->variants.size(); ++variant) {
      for (std::size_t repeat = 0; repeat < repeats; ++repeat)
        answers.push_back(answer_and_judge(asking, record, variant, repeat));
    }
    co_await all(std::move(answers));
    co_await compare(asking, record);
    Outcome outcome;
    for (std::size_t variant = 0; variant < record.answers.size(); ++variant) {
      for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        const Answered& answer = record.answers[variant][repeat];
        if (!answer.reply) {
          note(outcome, answer.outcome, step(variant, repeat, "answer"), answer.error);
        }
      }
    }
    for (const auto& [where, mark] : record.marks) {
      const bool left = mark.outcome == OutcomeKind::skipped;  // to people
      if (mark.state == Mark::State::failed && !left) note(outcome, mark.outcome, where, mark.error);
    }
    outcome.result = to_json(record, plan_->design.variants);
    co_return outcome;
  }

  void estimate(const Case& input, CallEstimate& estimate) const override {
    const JsonObject fields = fields_of(input);
    const JsonObject seen = visible(fields);
    const std::vector<MetricRule> checks = plan_->case_checks(fields).value_or(std::vector<MetricRule>());
    // An answer of ordinary length: what metrics ask once there is one.
    Reply usual{boost::json::string(std::string(800, 'x'))};
    usual.contexts = JsonArray(3, Json(std::string(1500, 'x')));
    for (std::size_t variant = 0; variant < plan_->variants.size(); ++variant) {
      for (int repeat = 1; repeat <= plan_->design.repeats; ++repeat) {
        const bool asks = plan_->asks_variant(variant);
        if (asks) {
          CallEstimate own;
          plan_->variants[variant].variant->estimate(seen, own);
          estimate.add_part("variant " + plan_->variants[variant].name, own);
        }
        const Answered given = known_answer(input, fields, variant, repeat);
        if (!asks && !given.reply) continue;  // there is nothing to judge
        const std::size_t baseline = plan_->design.baseline.value_or(variant);
        const Answered other = known_answer(input, fields, baseline, repeat);
        const bool pairs = variant != baseline && (other.reply || plan_->asks_variant(baseline));
        const CaseAnswer answer{fields,   given.reply ? *given.reply : usual,
                                input.id, plan_->variants[variant].name,
                                repeat,   other.reply ? &*other.reply : nullptr};
        for (const auto* list : {&std::as_const(plan_->metrics), &checks}) {
          for (const MetricRule& rule : *list) {
            const bool pair = rule.shape.value == MetricShape::Value::pair;
            if (!rule.asked || (pair && !pairs) || !not_applicable(rule, answer).empty()) continue;
            const CallEstimate own = estimate_of(rule, answer);
            estimate.add_part(list == &checks ? "checks of single cases" : "metric " + rule.shape.name, own);
          }
        }
      }
    }
  }

  std::vector<std::string> models() const override {
    std::vector<std::string> names;
    const auto add = [&names](std::vector<std::string> more) {
      for (std::string& name : more) {
        if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
      }
    };
    for (std::size_t i = 0; i < plan_->variants.size(); ++i) {
      if (plan_->asks_variant(i)) add(plan_->variants[i].variant->models());
    }
    for (const MetricRule& rule : plan_->metrics) {
      if (rule.asked) add(rule.asked->models());
      for (const auto& judge : rule.judges) add(judge->models());
    }
    if (plan_->design.case_checks) add({plan_->judge.model});
    return names;
  }
  std::vector<std::string> embedding_models() const override {
    std::vector<std::string> names;
    for (const MetricRule& rule : plan_->metrics) {
      if (rule.asked) std::ranges::move(rule.asked->embedding_models(), std::back_inserter(names));
    }
    return names;
  }
  std::vector<std::string> variables() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plan_->variants.size(); ++i) {
      if (!plan_->asks_variant(i)) continue;
      for (std::string& name : plan_->variants[i].variant->variables()) names.push_back(std::move(name));
    }
    for (const MetricRule& rule : plan_->metrics) {
      if (!rule.asked) continue;
      for (std::string& name : rule.asked->variables()) names.push_back(std::move(name));
    }
    return names;
  }

  std::vector<std::pair<std::string, std::string>> not_found() const override {
    std::vector<std::pair<std::string, std::string>> missing;
    for (std::size_t i = 0; i < plan_->variants.size(); ++i) {
      if (!plan_->asks_variant(i)) continue;
      for (auto& one : plan_->variants[i].variant->not_found()) missing.push_back(std::move(one));
    }
    return missing;
  }

  void line(const Case& input, const FinishedCase* finished, ResultLine& result) const override {
    lines_.write(input, fields_of(input), finished, result);
  }
  std::vector<std::string> columns() const override { return Lines::columns(); }
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& /*run*/) const override {
    return lines_.aggregate(files);
  }

  std::vector<MeanFigure> mean_figures() const override { return custom::mean_figures(plan_->design); }
  std::vector<std::string> metric_names() const override {
    std::vector<std::string> names = figure_names(plan_->design);
    add_names(plan_->human, names);
    if (plan_->cascade) {
      for (std::string& name : cascade_metric_names(*plan_->cascade)) names.push_back(std::move(name));
    }
    return names;
  }
  std::map<std::string, std::string> prompts() const override {
    std::map<std::string, std::string> prints = plan_->prompts.fingerprints("custom/");
    prints.merge(file_fingerprints(plan_->config, "metrics"));
    for (const MetricRule& rule : plan_->metrics) {
      if (std::string print = rule.asked ? rule.asked->fingerprint() : ""; !print.empty())
        prints.emplace(fmt::format("metrics/{}/program/files", rule.shape.name), std::move(print));
    }
    if (plan_->cascade) prints.merge(plan_->cascade->fingerprints());
    return prints;
  }
  std::span<const HumanCheck> human() const override { return plan_->human; }
  std::unique_ptr<stress::Stressing> stressing() const override { return judge_stressing(*plan_); }
  RunCalibration* calibration() const override { return plan_->cascade.get(); }
  std::vector<std::string> remarks() const override {
    return plan_->cascade ? std::vector<std::string>{cascade_remark(*plan_->cascade)}
                          : std::vector<std::string>{};
  }
  // The judges of a cascade are held against people before they decide anything.
  std::string unchecked() const override {
    if (!plan_->human.empty() || plan_->cascade) return "";
    for (const MetricRule& rule : plan_->metrics) {
      if (!rule.asked || rule.asked->models().empty()) continue;
      for (const MeanFigure& figure : mean_figures()) {
        if (figure.name.starts_with(rule.shape.name + ".")) return not_checked(figure.name);
      }
    }
    return "";
  }

 private:
  // One that stands in the data, or was kept; no reply of a variant that is yet to be asked.
  Answered known_answer(const Case& input, const JsonObject& fields, std::size_t variant, int repeat) const {
    if (plan_->asks_variant(variant)) return {};
    return plan_->given_answer(fields, input.id, variant, repeat);
  }

  // A judge behind another one is asked about what that leaves.
  CallEstimate estimate_of(const MetricRule& rule, const CaseAnswer& answer) const {
    CallEstimate all;
    if (rule.judges.empty()) estimate_asked(rule, *rule.asked, answer, all);
    for (std::size_t i = 0; i < rule.judges.size(); ++i) {
      for (int vote = 1; vote <= plan_->cascade->judges()[i].votes; ++vote) {
        CallEstimate one;
        estimate_asked(rule, *rule.judges[i], answer, one);
        for (auto& [name, model] : one.models) model.at_most = model.at_most || i > 0;
        all.add(one);
      }
    }
    return all;
  }

  // What the steps of one case share.
  struct Asking {
    const JsonObject& fields;
    const std::string& id;
    const std::vector<MetricRule>& checks;
    CaseContext& context;
  };

  JsonObject visible(JsonObject fields) const {
    for (const std::string& name : plan_->answer_keys) fields.erase(name);
    return fields;
  }
  std::string step(std::size_t variant, std::size_t repeat, const std::string& what) const {
    return step_name(plan_->variants[variant].name, static_cast<int>(repeat) + 1, what);
  }

  Task<void> answer_and_judge(const Asking& asking, CaseRecord& record, std::size_t variant,
                              std::size_t repeat) const {
    Answered& answer = record.answers[variant][repeat];
    if (plan_->asks_variant(variant)) {
      answer = answered(co_await plan_->variants[variant].variant->answer(
          visible(asking.fields), step(variant, repeat, "answer"), asking.context));
    } else {
      answer = plan_->given_answer(asking.fields, asking.id, variant, static_cast<int>(repeat) + 1);
    }
    if (!answer.reply) co_return;
    const CaseAnswer at_hand{asking.fields, *answer.reply, asking.id, plan_->variants[variant].name,
                             static_cast<int>(repeat) + 1};
    std::vector<Task<void>> judgements;
    for (const MetricRule& rule : plan_->metrics) {
      if (rule.asked && rule.shape.value != MetricShape::Value::pair)
        judgements.push_back(judge(rule, at_hand, step(variant, repeat, rule.shape.name), asking, record));
    }
    for (std::size_t i = 0; i < asking.checks.size(); ++i) {
      if (asking.checks[i].asked)
        judgements.push_back(judge(asking.checks[i], at_hand,
                                   step(variant, repeat, fmt::format("checks/{}", i)), asking, record));
    }
    co_await all(std::move(judgements));
  }

  Task<void> compare(const Asking& asking, CaseRecord& record) const {
    if (!plan_->design.baseline) co_return;
    const std::size_t baseline = *plan_->design.baseline;
    std::vector<CaseAnswer> pairs;
    std::vector<Task<void>> judgements;
    pairs.reserve(record.answers.size() * record.answers.front().size());
    for (std::size_t variant = 0; variant < record.answers.size(); ++variant) {
      for (std::size_t repeat = 0; variant != baseline && repeat < record.answers[variant].size(); ++repeat) {
        const Answered& own = record.answers[variant][repeat];
        const Answered& other = record.answers[baseline][repeat];
        if (!own.reply || !other.reply) continue;
        const CaseAnswer& pair =
            pairs.emplace_back(asking.fields, *own.reply, asking.id, plan_->variants[variant].name,
                               static_cast<int>(repeat) + 1, &*other.reply);
        for (const MetricRule& rule : plan_->metrics) {
          if (rule.shape.value == MetricShape::Value::pair)
            judgements.push_back(judge(rule, pair, step(variant, repeat, rule.shape.name), asking, record));
        }
      }
    }
    co_await all(std::move(judgements));
  }

  Task<void> judge(const MetricRule& rule, const CaseAnswer& answer, std::string step, const Asking& asking,
                   CaseRecord& record) const {
    Mark mark;
    if (std::string why = not_applicable(rule, answer); !why.empty()) {
      mark = not_applicable_mark(std::move(why));
    } else if (!rule.judges.empty()) {
      CascadedMark decided = co_await cascaded_mark(rule, answer, step, *plan_->cascade, asking.context);
      record.cascade = std::move(decided.way);
      mark = std::move(decided.mark);
    } else {
      mark = co_await asked_mark(rule, *rule.asked, answer, step, asking.context);
    }
    record.marks.insert_or_assign(std::move(step), std::move(mark));
  }

  std::unique_ptr<Plan> plan_;
  Lines lines_;
};

}  // namespace

Keys custom_keys() {
  Keys keys{{.name = "input_path",
             .type = KeyType::path,
             .help = "The data: JSONL, a JSON list, CSV or TSV, each also gzipped; `-` for a pipe.",
             .required = true,
             .pipe = Pipe::copied}};
  for (Key& key : data_keys()) keys.push_back(std::move(key));
  keys.push_back({.name = "cluster",
                  .help =
                      "The field that says which cases belong together (customer, conversation, document); "
                      "intervals then honour it.",
                  .example = "customer_id"});
  keys.push_back({.name = "slices",
                  .type = KeyType::text_list,
                  .help = "Fields by whose values every figure is also given.",
                  .example = "[area]"});
  for (Key& key : variant_keys()) keys.push_back(std::move(key));
  keys.push_back({.name = "outputs",
                  .type = KeyType::path,
                  .help = "outputs.jsonl of an earlier run: answers are taken from there and nobody is asked "
                          "for them (`assay score`)."});
  keys.push_back({.name = "baseline",
                  .help = "The variant that the others are compared with; by default the first.",
                  .example = "old"});
  keys.push_back({.name = "repeat",
                  .type = KeyType::integer,
                  .help = "Answers per case and variant.",
                  .default_value = 1,
                  .minimum = 1,
                  .maximum = 100});
  keys.push_back(
      cascading_judge_key("The model that judges, for the metrics that need one, or a cascade of several."));
  keys.push_back({.name = "metrics",
                  .type = KeyType::object_list,
                  .help = "What is measured: each has exactly one kind (see the table of metrics).",
                  .keys = metric_keys(),
                  .example = "[{name: says_it, contains_all: \"{must_say}\"}]"});
  keys.push_back({.name = "case_passes",
                  .type = KeyType::text_list,
                  .help = "The metrics that an answer must pass; by default all that can be passed.",
                  .example = "[says_it, correct]"});
  keys.push_back(human_key());
  keys.push_back(stop_when_key());
  return keys;
}

std::unique_ptr<Evaluation> make_custom(const Config& config, std::vector<ConfigProblem>& problems) {
  auto plan = read_plan(config, problems);
  const std::shared_ptr<const Cascade> cascade = plan->cascade;
  auto made = std::make_unique<CustomEvaluation>(std::move(plan));
  if (!problems.empty()) {
    add_missing(*made, config, problems);
    return nullptr;
  }
  if (cascade) check_labelled_cases(*cascade, *made, made->data_path(), problems);
  if (!problems.empty()) return nullptr;
  return made;
}

}  // namespace assay::custom
