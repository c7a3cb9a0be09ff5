#include "core/tables/data_table.h"

#include <map>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/json/json.h"
#include "core/json/jsonl.h"
#include "core/tables/csv.h"
#include "core/text.h"

namespace assay {
namespace {

bool is_json_lines(std::string_view path) {
  return path.ends_with(".jsonl") || path.ends_with(".ndjson") || path.ends_with(".json");
}

// Every leaf of the object under its path with dots.
void flatten(const JsonObject& object, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [key, value] : object) {
    const std::string name = prefix + std::string(key);
    if (value.is_object()) {
      flatten(value.get_object(), name + ".", out);
    } else if (!value.is_null()) {
      const auto text = as_text(value);
      out.emplace_back(name, text ? std::string(*text) : to_text(value));
    }
  }
}

}  // namespace

Result<DataTable> DataTable::of_csv(std::string_view text, const std::string& name) {
  auto csv = parse_csv(text);
  if (!csv) return fail(std::move(csv.error()).with("file", name));
  DataTable table;
  table.path_ = name;
  table.columns_ = std::move(csv->columns);
  for (CsvRow& row : csv->rows) {
    table.lines_.push_back(row.line);
    auto& cells = table.cells_.emplace_back();
    for (std::string& cell : row.cells)
      cells.push_back(trim(cell).empty() ? std::nullopt : std::optional(std::string(trim(cell))));
  }
  return table;
}

Result<DataTable> DataTable::read(const std::string& path) {
  if (!is_json_lines(path)) {
    auto text = read_file(path);
    if (!text) return fail(std::move(text.error()));
    return of_csv(*text, path);
  }
  DataTable table;
  table.path_ = path;
  auto reader = LineReader::open(path);
  if (!reader) return fail(std::move(reader.error()));
  LineParser parser({});
  std::map<std::string, std::size_t> places;
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) break;
    if (auto parsed = parser.parse(**line); !parsed)
      return fail(std::move(parsed.error()).with("file", path).with("line", std::to_string((*line)->number)));
    std::vector<std::pair<std::string, std::string>> fields;
    flatten(parser.extras(), "", fields);
    table.lines_.push_back((*line)->number);
    auto& cells = table.cells_.emplace_back();
    for (auto& [name, value] : fields) {
      const auto [place, fresh] = places.emplace(name, table.columns_.size());
      if (fresh) table.columns_.push_back(name);
      if (cells.size() <= place->second) cells.resize(place->second + 1);
      cells[place->second] = std::move(value);
    }
  }
  return table;
}

Result<std::size_t> DataTable::column(const std::string& name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == name) return i;
  }
  const auto guess = nearest(name, columns_);
  return fail(Error{ErrorKind::data,
                    guess ? fmt::format("there is no column {}; did you mean {}?", name, *guess)
                          : fmt::format("there is no column {}; there are {}", name, join(columns_, ", ")),
                    {{"file", path_}}});
}

std::optional<std::string> DataTable::text(std::size_t row, std::size_t column) const {
  const auto& cells = cells_[row];
  return column < cells.size() ? cells[column] : std::nullopt;
}

}  // namespace assay
