// Asking a model. What identifies the question is what was really asked: the provider's name for the model,
// its address and the sampling in force, whatever alias it goes by in the config.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/task.h"
#include "engine/context.h"
#include "models/chat.h"
#include "models/structured/structured.h"

namespace assay {

class ModelEffect final : public Effect {
 public:
  explicit ModelEffect(ChatRequest request) : request_(std::move(request)) {}
  std::string_view kind() const override { return "model"; }
  Result<Terms> terms(Outside& outside) const override;
  bool travels() const override { return true; }
  Task<TryResult> send(Outside& outside) override;
  Task<TryResult> send_by(Outside& outside, const Carry& carry) override;
  const ChatRequest& request() const { return request_; }
  // The answer, if it came now and is the one that was journaled: it need not be read back from that form.
  // Where another worker's answer to the same step stands, that one counts, and this one is nobody's.
  std::optional<ChatReply> take_fresh(std::string_view journaled);

 private:
  TryResult taken(const Outside& outside, std::expected<ChatReply, ModelFailure> reply);

  ChatRequest request_;
  std::optional<ChatReply> fresh_;
  std::size_t fresh_hash_ = 0;  // of its journaled form
};

// Asking the same step again for a better answer is a new attempt of it.
Task<Result<ChatReply>> complete(CaseContext& context, std::string step, int attempt, ChatRequest request);

// A structured answer: each attempt is one effect of `step`.
Task<StructuredAnswer> ask(CaseContext& context, std::string step, ChatRequest request, const Schema& schema,
                           StructuredPolicy policy);

}  // namespace assay
