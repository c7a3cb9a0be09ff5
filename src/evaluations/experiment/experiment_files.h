// The files of an experiment, written query by query: answers as they came and blinded, what each evaluator
// said under blinded names, and every comparison with its names put back.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evaluations/experiment/design/blinding.h"
#include "evaluations/experiment/judging/judged_query.h"
#include "evaluations/experiment/judging/judges.h"
#include "evaluations/output_files.h"

namespace assay::experiment {

inline constexpr const char* kResponses = "responses/";
inline constexpr const char* kBlinded = "blinded_evaluation/";
inline constexpr const char* kAnalysisFile = "analysis.json";

std::string pairwise_file(int evaluator);  // "pairwise_evaluator_1_results.json"
std::string absolute_file(int evaluator);
std::string role_file(int evaluator);

// The lines of evaluations.jsonl on a query, without line ends. Both answers of every pair must be there.
std::vector<std::string> comparison_lines(const Design& design, const JudgedQuery& judged);

class ExperimentFiles {
 public:
  // Appends to the file of that name.
  using Write = std::function<void(const std::string& name, std::string_view bytes)>;
  // Design and key must outlive it.
  ExperimentFiles(const Design& design, const BlindingKey& key, const Judges& judges, Write write);

  void add(const JudgedQuery& judged);
  // Ends lists and objects.
  void finish();

 private:
  // A JSON document whose entries come one at a time.
  struct Document {
    std::string file;
    std::string_view close;
    bool empty = true;
  };
  void begin(const std::string& file, const std::string& opening, std::string_view close);
  void entry(const std::string& file, std::string_view text);
  void add_answers(const JudgedQuery& judged);
  void add_judgements(const JudgedQuery& judged);

  const Design& design_;
  const BlindingKey& key_;
  Write write_;
  std::map<std::string, Document> documents_;
};

}  // namespace assay::experiment
