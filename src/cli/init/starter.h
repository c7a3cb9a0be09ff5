// What `assay init` writes: for each evaluation a config with its data and prompts, which run at once with
// the built-in models, and files for continuous integration. They are examples of this repository, or stand
// in templates/; a new evaluation is one row of a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace assay {

struct StarterFile {
  std::string path;  // below the directory that is begun
  std::string text;
};

struct Starter {
  std::string config;  // which of the files it is
  std::vector<StarterFile> files;
  std::vector<StarterFile> databases;  // path of each, and the SQL that makes it
};

// An error of kind usage if there is none for this evaluation.
Result<Starter> starter_for(std::string_view evaluation);

// Those of its files and databases that are in `directory` already, whatever they are.
std::vector<std::string> in_the_way(const Starter& starter, const std::string& directory);
// Writes all of it; nothing of it is there.
Status write_starter(const Starter& starter, const std::string& directory);

}  // namespace assay
