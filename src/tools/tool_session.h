// What tools keep from one use to the next for one conversation, such as a server that runs for it alone:
// what another conversation does, or breaks, is nothing to it. It ends with the session. What is kept belongs
// to the loop on which it is used, whose means (ToolMeans) must outlive it; the session itself may be held
// and closed on another one, while no use is under way.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/task.h"
#include "net/event_loop.h"
#include "net/on_loop.h"

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

  ToolSession() = default;
  ToolSession(const ToolSession&) = delete;
  ToolSession& operator=(const ToolSession&) = delete;
  ~ToolSession() {
    if (loop_ != nullptr && !loop_->is_here()) loop_->post([kept = std::move(kept_)] {});
  }

  // One for all uses of the same declaration, made by `make` (a unique_ptr) when it is first needed, on
  // `loop`.
  template <class Make>
  auto& kept_for(EventLoop& loop, const std::string& declaration, const Make& make) {
    using Type = typename decltype(make())::element_type;
    loop_ = &loop;
    std::unique_ptr<Kept>& slot = (*kept_)[declaration];
    if (!slot) slot = make();
    return static_cast<Type&>(*slot);  // the declaration names the kind, and a kind keeps one type
  }

  // Everything that is kept takes leave, side by side; then it is gone.
  Task<void> close() {
    if (loop_ != nullptr) co_await on(*loop_, take_leave(kept_));
  }

 private:
  using ByDeclaration = std::map<std::string, std::unique_ptr<Kept>>;

  static Task<void> take_leave(std::shared_ptr<ByDeclaration> kept) {
    std::vector<Task<void>> leaving;
    for (const auto& [declaration, one] : *kept) leaving.push_back(one->close());
    co_await all(std::move(leaving));
    kept->clear();
  }

  EventLoop* loop_ = nullptr;  // of what is kept; null: nothing was
  std::shared_ptr<ByDeclaration> kept_ = std::make_shared<ByDeclaration>();
};

}  // namespace assay
