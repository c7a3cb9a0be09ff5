// What is told to a scorer of the user's, be it a program or an HTTP service, and what it answers. Both have
// one form: docs/custom_programs.md shows it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "core/error.h"
#include "core/json/json.h"
#include "stats/estimate.h"

namespace assay::custom {

// One answer that is to be scored.
struct ScorerQuestion {
  std::string case_id;
  std::string variant = {};  // empty: the data hold the outputs
  int repeat = 1;            // counted from 1
  JsonObject fields = {};    // of the case, under their declared names
  Json output = nullptr;     // a text, or JSON
  Json meta = nullptr;       // latency_ms, cost_usd, …; an object, or null
  Json trace = nullptr;      // tool calls in order; a list, or null
};
// With the members case, variant, repeat, fields, output, meta and trace, always all of them.
JsonObject to_json(const ScorerQuestion& question);

struct ScorerReply {
  std::optional<double> score;
  std::vector<std::pair<std::string, double>> scores;  // by name, in the order of the reply
  std::string reason;
  std::string label;
  std::optional<bool> passed;
};

// Every number is finite and within `scale`, which is told otherwise. A score may be true or false, and is
// then 1 or 0, where the scale is 0 to 1; there `passed` alone is a score, too. Members that are null count
// as absent, unknown ones are passed over. Errors are of kind judge: what the reply itself gives as `error`,
// or which member was found and what was expected.
Result<ScorerReply> read_scorer_reply(const Json& reply, const Interval& scale);

}  // namespace assay::custom
