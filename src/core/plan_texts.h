// The texts that an evaluation is made of beside its cases: prompts, personas, tasks, guidelines. They are
// read from the disk once and remembered, so that they can be kept with the run they decide; on another
// machine the same evaluation is made of what was kept, and of nothing that lies there under the same name.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/error.h"

namespace assay {

class PlanTexts {
 public:
  // From the disk.
  PlanTexts() = default;
  // From what was kept, and from nothing else.
  explicit PlanTexts(std::map<std::string, std::string> kept, std::map<std::string, std::string> made = {})
      : texts_(std::move(kept)), made_(std::move(made)), from_disk_(false) {}

  // The text of that name, which is its path. Nothing is read twice.
  Result<std::string> read(const std::string& path);
  // Everything that was read, by name.
  const std::map<std::string, std::string>& all() const { return texts_; }

  // What `make` makes of a file that is not kept with the run: which fields its data have (it knows them by
  // their hash), what people have said (they decide no answers). Made once, where the file is; on another
  // machine it is what was made there.
  Result<std::string> made(const std::string& name, const std::function<Result<std::string>()>& make);
  const std::map<std::string, std::string>& all_made() const { return made_; }

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::string> made_;
  bool from_disk_ = true;
};

}  // namespace assay
