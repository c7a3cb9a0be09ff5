// Asking a model for the vectors of texts. All texts of a call are one request and one answer in the journal.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/task.h"
#include "engine/context.h"
#include "models/embeddings.h"

namespace assay {

class EmbeddingEffect final : public Effect {
 public:
  EmbeddingEffect(std::string model, std::vector<std::string> texts)
      : model_(std::move(model)), texts_(std::move(texts)) {}
  std::string_view kind() const override { return "embedding"; }
  Result<Terms> terms(Outside& outside) const override;
  bool travels() const override { return true; }
  Task<TryResult> send(Outside& outside) override;
  const std::string& model() const { return model_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::string model_;
  std::vector<std::string> texts_;
};

// One vector for each text, in their order, all of one length; none for no texts, without asking. `model` is
// an alias or "provider/name". Servers bound how many texts a request may have (OpenAI: 2,048).
Task<Result<Vectors>> embed(CaseContext& context, std::string step, std::string model,
                            std::vector<std::string> texts);

}  // namespace assay
