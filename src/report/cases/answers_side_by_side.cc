#include <algorithm>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/visible.h"
#include "report/cases/case_view.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kNarrowest = 30;  // column that a text can be read in
constexpr std::string_view kBetween = " │ ";

using Lines = std::vector<std::string>;

// One answer from top to bottom: who gave it, what it is, what it took, what each metric says.
struct Column {
  std::string head;
  std::string took;
  std::string output;
  std::string error;
  std::vector<std::pair<std::string, const Json*>> metrics;  // by name
};

std::optional<double> number_in(const Json& object, std::string_view key) {
  const Json* value = find_member(object, key);
  return value != nullptr ? as_number(*value) : std::nullopt;
}

std::string took_words(const Json& answer) {
  const Json* meta = find_member(answer, "meta");
  const auto number = [&](std::string_view key) {
    const auto own = number_in(answer, key);
    return own || meta == nullptr ? own : number_in(*meta, key);
  };
  std::string words;
  if (const auto latency = number("latency_ms")) words = fmt::format("{:.0f} ms", *latency);
  if (const auto cost = number("cost_usd"))
    words += fmt::format("{}{}", words.empty() ? "" : ", ", cost_words(cost));
  return words;
}

Column column_of(const Json& answer, bool several_repeats) {
  Column column;
  column.head = text_at(answer, "variant");
  const Json* repeat = find_member(answer, "repeat");
  if (several_repeats && repeat != nullptr)
    column.head += fmt::format("{}answer {}", column.head.empty() ? "" : ", ", text_or_json(*repeat));
  if (column.head.empty()) column.head = "output";
  column.took = took_words(answer);
  if (const Json* output = find_member(answer, "output"); output != nullptr && !output->is_null())
    column.output = output->is_string() ? std::string(output->get_string()) : pretty_text(*output);
  column.error = text_at(answer, "error");
  for (const Json& metric : list_at(answer, "metrics"))
    column.metrics.emplace_back(text_at(metric, "name"), &metric);
  return column;
}

// "✓ short  1", and why, below.
Lines metric_lines(const std::string& name, const Json& metric, std::size_t width) {
  const Json* passed = find_member(metric, "passed");
  const auto yes = passed != nullptr ? as_boolean(*passed) : std::nullopt;
  const auto score = number_in(metric, "score");
  std::string words = fmt::format("{} {}", !yes ? "·" : *yes ? "✓" : "✗", name);
  if (score) words += fmt::format("  {}", number_words(*score));
  if (const std::string label = text_at(metric, "label"); !label.empty()) words += fmt::format("  {}", label);
  Lines lines = wrapped(words, width);
  for (const char* why : {"reason", "error"}) {
    const std::string text = text_at(metric, why);
    for (std::string& line : wrapped(text, width - 2)) lines.push_back("  " + std::move(line));
  }
  return lines;
}

// Several columns of lines in one row of the page, as high as the highest.
void append_row(const std::vector<Lines>& cells, std::size_t width, std::string& out) {
  std::size_t height = 0;
  for (const Lines& lines : cells) height = std::max(height, lines.size());
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += kBetween;
      line += padded(i < cells[c].size() ? cells[c][i] : "", width, Align::left);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

void append_columns(const std::vector<Column>& columns, std::size_t width, std::string& out) {
  const auto row = [&](const auto& lines_of) {
    std::vector<Lines> cells;
    cells.reserve(columns.size());
    for (const Column& column : columns) cells.push_back(lines_of(column));
    append_row(cells, width, out);
  };
  row([&](const Column& column) { return Lines{cut_to_width(visible(column.head), width)}; });
  row([&](const Column& column) { return wrapped(column.took, width); });
  std::string rule;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) rule += "─┼─";
    for (std::size_t i = 0; i < width; ++i) rule += "─";
  }
  out += rule + "\n";
  row([&](const Column& column) { return wrapped(column.output.empty() ? "(none)" : column.output, width); });
  row([&](const Column& column) { return wrapped(column.error, width); });
  std::vector<std::string> names;
  for (const Column& column : columns) {
    for (const auto& [name, metric] : column.metrics) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  if (!names.empty()) out += rule + "\n";
  for (const std::string& name : names) {
    row([&](const Column& column) {
      const auto found = std::ranges::find(column.metrics, name, [](const auto& one) { return one.first; });
      return found == column.metrics.end() ? Lines() : metric_lines(name, *found->second, width);
    });
  }
  out += "\n";
}

}  // namespace

std::string answers_side_by_side(const Json& answers, const TerminalStyle& style) {
  const JsonArray* list = answers.if_array();
  if (list == nullptr || list->empty()) return "";
  std::map<std::string, std::size_t> seen;
  bool several = false;
  // Those with the same number beside each other, in the order in which the numbers come.
  std::vector<std::pair<std::string, std::vector<const Json*>>> rows;
  for (const Json& answer : *list) {
    if (!answer.is_object()) return "";
    several = ++seen[text_at(answer, "variant")] > 1 || several;
    const Json* repeat = find_member(answer, "repeat");
    const std::string number = repeat == nullptr ? "" : text_or_json(*repeat);
    auto row = std::ranges::find(rows, number, [](const auto& one) { return one.first; });
    if (row == rows.end()) row = rows.insert(rows.end(), {number, {}});
    row->second.push_back(&answer);
  }
  const std::size_t between = display_width(kBetween);
  std::string out;
  for (const auto& [number, row] : rows) {
    const std::size_t fit = std::max<std::size_t>((style.width + between) / (kNarrowest + between), 1);
    const std::size_t beside = std::min(fit, row.size());
    const std::size_t width = (style.width + between) / beside - between;
    for (std::size_t first = 0; first < row.size(); first += beside) {
      std::vector<Column> columns;
      for (std::size_t i = first; i < std::min(first + beside, row.size()); ++i)
        columns.push_back(column_of(*row[i], several));
      append_columns(columns, width, out);
    }
  }
  return out;
}

}  // namespace assay
