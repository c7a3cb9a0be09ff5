// The CSV reader: a table is as wide as its first row everywhere, and a problem is told in valid text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/tables/csv.h"
#include "core/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = assay::parse_csv({reinterpret_cast<const char*>(data), size});
  if (!table) {
    if (table.error().message.empty() || !assay::valid_utf8(table.error().message)) std::abort();
    return 0;
  }
  std::uint64_t line = 0;
  for (const assay::CsvRow& row : table->rows) {
    if (row.cells.size() != table->columns.size() || row.line <= line) std::abort();
    line = row.line;
  }
  return 0;
}
