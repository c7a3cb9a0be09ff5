// What people have answered on a sheet so far: the lines of its answers file, one after the other. An answer
// to a task that the person has answered already takes the place of the earlier one, and is their last. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "runs/labels/sheet.h"

namespace assay::labels {

struct GivenAnswer {
  std::size_t task = 0;
  std::string value;  // see checked_answer()
  std::string comment = {};
  bool first_is_a = true;  // of a pair: how the person saw it

  bool operator==(const GivenAnswer&) const = default;
};

struct Person {
  std::string name;
  std::vector<GivenAnswer> given;  // oldest first

  const GivenAnswer* answer_to(std::size_t task) const;  // null: none
};

class GivenAnswers {
 public:
  // In the order of their first answers.
  const std::vector<Person>& people() const { return people_; }
  const Person* find(std::string_view name) const;  // null: nothing heard of
  std::size_t done(std::string_view name) const;

  // One line of the file. An error if it is no answer to a task of the sheet.
  Status add(const Sheet& sheet, const Json& line);

 private:
  std::vector<Person> people_;
};

// The lines: {"at", "person", "key", "value", "comment"?, "a"?}, where `a` is the variant that was shown as
// A, and {"at", "person", "undo": key}. `at` is a time, ISO 8601.
Json answer_line(const Sheet& sheet, const std::string& person, const GivenAnswer& answer,
                 const std::string& at);
Json undo_line(const std::string& person, std::size_t task, const std::string& at);

// The first task, in the person's own order, that they have not answered; nothing if all are.
std::optional<std::size_t> next_task(const Sheet& sheet, const GivenAnswers& answers,
                                     std::string_view person);

}  // namespace assay::labels
