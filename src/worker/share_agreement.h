// How the workers of a run divide its limits while some come and others go, so that together they never take
// more than there is. Each promises on the board to keep to one of so many equal shares, once what it has in
// flight fits into it; and it uses all of its share only when everybody has promised theirs of the same
// division. Until then it keeps to what is within both, the old division and the new one, and whoever joins
// takes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/gateway.h"
#include "store/work_board.h"

namespace assay {

class ShareAgreement {
 public:
  explicit ShareAgreement(std::string worker) : worker_(std::move(worker)) {}

  // What the board told after this worker's last sign.
  void hear(const std::vector<WorkerSign>& alive);

  // What may be used from now on; nothing: not one request yet.
  const std::optional<LimitShare>& in_force() const { return in_force_; }
  // What is to be promised as soon as what is in flight fits into it.
  const LimitShare& wanted() const { return wanted_; }
  // Whether everybody has promised their part.
  bool settled() const { return settled_; }

 private:
  std::string worker_;
  LimitShare wanted_;  // of one who is alone
  std::optional<LimitShare> in_force_;
  bool settled_ = false;
};

}  // namespace assay
