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

Result<std::string> PlanTexts::made(const std::string& name,
                                    const std::function<Result<std::string>()>& make) {
  if (const auto found = made_.find(name); found != made_.end()) return found->second;
  if (!from_disk_) return fail(ErrorKind::io, "the plan of the run does not hold the " + name);
  auto text = make();
  if (text) made_.emplace(name, *text);
  return text;
}

}  // namespace assay
