// Asking a PromptQL service.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "models/providers/promptql.h"

namespace assay {

class PromptqlEffect final : public Effect {
 public:
  explicit PromptqlEffect(PromptqlQuery query) : query_(std::move(query)) {}
  std::string_view kind() const override { return "promptql"; }
  Result<Terms> terms(Outside& outside) const override;
  Task<TryResult> send(Outside& outside) override;
  const PromptqlQuery& query() const { return query_; }

 private:
  PromptqlQuery query_;
};

Task<Result<Json>> query_promptql(CaseContext& context, std::string step, PromptqlQuery query);

}  // namespace assay
