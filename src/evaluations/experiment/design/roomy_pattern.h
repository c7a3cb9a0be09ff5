// A regular expression over all the world's letters: its classes, repeated, make programs for which RE2's own
// bound on memory is too low.
#pragma once

#include <cstdint>
#include <string>

#include <re2/re2.h>

namespace assay::experiment {

class RoomyPattern : public RE2 {
 public:
  explicit RoomyPattern(const std::string& text) : RE2(text, roomy()) {}

 private:
  static RE2::Options roomy() {
    RE2::Options options;
    options.set_max_mem(std::int64_t{256} << 20);
    return options;
  }
};

}  // namespace assay::experiment
