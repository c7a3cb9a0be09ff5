#include "evaluations/cascade/cascade_record.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay {

std::string CascadeBallot::side() const {
  for (const std::string& vote : votes) {
    if (vote.empty()) continue;
    const auto alike = static_cast<std::size_t>(std::ranges::count(votes, vote));
    if (2 * alike > votes.size()) return vote;
  }
  return "";
}

int CascadeBallot::count() const {
  const std::string most = side();
  return most.empty() ? 0 : static_cast<int>(std::ranges::count(votes, most));
}

void CascadeBallot::note_spending(const CaseSpending& before, const CaseSpending& after) {
  requests = after.requests - before.requests;
  if (before.cost_usd && after.cost_usd) cost_usd = *after.cost_usd - *before.cost_usd;
}

JsonObject to_json(const CascadeRecord& record) {
  JsonArray judges;
  for (const CascadeBallot& ballot : record.ballots) {
    JsonArray votes;
    for (const std::string& vote : ballot.votes) votes.push_back(vote.empty() ? Json(nullptr) : Json(vote));
    judges.push_back(JsonObject{{"judge", ballot.judge},
                                {"votes", std::move(votes)},
                                {"requests", ballot.requests},
                                {"cost_usd", ballot.cost_usd ? Json(*ballot.cost_usd) : Json(nullptr)}});
  }
  return {{"decided_by", record.decided_by.empty() ? Json(nullptr) : Json(record.decided_by)},
          {"judges", std::move(judges)}};
}

CascadeRecord cascade_record(const Json& json) {
  CascadeRecord record{{}, text_at(json, "decided_by")};
  for (const Json& entry : list_at(json, "judges")) {
    CascadeBallot& ballot = record.ballots.emplace_back();
    ballot.judge = text_at(entry, "judge");
    for (const Json& vote : list_at(entry, "votes")) ballot.votes.emplace_back(as_text(vote).value_or(""));
    if (const Json* requests = find_member(entry, "requests"))
      ballot.requests = as_integer(*requests).value_or(0);
    if (const Json* cost = find_member(entry, "cost_usd")) ballot.cost_usd = as_number(*cost);
  }
  return record;
}

}  // namespace assay
