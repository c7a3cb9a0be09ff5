// A config that another machine has resolved, and that is read again here: its paths stay as they are, and no
// file is looked for.
#pragma once

#include <string_view>

namespace assay {

// In the place of a file's name in its ConfigSource.
inline constexpr std::string_view kSettledConfig = "the run's config";
inline bool is_settled(std::string_view file) {
  return file == kSettledConfig;
}

}  // namespace assay
