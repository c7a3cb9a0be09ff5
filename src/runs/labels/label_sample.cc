#include "runs/labels/label_sample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/json/json.h"
#include "core/random.h"
#include "core/sha256.h"
#include "core/text.h"
#include "report/csv.h"
#include "report/pages/label_sheet.h"
#include "report/words.h"
#include "runs/labels/judged_parts.h"
#include "runs/labels/judged_run.h"
#include "runs/labels/persona_verdicts.h"
#include "runs/labels/run_kinds.h"

namespace assay::labels {
namespace {

// A column of the data may not be taken for one of the sheet's own.
std::string column_head(const std::string& name) {
  const bool own = name == "probability" || name == "asked" || name == "label" || name == "drawn" ||
                   name.starts_with("by ");
  return own ? "data." + name : name;
}

// Whether the figure says how often a class is right: its labels are whether it is, and no classes.
bool counts_classes(const JudgedRun& run, const std::string& figure) {
  return std::ranges::find(run.classes, figure, &JudgedClasses::figure) != run.classes.end();
}

// What a judge gave; nothing for a figure that a program counts.
const JudgedFigure* judged_figure(const JudgedRun& run, const std::string& figure) {
  const auto found = std::ranges::find(run.figures, figure, &JudgedFigure::name);
  return found == run.figures.end() ? nullptr : &*found;
}

// Whose answers the figure is about; "" where there is one system.
std::string variant_of(const JudgedRun& run, const std::string& figure) {
  if (const JudgedFigure* judged = judged_figure(run, figure)) return judged->variant;
  const auto classes = std::ranges::find(run.classes, figure, &JudgedClasses::figure);
  return classes == run.classes.end() ? std::string() : classes->variant;
}

// A label of a pair says which of two answers is better, and a sheet must not say whose they are.
Status shows_one_answer(const JudgedRun& run, const std::string& figure) {
  const auto pair = std::ranges::find(run.pairs, figure, &JudgedPair::figure);
  if (pair == run.pairs.end()) return {};
  return fail(
      ErrorKind::usage,
      fmt::format("{} says which of two answers is better; people judge such pairs, blind, on the page "
                  "(assay serve, \"Judge it yourself\"), and its labels file is what `human` reads: "
                  "{{labels: FILE, figure: {}}}",
                  figure, figure));
}

// Whether the figure's scores are all 0 or 1, so that a person says yes or no.
bool says_yes_or_no(const std::vector<double>& scores) {
  return std::ranges::all_of(scores,
                             [](double score) { return std::isnan(score) || score == 0 || score == 1; });
}

// The fields in the order of their first coming, and of several answers of the variant all, in their order:
// the figure is the mean over them.
void add_answers(const CaseTexts& texts, const std::string& variant, Material& material) {
  const auto answers = texts.answers.find(variant);
  if (answers == texts.answers.end()) return;
  for (std::size_t i = 0; i < answers->second.size(); ++i) {
    const std::string number = answers->second.size() == 1 ? std::string() : fmt::format(" {}", i + 1);
    const ShownAnswer& answer = answers->second[i];
    for (const auto& [name, text] : answer.beside) material.emplace_back(name + number, text);
    material.emplace_back(texts.answer_name + number, answer.text);
  }
}

std::string csv_of(const LabelSheet& sheet) {
  std::vector<std::string> columns;
  for (const LabelSheet::Task& task : sheet.tasks) {
    for (const auto& [name, text] : task.material) {
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
  }
  const bool asked = std::ranges::any_of(
      sheet.tasks, [&](const LabelSheet::Task& task) { return !asked_in_words(sheet, task).empty(); });
  std::vector<std::string> cells = {"id", "probability"};
  if (asked) cells.emplace_back("asked");
  for (const std::string& column : columns) cells.push_back(column_head(column));
  cells.emplace_back("drawn");
  cells.emplace_back("label");
  std::string csv;
  append_csv_row(csv, cells);
  for (const LabelSheet::Task& task : sheet.tasks) {
    cells = {task.id, number_text(task.probability)};
    if (asked) cells.push_back(asked_in_words(sheet, task));
    for (const std::string& column : columns) {
      const auto found =
          std::ranges::find(task.material, column, &std::pair<std::string, std::string>::first);
      cells.push_back(found == task.material.end() ? std::string() : found->second);
    }
    cells.push_back(sheet.drawn);
    cells.emplace_back();
    append_csv_row(csv, cells);
  }
  return csv;
}

constexpr Interval kLikert{1, 5};

// What a sheet is drawn from, and what it says before any case is drawn.
struct Source {
  std::vector<std::string> names;
  std::vector<double> scores;  // the judge's; NaN: it gave none
  Interval range{0, 1};        // of the scores
  LabelSheet sheet;            // without tasks
  std::string variant = {};    // whose answers are shown
  std::function<Result<std::map<std::string, CaseTexts>>(const std::set<std::string>& names)> texts;

  void add(std::string name, const std::optional<double>& score) {
    names.push_back(std::move(name));
    scores.push_back(score.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
};

// Each case with its score; `place` of the figure among those of the run.
Result<Source> cases_of(const JudgedRun& run, const std::string& figure, std::size_t place) {
  if (needs_key(run, figure))
    return fail(
        ErrorKind::usage,
        fmt::format("{} holds the judge against the key in the data, which a person does not see; label "
                    "applied_rate, and accuracy and exact sets follow from better verdicts",
                    figure));
  if (auto shown = shows_one_answer(run, figure); !shown) return fail(shown.error());
  const JudgedFigure* judged = judged_figure(run, figure);
  Source source;
  source.variant = variant_of(run, figure);
  for (const ScoredCase& one : run.scores.cases)
    source.add(one.id, place < one.scores.size() ? one.scores[place] : std::nullopt);
  source.sheet.yes_no = judged == nullptr ? says_yes_or_no(source.scores) : judged->yes_no;
  if (judged != nullptr) source.range = source.sheet.range = judged->range;
  source.texts = [&run, figure](const std::set<std::string>& ids) {
    return read_case_texts(run, figure, ids, Classes::shown);
  };
  return source;
}

// Each part of a case with its score.
Source parts_of(const JudgedRun& run, std::vector<JudgedPart> parts) {
  Source source;
  for (const JudgedPart& one : parts) source.add(one.id, one.score);
  source.sheet.yes_no = says_yes_or_no(source.scores);
  source.texts = [&run, parts = std::move(parts)](const std::set<std::string>& ids) {
    return part_texts(run, parts, ids);
  };
  return source;
}

// Each verdict of a persona. People answer what the judge answered, whichever of the two figures they are
// drawn for.
Result<Source> verdicts_of(const JudgedRun& run, const std::string& figure, const JudgeQuestion& asked) {
  auto verdicts = persona_verdicts(run, figure);
  if (!verdicts) return fail(std::move(verdicts.error()));
  Source source;
  for (const PersonaVerdict& one : *verdicts) source.add(one.id, one.score);
  source.sheet.yes_no = asked.levels.empty();
  if (!source.sheet.yes_no) source.sheet.range = kLikert;
  if (figure != kAgreementRate) source.range = kLikert;
  source.texts = [&run, verdicts = std::move(*verdicts)](const std::set<std::string>& ids) {
    return verdict_texts(run, verdicts, ids);
  };
  return source;
}

Result<Source> source_of(const JudgedRun& run, const std::string& figure, const JudgeQuestion& asked) {
  if (run.evaluation == kPersona) return verdicts_of(run, figure, asked);
  std::vector<std::string> figures = run.scores.figures;
  const auto at = std::ranges::find(figures, figure);
  if (at != figures.end()) return cases_of(run, figure, static_cast<std::size_t>(at - figures.begin()));
  auto parts = read_judged_parts(run, figure);
  if (!parts) return fail(std::move(parts.error()));
  if (!parts->list.empty()) return parts_of(run, std::move(parts->list));
  std::ranges::move(parts->figures, std::back_inserter(figures));
  const auto guess = nearest(figure, figures);
  return fail(ErrorKind::usage,
              guess ? fmt::format("no case has a score {}; did you mean {}?", figure, *guess)
                    : fmt::format("no case has a score {}; there are {}", figure, join(figures, ", ")));
}

// Whoever judges an answer shall not know whose it is.
std::string without_variant(const JudgedRun& run, std::string figure) {
  for (const std::string& name : run.variants) {
    const std::string part = "." + name;
    const std::size_t at = figure.find(part + ".");
    if (at != std::string::npos) {
      figure.erase(at, part.size());
    } else if (figure.ends_with(part)) {
      figure.resize(figure.size() - part.size());
    }
  }
  return figure;
}

}  // namespace

Result<LabelSample> draw_label_sample(const SampleRequest& request) {
  auto run = read_judged_run(request.directory);
  if (!run) return fail(std::move(run.error()));
  const JudgeQuestion asked = judge_question(*run, request.figure);
  auto source = source_of(*run, request.figure, asked);
  if (!source) return fail(std::move(source.error()));
  const std::vector<std::string>& names = source->names;
  LabelPlan plan = request.plan;
  plan.range = source->range;
  const LabelChoice choice = choose_rows_to_label(source->scores, names, request.count, plan);
  if (!choice.undefined.empty()) return fail(ErrorKind::data, choice.undefined);
  std::set<std::string> ids;
  for (const std::size_t row : choice.rows) ids.insert(names[row]);
  const auto texts = source->texts(ids);
  if (!texts) return fail(texts.error());
  LabelSheet sheet = std::move(source->sheet);
  sheet.title = metric_words(without_variant(*run, request.figure));
  sheet.file = request.file;
  sheet.drawn = drawn_of(*run);
  if (counts_classes(*run, request.figure)) {
    sheet.rules = asked.asked + (asked.rules.empty() ? "" : "\n\n" + asked.rules);
  } else {
    sheet.question = asked.of_all();
    sheet.rules = asked.rules;
  }
  sheet.levels = asked.levels;
  for (const std::size_t row : choice.rows) {
    const CaseTexts& shown = texts->at(names[row]);
    LabelSheet::Task& task =
        sheet.tasks.emplace_back(LabelSheet::Task{names[row], choice.probabilities[row], {}, shown.asked});
    task.material = shown.material;
    add_answers(shown, source->variant, task.material);
  }
  // In an order of chance: nobody learns anything from it, and what is labelled by whoever stops early is a
  // random part of the sheet.
  Random random = Random::keyed(plan.seed, "label", "page");
  for (std::size_t i = sheet.tasks.size(); i > 1; --i)
    std::swap(sheet.tasks[i - 1], sheet.tasks[random.below(i)]);
  LabelSample sample;
  sample.cases = sheet.tasks.size();
  sample.csv = csv_of(sheet);
  sheet.mark = hex(sha256(sample.csv)).substr(0, 16);
  sample.page = label_sheet_page(sheet);
  return sample;
}

}  // namespace assay::labels
