// Cases whose answer and label never change, judged in every run beside its own: what moves there is the
// judge. `anchors: FILE` in a config names data lines of the evaluation, each with its answer and a `label`
// by people. They are read by an evaluation of their own, made of the same config but for the data, so that
// the same judge is asked the same way; nobody under test is asked, an earlier run's answers are not taken,
// and the judge does not see the label.
//
// They are no part of the run's figures: what the judge said of them goes to anchors.jsonl and into
// `anchors.agreement` and `anchors.difference`. `assay runs --drift` follows them from run to run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "engine/finished_case.h"
#include "engine/work.h"
#include "evaluations/evaluation.h"
#include "evaluations/human_agreement.h"
#include "evaluations/output_files.h"
#include "report/summary.h"

namespace assay {

inline constexpr const char* kAnchorsFile = "anchors.jsonl";
// A field of it: a fingerprint of what the judge was shown.
inline constexpr std::string_view kAnchorShown = "shown";
// In the journal the ids of anchors begin like this, lest one be that of a case.
inline constexpr std::string_view kAnchorIdBefore = "anchors/";

// `anchors:` in a config.
Key anchors_key();

class Anchors final : public CaseWork {
 public:
  // Null if the config has none, or if they cannot be used, which is told.
  static std::shared_ptr<const Anchors> make(const EvaluationKind& kind, const Config& config,
                                             std::vector<ConfigProblem>& problems);

  Result<std::unique_ptr<CaseSource>> cases() const override;
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    return inner_->evaluate(input, context);
  }
  void estimate(const Case& input, CallEstimate& estimate) const override {
    inner_->estimate(input, estimate);
  }
  std::vector<std::string> models() const override { return inner_->models(); }
  std::vector<std::string> embedding_models() const override { return inner_->embedding_models(); }

  // What the judge made of one; `line` holds its label too.
  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const;
  const AnchorsReport& about() const { return about_; }  // without `judged`
  // Whether a score of the figure passes; empty if it has no threshold.
  const std::function<bool(double)>& passes() const { return passes_; }
  // Nothing if it has none.
  std::optional<double> label(std::string_view id) const;

  // The figures of every run that has some, for gates.
  static std::vector<std::string> metric_names();

 private:
  Anchors(std::unique_ptr<Evaluation> inner, AnchorsReport about)
      : inner_(std::move(inner)), about_(std::move(about)) {}
  // How many they are and what people say of them, as JSON; an error after problems.
  Result<std::string> read_labels(std::vector<ConfigProblem>& problems) const;
  void take_labels(const std::string& text);

  std::unique_ptr<Evaluation> inner_;
  AnchorsReport about_;
  std::function<bool(double)> passes_;
  std::map<std::string, double, std::less<>> labels_;
  std::int64_t first_ = kFirstBeside;  // index of the first of them
};

// Folds what the judge said of the anchors.
class AnchorTally {
 public:
  explicit AnchorTally(const Anchors& anchors) : anchors_(anchors) {}
  // In their order. `finished`: null if the run did not come to it.
  void add(const Case& input, const FinishedCase* finished, OutputFiles& files);
  // Adds the figures and what they are of; says them in a sentence.
  std::string apply(Summary& summary) const;

 private:
  const Anchors& anchors_;
  ResultLine line_;
  std::vector<LabelledCase> judged_;
  MissingCases missing_;
  std::int64_t scored_ = 0;
};

}  // namespace assay
