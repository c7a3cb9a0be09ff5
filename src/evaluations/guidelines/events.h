// What happened in a conversation, as the judge sees it: messages and tool calls in order. Read from the
// source's own events, or from a transcript in the form of OpenAI's or Anthropic's API. Nothing of a
// transcript vanishes without a word: what the judge cannot be shown is named in `notes`, what is not known
// is a problem. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/guidelines/fields.h"

namespace assay::guidelines {

struct Events {
  std::vector<Json> list;          // event_kind, event_source and data of each, with nothing else in them
  std::vector<std::string> notes;  // parts that the judge does not see
};

// `events` or `messages` of a line.
Events read_events(const Json& line, Problems& problems);

}  // namespace assay::guidelines
