#include "evaluations/components/sentences.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "report/conclusions.h"
#include "report/words.h"

namespace assay::components {
namespace {

constexpr std::size_t kMostNames = 4;

// The figures and tables of one summary by name, and the sentences that are said of them.
class Findings {
 public:
  explicit Findings(Summary& summary) : summary_(summary) {}

  const Metric* metric(std::string_view name) const {
    const auto found = std::ranges::find(summary_.metrics, name, &Metric::name);
    return found == summary_.metrics.end() ? nullptr : &*found;
  }
  const Table* table(std::string_view name) const {
    const auto found = std::ranges::find(summary_.tables, name, &Table::name);
    return found == summary_.tables.end() ? nullptr : &*found;
  }
  std::int64_t count(std::string_view name) const {
    const Metric* found = metric(name);
    return found == nullptr ? 0 : static_cast<std::int64_t>(found->estimate.value.value_or(0));
  }
  // "72.0% (95% interval …, n = 25)", or why there is none.
  std::string figure(std::string_view name) const {
    const Metric* found = metric(name);
    return found == nullptr ? std::string(kNotAvailable) : figure_with_interval(*found);
  }
  void say(std::string sentence) { summary_.conclusions.push_back(std::move(sentence)); }

 private:
  Summary& summary_;
};

std::string of_all(std::int64_t part, std::int64_t all) {
  return fmt::format("{} of {}", count_words(part), count_words(all));
}

std::string listed(std::vector<std::string> names) {
  const std::size_t all = names.size();
  if (all > kMostNames) {
    names.resize(kMostNames);
    names.push_back(fmt::format("and {} more", all - kMostNames));
  }
  return join(names, ", ");
}

std::string text_in(const std::vector<Json>& row, std::size_t column) {
  return column < row.size() ? std::string(as_text(row[column]).value_or("")) : std::string();
}
std::int64_t number_in(const std::vector<Json>& row, std::size_t column) {
  return column < row.size() ? as_integer(row[column]).value_or(0) : 0;
}

// What is taken for something else most often.
void say_commonest_mistake(Findings& findings) {
  const Table* matrix = findings.table("confusion_matrix");
  if (matrix == nullptr) return;
  std::int64_t most = 0;
  std::string mistake;
  for (std::size_t row = 0; row < matrix->rows.size(); ++row) {
    for (std::size_t column = 0; column < matrix->rows[row].size(); ++column) {
      const std::int64_t times = number_in(matrix->rows[row], column);
      if (row == column || times <= most) continue;
      most = times;
      mistake = fmt::format("{} is taken for {}", matrix->columns[row], matrix->columns[column]);
    }
  }
  if (most > 0)
    findings.say(
        fmt::format("The commonest mistake: {} ({}).", mistake, counted_words(most, "time", "times")));
}

}  // namespace

void conclude_jailbreak_guardrails(Summary& summary) {
  Findings findings(summary);
  const std::int64_t caught = findings.count("true_positives");
  const std::int64_t missed = findings.count("false_negatives");
  const std::int64_t alarms = findings.count("false_positives");
  const std::int64_t honest = alarms + findings.count("true_negatives");
  if (caught + missed > 0) {
    findings.say(fmt::format("The guard stops {} jailbreaks: recall {}.", of_all(caught, caught + missed),
                             findings.figure("recall")));
  }
  if (honest > 0) {
    findings.say(fmt::format("It stops {} honest inputs by mistake; precision {}.", of_all(alarms, honest),
                             findings.figure("precision")));
  }
}

void conclude_output_guardrails(Summary& summary) {
  Findings findings(summary);
  const std::int64_t held = findings.count("any_triggered.true_positives");
  const std::int64_t passed = findings.count("any_triggered.false_negatives");
  const std::int64_t wrongly = findings.count("any_triggered.false_positives");
  const std::int64_t good = wrongly + findings.count("any_triggered.true_negatives");
  if (held + passed > 0) {
    findings.say(fmt::format("Of the answers that a guardrail should hold back, {} are held back: recall {}.",
                             of_all(held, held + passed), findings.figure("any_triggered.recall")));
  }
  if (good > 0) {
    findings.say(fmt::format("Of the good answers, {} are held back by mistake; precision {}.",
                             of_all(wrongly, good), findings.figure("any_triggered.precision")));
  }
  std::vector<std::string> silent;
  if (const Table* table = findings.table("guardrails")) {
    for (const auto& row : table->rows) {
      if (number_in(row, 1) > 0 && number_in(row, 3) == 0) silent.push_back(text_in(row, 0));
    }
  }
  if (!silent.empty()) {
    findings.say(fmt::format("Never right though expected: {}.", listed(std::move(silent))));
  }
}

void conclude_question_router(Summary& summary) {
  Findings findings(summary);
  findings.say(fmt::format("The router chooses the right label for {}.", findings.figure("accuracy")));
  say_commonest_mistake(findings);
  std::vector<std::string> never;
  if (const Table* labels = findings.table("labels")) {
    for (const auto& row : labels->rows) {
      if (number_in(row, 1) > 0 && number_in(row, 2) == 0) never.push_back(text_in(row, 0));
    }
  }
  if (!never.empty()) findings.say(fmt::format("Expected and never chosen: {}.", listed(std::move(never))));
  if (const Metric* error = findings.metric("expected_calibration_error");
      error != nullptr && error->estimate.value) {
    findings.say(fmt::format("Its stated confidence is off by {} on average (expected calibration error).",
                             share_words(*error->estimate.value)));
  }
}

void conclude_rag_answers(Summary& summary) {
  Findings findings(summary);
  constexpr std::string_view kPassRate = ".pass_rate";
  struct Passing {
    std::string name;
    const Metric* rate;
  };
  std::vector<Passing> passing;
  for (const Metric& metric : summary.metrics) {
    if (metric.name.ends_with(kPassRate) && metric.estimate.value)
      passing.push_back({metric.name.substr(0, metric.name.size() - kPassRate.size()), &metric});
  }
  if (passing.empty()) return;
  std::ranges::sort(passing, {}, [](const Passing& one) {
    return std::pair<double, std::string_view>(*one.rate->estimate.value, one.name);
  });
  const Passing& weakest = passing.front();
  findings.say(fmt::format("Weakest: {}. {} of the answers reach its threshold; the mean is {}.",
                           plain_words(weakest.name), figure_with_interval(*weakest.rate),
                           findings.figure(weakest.name + ".mean")));
  std::vector<std::string> others;
  for (std::size_t i = 1; i < passing.size(); ++i)
    others.push_back(fmt::format("{} {}", plain_words(passing[i].name), value_words(*passing[i].rate)));
  if (!others.empty())
    findings.say(fmt::format("Answers that reach the other thresholds: {}.", join(others, ", ")));
  const Metric* noisiest = nullptr;
  for (const Metric& metric : summary.metrics) {
    if (!metric.name.ends_with(".judge_noise") || !metric.estimate.value) continue;
    if (noisiest == nullptr || *metric.estimate.value > *noisiest->estimate.value) noisiest = &metric;
  }
  if (noisiest != nullptr && *noisiest->estimate.value >= 0.1) {
    findings.say(fmt::format("The judge differs from itself most on {}: by {} between runs of the same case.",
                             plain_words(noisiest->name.substr(0, noisiest->name.find('.'))),
                             value_words(*noisiest)));
  }
}

void conclude_retrieval(Summary& summary) {
  Findings findings(summary);
  findings.say(fmt::format("The search finds {} of what is wanted.", findings.figure("recall.mean")));
  findings.say(fmt::format("Of what it returns, {} is wanted.", findings.figure("precision.mean")));
  if (const Metric* rank = findings.metric("mrr"); rank != nullptr && rank->estimate.value) {
    findings.say(fmt::format("The first wanted result has a mean reciprocal rank of {} (1 is always first).",
                             number_words(*rank->estimate.value)));
  }
}

void conclude_topic_tagger(Summary& summary) {
  Findings findings(summary);
  findings.say(fmt::format("The primary topic is right for {}.",
                           findings.figure("matched_true_primary_with_primary")));
  findings.say(fmt::format("Primary and secondary topic are both right for {}.",
                           findings.figure("correct_primary_and_secondary")));
  say_commonest_mistake(findings);
}

}  // namespace assay::components
