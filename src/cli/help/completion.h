// What may come next on a command line. The shells ask the program itself (`assay complete WORDS…`), so that
// they always know what this version knows, and what is there: runs, baselines, configs.
#pragma once

#include <string>
#include <vector>

namespace assay {

struct Completion {
  std::vector<std::string> words;  // that begin as the last word does
  bool files = false;              // and so may any file
};

// `words` come after the program's name; the last one is being written and may be empty.
Completion complete(const std::vector<std::string>& words);

}  // namespace assay
