// The records of a data file, whatever its form: each is one JSON object as text, with its place. Streamed:
// one record is in memory at a time, whatever the file's size.
//
//   JSON Lines   lines that are not blank, as they stand
//   a JSON list  its elements, as they stand
//   CSV, TSV     RFC 4180 with a row of names; every cell is a text under its column's name
//
// Each may be compressed with gzip. Whether a text is JSON, and an object, is for its reader to see; what
// cannot be a record at all (a row with too few cells) is given with what is wrong with it, and reading goes
// on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/json/jsonl.h"
#include "core/tables/list_reader.h"
#include "core/tables/record_format.h"
#include "core/tables/table_reader.h"

namespace assay {

class RecordReader {
 public:
  // Without a format the name says it. A file that is missing, is not in its form, or whose row of names
  // cannot be used is an error here, an empty one of JSON Lines is not.
  static Result<RecordReader> open(const std::string& path, std::optional<RecordFormat> format = {});

  RecordFormat format() const { return format_; }
  // Whether values are texts only since a table has no others.
  bool is_table() const { return format_ == RecordFormat::csv || format_ == RecordFormat::tsv; }

  // The next record; nothing at the end. Its text is valid until the next call. An error means that reading
  // cannot go on.
  Result<std::optional<Line>> next() {
    if (auto* lines = std::get_if<LineReader>(&reader_)) return lines->next();
    if (auto* list = std::get_if<ListReader>(&reader_)) return list->next();
    return std::get<TableReader>(reader_).next();
  }
  // What is wrong with the record that next() gave, in words; empty if nothing is.
  std::span<const std::string> problems() const {
    const auto* table = std::get_if<TableReader>(&reader_);
    return table != nullptr ? table->problems() : std::span<const std::string>();
  }
  // Where that record begins: go_to() comes back to it.
  LinePlace place() const;
  // The next record read is the one at `place`, which must come from place() on the same file.
  Status go_to(const LinePlace& place);

 private:
  using Reader = std::variant<LineReader, ListReader, TableReader>;
  RecordReader(RecordFormat format, Reader reader) : format_(format), reader_(std::move(reader)) {}

  RecordFormat format_;
  Reader reader_;
};

// The form of a file without a telling name, by its first bytes, and whether they are compressed.
struct ContentForm {
  RecordFormat format = RecordFormat::jsonl;
  bool gzip = false;
};
Result<ContentForm> content_form(const std::string& path);

}  // namespace assay
