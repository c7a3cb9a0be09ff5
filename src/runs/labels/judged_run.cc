#include "runs/labels/judged_run.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/text.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/design/role_marks.h"
#include "runs/finished.h"
#include "runs/labels/run_kinds.h"
#include "runs/material.h"

namespace assay::labels {
namespace {

constexpr std::size_t kTelling = 100;  // lines that tell which variants there are

// The lines of results.jsonl as trees, at most so many.
Status each_result(const std::string& directory, const std::function<void(const Json&)>& tell,
                   std::size_t most = std::numeric_limits<std::size_t>::max()) {
  const std::string file = directory + "/results.jsonl";
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  for (std::size_t told = 0; told < most; ++told) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return {};
    auto tree = parse_json((*line)->text);
    if (!tree)
      return fail(std::move(tree.error()).with("line", std::to_string((*line)->number)).with("file", file));
    tell(*tree);
  }
  return {};
}

using Answers = std::map<std::string, std::vector<std::string>>;

// The outputs in a line of the custom evaluation, by variant.
Answers outputs_in(const Json& line) {
  Answers answers;
  for (const Json& answer : list_at(line, "answers")) {
    if (const Json* output = find_member(answer, "output"))
      answers[text_at(answer, "variant")].push_back(material_text(*output));
  }
  return answers;
}

// A field that repeats an answer would tell whose it is, or show the other one.
bool repeats_answer(const std::string& text, const Answers& answers) {
  return std::ranges::any_of(answers, [&](const auto& variant) {
    return std::ranges::any_of(variant.second,
                               [&](const std::string& answer) { return trim(answer) == trim(text); });
  });
}

CaseTexts custom_texts(const Json& line) {
  CaseTexts texts;
  texts.answers = outputs_in(line);
  const Json* fields = find_member(line, "fields");
  if (fields == nullptr || !fields->is_object()) return texts;
  for (const auto& [name, value] : fields->get_object()) {
    if (name == "id") continue;
    std::string text = material_text(value);
    if (!text.empty() && !repeats_answer(text, texts.answers))
      texts.material.emplace_back(name, std::move(text));
  }
  return texts;
}

// The answers of an experiment without the marks of roles, as its judges saw them: by query, then condition.
Result<std::map<std::string, Answers>> blind_responses(const JudgedRun& run) {
  std::map<std::string, Answers> found;
  const Json config(run.scores.config);
  const Json* declared = find_member(config, "runs");
  const int runs = declared == nullptr ? 1 : static_cast<int>(as_integer(*declared).value_or(1));
  for (const std::string& condition : run.variants) {
    for (int number = 1; number <= runs; ++number) {
      const std::string file =
          run.directory + "/responses/" + experiment::response_file(condition, number, runs);
      if (!file_exists(file)) continue;
      auto text = read_file(file);
      if (!text) return fail(std::move(text.error()));
      auto tree = parse_json(*text);
      if (!tree) return fail(std::move(tree.error()).with("file", file));
      if (!tree->is_object()) continue;
      for (const auto& [query, answer] : tree->get_object()) {
        if (const auto said = as_text(answer))
          found[query][condition].push_back(experiment::take_out_roles(*said).text);
      }
    }
  }
  return found;
}

Result<std::map<std::string, CaseTexts>> experiment_texts(const JudgedRun& run,
                                                          const std::set<std::string>& ids) {
  auto responses = blind_responses(run);
  if (!responses) return fail(std::move(responses.error()));
  std::map<std::string, CaseTexts> texts;
  const auto read = each_result(run.directory, [&](const Json& line) {
    const std::string id = text_at(line, "id");
    if (!ids.contains(id)) return;
    texts[id] = {{{"query", text_at(line, "query")}}, std::move((*responses)[id])};
  });
  if (!read) return fail(read.error());
  return texts;
}

Material material_of(std::string_view evaluation, const JsonObject& fields, Classes classes) {
  Material material;
  for (const auto& [name, value] : fields) {
    if (name == "id" || (classes == Classes::hidden && tells_class(evaluation, name))) continue;
    if (std::string text = material_text(value); !text.empty()) material.emplace_back(name, std::move(text));
  }
  return material;
}

Result<std::map<std::string, CaseTexts>> plain_texts(const JudgedRun& run, const std::set<std::string>& ids,
                                                     Classes classes) {
  auto found = case_material(run.directory, ids);
  if (!found) return fail(std::move(found.error()));
  std::map<std::string, CaseTexts> texts;
  for (const auto& [id, fields] : *found) texts[id].material = material_of(run.evaluation, fields, classes);
  return texts;
}

Result<std::map<std::string, CaseTexts>> custom_case_texts(const JudgedRun& run,
                                                           const std::set<std::string>& ids) {
  std::map<std::string, CaseTexts> texts;
  const auto read = each_result(run.directory, [&](const Json& line) {
    if (std::string id = text_at(line, "id"); ids.contains(id)) texts[std::move(id)] = custom_texts(line);
  });
  if (!read) return fail(read.error());
  return texts;
}

}  // namespace

Result<JudgedRun> read_judged_run(const std::string& directory) {
  auto scores = read_run_scores(directory);
  if (!scores) return fail(std::move(scores.error()));
  JudgedRun run;
  run.directory = directory;
  run.evaluation = scores->summary.evaluation;
  run.run_id = scores->summary.run_id;
  run.scores = std::move(*scores);
  run.variants = conditions_of(run);
  if (run.evaluation == kCustom) {
    // Every line has all variants; one of a case that failed at once has none.
    const auto read =
        each_result(directory, [&](const Json& line) { note_variants(line, run.variants); }, kTelling);
    if (!read) return fail(read.error());
  }
  run.pairs = pairs_of(run);
  run.classes = classes_of(run);
  run.figures = figures_of(run);
  if (!run.classes.empty()) {
    const auto read =
        each_result(directory, [&](const Json& line) { note_classes(run.evaluation, line, run.classes); });
    if (!read) return fail(read.error());
    finish_classes(run.classes);
  }
  return run;
}

Result<std::map<std::string, CaseTexts>> read_case_texts(const JudgedRun& run,
                                                         const std::set<std::string>& ids, Classes classes) {
  auto texts = run.evaluation == kCustom       ? custom_case_texts(run, ids)
               : run.evaluation == kExperiment ? experiment_texts(run, ids)
                                               : plain_texts(run, ids, classes);
  if (!texts) return texts;
  for (const std::string& id : ids) {
    if (!texts->contains(id))
      return fail(Error{ErrorKind::data, fmt::format("there is no case {} in the run", id), {}}.with(
          "directory", run.directory));
  }
  return texts;
}

Result<std::set<std::string>> answered_cases(const JudgedRun& run, const std::vector<std::string>& variants) {
  std::set<std::string> ids;
  if (variants.empty() || (run.evaluation != kCustom && run.evaluation != kExperiment)) {
    for (const ScoredCase& one : run.scores.cases) {
      if (one.outcome == "scored" || one.outcome.empty()) ids.insert(one.id);
    }
    return ids;
  }
  const auto all_answered = [&](const Answers& answers) {
    return std::ranges::all_of(variants, [&](const std::string& name) { return answers.contains(name); });
  };
  if (run.evaluation == kExperiment) {
    const auto responses = blind_responses(run);
    if (!responses) return fail(responses.error());
    for (const auto& [query, answers] : *responses) {
      if (all_answered(answers)) ids.insert(query);
    }
    return ids;
  }
  const auto read = each_result(run.directory, [&](const Json& line) {
    if (all_answered(outputs_in(line))) ids.insert(text_at(line, "id"));
  });
  if (!read) return fail(read.error());
  return ids;
}

}  // namespace assay::labels
