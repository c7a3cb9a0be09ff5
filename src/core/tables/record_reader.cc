#include "core/tables/record_reader.h"

#include <utility>

#include <fmt/format.h>

#include "core/files/inflate.h"
#include "core/text.h"

namespace assay {
namespace {

// The file as what it holds, whether it is compressed or not.
Result<ReadWindow> open_plain(const std::string& path, bool& gzip) {
  auto window = ReadWindow::open(path);
  if (!window) return window;
  gzip = is_gzip(window->unread());
  if (gzip) {
    auto inflated = inflated_file(path);
    if (!inflated) return fail(std::move(inflated.error()));
    return ReadWindow::of(*inflated, path);
  }
  if (lower_ascii(path).ends_with(".gz") && !window->unread().empty()) {
    return fail(Error{ErrorKind::data,
                      "the name ends in .gz, but the content is not compressed with gzip; rename the file",
                      {{"file", path}}});
  }
  return window;
}

}  // namespace

Result<RecordReader> RecordReader::open(const std::string& path, std::optional<RecordFormat> format) {
  const RecordFormat form = format.value_or(format_of_name(path));
  bool gzip = false;
  auto window = open_plain(path, gzip);
  if (!window) return fail(std::move(window.error()));
  if (std::string mismatch = format_mismatch(form, window->unread()); !mismatch.empty())
    return fail(Error{ErrorKind::data, std::move(mismatch), {{"file", path}}});
  switch (form) {
    case RecordFormat::jsonl:
      return RecordReader(form, LineReader(std::move(*window)));
    case RecordFormat::json:
      return RecordReader(form, ListReader(std::move(*window)));
    case RecordFormat::csv:
    case RecordFormat::tsv: {
      auto table = TableReader::open(std::move(*window), form == RecordFormat::csv ? ',' : '\t');
      if (!table) return fail(std::move(table.error()));
      return RecordReader(form, std::move(*table));
    }
  }
  return fail(ErrorKind::internal, "unknown form of data");
}

LinePlace RecordReader::place() const {
  return std::visit([](const auto& reader) { return reader.place(); }, reader_);
}

Status RecordReader::go_to(const LinePlace& place) {
  return std::visit([&](auto& reader) { return reader.go_to(place); }, reader_);
}

Result<ContentForm> content_form(const std::string& path) {
  ContentForm form;
  auto window = open_plain(path, form.gzip);
  if (!window) return fail(std::move(window.error()));
  form.format = format_of_content(window->unread());
  return form;
}

}  // namespace assay
