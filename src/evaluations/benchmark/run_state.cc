#include "evaluations/benchmark/run_state.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/file.h"
#include "core/text.h"

namespace assay::benchmark {

void take_outcome(const RunOutcome& outcome, EarlierSittings& earlier) {
  if (!outcome.failed) return;
  earlier.last = std::max(earlier.last, outcome.sitting);
  if (outcome.judged.empty() || !outcome.score) return;
  if (std::ranges::find(earlier.verdicts, outcome.judged, &Verdict::of) != earlier.verdicts.end()) return;
  earlier.verdicts.push_back({outcome.judged, *outcome.score, outcome.details});
}

RunState run_state(const EarlierSittings& earlier, std::string path) {
  RunState state{earlier.last + 1, earlier.verdicts, std::move(path), std::nullopt, ""};
  if (!file_exists(state.path)) return state;
  auto text = read_file(state.path);
  if (text) {
    state.text = repair_utf8(*text);
  } else {
    state.problem = text.error().text();
  }
  return state;
}

RunState run_state_or_taken(const EarlierSittings& earlier, std::string path, std::string transcript) {
  RunState own = run_state(earlier, std::move(path));
  if (own.text || !own.problem.empty()) return own;
  RunState other = run_state(earlier, std::move(transcript));
  other.taken = true;
  return other;
}

std::string to_payload(const RunState& state) {
  JsonObject json{{"sitting", state.sitting}, {"path", state.path}};
  if (state.text) json["text"] = *state.text;
  if (!state.problem.empty()) json["problem"] = state.problem;
  if (state.taken) json["taken"] = true;
  JsonArray verdicts;
  for (const Verdict& one : state.verdicts)
    verdicts.push_back(JsonObject{{"of", one.of}, {"score", one.score}, {"details", one.details}});
  if (!verdicts.empty()) json["verdicts"] = std::move(verdicts);
  return to_text(json);
}

RunState run_state_of(const Case& input) {
  const CaseTree tree(input);
  RunState state;
  if (const Json* sitting = find_member(*tree, "sitting")) state.sitting = as_integer(*sitting).value_or(1);
  state.path = text_at(*tree, "path");
  state.text = find_text(*tree, "text");
  state.problem = text_at(*tree, "problem");
  if (const Json* taken = find_member(*tree, "taken")) state.taken = as_boolean(*taken).value_or(false);
  for (const Json& verdict : list_at(*tree, "verdicts")) {
    const Json* score = find_member(verdict, "score");
    const Json* details = find_member(verdict, "details");
    if (score == nullptr || details == nullptr || !details->is_object()) continue;
    state.verdicts.push_back({text_at(verdict, "of"), as_number(*score).value_or(0), details->get_object()});
  }
  return state;
}

}  // namespace assay::benchmark
