// The prompts of a suite: texts, files of texts divided by `---`, and lists of chat messages.
#pragma once

#include <string>
#include <vector>

#include "imports/promptfoo/reading.h"
#include "imports/promptfoo/template.h"

namespace assay::promptfoo {

struct Turn {
  std::string role;  // user, system, assistant
  Template text;
};

struct Prompt {
  std::string name;  // for variants and files; unique
  // By what a provider or test may name it.
  std::string id;
  std::string label;
  std::vector<Turn> turns;
  bool chat = false;  // a list of messages; else one text of the user
  Node at;
};

// Programs that make prompts, and templates beyond template.h, are left out.
std::vector<Prompt> read_prompts(const Node& prompts, Reading& reading);

}  // namespace assay::promptfoo
