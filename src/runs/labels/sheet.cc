#include "runs/labels/sheet.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/random.h"
#include "core/text.h"

namespace assay::labels {
namespace {

constexpr std::array<std::pair<SheetKind, std::string_view>, 4> kKinds = {{{SheetKind::pair, "pair"},
                                                                           {SheetKind::rating, "rating"},
                                                                           {SheetKind::label, "label"},
                                                                           {SheetKind::rubric, "rubric"}}};
constexpr std::size_t kLongestName = 80;  // of a person, in characters

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return JsonArray{interval->low, interval->high};
}

std::optional<Interval> interval_at(const Json& json, std::string_view key) {
  const JsonArray& ends = list_at(json, key);
  if (ends.size() != 2) return std::nullopt;
  const auto low = as_number(ends[0]);
  const auto high = as_number(ends[1]);
  if (!low || !high) return std::nullopt;
  return Interval{*low, *high};
}

JsonArray texts_json(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

std::vector<std::string> texts_at(const Json& json, std::string_view key) {
  std::vector<std::string> texts;
  for (const Json& one : list_at(json, key)) texts.push_back(text_or_json(one));
  return texts;
}

JsonArray material_json(const Material& material) {
  JsonArray list;
  for (const auto& [name, text] : material) list.push_back(JsonObject{{"name", name}, {"text", text}});
  return list;
}

JsonObject task_json(const SheetTask& task) {
  JsonObject json{{"case", task.case_id}, {"material", material_json(task.material)}};
  if (!task.cluster.empty()) json.emplace("cluster", task.cluster);
  if (!task.asked.empty()) json.emplace("asked", task.asked);
  if (!task.answers.empty()) json.emplace("answers", texts_json(task.answers));
  if (task.judge) json.emplace("judge", *task.judge);
  if (!task.judge_label.empty()) json.emplace("judge_label", task.judge_label);
  if (!task.right_label.empty()) json.emplace("right_label", task.right_label);
  return json;
}

SheetTask task_from_json(const Json& json) {
  SheetTask task;
  task.case_id = text_at(json, "case");
  task.cluster = text_at(json, "cluster");
  task.asked = text_at(json, "asked");
  for (const Json& one : list_at(json, "material"))
    task.material.emplace_back(text_at(one, "name"), text_at(one, "text"));
  task.answers = texts_at(json, "answers");
  if (const Json* judge = find_member(json, "judge")) task.judge = as_number(*judge);
  task.judge_label = text_at(json, "judge_label");
  task.right_label = text_at(json, "right_label");
  return task;
}

std::string pair_answer(std::string_view word) {
  const std::string lower = lower_ascii(word);
  if (lower == "a") return "A";
  if (lower == "b") return "B";
  return lower == "tie" || lower == "t" ? "tie" : "";
}

}  // namespace

std::string_view to_string(SheetKind kind) {
  return std::ranges::find(kKinds, kind, [](const auto& entry) { return entry.first; })->second;
}

std::optional<SheetKind> sheet_kind(std::string_view word) {
  const auto* found = std::ranges::find(kKinds, word, [](const auto& entry) { return entry.second; });
  if (found == kKinds.end()) return std::nullopt;
  return found->first;
}

Json to_json(const Sheet& sheet) {
  JsonArray tasks;
  for (const SheetTask& task : sheet.tasks) tasks.push_back(task_json(task));
  return JsonObject{{"id", sheet.id},
                    {"run", sheet.run},
                    {"run_id", sheet.run_id},
                    {"kind", to_string(sheet.kind)},
                    {"title", sheet.title},
                    {"question", sheet.question},
                    {"rules", sheet.rules},
                    {"figure", sheet.figure},
                    {"range", interval_json(sheet.range)},
                    {"scale", interval_json(sheet.scale)},
                    {"levels", texts_json(sheet.levels)},
                    {"labels", texts_json(sheet.labels)},
                    {"variants", texts_json(sheet.variants)},
                    {"probability", sheet.probability},
                    {"drawn", sheet.drawn},
                    {"created", sheet.created},
                    {"tasks", std::move(tasks)}};
}

Result<Sheet> sheet_from_json(const Json& json) {
  const auto kind = sheet_kind(text_at(json, "kind"));
  if (!kind) return fail(ErrorKind::parse, "this is no sheet: its kind is missing");
  Sheet sheet;
  sheet.id = text_at(json, "id");
  sheet.run = text_at(json, "run");
  sheet.run_id = text_at(json, "run_id");
  sheet.kind = *kind;
  sheet.title = text_at(json, "title");
  sheet.question = text_at(json, "question");
  sheet.rules = text_at(json, "rules");
  sheet.figure = text_at(json, "figure");
  sheet.range = interval_at(json, "range");
  sheet.scale = interval_at(json, "scale");
  sheet.levels = texts_at(json, "levels");
  sheet.labels = texts_at(json, "labels");
  sheet.variants = texts_at(json, "variants");
  if (const Json* probability = find_member(json, "probability"))
    sheet.probability = as_number(*probability).value_or(1);
  sheet.drawn = text_at(json, "drawn");
  sheet.created = text_at(json, "created");
  for (const Json& task : list_at(json, "tasks")) sheet.tasks.push_back(task_from_json(task));
  const bool pairs = sheet.kind == SheetKind::pair;
  const bool whole = std::ranges::all_of(
      sheet.tasks, [&](const SheetTask& task) { return task.answers.size() == (pairs ? 2U : 0U); });
  if (!whole || (pairs && sheet.variants.size() != 2) || (sheet.kind == SheetKind::rating && !sheet.scale))
    return fail(ErrorKind::parse, "the sheet is not whole");
  return sheet;
}

std::vector<std::size_t> order_for(const Sheet& sheet, std::string_view person) {
  std::vector<std::size_t> order(sheet.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random = Random::keyed(sheet.id, "order", person);
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

bool first_is_a(const Sheet& sheet, std::string_view person, std::size_t task) {
  return (Random::keyed(sheet.id, "seat", person).at(task).bits32() & 1U) == 0;
}

std::string task_key(std::size_t task) {
  return std::to_string(task + 1);
}

std::optional<std::size_t> task_of_key(const Sheet& sheet, std::string_view key) {
  std::size_t number = 0;
  const auto [end, wrong] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (wrong != std::errc() || end != key.data() + key.size()) return std::nullopt;
  if (number < 1 || number > sheet.tasks.size()) return std::nullopt;
  return number - 1;
}

JsonObject shown_task(const Sheet& sheet, std::string_view person, std::size_t task, std::size_t number) {
  const SheetTask& one = sheet.tasks[task];
  JsonObject shown{{"key", task_key(task)},
                   {"number", number},
                   {"of", sheet.tasks.size()},
                   {"material", material_json(one.material)}};
  if (!one.asked.empty()) shown.emplace("asked", one.asked);
  if (sheet.kind == SheetKind::pair) {
    const bool first = first_is_a(sheet, person, task);
    shown.emplace("answers",
                  JsonObject{{"A", one.answers[first ? 0 : 1]}, {"B", one.answers[first ? 1 : 0]}});
  }
  return shown;
}

Result<std::string> checked_answer(const Sheet& sheet, const Json& value) {
  std::string text = text_or_json(value);
  switch (sheet.kind) {
    case SheetKind::pair:
      if (std::string answer = pair_answer(text); !answer.empty()) return answer;
      return fail(ErrorKind::data, "expected A, B or tie");
    case SheetKind::rating: {
      const auto rating = as_integer(value);
      const auto low = static_cast<std::int64_t>(sheet.scale->low);
      const auto high = static_cast<std::int64_t>(sheet.scale->high);
      if (rating && *rating >= low && *rating <= high) return std::to_string(*rating);
      return fail(ErrorKind::data, fmt::format("expected a whole number from {} to {}", low, high));
    }
    case SheetKind::label:
      if (std::ranges::find(sheet.labels, text) != sheet.labels.end()) return text;
      return fail(ErrorKind::data, fmt::format("expected one of {}", join(sheet.labels, ", ")));
    case SheetKind::rubric:
      if (text == "yes" || text == "true") return std::string("yes");
      if (text == "no" || text == "false") return std::string("no");
      return fail(ErrorKind::data, "expected yes or no");
  }
  return fail(ErrorKind::internal, "a sheet without kind");
}

Result<std::string> checked_person(std::string_view name) {
  const std::string_view trimmed = trim(name);
  const bool control =
      std::ranges::any_of(trimmed, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
  if (trimmed.empty() || control || !valid_utf8(trimmed) || count_code_points(trimmed) > kLongestName)
    return fail(ErrorKind::data, fmt::format("expected a name of 1 to {} characters", kLongestName));
  return std::string(trimmed);
}

double on_range(const Sheet& sheet, double rating) {
  if (!sheet.scale || !sheet.range) return rating;
  const double share = (rating - sheet.scale->low) / (sheet.scale->high - sheet.scale->low);
  return sheet.range->low + share * (sheet.range->high - sheet.range->low);
}

double on_scale(const Sheet& sheet, double score) {
  if (!sheet.scale || !sheet.range) return std::round(score);
  const double share = (score - sheet.range->low) / (sheet.range->high - sheet.range->low);
  return std::round(sheet.scale->low + share * (sheet.scale->high - sheet.scale->low));
}

}  // namespace assay::labels
