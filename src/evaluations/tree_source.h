// Cases from JSONL whose lines are trees rather than flat fields: a conversation with its events, an item
// with its classifications. A line is one case, or several (one per persona); every line is checked, and a
// bad one is passed over and told completely.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "engine/work.h"

namespace assay {

// How lines are read, declared.
struct TreeLines {
  std::string path;
  // Everything that is wrong with a line, in words with the place; empty if it is good.
  std::function<std::vector<std::string>(const Json& line)> check;
  // What names the line; "" makes its number the name. Asked of good lines only.
  std::function<std::string(const Json& line)> id;
  // Which lines belong together; "" or empty: none.
  std::function<std::string(const Json& line)> cluster = {};
  // What the ids of the line's cases have behind the line's own; one empty text: the line is one case.
  std::vector<std::string> parts = {""};
};

// `lines` must outlive the source.
Result<std::unique_ptr<CaseSource>> open_trees(const TreeLines& lines);

}  // namespace assay
