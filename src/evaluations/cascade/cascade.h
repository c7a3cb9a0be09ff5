// A cascade of judges: each is asked several times about a case, and decides it if enough of its votes agree;
// how many are enough follows from cases that people have labelled, so that with the wanted confidence a
// judge agrees with people on the promised share of the cases that it decides (stats/agreement/cascade.h). A
// judge that cannot be shown to keep the promise decides nothing, and the cases go past it. What is left at
// the end is for people: such a case has no figure.
//
// The thresholds are learnt once, from the labelled cases, before any case may end (engine/calibration.h).
// What it knows changes only while no case is under way, so cases on any thread may ask it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "engine/calibration.h"
#include "engine/work.h"
#include "evaluations/cascade/cascade_config.h"
#include "evaluations/cascade/cascade_record.h"
#include "stats/agreement/cascade.h"

namespace assay {

// What people say of a case.
struct PeoplesWord {
  std::string side;  // as votes are for
  double value = 0;  // on the scale of the figure, where it has one
};

// Which side a label is for; an error says what was expected of the cell.
using LabelReading = std::function<Result<PeoplesWord>(const std::string& cell)>;

class Cascade final : public RunCalibration {
 public:
  // What a judge that promises has shown on the labelled cases that reached it.
  struct Shown {
    std::int64_t reached = 0;
    ThresholdSearch search = {};
    // In the place of a threshold: why it decides nothing, and how many labels are missing.
    std::string refusal = {};
  };

  // `unlabelled`: cases that stand in the file of labels and have none.
  Cascade(CascadeSettings settings, std::map<std::string, PeoplesWord, std::less<>> labels,
          std::map<std::string, PeoplesWord, std::less<>> said = {},
          std::set<std::string, std::less<>> unlabelled = {});
  // With the labels that the config names. Null after problems: also if there are fewer than the promise
  // needs at the least.
  static std::shared_ptr<Cascade> from(CascadeSettings settings, const Config& config,
                                       const LabelReading& reading, std::vector<ConfigProblem>& problems);

  const CascadeSettings& settings() const { return settings_; }
  const std::vector<CascadeJudge>& judges() const { return settings_.judges; }
  // What calibrates; null: the case is not labelled.
  const PeoplesWord* label_of(std::string_view id) const;
  // What people say of a case that is left to them; null: nothing yet.
  const PeoplesWord* said_of(std::string_view id) const;
  std::size_t labels() const { return labels_.size(); }
  bool was_left_out(std::string_view id) const { return unlabelled_.contains(id); }
  // Of what people say, by the key of the config that names its file: who decides hangs on it.
  std::map<std::string, std::string> fingerprints() const;
  // Of the judges that promise, in their order, as far as it is known.
  const std::vector<Shown>& shown() const { return shown_; }

  struct Next {
    std::optional<std::size_t> ask = {};  // which judge
    std::string decided_by = {};          // if nobody is to be asked; "": more has to be learnt first
  };
  // Where the case stands after those who were asked.
  Next next(const CascadeRecord& record, std::string_view id) const;

  // How many labelled cases are missing at the least before anything can be promised, in a sentence; "" if
  // none are.
  std::string too_few(std::size_t labelled) const;

  bool takes_part(const Case& input) const override { return label_of(input.id) != nullptr; }
  Status look_at(const std::vector<CalibrationCase>& cases) const override;
  std::optional<std::string> step() const override;
  JsonObject rests_on() const override;
  Result<JsonObject> learn(const std::vector<CalibrationCase>& cases) const override;
  Status know(const JsonObject& learnt) override;

 private:
  std::size_t promising() const;
  AgreementPromise promise_of(std::size_t judge) const;
  // Of so many labelled cases of the run.
  std::string refusal_of(std::size_t judge, const Shown& shown, std::int64_t labelled) const;

  CascadeSettings settings_;
  std::map<std::string, PeoplesWord, std::less<>> labels_;
  std::map<std::string, PeoplesWord, std::less<>> said_;
  std::set<std::string, std::less<>> unlabelled_;
  std::vector<Shown> shown_;
};

// Reads the data once: too few labels among the cases of the run, or two of one cluster, are problems before
// anything is sent. Data that can be read once only are looked at when the run begins.
void check_labelled_cases(const Cascade& cascade, const CaseWork& work, const std::string& data_path,
                          std::vector<ConfigProblem>& problems);

}  // namespace assay
