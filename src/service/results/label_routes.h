// The routes of the results API for people who judge cases themselves: sheets,
// tasks, answers, agreement.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "runs/labels/sheets.h"
#include "service/http/routes.h"
#include "service/results/results.h"

namespace assay {

// What runs offer to be judged, of those that were looked at last: a large run
// is not read again for every look at its page. Thread-safe.
class KnownOffers {
 public:
  struct Known {
    JsonArray offers = {};
    std::string none = {};  // why there is none
  };
  Known of(const CataloguedRun& run);

 private:
  static constexpr std::size_t kMost = 16;
  struct Kept {
    std::string directory;
    std::string version;
    Known known;
  };
  std::mutex mutex_;
  std::vector<Kept> kept_;  // the last one used comes first
};

struct Labelling {
  std::unique_ptr<labels::Sheets> sheets;  // not null
  KnownOffers offers = {};
};

// Both must outlive the routes.
std::vector<Route> label_routes(Results& results, Labelling& labelling);

}  // namespace assay
