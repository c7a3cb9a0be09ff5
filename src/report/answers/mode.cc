#include "report/answers/mode.h"

namespace assay::answers {

std::span<const Mode> modes() {
#define ASSAY_MAKE_MODE(name) name##_mode(),
  static const std::vector<Mode> all = {ASSAY_MODES(ASSAY_MAKE_MODE)};
#undef ASSAY_MAKE_MODE
  return all;
}

const Mode* find_mode(std::string_view name) {
  for (const Mode& mode : modes()) {
    if (mode.name == name) return &mode;
  }
  return nullptr;
}

}  // namespace assay::answers
