// Any bytes as a line of JSONL: accepted lines have extras that are JSON themselves, nothing crashes.

#include <cstdint>
#include <cstdlib>
#include <string>

#include <boost/json/object.hpp>

#include "core/json/jsonl.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static assay::LineParser parser({"id", "question", "expected_outcome"});
  std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t length = text.size();
  text.append(64, '\0');
  if (!parser.parse({std::string_view(text).substr(0, length), 1})) return 0;
  std::string extras;
  parser.append_extras(extras);
  if (!extras.empty() && !assay::parse_json(extras)) std::abort();
  for (std::size_t i = 0; i < 3; ++i) parser.tree(i);
  return 0;
}
