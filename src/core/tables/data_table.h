// A file of rows with named columns, CSV or JSON Lines, for questions that may be asked of any data.
// Everything is text; absent, null and empty cells are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace assay {

class DataTable {
 public:
  // JSON Lines if the name ends in .jsonl, .ndjson or .json, else CSV. A column of JSON Lines is a field, or
  // a path into an object with dots ("metrics.coherence.mean"). Every problem of the file at once.
  static Result<DataTable> read(const std::string& path);
  // CSV that is at hand; `name` stands in messages where the file's path would.
  static Result<DataTable> of_csv(std::string_view text, const std::string& name);

  const std::string& path() const { return path_; }
  std::size_t rows() const { return lines_.size(); }
  std::uint64_t line(std::size_t row) const { return lines_[row]; }

  // The column of that name; an error that names the nearest one if there is none.
  Result<std::size_t> column(const std::string& name) const;
  // Nothing if the cell is missing.
  std::optional<std::string> text(std::size_t row, std::size_t column) const;

 private:
  std::string path_;
  std::vector<std::string> columns_;
  std::vector<std::uint64_t> lines_;
  std::vector<std::vector<std::optional<std::string>>> cells_;  // by row
};

}  // namespace assay
