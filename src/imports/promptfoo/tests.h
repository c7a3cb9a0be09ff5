// The tests of a suite, each with what the default test and its scenario add, and one for each combination of
// variables that are lists. Variables are as a prompt sees them: files read, templates inside them filled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "core/tables/csv.h"
#include "imports/promptfoo/reading.h"

namespace assay::promptfoo {

struct Assertion {
  std::string type;  // without not-
  bool inverse = false;
  Json value;  // texts are templates
  std::optional<double> threshold = {};
  double weight = 1;
  std::string metric = {};
  std::string of = {};  // a JSON pointer: the part of the output that is looked at
  bool parsed = false;  // programs are given the output as JSON
  Node config = {};     // for programs
  Node provider = {};   // a judge of its own
  Node at = {};
};

struct Test {
  JsonObject variables;
  std::vector<Assertion> assertions;
  std::string description;
  JsonObject metadata;
  Node at;
};

struct Tests {
  std::vector<Test> tests;
  Node judge;         // the provider that grades, of the default test
  Node judge_prompt;  // a grading prompt of the suite's own
};

Tests read_tests(const Node& suite, Reading& reading);

// An assertion in a cell of a CSV file: "contains-any:a,b", "similar(0.8):text"; anything else is `equals`.
Json assertion_in_cell(std::string_view cell);
// A row of a CSV file in the form of a test: columns that begin with __ mean something, the others are
// variables.
Json test_in_row(const std::string& path, const std::vector<std::string>& columns, const CsvRow& row,
                 Reading& reading);
// "a, "b, c"" → a; b, c: as promptfoo divides the value of contains-any and contains-all.
std::vector<std::string> comma_separated(std::string_view text);

}  // namespace assay::promptfoo
