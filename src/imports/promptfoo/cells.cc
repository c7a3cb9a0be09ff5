// Tests and assertions as promptfoo writes them into a CSV file.
#include <algorithm>
#include <array>
#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "imports/promptfoo/assertions.h"
#include "imports/promptfoo/tests.h"

namespace assay::promptfoo {
namespace {

// In a cell these have a threshold also where none is written.
constexpr auto kWithThreshold = std::to_array<std::string_view>(
    {"answer-relevance", "classifier", "context-faithfulness", "context-recall", "context-relevance", "cost",
     "latency", "levenshtein", "perplexity-score", "perplexity", "rouge-n", "similar", "starts-with"});
constexpr double kThresholdOfCells = 0.75;

constexpr std::string_view kMetadata = "__metadata:";

constexpr auto kLists =
    std::to_array<std::string_view>({"contains-all", "contains-any", "icontains-all", "icontains-any"});

// The code or name behind the first of these beginnings; nothing if it has none.
struct Beginning {
  std::string_view text;
  std::string_view type;
};
constexpr auto kBeginnings = std::to_array<Beginning>({{"javascript:", "javascript"},
                                                       {"fn:", "javascript"},
                                                       {"eval:", "javascript"},
                                                       {"grade:", "llm-rubric"},
                                                       {"llm-rubric:", "llm-rubric"},
                                                       {"python:", "python"}});

Json text(std::string_view value) {
  return boost::json::string(value);
}

// "similar(0.8)" → 0.8, with the number taken away from the type.
std::optional<double> take_threshold(std::string_view& type) {
  const std::size_t open = type.find('(');
  if (open == std::string_view::npos || !type.ends_with(')')) return std::nullopt;
  const std::string_view inside = type.substr(open + 1, type.size() - open - 2);
  double number = 0;
  const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), number);
  if (error != std::errc() || end != inside.data() + inside.size()) return std::nullopt;
  type = type.substr(0, open);
  return number;
}

}  // namespace

std::vector<std::string> comma_separated(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    while (!text.empty() && (text.front() == ',' || trim(text.substr(0, 1)).empty())) text.remove_prefix(1);
    if (text.empty()) return out;
    if (text.front() != '"') {
      const std::size_t end = std::min(text.find(','), text.size());
      out.emplace_back(trim(text.substr(0, end)));
      text.remove_prefix(end);
      continue;
    }
    std::string field;
    std::size_t i = 1;
    for (; i < text.size() && !(text[i] == '"' && (i + 1 >= text.size() || text[i + 1] != '"')); ++i) {
      if ((text[i] == '"' || text[i] == '\\') && i + 1 < text.size() &&
          (text[i + 1] == '"' || (text[i] == '\\' && text[i + 1] == '\\')))
        ++i;
      field += text[i];
    }
    out.push_back(std::move(field));
    text.remove_prefix(std::min(i + 1, text.size()));
  }
}

Json assertion_in_cell(std::string_view cell) {
  for (const Beginning& beginning : kBeginnings) {
    if (cell.starts_with(beginning.text))
      return JsonObject{{"type", text(beginning.type)},
                        {"value", text(trim(cell.substr(beginning.text.size())))}};
  }
  if (cell.starts_with("file://")) {
    const std::string end = extension_of(cell.substr(0, cell.find(':', 7)));
    if (end == ".py") return JsonObject{{"type", "python"}, {"value", text(cell)}};
    if (end == ".js" || end == ".mjs" || end == ".cjs" || end == ".ts")
      return JsonObject{{"type", "javascript"}, {"value", text(cell)}};
  }
  const std::size_t colon = cell.find(':');
  std::string_view type = cell.substr(0, colon);
  const auto threshold = take_threshold(type);
  const std::string_view bare = type.starts_with("not-") ? type.substr(4) : type;
  if (!is_assertion_type(bare)) return JsonObject{{"type", "equals"}, {"value", text(cell)}};
  JsonObject out = {{"type", text(type)}};
  const std::string_view value = colon == std::string_view::npos ? "" : trim(cell.substr(colon + 1));
  if (among(bare, kLists)) {
    JsonArray list;
    for (const std::string& one : comma_separated(value)) list.push_back(text(one));
    out["value"] = std::move(list);
  } else if (colon != std::string_view::npos) {
    out["value"] = text(value);
  }
  if (among(bare, kWithThreshold)) {
    out["threshold"] = threshold.value_or(kThresholdOfCells);
  } else if (threshold) {
    out["threshold"] = *threshold;
  }
  return out;
}

Json test_in_row(const std::string& path, const std::vector<std::string>& columns, const CsvRow& row,
                 Reading& reading) {
  JsonObject variables;
  JsonObject metadata;
  JsonArray assertions;
  JsonObject out;
  std::string metric;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string column(trim(columns[i]));
    const std::string& cell = row.cells[i];
    if (column.starts_with("__expected")) {
      if (!trim(cell).empty()) assertions.push_back(assertion_in_cell(trim(cell)));
    } else if (column == "__description") {
      out["description"] = cell;
    } else if (column == "__metric") {
      metric = cell;
    } else if (column == "__threshold") {
      if (const auto number = cell_number(trim(cell))) out["threshold"] = *number;
    } else if (column.starts_with(kMetadata)) {
      metadata[column.substr(kMetadata.size())] = cell;
    } else if (!column.starts_with("__")) {
      variables[column] = cell;
    } else if (!trim(cell).empty() && reading.told.emplace(path, "column " + column, "").second) {
      reading.left_out.push_back(
          {fmt::format("{}, line {}", path, row.line), "column " + column, "it has no counterpart"});
    }
  }
  for (Json& assertion : assertions) {
    if (!metric.empty()) assertion.get_object()["metric"] = metric;
  }
  out["vars"] = std::move(variables);
  out["assert"] = std::move(assertions);
  if (!metadata.empty()) out["metadata"] = std::move(metadata);
  return out;
}

}  // namespace assay::promptfoo
