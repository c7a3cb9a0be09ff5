#include "core/plan_texts.h"

#include <utility>

#include "core/file.h"

namespace assay {

Result<std::string> PlanTexts::read(const std::string& path) {
  if (const auto found = texts_.find(path); found != texts_.end()) return found->second;
  if (!from_disk_)
    return fail(Error{ErrorKind::io, "the plan of the run does not hold this text", {{"file", path}}});
  auto text = read_file(path);
  if (text) texts_.emplace(path, *text);
  return text;
}

}  // namespace assay
