// Any bytes as a file of records in each form, compressed or not: every record that is given can be come back
// to, rows are JSON objects, and whatever is wrong is told in words.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "core/json/json.h"
#include "core/tables/record_reader.h"
#include "tests/fuzz/require.h"

using assay::fuzz::require;
using assay::fuzz::require_words;

namespace {

void read_all(const std::string& path, assay::RecordFormat format) {
  auto reader = assay::RecordReader::open(path, format);
  require_words(reader);
  if (!reader) return;
  std::vector<std::pair<assay::LinePlace, std::string>> kept;
  for (;;) {
    auto record = reader->next();
    require_words(record);
    if (!record || !*record) break;
    for (const std::string& problem : reader->problems()) require_words(problem);
    if (reader->is_table()) {
      const auto row = assay::parse_json((*record)->text);
      require(row.has_value() && row->is_object());
    }
    require(kept.empty() ||
            ((*record)->number >= kept.back().first.number && (*record)->entry > kept.back().first.entry));
    kept.emplace_back(reader->place(), std::string((*record)->text));
  }
  for (auto place = kept.rbegin(); place != kept.rend(); ++place) {
    require(reader->go_to(place->first).has_value());
    auto again = reader->next();
    require(again.has_value() && *again && (*again)->text == place->second &&
            (*again)->entry == place->first.entry);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("records", MFD_CLOEXEC);
  require(file >= 0);
  require(::write(file, data, size) == static_cast<ssize_t>(size));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  for (const auto format : {assay::RecordFormat::jsonl, assay::RecordFormat::json, assay::RecordFormat::csv,
                            assay::RecordFormat::tsv})
    read_all(path, format);
  require_words(assay::content_form(path));
  ::close(file);
  return 0;
}
