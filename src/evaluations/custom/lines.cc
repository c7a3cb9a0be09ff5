#include "evaluations/custom/lines.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/custom/cases_page.h"
#include "evaluations/custom/figures/figures.h"
#include "evaluations/custom/mark_json.h"
#include "report/csv.h"

namespace assay::custom {
namespace {

std::optional<double> meta_number(const Json& meta, std::string_view name) {
  const Json* value = find_member(meta, name);
  return value != nullptr ? as_number(*value) : std::nullopt;
}

JsonObject shown_mark(const std::string& name, const Mark& mark) {
  JsonObject shown{{"name", name}};
  for (auto& [key, value] : to_json(mark)) shown.emplace(key, std::move(value));
  return shown;
}

std::string passed_word(const std::optional<bool>& passed) {
  return passed ? (*passed ? "true" : "false") : "";
}

const std::string& why(const Mark& mark) {
  return mark.state == Mark::State::failed ? mark.error : mark.reason;
}

// One row of results.csv.
void add_row(ResultLine& result, const std::string& id, const std::string& variant, int repeat,
             const std::string& metric, const Mark& mark) {
  if (mark.state == Mark::State::no_answer) return;
  std::string score;
  if (mark.given()) score = mark.label.empty() ? number_text(mark.score) : mark.label;
  result.row({id, variant, std::to_string(repeat), metric, score,
              mark.given() ? passed_word(mark.passed) : std::string(), why(mark)});
}

// How good an answer is, from 0 to 1: the share of what it passes, and behind that its scores.
double goodness(const Design& design, const std::vector<AnswerMarks>& answers) {
  double passed = 0;
  double all = 0;
  const auto count = [&](const Mark& mark, Interval scale) {
    if (!mark.given()) return;
    ++all;
    if (mark.passed) {
      passed += *mark.passed ? 1 : 0;
    } else {
      passed += (mark.score - scale.low) / (scale.high - scale.low);
    }
  };
  for (const AnswerMarks& answer : answers) {
    for (std::size_t i = 0; i < answer.marks.size(); ++i) count(answer.marks[i], design.metrics[i].scale);
    for (const Mark& mark : answer.case_checks) count(mark, {0, 1});
  }
  return all > 0 ? passed / all : 1;
}

// Writes outputs.jsonl and cases.html beside what the figures write.
class CustomAggregate final : public Aggregate {
 public:
  CustomAggregate(const Plan& plan, OutputFiles& files)
      : title_(plan.config.shown_text("what")),
        files_(files),
        outputs_(files.open("outputs.jsonl")),
        page_(plan.design),
        figures_(make_figures(plan.design, files)) {}

  void add(const Case& input, const ResultLine& line) override {
    const auto& facts = line.facts<LineFacts>();
    if (outputs_ != nullptr) outputs_->write(facts.outputs);
    page_.add(input.id, facts.fields, facts.shown, facts);
    figures_->add(input, line);
  }
  void finish(const MissingCases& missing, Summary& summary) override { figures_->finish(missing, summary); }
  void conclude(Summary& summary) const override { figures_->conclude(summary); }
  void write_figures(const Summary& summary, const std::vector<NotableCase>& notable) override {
    figures_->write_figures(summary, notable);
    files_.write("cases.html", page_.html(title_));
  }

 private:
  std::string title_;
  OutputFiles& files_;
  AtomicFile* outputs_;
  CasesPage page_;
  std::unique_ptr<Aggregate> figures_;
};

const CascadeFacts& cascade_facts(const ResultLine& line) {
  return line.facts<LineFacts>().cascade;
}

// Whether every answer to the case passes what it must; nothing if there is nothing that it must.
std::optional<bool> passed_by(Scores scores) {
  std::optional<bool> passed;
  for (const Score& score : scores) {
    if (!score.value || !score.figure.starts_with("case_passed.rate")) continue;
    passed = passed.value_or(true) && *score.value == 1;
  }
  return passed;
}

}  // namespace

std::vector<std::string> Lines::columns() {
  return {"id", "variant", "repeat", "metric", "score", "passed", "reason"};
}

std::unique_ptr<Aggregate> Lines::aggregate(OutputFiles& files) const {
  std::vector<std::string> shown = plan_.fields;
  std::erase_if(shown, [](const std::string& name) { return name == "id" || name == "output"; });
  shown.emplace_back("output");
  return with_cascade(std::make_unique<CustomAggregate>(plan_, files), plan_.cascade, files, cascade_facts,
                      std::move(shown));
}

CaseRecord Lines::record_of(const Case& input, const JsonObject& fields, const FinishedCase* finished) const {
  if (finished != nullptr)
    return read_record(finished->outcome.result, plan_.design.variants, plan_.design.repeats);
  CaseRecord record;
  for (std::size_t i = 0; i < plan_.variants.size(); ++i) {
    auto& answers = record.answers.emplace_back();
    for (int repeat = 1; repeat <= plan_.design.repeats; ++repeat)
      answers.push_back(plan_.given_answer(fields, input.id, i, repeat));
  }
  return record;
}

void Lines::mark_answer(const CaseAnswer& answer, const std::vector<MetricRule>& checks,
                        const CaseRecord& record, AnswerMarks& marks) const {
  const auto mark_of = [&](const MetricRule& rule, const std::string& what) {
    if (!rule.asked) return check_mark(rule, answer);
    const auto kept = record.marks.find(step_name(answer.variant, answer.repeat, what));
    if (kept != record.marks.end()) return completed(rule, answer, kept->second);
    const bool pair = rule.shape.value == MetricShape::Value::pair;
    if (pair) return not_applicable_mark("there is no pair to compare");
    return failed_mark({ErrorKind::internal, "nobody was asked", {}});
  };
  for (const MetricRule& rule : plan_.metrics) marks.marks.push_back(mark_of(rule, rule.shape.name));
  for (std::size_t i = 0; i < checks.size(); ++i)
    marks.case_checks.push_back(mark_of(checks[i], fmt::format("checks/{}", i)));
}

void Lines::write(const Case& input, const JsonObject& fields, const FinishedCase* finished,
                  ResultLine& result) const {
  const CaseRecord record = record_of(input, fields, finished);
  const std::vector<MetricRule> checks = plan_.design.case_checks
                                             ? plan_.case_checks(fields).value_or(std::vector<MetricRule>())
                                             : std::vector<MetricRule>();
  auto& facts = result.facts<LineFacts>();
  if (!facts.scores) facts.scores.emplace(plan_.design);
  facts.outputs.clear();
  facts.slices.clear();
  facts.cascade = {record.cascade};
  if (record.cascade && record.cascade->decided_by == kPeople) {
    facts.cascade.shown = fields;
    if (const auto& reply = record.answers.front().front().reply)
      facts.cascade.shown.insert_or_assign("output", reply->output);
  }
  for (const std::string& field : plan_.design.slices) {
    const Json* value = fields.if_contains(field);
    facts.slices.push_back(value == nullptr || value->is_null() ? std::string() : text_or_json(*value));
  }
  facts.answers.assign(record.answers.size(), {});
  JsonArray shown;
  for (std::size_t i = 0; i < record.answers.size(); ++i) {
    const std::string& variant = plan_.design.variants[i];
    for (std::size_t j = 0; j < record.answers[i].size(); ++j) {
      const Answered& answer = record.answers[i][j];
      const int repeat = static_cast<int>(j) + 1;
      AnswerMarks& marks = facts.answers[i].emplace_back();
      JsonObject line = output_line(answer, variant, repeat);
      if (answer.reply) {
        marks.answered = true;
        marks.latency_ms = meta_number(answer.reply->meta, "latency_ms");
        marks.cost_usd = meta_number(answer.reply->meta, "cost_usd");
        mark_answer({fields, *answer.reply, input.id, variant, repeat}, checks, record, marks);
      } else {
        marks.outcome = answer.error.empty() && finished != nullptr ? finished->outcome.kind : answer.outcome;
        marks.error = answer.error.empty() ? result.error() : answer.error;
        Mark none;
        none.state = Mark::State::no_answer;
        none.outcome = marks.outcome;
        marks.marks.assign(plan_.metrics.size(), none);
        marks.case_checks.assign(checks.size(), none);
        if (finished == nullptr) result.failed(marks.outcome, marks.error);
      }
      if (answer.reply || !answer.error.empty()) {
        JsonObject output{{"id", input.id}};
        for (const auto& [key, value] : line) output.emplace(key, value);
        facts.outputs += to_text(output) + "\n";
      }
      JsonArray metrics;
      for (std::size_t k = 0; k < plan_.metrics.size() && answer.reply; ++k) {
        metrics.push_back(shown_mark(plan_.metrics[k].shape.name, marks.marks[k]));
        add_row(result, input.id, variant, repeat, plan_.metrics[k].shape.name, marks.marks[k]);
      }
      for (std::size_t k = 0; k < checks.size() && answer.reply; ++k) {
        const std::string name = fmt::format("checks/{}", checks[k].shape.name);
        metrics.push_back(shown_mark(name, marks.case_checks[k]));
        add_row(result, input.id, variant, repeat, name, marks.case_checks[k]);
      }
      line.emplace("metrics", std::move(metrics));
      shown.push_back(std::move(line));
    }
  }
  result.json("fields", fields);
  result.json("answers", shown);
  if (record.cascade) result.json("cascade", to_json(*record.cascade));
  facts.fields = fields;
  facts.shown = shown;
  const Scores scores = facts.scores->of(facts);
  if (const auto passed = passed_by(scores)) result.boolean("passed", *passed);
  result.scores(scores);
  const auto notable = [&](double good, std::string reason) {
    result.notable(good, [&] {
      NotableCase found{input.id, std::move(reason), {}};
      for (const auto& [name, value] : fields) found.fields.emplace_back(name, text_or_json(value));
      for (const Json& answer : shown) {
        std::string title = text_at(answer, "variant");
        if (plan_.design.repeats > 1) title += " " + text_or_json(*find_member(answer, "repeat"));
        const Json* output = find_member(answer, "output");
        found.fields.emplace_back(title.empty() ? "output" : title, output != nullptr
                                                                        ? text_or_json(*output)
                                                                        : "– " + text_at(answer, "error"));
        for (const Json& metric : list_at(answer, "metrics")) {
          const Json* passed = find_member(metric, "passed");
          const bool failed = passed != nullptr && !as_boolean(*passed).value_or(true);
          if (failed)
            found.fields.emplace_back(fmt::format("{} {}", title, text_at(metric, "name")),
                                      text_at(metric, "reason"));
        }
      }
      return found;
    });
  };
  if (!result.scored()) {
    notable(-1, std::string(to_string(result.outcome())));
    return;
  }
  double worst = 1;
  for (const auto& answers : facts.answers) worst = std::min(worst, goodness(plan_.design, answers));
  if (worst < 1) notable(worst, fmt::format("{:.0f} % of what is measured", worst * 100));
}

}  // namespace assay::custom
