#include "report/answers/columns.h"

#include <utility>

#include <boost/json/string.hpp>
#include <fmt/format.h>

#include "core/tables/csv.h"
#include "core/text.h"

namespace assay::answers {
namespace {

constexpr std::size_t kMostProblems = 20;

}  // namespace

std::optional<std::size_t> Columns::place(const std::string& name) {
  const auto found = table_.column(name);
  if (found) return *found;
  if (unknown_.insert(name).second) problems_.emplace(0, found.error().message);
  return std::nullopt;
}

Columns::Texts Columns::texts(const std::string& name) {
  Texts cells(rows());
  const auto column = place(name);
  for (std::size_t row = 0; column && row < rows(); ++row) cells[row] = table_.text(row, *column);
  return cells;
}

Columns::Numbers Columns::numbers(const std::string& name) {
  const Texts cells = texts(name);
  Numbers values(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    if (!cells[row]) continue;
    values[row] = cell_number(*cells[row]);
    if (!values[row]) wrong(row, name, *cells[row], "a number");
  }
  return values;
}

void Columns::wrong(std::size_t row, std::string what) {
  problems_.emplace(table_.line(row), fmt::format("line {}: {}", table_.line(row), what));
}

void Columns::wrong(std::size_t row, const std::string& column, std::string_view found,
                    std::string_view expected) {
  problems_.emplace(table_.line(row),
                    fmt::format("line {}, {}: found {}, expected {}", table_.line(row), column,
                                excerpt(Json(boost::json::string(found))), expected));
}

void Columns::empty(std::size_t row, const std::string& column, std::string_view expected) {
  if (unknown_.contains(column)) return;
  wrong(row, fmt::format("column {} is empty{}{}", column, expected.empty() ? "" : ", expected ", expected));
}

Status Columns::status() const {
  if (problems_.empty()) return {};
  std::string text;
  std::size_t told = 0;
  for (const auto& [line, problem] : problems_) {
    if (++told > kMostProblems) break;
    text += (told > 1 ? "\n" : "") + problem;
  }
  if (told > kMostProblems) text += fmt::format("\n… and {} more", problems_.size() - kMostProblems);
  return fail(Error{ErrorKind::data, std::move(text), {{"file", table_.path()}}});
}

std::vector<std::string> listed(const Config& config, std::string_view key) {
  std::vector<std::string> names;
  for (const std::string& given : config.texts(key)) {
    for (const std::string_view part : split(given, ',')) {
      if (const auto name = trim(part); !name.empty()) names.emplace_back(name);
    }
  }
  return names;
}

Result<std::vector<double>> listed_numbers(const Config& config, std::string_view key, double least,
                                           double most) {
  std::vector<double> numbers;
  std::string problems;
  for (const std::string& entry : listed(config, key)) {
    const auto number = cell_number(entry);
    if (number && *number >= least && *number <= most) {
      numbers.push_back(*number);
    } else {
      problems += fmt::format("{}--{}: found {}, expected a number from {} to {}",
                              problems.empty() ? "" : "\n", key, entry, least, most);
    }
  }
  if (!problems.empty()) return fail(ErrorKind::usage, problems);
  return numbers;
}

}  // namespace assay::answers
