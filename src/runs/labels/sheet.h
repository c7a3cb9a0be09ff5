// A sheet: cases of one finished run that people judge themselves, by a question of their own or about one of
// the run's figures. It is drawn once and then holds everything that people see and everything that their
// answers are held against, so that it outlives the run's data.
//
// What a person sees of a task (shown_task) tells neither the variant nor anything that a judge said. Each
// person gets the tasks in an order of their own, and pairs in seats of their own: both follow from the
// sheet's id and the person's name, so that whoever comes back goes on where they stopped. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "stats/estimate.h"

namespace assay::labels {

enum class SheetKind {
  pair,    // which of two answers is better: A, B or tie
  rating,  // a whole number on a scale
  label,   // one class of several
  rubric,  // does a sentence hold: yes or no
};
std::string_view to_string(SheetKind kind);
std::optional<SheetKind> sheet_kind(std::string_view word);

// What a person reads, in order: name and text.
using Material = std::vector<std::pair<std::string, std::string>>;

struct SheetTask {
  std::string case_id;
  std::string cluster = {};  // that the case belongs to; "" if none is declared
  std::string asked = {};    // in the place of the sheet's question; "": that holds of the task, too
  Material material = {};
  std::vector<std::string> answers = {};  // of a pair: that of the first variant, that of the second
  // What the run says of the case, which nobody sees who judges it.
  std::optional<double> judge = {};  // the figure's score
  std::string judge_label = {};      // of a class: the one that the judge, or the data, has for it
  std::string right_label = {};      // … and the one that makes the figure 1
};

struct Sheet {
  std::string id;
  std::string run;     // as the service addresses it
  std::string run_id;  // which run that was
  SheetKind kind = SheetKind::rubric;
  std::string title;
  std::string question;
  std::string rules = {};              // by which the judge answered it, as far as they are known
  std::string figure = {};             // that the answers are about; "" for none
  std::optional<Interval> range = {};  // of the figure
  std::optional<Interval> scale = {};  // of a rating
  std::vector<std::string> levels =
      {};  // what the scale's steps mean, from its low end; none: it is not said
  std::vector<std::string> labels = {};    // of a label
  std::vector<std::string> variants = {};  // of a pair: two
  double probability = 1;                  // that a case was drawn
  std::string drawn = {};                  // of which run and judge (drawn_of)
  std::string created = {};                // ISO 8601
  std::vector<SheetTask> tasks = {};       // in the order of drawing; a task's key is its place
};

Json to_json(const Sheet& sheet);  // everything: for its file
Result<Sheet> sheet_from_json(const Json& json);

// The tasks in the order in which this person gets them.
std::vector<std::size_t> order_for(const Sheet& sheet, std::string_view person);
// Whether this person sees the first variant's answer as A.
bool first_is_a(const Sheet& sheet, std::string_view person, std::size_t task);

std::string task_key(std::size_t task);
// Nothing if the sheet has no such task.
std::optional<std::size_t> task_of_key(const Sheet& sheet, std::string_view key);

// {"key", "number", "of", "asked"?, "material", "answers"?}: what this person may see of the task. `number`
// counts from 1 in the person's own order.
JsonObject shown_task(const Sheet& sheet, std::string_view person, std::size_t task, std::size_t number);

// An answer as it is kept: "A", "B", "tie"; "4"; a label; "yes", "no". The error says what is expected.
Result<std::string> checked_answer(const Sheet& sheet, const Json& value);
// A person's name as it is kept; the error says what a name is.
Result<std::string> checked_person(std::string_view name);

// A rating of the sheet on the figure's range; as it is where there is no figure.
double on_range(const Sheet& sheet, double rating);
// A score of the figure as a rating, rounded to the steps of the scale.
double on_scale(const Sheet& sheet, double score);

}  // namespace assay::labels
