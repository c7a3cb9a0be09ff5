// YAML as a JSON tree that remembers where each value stood, so that a problem found later still names line
// and column. Plain scalars follow YAML 1.2's core schema (so `no` and `on` are text, `0x1F` and `1e3` are
// numbers).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

struct YamlPosition {
  int line = 0;  // from 1; 0: unknown
  int column = 0;
};

struct YamlDocument {
  Json value;
  std::map<std::string, YamlPosition> positions;  // by JSON pointer; of keys, where the key stands

  YamlPosition position(const std::string& pointer) const;
};

// One document. Errors (kind parse) name line and column: syntax, duplicate keys, keys that are not text,
// aliases that expand beyond a bound.
Result<YamlDocument> parse_yaml(std::string_view text);

// Block style, for people; texts with several lines as literal blocks. Reads back as the same tree.
std::string to_yaml(const Json& value);

}  // namespace assay
