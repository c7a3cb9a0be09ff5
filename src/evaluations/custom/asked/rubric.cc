// Requirements in words: one sentence that a judge answers with yes or no, or a list of which the share
// counts that is fulfilled.
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/custom/asked/judgement.h"
#include "evaluations/custom/asked/kinds.h"
#include "evaluations/fill.h"

namespace assay::custom {
namespace {

class RubricMetric final : public JudgedMetric {
 public:
  RubricMetric(MetricShape shape, std::string rubric, std::vector<std::string> shown, JudgeStep step)
      : JudgedMetric(std::move(shape)),
        rubric_(std::move(rubric)),
        shown_(std::move(shown)),
        step_(std::move(step)) {}

  std::vector<std::string> models() const override { return {step_.judge().model}; }
  std::vector<std::string> placeholders() const override { return placeholders_in(rubric_); }
  std::vector<std::string> required() const override { return placeholders(); }

 private:
  Prompt::Values values(const CaseAnswer& answer) const {
    return {{"rubric", block("requirement", fill_fields(rubric_, metric_values(answer)))},
            {"material", material(answer, shown_)}};
  }
  ChatRequest request(const CaseAnswer& answer) const override { return step_.request(values(answer)); }
  Task<Result<Judgement>> judge(const CaseAnswer& answer, std::string step,
                                CaseContext& context) const override {
    auto said = co_await step_.ask(context, std::move(step), values(answer));
    if (!said) co_return fail(std::move(said.error()));
    co_return Judgement{find_member(*said, "fulfilled")->get_bool() ? 1.0 : 0.0, text_at(*said, "reason")};
  }

  std::string rubric_;
  std::vector<std::string> shown_;
  JudgeStep step_;
};

class CriteriaMetric final : public JudgedMetric {
 public:
  CriteriaMetric(MetricShape shape, std::vector<std::string> criteria, std::vector<std::string> shown,
                 JudgeStep step)
      : JudgedMetric(std::move(shape)),
        criteria_(std::move(criteria)),
        shown_(std::move(shown)),
        step_(std::move(step)) {}

  std::vector<std::string> models() const override { return {step_.judge().model}; }
  std::vector<std::string> placeholders() const override { return placeholders_in(join(criteria_, "\n")); }
  std::vector<std::string> required() const override { return placeholders(); }

 private:
  Prompt::Values values(const CaseAnswer& answer) const {
    const JsonObject fields = metric_values(answer);
    std::vector<std::string> filled;
    filled.reserve(criteria_.size());
    for (const std::string& criterion : criteria_) filled.push_back(fill_fields(criterion, fields));
    return {{"criteria", block("criteria", numbered(filled))}, {"material", material(answer, shown_)}};
  }

  // Every number once.
  std::vector<std::string> defects(const Json& said) const {
    std::vector<std::string> found;
    std::set<std::int64_t> seen;
    for (const Json& verdict : find_member(said, "verdicts")->get_array()) {
      const std::int64_t number = as_integer(*find_member(verdict, "number")).value_or(0);
      if (number < 1 || number > static_cast<std::int64_t>(criteria_.size())) {
        found.push_back(
            fmt::format("there is no criterion {}; they go from 1 to {}", number, criteria_.size()));
      } else if (!seen.insert(number).second) {
        found.push_back(fmt::format("criterion {} has two verdicts, expected one", number));
      }
    }
    for (std::size_t number = 1; number <= criteria_.size(); ++number) {
      if (!seen.contains(static_cast<std::int64_t>(number)))
        found.push_back(fmt::format("criterion {} has no verdict", number));
    }
    return found;
  }

  ChatRequest request(const CaseAnswer& answer) const override { return step_.request(values(answer)); }
  Task<Result<Judgement>> judge(const CaseAnswer& answer, std::string step,
                                CaseContext& context) const override {
    auto said = co_await step_.ask(context, std::move(step), values(answer),
                                   [this](const Json& verdicts) { return defects(verdicts); });
    if (!said) co_return fail(std::move(said.error()));
    Judgement judgement;
    std::vector<std::string> unfulfilled;
    for (const Json& verdict : find_member(*said, "verdicts")->get_array()) {
      if (find_member(verdict, "fulfilled")->get_bool()) {
        judgement.score += 1.0 / static_cast<double>(criteria_.size());
      } else {
        unfulfilled.push_back(fmt::format("{}: {}", as_integer(*find_member(verdict, "number")).value_or(0),
                                          text_at(verdict, "reason")));
      }
    }
    judgement.reason =
        unfulfilled.empty() ? "every criterion is fulfilled" : "not fulfilled: " + join(unfulfilled, "; ");
    // A sum of thirds must not miss `passes: ">= 1"` by its last bit.
    if (unfulfilled.empty()) judgement.score = 1;
    co_return judgement;
  }

  std::vector<std::string> criteria_;
  std::vector<std::string> shown_;
  JudgeStep step_;
};

}  // namespace

std::unique_ptr<AskedMetric> make_rubric(MetricParts parts) {
  JudgedSettings settings = read_judged(parts);
  parts.shape.value = MetricShape::Value::yes_no;
  const std::string rubric = parts.entry.text("rubric");
  if (trim(rubric).empty()) parts.wrong("rubric", "found an empty text, expected a sentence");
  JudgeStep step(parts.prompts, "custom/rubric", {"rubric", "material"}, settings.judge, parts.problems);
  return std::make_unique<RubricMetric>(parts.shape, rubric, std::move(settings.shown), std::move(step));
}

std::unique_ptr<AskedMetric> make_criteria(MetricParts parts) {
  JudgedSettings settings = read_judged(parts);
  parts.shape.value = MetricShape::Value::score;
  std::vector<std::string> criteria = parts.entry.texts("criteria");
  if (criteria.empty()) parts.wrong("criteria", "found an empty list, expected at least one sentence");
  JudgeStep step(parts.prompts, "custom/criteria", {"criteria", "material"}, settings.judge, parts.problems);
  return std::make_unique<CriteriaMetric>(parts.shape, std::move(criteria), std::move(settings.shown),
                                          std::move(step));
}

}  // namespace assay::custom
