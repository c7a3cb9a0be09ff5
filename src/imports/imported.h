// What an import gives: files to be written, what was taken in numbers, and everything that was not, each
// with its place and the reason. An import is pure: it sees other files of the suite through SuiteFiles only,
// and writes nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"

namespace assay {

struct ImportedFile {
  std::string path;  // below the directory that is written
  std::string text;
};

// Something that the imported suite will not do as the foreign one did.
struct LeftOut {
  std::string place;  // "promptfooconfig.yaml, line 12"
  std::string what;   // "assertion perplexity"
  std::string why;    // and what to do instead
};

struct ImportedSuite {
  std::vector<ImportedFile> files;
  std::vector<LeftOut> left_out;
  std::vector<LeftOut> notes;  // taken, but a reader should know how
  std::size_t prompts = 0;
  std::size_t providers = 0;
  std::size_t variants = 0;
  std::size_t cases = 0;
  std::size_t metrics = 0;
  std::size_t case_checks = 0;  // checks that one case alone has
  std::size_t assertions = 0;   // that were taken, counted by case
};

// The files of a suite, by paths relative to it.
struct SuiteFiles {
  std::function<Result<std::string>(const std::string& path)> read;
  // Paths that fit a pattern with `*` and `?`, sorted; empty if none does.
  std::function<std::vector<std::string>(const std::string& pattern)> matching;
};

}  // namespace assay
