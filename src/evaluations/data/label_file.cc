#include "evaluations/data/label_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/tables/csv.h"
#include "core/text.h"

namespace assay {
namespace {

// Columns `by NAME`, as the page writes them: what each person said.
std::map<std::string, std::string> people_in(const CsvTable& table, const CsvRow& row) {
  constexpr std::string_view kBy = "by ";
  std::map<std::string, std::string> people;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].starts_with(kBy) && !trim(row.cells[i]).empty())
      people.emplace(table.columns[i].substr(kBy.size()), row.cells[i]);
  }
  return people;
}

}  // namespace

std::optional<LabelRows> read_label_file(const Result<std::string>& text, const LabelFilePlace& place) {
  if (!text) {
    place.complain(text.error().text());
    return std::nullopt;
  }
  const auto table = parse_csv(*text);
  if (!table) {
    place.complain(table.error().message);
    return std::nullopt;
  }
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(table->columns, name) - table->columns.begin());
  };
  const std::size_t id = column("id");
  const std::size_t label = column("label");
  const std::size_t probability = column("probability");
  const std::size_t drawn = column("drawn");
  for (const auto& [name, at] : {std::pair("id", id), std::pair("label", label)}) {
    if (at == table->columns.size()) place.complain(fmt::format("there is no column {}", name));
  }
  if (id == table->columns.size() || label == table->columns.size()) return std::nullopt;
  LabelRows rows;
  for (const CsvRow& row : table->rows) {
    if (trim(row.cells[label]).empty()) {
      rows.unlabelled.push_back(row.cells[id]);
      continue;
    }
    double chance = 1;
    if (probability < table->columns.size()) {
      const auto given = cell_number(row.cells[probability]);
      if (!given || !(*given > 0 && *given <= 1)) {
        place.complain(fmt::format("line {}, probability: found {}, expected a number above 0 and up to 1",
                                   row.line, row.cells[probability]));
      }
      chance = given.value_or(1);
    }
    rows.labelled.push_back({row.line, row.cells[id], row.cells[label], chance,
                             drawn < table->columns.size() ? row.cells[drawn] : "", people_in(*table, row)});
  }
  return rows;
}

}  // namespace assay
