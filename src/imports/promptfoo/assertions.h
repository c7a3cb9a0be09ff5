// What each kind of assertion becomes. The table is the one of docs/from_promptfoo.md: an assertion is a
// metric of some kind with an argument, or it is left out with the reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/json/json.h"
#include "imports/promptfoo/reading.h"
#include "imports/promptfoo/tests.h"

namespace assay::promptfoo {

// A program that scores: of the suite, or one that the import brings along.
struct ScorerDraft {
  enum class Language { python, javascript } language = Language::python;
  std::string file;      // in the suite; "": `code`
  std::string code;      // inline, or a scorer that the import brings
  std::string function;  // "": the usual one
  bool inline_code = false;
  std::optional<double> threshold = {};
  bool inverse = false;
  bool parsed = false;  // it is given the output as JSON
  Json config = nullptr;
};

// A metric before it has a name and before it is known which cases have it.
struct MetricDraft {
  std::string kind;           // "contains", "not_regex", "rubric", "program"
  Json argument;              // texts are templates
  JsonObject options;         // beside it; texts are templates
  bool fillable = true;       // the argument may come from a field of the case
  bool comma_list = false;    // the argument is a text that is divided at its commas once it is filled
  bool plain = true;          // needs no judge and no program, and may stand among the checks of one case
  bool judged = false;        // by the run's judge
  bool shows_prompt = false;  // its judge is shown what the prompts are filled with
  bool asks_of_prompt =
      false;  // rag: the question is the variable `query`, else what the prompts are filled with
  std::optional<ScorerDraft> scorer = {};
};

// Nothing if it was left out.
std::optional<MetricDraft> translate(const Assertion& assertion, Reading& reading);

// Whether promptfoo knows such a type (without not-), taken or not.
bool is_assertion_type(std::string_view type);

}  // namespace assay::promptfoo
