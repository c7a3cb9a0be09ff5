#include "core/ids.h"

#include <cstdint>

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

namespace assay {

std::string make_run_id(WallTime now) {
  std::string stamp;
  for (char c : directory_time(now)) {
    if (c != '-') stamp.push_back(c);
  }
  std::uint32_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) {
    random =
        static_cast<std::uint32_t>(now.time_since_epoch().count()) ^ static_cast<std::uint32_t>(::getpid());
  }
  return fmt::format("{}Z-{:08x}", stamp, random);
}

}  // namespace assay
