#include "runs/labels/judged_run.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "core/yaml.h"
#include "evaluations/components/rag_contexts.h"
#include "evaluations/custom/subject_path.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/design/role_marks.h"
#include "evaluations/judges/label_origin.h"
#include "evaluations/persona/request_texts.h"
#include "runs/finished.h"
#include "runs/labels/judge_view.h"
#include "runs/labels/run_kinds.h"
#include "runs/material.h"
#include "runs/result_lines.h"
#include "runs/show/whole_case.h"

namespace assay::labels {
namespace {

constexpr std::size_t kTelling = 100;  // lines that tell which variants and fields there are
// What an answer of the custom evaluation may say of itself, in the place of fields of the same names.
constexpr std::array<std::string_view, 3> kOfAnswer = {"contexts", "trace", "meta"};

using Answers = std::map<std::string, std::vector<ShownAnswer>>;

// The outputs in a line of the custom evaluation, by variant.
Answers outputs_in(const Json& line) {
  Answers answers;
  for (const Json& answer : list_at(line, "answers")) {
    if (const Json* output = find_member(answer, "output"))
      answers[text_at(answer, "variant")].push_back({material_text(*output)});
  }
  return answers;
}

// A field that repeats an answer would tell whose it is, or show the other one.
bool repeats_answer(const std::string& text, const Answers& answers) {
  return std::ranges::any_of(answers, [&](const auto& variant) {
    return std::ranges::any_of(variant.second,
                               [&](const ShownAnswer& answer) { return trim(answer.text) == trim(text); });
  });
}

// An answer of the custom evaluation as a judge with this view saw it.
ShownAnswer seen_answer(const Json& answer, const JsonObject& fields, const JudgeView& view) {
  static const Json kNothing;
  const auto part = [&](std::string_view name) -> const Json& {
    const Json* found = find_member(answer, name);
    return found == nullptr ? kNothing : *found;
  };
  ShownAnswer seen;
  if (view.of.empty()) {
    seen.text = material_text(part("output"));
  } else {
    std::vector<std::string> names;
    for (const auto& field : fields) names.emplace_back(field.key());
    const auto path = custom::SubjectPath::parse(view.of, names);
    const auto found =
        path ? path->find({part("output"), part("trace"), part("meta"), part("contexts"), fields}, true)
             : custom::FoundSubject{};
    if (found.value != nullptr) seen.text = material_text(*found.value);
  }
  if (!view.fields) return seen;
  for (const std::string_view name : kOfAnswer) {
    if (view.shows(name) && !part(name).is_null()) seen.beside.emplace_back(name, material_text(part(name)));
  }
  return seen;
}

CaseTexts custom_texts(const Json& line, const JudgeView& view, const JudgeQuestion& asked) {
  CaseTexts texts;
  texts.answer_name = view.answer_name();
  static const JsonObject kNone;
  const Json* found = find_member(line, "fields");
  const JsonObject& fields = found == nullptr || !found->is_object() ? kNone : found->get_object();
  JsonObject of_case = fields;
  of_case.erase("output");
  std::set<std::string_view> beside;
  for (const Json& answer : list_at(line, "answers")) {
    if (find_member(answer, "output") == nullptr) continue;
    for (const std::string_view name : kOfAnswer) {
      if (find_member(answer, name) == nullptr) continue;
      of_case.erase(name);
      if (view.fields) beside.insert(name);
    }
    if (view.answer) texts.answers[text_at(answer, "variant")].push_back(seen_answer(answer, fields, view));
  }
  // In the question, too, what an answer says of itself is not the field of that name.
  texts.asked = asked.of_case(of_case);
  const Answers outputs = outputs_in(line);
  for (const auto& [name, value] : fields) {
    if (name == "id" || name == "output" || beside.contains(name) || !view.shows(name)) continue;
    std::string text = material_text(value);
    if (!text.empty() && !repeats_answer(text, outputs) && !repeats_answer(text, texts.answers))
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
          found[query][condition].push_back({experiment::take_out_roles(*said).text});
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
  const auto read = each_result_line(run.directory, [&](const Json& line) {
    const std::string id = text_at(line, "id");
    if (ids.contains(id)) texts[id] = {{{"query", text_at(line, "query")}}, std::move((*responses)[id])};
    return Status();
  });
  if (!read) return fail(read.error());
  return texts;
}

// The file of a PromptQL run holds what was done, and not what was asked: that is in the journal.
std::string asked_of_promptql(const std::string& directory, const std::string& id) {
  const auto view = show_case(directory, id);
  if (!view) return "";
  for (const EffectView& effect : view->effects) {
    const Json* interactions = find_pointer(effect.request, "/body/interactions");
    const JsonArray* list = interactions == nullptr ? nullptr : interactions->if_array();
    if (list == nullptr || list->empty()) continue;
    if (const Json* asked = find_member(list->front(), "user_message")) return text_at(*asked, "text");
  }
  return "";
}

// What the judge of a rubric saw of a run: the task as it was put, what is expected, the criteria, the
// answer.
Result<Material> benchmark_material(const JudgedRun& run, const Json& line) {
  const std::string file = run.directory + "/" + text_at(line, "file");
  auto text = read_file(file);
  if (!text) return fail(std::move(text.error()));
  const auto yaml = parse_yaml(*text);
  if (!yaml) return fail(Error(yaml.error()).with("file", file));
  Material material;
  for (const Json& entry : list_at(yaml->value, "conversation")) {
    if (std::string asked = text_at(entry, "user_message"); !asked.empty()) {
      material.emplace_back("task", std::move(asked));
      break;
    }
  }
  if (material.empty()) {
    if (std::string asked = asked_of_promptql(run.directory, text_at(line, "id")); !asked.empty())
      material.emplace_back("task", std::move(asked));
  }
  const auto add = [&](const char* name, const Json* value) {
    if (value == nullptr) return;
    if (std::string shown = material_text(*value); !shown.empty())
      material.emplace_back(name, std::move(shown));
  };
  add("expected", find_member(line, "expected"));
  std::string criteria;
  if (const Json* details = find_member(line, "details")) {
    for (const Json& verdict : list_at(*details, "verdicts"))
      criteria += (criteria.empty() ? "" : "\n") + text_at(verdict, "criterion");
  }
  if (!criteria.empty()) material.emplace_back("criteria", std::move(criteria));
  add("answer", find_member(line, "answer"));
  return material;
}

Result<std::map<std::string, CaseTexts>> benchmark_texts(const JudgedRun& run,
                                                         const std::set<std::string>& ids) {
  std::map<std::string, CaseTexts> texts;
  const auto read = each_result_line(run.directory, [&](const Json& line) -> Status {
    const std::string id = text_at(line, "id");
    if (!ids.contains(id)) return {};
    auto material = benchmark_material(run, line);
    if (!material) return fail(std::move(material.error()));
    texts[id].material = std::move(*material);
    return {};
  });
  if (!read) return fail(read.error());
  return texts;
}

Material material_of(const JsonObject& fields, const JudgeView& view) {
  Material material;
  for (const auto& [name, value] : fields) {
    if (name == "id" || !view.shows(name)) continue;
    std::string text = material_text(value);
    if (value.is_array() && value.get_array().empty()) text = "none";  // a search that found nothing says so
    if (!text.empty()) material.emplace_back(name, std::move(text));
  }
  return material;
}

Result<std::map<std::string, CaseTexts>> plain_texts(const JudgedRun& run, const std::set<std::string>& ids,
                                                     const JudgeView& view) {
  auto found = case_material(run.directory, ids);
  if (!found) return fail(std::move(found.error()));
  std::map<std::string, CaseTexts> texts;
  for (auto& [id, fields] : *found) {
    // Of a context the judge reads its title, headings and text, and nothing that stands beside them.
    Json* contexts = run.evaluation == "rag_answers" ? fields.if_contains("structured_contexts") : nullptr;
    if (contexts != nullptr && components::check_contexts(*contexts).empty()) {
      const auto read = components::context_texts(*contexts);
      *contexts = JsonArray(read.begin(), read.end());
    }
    texts[id].material =
        run.evaluation == kPersona ? persona::request_texts(fields) : material_of(fields, view);
  }
  return texts;
}

Result<std::map<std::string, CaseTexts>> custom_case_texts(const JudgedRun& run,
                                                           const std::set<std::string>& ids,
                                                           const JudgeView& view,
                                                           const JudgeQuestion& asked) {
  std::map<std::string, CaseTexts> texts;
  const auto read = each_result_line(run.directory, [&](const Json& line) {
    if (std::string id = text_at(line, "id"); ids.contains(id))
      texts[std::move(id)] = custom_texts(line, view, asked);
    return Status();
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
    const auto note = [&](const Json& line) {
      note_variants(line, run.variants);
      const Json* fields = find_member(line, "fields");
      if (fields == nullptr || !fields->is_object()) return Status();
      for (const auto& field : fields->get_object()) run.fields.emplace(field.key());
      return Status();
    };
    if (const auto read = each_result_line(directory, note, kTelling); !read) return fail(read.error());
  }
  run.pairs = pairs_of(run);
  run.classes = classes_of(run);
  run.figures = figures_of(run);
  note_questions(run);
  if (!run.classes.empty()) {
    const auto read = each_result_line(directory, [&](const Json& line) {
      note_classes(run.evaluation, line, run.classes);
      return Status();
    });
    if (!read) return fail(read.error());
    finish_classes(run.classes);
  }
  return run;
}

std::string drawn_of(const JudgedRun& run) {
  return to_text(label_origin(run.evaluation, run.scores.config, run.scores.summary.prompts,
                              run.scores.summary.started));
}

Result<std::map<std::string, CaseTexts>> read_case_texts(const JudgedRun& run, std::string_view figure,
                                                         const std::set<std::string>& ids, Classes classes) {
  const auto view = judge_view(run, figure, classes);
  if (!view) return fail(view.error());
  const bool of_file = is_of_file(run.evaluation, run.scores.config);
  auto texts = run.evaluation == kCustom
                   ? custom_case_texts(run, ids, *view, judge_question(run, std::string(figure)))
               : run.evaluation == kExperiment && !of_file ? experiment_texts(run, ids)
               : run.evaluation == kBenchmark && !of_file  ? benchmark_texts(run, ids)
                                                           : plain_texts(run, ids, *view);
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
  const auto read = each_result_line(run.directory, [&](const Json& line) {
    if (all_answered(outputs_in(line))) ids.insert(text_at(line, "id"));
    return Status();
  });
  if (!read) return fail(read.error());
  return ids;
}

}  // namespace assay::labels
