// One unit of input: a line, an item of it, a query, a planned run. A case owns its bytes, so that it can be
// kept, put into a queue and evaluated elsewhere; what its source has parsed of it goes along as long as the
// source stands on it, and saves a second parsing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/json/json.h"
#include "core/json/jsonl.h"

namespace assay {

struct Case {
  std::int64_t index = 0;    // position in the input, from 0; stable over invalid lines
  std::uint64_t line = 0;    // in the file, from 1
  std::string id = {};       // given, or the line's number
  std::string cluster = {};  // which cases it belongs with; "" if the config declares no cluster
  std::string payload = {};  // JSON: the line as it stands in the data, or what the source made of the case
  std::size_t part = 0;      // which of the line's cases, where a line is several

  // The payload as the source has parsed it: one of the two while the source stands on the case, none later.
  const LineParser* fields = nullptr;
  const Json* tree = nullptr;

  // The same without what belongs to the source: complete in itself.
  Case travelling() const {
    Case copy = *this;
    copy.fields = nullptr;
    copy.tree = nullptr;
    return copy;
  }
};

// Cases that are done beside those of the run (CaseWork::beside) have their indices from here on. Those of
// the run are below it, also where an index is a digest.
inline constexpr std::int64_t kFirstBeside = std::int64_t{1} << 62;

inline bool is_beside(std::int64_t index) {
  return index >= kFirstBeside;
}

// Where a case stands in its source, to come back to it.
struct CasePlace {
  std::int64_t index = 0;
  LinePlace line = {};  // if it is a line of a file
};

// The payload as a tree, parsed here unless the source has done so. A payload that was read once is JSON.
class CaseTree {
 public:
  explicit CaseTree(const Case& input) : tree_(input.tree) {
    if (tree_ != nullptr) return;
    if (auto parsed = parse_json(input.payload)) own_ = std::move(*parsed);
    tree_ = &own_;
  }
  CaseTree(const CaseTree&) = delete;
  CaseTree& operator=(const CaseTree&) = delete;
  const Json& operator*() const { return *tree_; }
  const Json* operator->() const { return tree_; }

 private:
  const Json* tree_;
  Json own_;
};

}  // namespace assay
