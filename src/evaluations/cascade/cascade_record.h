// The way of one case up a cascade, as its outcome keeps it: what each judge voted that was asked, what that
// took, and who decided. A vote is for a side ("pass", "fail", a class); of a case only the side matters for
// agreement.
//
//   {"decided_by": "strong", "judges": [{"judge": "cheap", "votes": ["pass", "fail", "pass"], "requests": 3,
//    "cost_usd": 0.001}, …]}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "engine/context.h"

namespace assay {

struct CascadeBallot {
  std::string judge;
  std::vector<std::string> votes;  // the side of each; "": the answer could not be used
  std::int64_t requests = 0;
  std::optional<double> cost_usd = {};

  // The side that more than half of all votes are for; "": there is none.
  std::string side() const;
  // How many votes it has; 0 without one.
  int count() const;
  // What the case had spent before the judge was asked, and has spent now.
  void note_spending(const CaseSpending& before, const CaseSpending& after);
};

struct CascadeRecord {
  std::vector<CascadeBallot> ballots;  // in the order of asking
  std::string decided_by;              // a judge's name or `people`; "": nobody has
};

JsonObject to_json(const CascadeRecord& record);
// What is not as to_json() writes it is left out.
CascadeRecord cascade_record(const Json& json);

}  // namespace assay
