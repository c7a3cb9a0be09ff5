// The providers of a suite: models (model_settings.h), HTTP endpoints, programs, and `echo`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "imports/promptfoo/reading.h"

namespace assay::promptfoo {

struct Provider {
  std::string name;  // for variants and under `models`; unique
  std::string id;    // as the suite names it
  std::string label;
  enum class Kind {
    model,    // `settings` is an entry of `models`
    http,     // `settings` as under `http` of a variant; texts are templates with {{prompt}}
    command,  // `settings` is the list of its words; the prompt comes behind them
    echo,     // gives the prompt back
  } kind = Kind::model;
  Json settings;
  std::string output_pointer;        // of http: where the answer stands in the reply; "": the whole text
  Json schema;                       // of a model: what its reply must be; null: a text
  std::vector<std::string> prompts;  // only with these; empty: with all
  Node at;
};

// What cannot be asked from here is left out, with what to do instead.
std::vector<Provider> read_providers(const Node& providers, Reading& reading);
// One provider, of a judge or an embedding; nothing if it was left out.
std::optional<Provider> read_provider(const Node& provider, Reading& reading);

// "json.choices[0].text" → "/choices/0/text"; nothing if it is more than a path.
std::optional<std::string> pointer_of_path(std::string_view expression);

// What is looked at instead of the output: `output.a.b`, `JSON.parse(output).a`, `JSON.parse(output)`.
struct OutputPart {
  std::string pointer;
  bool parsed = false;
};
// Nothing if the transform is more than that.
std::optional<OutputPart> part_of_output(std::string_view transform);

}  // namespace assay::promptfoo
