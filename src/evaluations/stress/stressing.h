// What an evaluation says of its judge, so that the judge can be put under stress (`assay stress`): which
// scores it gives, what it sees, and how a case is written with other texts in it. An evaluation without a
// judge over answers says nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "engine/case.h"
#include "evaluations/stress/changes.h"
#include "stats/estimate.h"

namespace assay {
class ResultLine;
}

namespace assay::stress {

// A score that a judge gives to a case.
struct JudgedFigure {
  std::string name = {};    // among the scores of the case: "faithfulness.mean"
  std::string metric = {};  // for people and in the names of figures: "faithfulness"
  Interval range = {0, 1};
  bool lower_is_better = false;
  bool sees_answer = true;
  bool sees_contexts = false;
  // Faults that must cost it something, and what they must contradict to be noticed.
  std::vector<std::string_view> faults = {};
  enum class Against { reference, contexts } against = Against::reference;
  // It is a share of the answer's statements that are borne out, or to the point: one more that is not costs
  // it something, whoever judges.
  bool counts_statements = false;
  bool both_orders = false;  // of answers side by side, judged in both orders: Stressing::seat() knows of it
};

// A case as lines of files.
struct WrittenCase {
  JsonObject line;                       // of the data
  std::vector<JsonObject> outputs = {};  // of outputs.jsonl, where answers do not stand in the data
};

class Stressing {
 public:
  virtual ~Stressing() = default;
  virtual std::vector<JudgedFigure> figures() const = 0;
  // Why the answers are not there to be judged; "" if they are.
  virtual std::string lacking() const = 0;
  // The key of the config that names the data.
  virtual std::string_view data_key() const { return "input_path"; }
  // Nothing where the case has no answer.
  virtual std::optional<JudgedTexts> texts(const Case& input) const = 0;
  // Whether the change is in this case what it is taken for: polite padding matters to a judge who is asked
  // whether somebody was polite.
  virtual bool tries(const Case& /*input*/, const Change& /*change*/) const { return true; }
  // The same case under another id, with these texts in the place of its own.
  virtual WrittenCase written(const Case& input, const std::string& id, const ChangedTexts& texts) const = 0;
  // Of answers side by side in a line that was just made: half of what sitting first was worth.
  virtual std::optional<double> seat(const JudgedFigure& /*figure*/, const ResultLine& /*line*/) const {
    return std::nullopt;
  }
  // Makes of the evaluation's config that of the stress run: what asks nobody's opinion goes, and so do
  // metrics that are not among `metrics` (empty: all stay). The error names one that there is not.
  virtual Status derive(JsonObject& config, const std::vector<std::string>& metrics) const = 0;
};

// The member of a line that says what was changed in it; the judge never sees it.
inline constexpr std::string_view kChangedMember = "stress";
// In the place of a change's name: the case as it was, twice.
inline constexpr std::string_view kUnchanged = "unchanged";
inline constexpr std::string_view kAgain = "again";

}  // namespace assay::stress
