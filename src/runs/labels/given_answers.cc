#include "runs/labels/given_answers.h"

#include <algorithm>

#include <boost/json/object.hpp>

namespace assay::labels {

const GivenAnswer* Person::answer_to(std::size_t task) const {
  const auto found = std::ranges::find(given, task, &GivenAnswer::task);
  return found == given.end() ? nullptr : &*found;
}

const Person* GivenAnswers::find(std::string_view name) const {
  const auto found = std::ranges::find(people_, name, &Person::name);
  return found == people_.end() ? nullptr : &*found;
}

std::size_t GivenAnswers::done(std::string_view name) const {
  const Person* person = find(name);
  return person == nullptr ? 0 : person->given.size();
}

Status GivenAnswers::add(const Sheet& sheet, const Json& line) {
  const std::string name = text_at(line, "person");
  const bool undo = find_member(line, "undo") != nullptr;
  const auto task = task_of_key(sheet, text_at(line, undo ? "undo" : "key"));
  if (name.empty() || !task) return fail(ErrorKind::data, "this is no answer to a task of the sheet");
  auto person = std::ranges::find(people_, name, &Person::name);
  if (undo) {
    if (person != people_.end())
      std::erase_if(person->given, [&](const GivenAnswer& one) { return one.task == *task; });
    return {};
  }
  GivenAnswer answer{.task = *task, .value = text_at(line, "value"), .comment = text_at(line, "comment")};
  if (sheet.kind == SheetKind::pair) answer.first_is_a = text_at(line, "a") == sheet.variants.front();
  if (person == people_.end()) person = people_.insert(people_.end(), {name, {}});
  std::erase_if(person->given, [&](const GivenAnswer& one) { return one.task == *task; });
  person->given.push_back(std::move(answer));
  return {};
}

Json answer_line(const Sheet& sheet, const std::string& person, const GivenAnswer& answer,
                 const std::string& at) {
  JsonObject line{{"at", at}, {"person", person}, {"key", task_key(answer.task)}, {"value", answer.value}};
  if (sheet.kind == SheetKind::pair) line.emplace("a", sheet.variants[answer.first_is_a ? 0 : 1]);
  if (!answer.comment.empty()) line.emplace("comment", answer.comment);
  return line;
}

Json undo_line(const std::string& person, std::size_t task, const std::string& at) {
  return JsonObject{{"at", at}, {"person", person}, {"undo", task_key(task)}};
}

std::optional<std::size_t> next_task(const Sheet& sheet, const GivenAnswers& answers, std::string_view name) {
  const Person* person = answers.find(name);
  for (const std::size_t task : order_for(sheet, name)) {
    if (person == nullptr || person->answer_to(task) == nullptr) return task;
  }
  return std::nullopt;
}

}  // namespace assay::labels
