#include "core/version.h"

#include <fmt/format.h>

#include "core/build_commit.h"

namespace assay {

const char* const kVersion = ASSAY_VERSION;

std::string build_name() {
  return *kCommit == '\0' ? kVersion : fmt::format("{} (commit {})", kVersion, kCommit);
}

}  // namespace assay
