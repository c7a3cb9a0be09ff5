// An evaluation, in three parts:
//
//   evaluate(case, context)       asks what is needed (engine/work.h); the only part that reaches the outside
//   line(case, outcome)           what the case came to: fields and scores; pure, so that early stopping, the
//   page
//                                 and a later scoring can ask for it too
//   aggregate                     folds the lines of all cases, in input order, into figures, tables and
//   files
//
// The run writes results.jsonl, results.csv, generated.jsonl and aggregate.csv, counts cases and keeps the
// worst ones, for all evaluations alike. A new evaluation implements this and adds one line to registry.cc;
// nothing else changes.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "core/config/config.h"
#include "core/error.h"
#include "engine/finished_case.h"
#include "engine/work.h"
#include "evaluations/human_check.h"
#include "evaluations/output_files.h"
#include "evaluations/result_line.h"
#include "evaluations/score.h"
#include "evaluations/stress/stressing.h"
#include "report/summary.h"

namespace assay {

// Cases without usable output, by outcome.
using MissingCases = std::map<std::string, std::int64_t>;

// Which run it is, for records that name it.
struct RunFacts {
  std::string run_id;
  std::string started;  // ISO 8601, UTC
};

class Anchors;

// Receives every line in input order, once.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  virtual void add(const Case& input, const ResultLine& line) = 0;
  // Metrics and tables, after the last case. `summary.cases` is filled; `missing` counts the cases without
  // usable output, by outcome.
  virtual void finish(const MissingCases& missing, Summary& summary) = 0;
  // The deciding sentences that need final figures, once what follows from all scores is in them; those that
  // do not can be said in finish().
  virtual void conclude(Summary& /*summary*/) const {}
  // Files made of the final figures, once what follows from all scores is in them.
  virtual void write_figures(const Summary& /*summary*/, const std::vector<NotableCase>& /*notable*/) {}
};

class Evaluation : public CaseWork {
 public:
  // The file (or directory) that the cases come from.
  virtual std::string data_path() const = 0;
  // Pure: what the case came to. `finished` is null where the evaluation asks nothing outside. Called on one
  // thread at a time for each `line`.
  virtual void line(const Case& input, const FinishedCase* finished, ResultLine& line) const = 0;
  // What the case was about, for a reader of its report, beside its line: mostly its input.
  virtual Json material(const Case& input, const FinishedCase* /*finished*/) const {
    return *CaseTree(input);
  }
  // `files` takes the evaluation's own files, beside those that the run writes.
  virtual std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& run) const = 0;
  // The heads of results.csv; none: there is no such file.
  virtual std::vector<std::string> columns() const { return {}; }
  // Every metric that a run may report, for checking gates before anything is sent; a name that ends in a dot
  // stands for a family with names from the data ("precision.").
  virtual std::vector<std::string> metric_names() const = 0;
  // Those of them that are means over the cases' scores.
  virtual std::vector<MeanFigure> mean_figures() const = 0;
  // Fingerprints of the prompts in force, by name, and of the other files that decide how answers are judged:
  // programs that score, people's labels that a cascade goes by.
  virtual std::map<std::string, std::string> prompts() const { return {}; }
  // What was decided where config and data leave it open, and what is there already: a line each, for
  // `check`.
  virtual std::vector<std::string> remarks() const { return {}; }
  // Called before the first request of a run, and again when it is resumed: for what must be on disk, or be
  // as it was, before anything is asked. The directory is there. An evaluation that goes on changes nothing
  // here: `check` calls it, too.
  virtual Status prepare(const std::string& /*directory*/, const RunFacts& /*run*/) { return {}; }
  // Whether a directory that holds a run of this evaluation is gone on with, whatever has changed in config
  // and data since. Then recall() tells how its cases ended so far.
  virtual bool goes_on() const { return false; }
  // An outcome that the directory holds; before prepare(), in any order. The index of a case may follow from
  // what is recalled, so that a case which ended is over and the next one of the same id is a new one.
  virtual void recall(const std::string& /*id*/, const Outcome& /*outcome*/) {}
  // People's labels for some of those.
  virtual std::span<const HumanCheck> human() const { return {}; }
  // Where the evaluation holds what people said against its judge by itself: of which run and judge that was
  // drawn (label_origin.h); "" if it does not say.
  virtual std::string ratings_drawn() const { return ""; }
  // The case as its judge reads it, by name, for a person who judges it too; by default the fields of its
  // line. What of them the judge of one figure sees is said in runs/labels/judge_view.h. `part`: the one that
  // is judged (PartScore), "" for the whole.
  virtual JsonObject as_judged(const Case& input, std::string_view /*part*/) const {
    const CaseTree tree(input);
    const JsonObject* fields = tree->if_object();
    return fields == nullptr ? JsonObject() : *fields;
  }
  // What the case lacks for a score of the figure, as one says of a line ("field against: found nothing, …");
  // "" if nothing. Told of anchors, which would be paid for in every run.
  virtual std::string lack(const Case& /*input*/, std::string_view /*figure*/) const { return ""; }
  // What a stress test of its judge needs; null if it has none.
  virtual std::unique_ptr<stress::Stressing> stressing() const { return nullptr; }

  // In a sentence, that no people have looked at what the judge says, and how they could; "" if they have, or
  // if there is no judge. not_checked() of human_check.h has the words.
  virtual std::string unchecked() const { return ""; }

  // Labelled cases that every run has judged beside its own (anchors.h); null: there are none.
  const Anchors* anchors() const { return anchors_.get(); }
  void judge_beside(std::shared_ptr<const Anchors> anchors) { anchors_ = std::move(anchors); }
  const CaseWork* beside() const override;

 private:
  std::shared_ptr<const Anchors> anchors_;
};

// One thing that was looked at in the files of a finished run.
struct RunCheck {
  std::string what;
  bool passed = false;
  std::string detail;  // what was found
};

struct EvaluationKind {
  std::string_view name;
  std::string_view title;  // one line for help
  Keys (*keys)();          // beside the common ones of common_keys.h
  // Checks what the declaration cannot say; a problem names its key. Null if there is any.
  std::unique_ptr<Evaluation> (*make)(const Config& config, std::vector<ConfigProblem>& problems);
  // Checks the files of a finished run against each other (`--verify DIR`); an error if some are missing.
  // Null: there is nothing to check.
  Result<std::vector<RunCheck>> (*verify)(const std::string& directory) = nullptr;
};

}  // namespace assay
