// The simulated model without a network: `sim/judge`, `sim/anything`. The name chooses nothing, but it is
// part of what decides the answers. Options may follow it: `sim/judge?noise=0.2&seed=7`.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "models/embeddings.h"
#include "models/model.h"
#include "sim/answers/answer.h"

namespace assay {

class SimModel : public ChatModel, public EmbeddingModel {
 public:
  // `name` is what follows "sim/" (with or without that prefix); `defaults` hold where it says nothing. Kind
  // config: an option is unknown or out of range.
  static Result<std::unique_ptr<ChatModel>> make(std::string_view name, SimOptions defaults = {});

  // Answers at once.
  Task<std::expected<ChatReply, ModelFailure>> complete(const ChatRequest& request,
                                                        OnTokens on_tokens) override;
  // A bag of words, in 256 dimensions.
  Task<std::expected<EmbeddingReply, ModelFailure>> embed(const std::vector<std::string>& texts) override;
  EmbeddingModel* embedding() override { return this; }
  // Its name has the options that it was given with, since they decide the answers too.
  ModelIdentity identity() const override;
  std::string limit_key() const override { return "sim"; }

  const SimOptions& options() const { return options_; }
  // As it enters the answers and stands in replies: without options.
  const std::string& name() const { return name_; }

 private:
  SimModel(std::string given, std::string name, SimOptions options)
      : given_(std::move(given)), name_(std::move(name)), options_(std::move(options)) {}

  std::string given_;  // the name with its options
  std::string name_;
  SimOptions options_;
};

}  // namespace assay
