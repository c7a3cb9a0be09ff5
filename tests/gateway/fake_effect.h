// An effect whose terms and tries a test decides.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/effect.h"

namespace assay {

class FakeEffect final : public Effect {
 public:
  using Send = std::function<Task<TryResult>()>;
  FakeEffect(Terms terms, Send send) : terms_(std::move(terms)), send_(std::move(send)) {}

  std::string_view kind() const override { return "model"; }
  Result<Terms> terms(Outside& /*outside*/) const override { return terms_; }
  Task<TryResult> send(Outside& outside) override {
    *asked_ = &outside;
    return send_();
  }
  const Terms& terms() const { return terms_; }
  // What this effect, or a copy of it, was sent with.
  Outside* last_asked() const { return *asked_; }

 private:
  Terms terms_;
  Send send_;
  std::shared_ptr<Outside*> asked_ = std::make_shared<Outside*>(nullptr);
};

inline TryResult try_failed(ErrorKind kind, std::string message,
                            std::optional<std::chrono::milliseconds> retry_after = {}) {
  return std::unexpected(TryFailure{{kind, std::move(message), {}}, retry_after});
}

}  // namespace assay
