#include "evaluations/experiment/experiment_files.h"

#include <algorithm>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::experiment {
namespace {

std::string member_text(const std::string& name, const std::string& value) {
  std::string out = "  ";
  append_json_string(out, name);
  out += ": ";
  append_json_string(out, value);
  return out;
}

// What the evaluators who rate gave the answer, on average.
std::array<std::optional<double>, 5> mean_scores(const QueryRecord& record, std::size_t condition, int run) {
  std::array<std::optional<double>, 5> means;
  for (std::size_t i = 0; i < means.size(); ++i) {
    double sum = 0;
    int count = 0;
    for (const auto& [rating, failures] : record.ratings) {
      if (rating.condition != condition || rating.run != run) continue;
      sum += rating.scores[i];
      ++count;
    }
    if (count > 0) means[i] = sum / count;
  }
  return means;
}

}  // namespace

std::string pairwise_file(int evaluator) {
  return fmt::format("pairwise_evaluator_{}_results.json", evaluator);
}

std::string absolute_file(int evaluator) {
  return fmt::format("absolute_evaluator_{}_results.json", evaluator);
}

std::string role_file(int evaluator) {
  return fmt::format("role_evaluator_{}_results.json", evaluator);
}

std::vector<std::string> comparison_lines(const Design& design, const JudgedQuery& judged) {
  std::vector<std::string> lines;
  const QueryRecord& record = judged.record;
  const auto response = [&](std::size_t condition, int run) {
    const std::size_t place = design.place(condition, run);
    const std::string& role = judged.roles[place];
    return JsonObject{{"text", judged.answers[place]->text},
                      {"role_indicated", role.empty() ? Json(nullptr) : Json(boost::json::string(role))},
                      {"condition", design.conditions[condition].control ? "control" : "persona"},
                      {"condition_name", design.conditions[condition].name}};
  };
  for (const auto& [verdict, failures] : record.pairs) {
    const bool a_is_test =
        !design.conditions[verdict.condition_a].control &&
        (design.conditions[verdict.condition_b].control || verdict.condition_a < verdict.condition_b);
    const std::size_t test = a_is_test ? verdict.condition_a : verdict.condition_b;
    JsonObject evaluation;
    for (const char side : {'a', 'b'}) {
      const auto means =
          mean_scores(record, side == 'a' ? verdict.condition_a : verdict.condition_b, verdict.run);
      for (std::size_t i = 0; i < kCriteria.size(); ++i)
        evaluation[fmt::format("{}_{}", kCriteria[i], side)] = means[i] ? Json(*means[i]) : Json(nullptr);
    }
    evaluation["winner"] = to_string(verdict.winner);
    const auto role = std::ranges::find_if(record.roles, [&](const Kept<RoleVerdict>& kept) {
      return kept.judgement.evaluator == verdict.evaluator && kept.judgement.condition == test &&
             kept.judgement.run == verdict.run;
    });
    evaluation["role_appropriate"] =
        role == record.roles.end() ? Json(nullptr) : Json(role->judgement.appropriate);
    evaluation["evaluator_notes"] = verdict.reasons[kOverall];
    JsonObject choices;
    for (std::size_t i = 0; i < kCriteria.size(); ++i) choices[kCriteria[i]] = to_string(verdict.choices[i]);
    evaluation["choices"] = std::move(choices);
    const JsonObject row{{"query", judged.query.text},
                         {"query_id", judged.query.id},
                         {"query_type", judged.query.query_type},
                         {"test_condition", design.conditions[test].name},
                         {"run_number", verdict.run},
                         {"evaluator", verdict.evaluator},
                         {"swapped", verdict.swapped},
                         {"response_a", response(verdict.condition_a, verdict.run)},
                         {"response_b", response(verdict.condition_b, verdict.run)},
                         {"evaluation", std::move(evaluation)}};
    lines.push_back(to_text(row));
  }
  return lines;
}

ExperimentFiles::ExperimentFiles(const Design& design, const BlindingKey& key, const Judges& judges,
                                 Write write)
    : design_(design), key_(key), write_(std::move(write)) {
  for (std::size_t place = 0; place < design.answers(); ++place) {
    begin(kResponses + design.file_at(place), "{", "\n}\n");
    begin(kBlinded + key.code(place), "{", "\n}\n");
  }
  const auto evaluator = [&](const std::string& file, int number, const char* mode,
                             const JudgeSettings& judge) {
    std::string opening = to_text(JsonObject{{"evaluator", number}, {"mode", mode}, {"model", judge.model}});
    opening.back() = ',';
    begin(file, opening + "\n\"judgements\": [", "\n]}\n");
  };
  for (int i = 1; i <= design.pairwise_evaluators; ++i)
    evaluator(pairwise_file(i), i, "pairwise", judges.pairwise());
  for (int i = design.pairwise_evaluators + 1; i <= design.evaluators(); ++i)
    evaluator(absolute_file(i), i, "absolute", judges.absolute());
  write_("evaluations.jsonl", "");
}

void ExperimentFiles::begin(const std::string& file, const std::string& opening, std::string_view close) {
  documents_.emplace(file, Document{file, close, true});
  write_(file, opening);
}

void ExperimentFiles::entry(const std::string& file, std::string_view text) {
  Document& document = documents_.at(file);
  write_(file, document.empty ? "\n" : ",\n");
  write_(file, text);
  document.empty = false;
}

void ExperimentFiles::add(const JudgedQuery& judged) {
  add_answers(judged);
  add_judgements(judged);
  for (const std::string& line : comparison_lines(design_, judged)) write_("evaluations.jsonl", line + "\n");
}

void ExperimentFiles::finish() {
  for (const auto& [file, document] : documents_) write_(file, document.close);
  documents_.clear();
}

void ExperimentFiles::add_answers(const JudgedQuery& judged) {
  for (std::size_t place = 0; place < judged.answers.size(); ++place) {
    if (!judged.answers[place]) continue;
    entry(kResponses + design_.file_at(place), member_text(judged.query.id, *judged.record.responses[place]));
    entry(kBlinded + key_.code(place), member_text(judged.query.id, judged.answers[place]->text));
  }
}

void ExperimentFiles::add_judgements(const JudgedQuery& judged) {
  const std::string& query = judged.query.id;
  const auto code = [&](std::size_t condition, int run) { return key_.code(design_.place(condition, run)); };
  for (const auto& kept : judged.record.pairs) {
    const PairVerdict& verdict = kept.judgement;
    entry(pairwise_file(verdict.evaluator),
          to_text(blinded_row(kept, {query, code(verdict.condition_a, verdict.run),
                                     code(verdict.condition_b, verdict.run)})));
  }
  for (const auto& kept : judged.record.ratings)
    entry(absolute_file(kept.judgement.evaluator),
          to_text(blinded_row(kept, {query, code(kept.judgement.condition, kept.judgement.run), ""})));
  for (const auto& kept : judged.record.roles) {
    const std::string file = role_file(kept.judgement.evaluator);
    if (!documents_.contains(file))
      begin(file,
            fmt::format("{{\"evaluator\":{},\"mode\":\"role\",\n\"judgements\": [", kept.judgement.evaluator),
            "\n]}\n");
    entry(file, to_text(blinded_row(kept, {query, code(kept.judgement.condition, kept.judgement.run), ""})));
  }
  // What was lost stands in its evaluator's file too, so that the files are the whole account.
  for (const Lost& lost : judged.record.lost) {
    const bool compares = lost.evaluator <= design_.pairwise_evaluators;
    entry(compares ? pairwise_file(lost.evaluator) : absolute_file(lost.evaluator),
          to_text(JsonObject{{"query", boost::json::string(query)},
                             {"lost", true},
                             {"format_failures", lost.format_failures}}));
  }
}

}  // namespace assay::experiment
