// The texts that an evaluation is made of beside its cases: prompts, personas, tasks, guidelines. They are
// read from the disk once and remembered, so that they can be kept with the run they decide; on another
// machine the same evaluation is made of what was kept.
#pragma once

#include <map>
#include <string>

#include "core/error.h"

namespace assay {

class PlanTexts {
 public:
  // From the disk.
  PlanTexts() = default;
  // From what was kept, and from nothing else.
  explicit PlanTexts(std::map<std::string, std::string> kept) : texts_(std::move(kept)), from_disk_(false) {}

  // The text of that name, which is its path. Nothing is read twice.
  Result<std::string> read(const std::string& path);
  // Everything that was read, by name.
  const std::map<std::string, std::string>& all() const { return texts_; }

 private:
  std::map<std::string, std::string> texts_;
  bool from_disk_ = true;
};

}  // namespace assay
