#include "evaluations/custom/figures/comparison_markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "evaluations/custom/figures/measures.h"
#include "evaluations/custom/figures/sentences.h"
#include "report/conclusions.h"
#include "report/markdown.h"
#include "report/words.h"

namespace assay::custom {
namespace {

const Metric* find_metric(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

std::string cell(const Metric* metric, std::string (*words)(double)) {
  if (metric == nullptr) return "";
  const Estimate& estimate = metric->estimate;
  if (!estimate.value) return std::string(kNotAvailable);
  const auto read = [&](double value) {
    return words != nullptr ? words(value) : figure_words(value, metric->form);
  };
  std::string text = read(*estimate.value);
  if (estimate.ci) text += fmt::format(" ({} – {})", read(estimate.ci->low), read(estimate.ci->high));
  return text;
}

class FigureRows {
 public:
  FigureRows(const Summary& summary, const Design& design) : summary_(summary), design_(design) {
    text_ = "| figure |";
    std::string line = "| --- |";
    for (const std::string& variant : design_.variants) {
      text_ += fmt::format(" {} |", code_span(variant));
      line += " ---: |";
    }
    text_ += "\n" + line + "\n";
  }
  void add(std::string_view stem, std::string_view word, std::string (*words)(double) = nullptr) {
    std::string row = fmt::format("| {} |", code_span(fmt::format("{}.{}", stem, word)));
    bool some = false;
    for (std::size_t v = 0; v < design_.variants.size(); ++v) {
      const Metric* metric = find_metric(summary_, figure_name(design_, stem, word, v));
      some = some || (metric != nullptr && metric->estimate.value);
      row += fmt::format(" {} |", cell(metric, words));
    }
    if (some) text_ += row + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  const Summary& summary_;
  const Design& design_;
  std::string text_;
};

// A row of the table `comparison`, by column name.
std::string comparison_row(const Table& table, const std::vector<Json>& row, const Measures& measures) {
  const auto at = [&](std::string_view column) -> const Json& {
    const auto found = std::ranges::find(table.columns, column);
    return row[static_cast<std::size_t>(found - table.columns.begin())];
  };
  const std::string metric = text_or_json(at("metric"));
  const auto measure = std::ranges::find_if(
      measures.list(), [&](const Measure& one) { return one.stem == metric && one.compared; });
  const Metric::Form form = measure == measures.list().end() ? Metric::Form::number : measure->form;
  const auto plain = [&](std::string_view column) {
    const auto number = as_number(at(column));
    return number ? figure_words(*number, form) : std::string(kNotAvailable);
  };
  const auto difference = as_number(at("difference"));
  const auto low = as_number(at("low"));
  const auto high = as_number(at("high"));
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", code_span(metric),
                     code_span(text_or_json(at("variant"))), plain("baseline"), plain("value"),
                     difference ? difference_words(*difference, form) : std::string(kNotAvailable),
                     low && high ? difference_range({*low, *high}, form) : std::string(kNotAvailable),
                     p_words(as_number(at("p"))), p_words(as_number(at("p_holm"))),
                     count_words(static_cast<std::int64_t>(as_number(at("n")).value_or(0))),
                     count_words(static_cast<std::int64_t>(as_number(at("missing")).value_or(0))));
}

}  // namespace

std::string comparison_markdown(const Summary& summary, const Design& design) {
  const Measures measures(design);
  std::string out = fmt::format("# {}\n\n", summary.what.empty() ? "Comparison" : prose(summary.what));
  if (const std::string simulated = simulated_sentence(summary.simulated); !simulated.empty())
    out += fmt::format("> **{}**\n\n", prose(simulated));
  for (const std::string& sentence : summary.conclusions) out += fmt::format("- {}\n", prose(sentence));
  out += "\n## Figures by variant, with 95% intervals\n\n";
  FigureRows rows(summary, measures.design());
  std::string last;
  for (const Measure& measure : measures.list()) {
    const std::string name = measure.stem + "." + measure.word;
    if (!measure.variant || name == last) continue;
    last = name;
    rows.add(measure.stem, measure.word,
             measure.reading == Reading::cost ? [](double usd) { return cost_words(usd); } : nullptr);
  }
  rows.add("latency", "p50", milliseconds_words);
  rows.add("latency", "p95", milliseconds_words);
  out += rows.text();
  const auto table = std::ranges::find(summary.tables, "comparison", &Table::name);
  if (table == summary.tables.end()) return out;
  out += fmt::format(
      "\n## {}\n\n| metric | variant | baseline | value | difference | 95% interval | p | p after Holm | n | "
      "missing |\n| --- | --- | ---: | ---: | ---: | :---: | ---: | ---: | ---: | ---: |\n",
      prose(table->title));
  for (const std::vector<Json>& row : table->rows) out += comparison_row(*table, row, measures);
  out +=
      "\nThe p-values after Holm are those of the comparisons that are decided together; the others are to "
      "look "
      "at.\n";
  return out;
}

}  // namespace assay::custom
