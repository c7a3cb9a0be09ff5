// Whether a run has been written to since it was last read. Of a run under way every commit of its journal
// changes it, or, where the journal is not in the directory, every second; looking at a run does not.
#pragma once

#include <string>

namespace assay {

struct RunVersion {
  std::string text;
  // The last change is long enough ago that another one would make another version: times of files advance
  // in steps.
  bool settled = false;
};
RunVersion run_version(const std::string& directory);

}  // namespace assay
