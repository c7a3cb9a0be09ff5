// A task as an input file describes it: the prompts with their placeholders, what is expected, and the
// variations that fill the placeholders. Pure: text in, task and problems out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/yaml.h"
#include "evaluations/benchmark/scoring/scorers.h"

namespace assay::benchmark {

using Parameters = std::map<std::string, std::string>;  // as they are put into a prompt

struct Variation {
  std::string name;  // "" if it has none
  Parameters parameters;
  std::optional<Json> expected_output;  // null is something that can be expected
};

struct TaskFile {
  std::optional<std::string> promptql_prompt;
  std::optional<std::string> tool_calling_prompt;
  std::optional<std::string> system_prompt;
  std::vector<std::string> expected_tool_calls;  // each once
  std::string expected_promptql_artifact;        // "" if there is none
  std::vector<Variation> variations;             // at least one, if there are no problems
  std::optional<Scorer> scorer;                  // nothing: by the form of each expected output
  Json tools;                                    // as written; null if there are none

  // Nothing if nothing is expected, and no scorer is declared that can do without.
  std::optional<Scorer> scorer_for(const Variation& variation) const;
};

struct ReadTask {
  TaskFile task;
  YamlDocument document;                // for the places of what is read elsewhere (`tools`)
  std::vector<ConfigProblem> problems;  // the task cannot be run with these
  std::vector<ConfigProblem> warnings;  // it can, but probably says something that was not meant
};

// The keys of the file, for reading and for the reference page.
Keys task_keys();

// `file` is named in messages. A text that is not YAML is an error with line and column (kind parse); every
// other problem is in the list.
//
// A variation is {parameters: {…}, expected_output: …} or has its parameters directly on the item; of both,
// an entry of `parameters` wins. `name` names the variation, and fills {name} too. Without `variations` there
// is one, with no parameters. A value that is not text is written as JSON writes it (quote 1.50 to keep its
// zero).
//
// Warned of: placeholders that no variation or not every variation fills, parameters that no prompt uses, a
// PromptQL prompt without expected_promptql_artifact, and a scorer that does not fit an expected output.
Result<ReadTask> read_task(std::string_view text, const std::string& file);

// Replaces {name} for each parameter, once: what a value brings in is not looked at again. All other braces
// stay.
std::string fill(std::string_view prompt, const Parameters& parameters);

// The names in braces of a prompt that look like placeholders (letters, digits and _, not beginning with a
// digit), each once, in order.
std::vector<std::string> placeholders(std::string_view prompt);

}  // namespace assay::benchmark
