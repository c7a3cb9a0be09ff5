// What tools keep from one use to the next for one conversation, such as a server that runs for it alone:
// what another conversation does, or breaks, is nothing to it. It ends with the session. Belongs to one event
// loop, whose means (ToolMeans) must outlive it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/task.h"

namespace assay {

class ToolSession {
 public:
  // One thing that is kept. Destroying it ends it.
  class Kept {
   public:
    Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    virtual ~Kept() = default;
    // Takes leave in its own way, in a few seconds at most.
    virtual Task<void> close() = 0;
  };

  // One for all uses of the same declaration, made by `make` (a unique_ptr) when it is first needed.
  template <class Make>
  auto& kept_for(const std::string& declaration, const Make& make) {
    using Type = typename decltype(make())::element_type;
    std::unique_ptr<Kept>& slot = kept_[declaration];
    if (!slot) slot = make();
    return static_cast<Type&>(*slot);  // the declaration names the kind, and a kind keeps one type
  }

  // Everything that is kept takes leave, side by side; then it is gone. No use may be under way.
  Task<void> close() {
    std::vector<Task<void>> leaving;
    for (const auto& [declaration, kept] : kept_) leaving.push_back(kept->close());
    co_await all(std::move(leaving));
    kept_.clear();
  }

 private:
  std::map<std::string, std::unique_ptr<Kept>> kept_;
};

}  // namespace assay
