#include "worker/share_agreement.h"

#include <algorithm>

namespace assay {

void ShareAgreement::hear(const std::vector<WorkerSign>& alive) {
  std::vector<const WorkerSign*> takers;
  for (const WorkerSign& sign : alive) {
    if (sign.words.empty()) takers.push_back(&sign);
  }
  const auto own =
      std::ranges::find_if(takers, [this](const WorkerSign* sign) { return sign->worker == worker_; });
  if (own == takers.end()) return;
  const auto parts = static_cast<int>(takers.size());
  wanted_ = {parts, static_cast<int>(own - takers.begin())};
  settled_ = true;
  for (int place = 0; place < parts; ++place) {
    const WorkerSign& sign = *takers[static_cast<std::size_t>(place)];
    // Who has fallen silent may be gone: its share stays free until it is known to be.
    const bool promised = sign.parts == parts && sign.place == place;
    if (!promised && !(sign.silent && sign.worker != worker_)) settled_ = false;
  }
  if (settled_) {
    in_force_ = wanted_;
  } else if (in_force_) {
    // The last of so many parts: what every part of them has, and of any larger ones.
    const int most = std::max(in_force_->parts, parts);
    in_force_ = LimitShare{most, most - 1};
  }
}

}  // namespace assay
