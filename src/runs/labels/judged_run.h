// What a finished run holds that people could judge: its cases with their scores, its figures with their
// ranges, the variants that answered, and classes. Texts are read only for the cases that were drawn.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "report/compare/compare.h"
#include "runs/labels/judge_question.h"
#include "runs/labels/sheet.h"
#include "stats/estimate.h"

namespace assay::labels {

// A figure that is a mean over the cases' scores.
struct JudgedFigure {
  std::string name;
  Interval range = {0, 1};
  bool yes_no = false;       // each answer counts as yes or no
  std::string variant = {};  // whose answers it is about; "" for the only one
  JudgeQuestion asked = {};
};

// A figure that says how often a class is right.
struct JudgedClasses {
  std::string figure;
  std::string variant = {};
  std::vector<std::string> labels = {};  // that occur, sorted
  // By case: the class that the judge, or the data, has for it, and the one that makes the figure 1.
  struct OfCase {
    std::string judge;
    std::string right;
  };
  std::map<std::string, OfCase> cases = {};
  JudgeQuestion asked = {};
};

// A figure that says how often one variant beats another.
struct JudgedPair {
  std::string first;
  std::string second;
  std::string figure = {};  // "": no judge compared them
  JudgeQuestion asked = {};
};

struct JudgedRun {
  std::string directory;
  std::string evaluation;
  std::string run_id;
  RunScores scores;
  std::vector<JudgedFigure> figures;
  std::vector<JudgedClasses> classes;
  std::vector<std::string> variants;  // those that answered; empty: the run knows no variants
  std::vector<JudgedPair> pairs;      // every two of them
  std::set<std::string> fields;       // of the cases of the custom evaluation
};

// An error if the run is not finished or is not there.
Result<JudgedRun> read_judged_run(const std::string& directory);

// Of which run and judge its cases are drawn, as labels say it (evaluations/judges/label_origin.h).
std::string drawn_of(const JudgedRun& run);

struct ShownAnswer {
  std::string text;
  Material beside = {};  // contexts and trace, where the judge saw them
};
// What one case shows to a person.
struct CaseTexts {
  Material material;                                        // nothing of any answer of a variant
  std::map<std::string, std::vector<ShownAnswer>> answers;  // by variant, one for each repeat
  std::string answer_name = "answer";                       // or what a metric looks at in its place
  std::string asked = {};  // the judge's question, where each case has one of its own
};
// Whether a person sees the classes that a classifier's data and answers hold.
enum class Classes { shown, hidden };
// Of these cases, what the judge of the figure saw (judge_view.h); one whose texts have gone is an error.
Result<std::map<std::string, CaseTexts>> read_case_texts(const JudgedRun& run, std::string_view figure,
                                                         const std::set<std::string>& ids, Classes classes);

// Cases in which every one of these variants has answered; with none, all cases that were scored.
Result<std::set<std::string>> answered_cases(const JudgedRun& run, const std::vector<std::string>& variants);

}  // namespace assay::labels
