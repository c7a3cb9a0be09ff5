// A chat model behind HTTP, in the wire of its provider, at the provider or at any server that speaks it.
// One call is one answer; only a request that the server refuses for a parameter it does not take is put
// differently and sent again (capabilities.h), which is remembered for the calls that follow.
//
//   auto model = HttpModel::make(spec, client, environment);
//   std::expected<ChatReply, ModelFailure> reply = co_await (*model)->complete(request, nullptr);
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/shared_json.h"
#include "core/secrets/secrets.h"
#include "models/batch/batched_model.h"
#include "models/capabilities.h"
#include "models/embeddings.h"
#include "models/endpoint_settings.h"
#include "models/failure.h"
#include "models/model.h"
#include "models/providers/address.h"
#include "models/providers/provider.h"
#include "models/structured/structured_way.h"
#include "models/token_command.h"
#include "net/http/http_client.h"

namespace assay {

// Hears of a value that may be sent but never shown.
using NoteSecret = std::function<void(std::string_view secret)>;

class HttpModel : public ChatModel, public EmbeddingModel, public BatchedModel {
 public:
  // Kind config if the declaration is wrong. A missing key is no error here, since a run that finds all of
  // its answers in the journal needs none: see ready(). `client` must outlive the model.
  static Result<std::unique_ptr<HttpModel>> make(ModelSpec spec, HttpClient& client,
                                                 const Environment& environment);
  // The same with a provider that need not be in the table; it must have a wire and outlive the model.
  // `note_secret` hears of tokens that a command prints; may be empty.
  static Result<std::unique_ptr<HttpModel>> make(ModelSpec spec, const Provider& provider, HttpClient& client,
                                                 const Environment& environment,
                                                 const NoteSecret& note_secret = {});

  // Kind auth if a key is needed and missing; names the variable. complete() fails in the same way.
  Status ready() const override;

  Task<std::expected<ChatReply, ModelFailure>> complete(const ChatRequest& request,
                                                        OnTokens on_tokens) override;
  Task<std::expected<EmbeddingReply, ModelFailure>> embed(const std::vector<std::string>& texts) override;
  EmbeddingModel* embedding() override { return wire_.embeddings != nullptr ? this : nullptr; }
  BatchedModel* batched() override { return batches_ != nullptr ? this : nullptr; }
  const BatchWire& batches() const override { return *batches_; }
  Task<std::expected<ChatReply, ModelFailure>> complete_by(const ChatRequest& request,
                                                           const Carry& carry) override;
  Task<std::expected<HttpResponse, ModelFailure>> run(Errand errand) override;
  ModelIdentity identity() const override;
  std::string limit_key() const override;
  std::vector<std::string> notes() const override;

 private:
  struct Answer;

  HttpModel(ModelSpec spec, const Provider& provider, HttpClient& client, EndpointSettings settings,
            const Secrets& secrets);

  struct KnownSchema;
  WirePlan plan_for(const ChatRequest& request, const SchemaRefusals& refused,
                    const KnownSchema* schema) const;
  HttpRequest request_for(const std::string& url, std::string body, const WirePlan& plan,
                          std::string_view key) const;
  std::string body_of(const ChatRequest& request, const WirePlan& plan) const;
  Status has_key() const;       // kind auth, naming the variable, if one is needed and missing
  bool brings_own_key() const;  // among the headers that the user gives
  void put_key(HttpRequest& http, std::string_view key) const;
  void sign(HttpRequest& http) const;
  // The key, or the token that a command prints; empty if there is none.
  Task<Result<std::string>> credential();
  Task<Answer> ask(const ChatRequest& request, const WirePlan& plan, const OnTokens& on_tokens,
                   std::string key);
  // With the key; once more with another one where a printed one was refused. No secret is in the error.
  Task<Result<HttpResponse>> send_keyed(std::function<HttpRequest(std::string_view key)> made);
  // `carry`: null if it is sent from here.
  Task<std::expected<ChatReply, ModelFailure>> negotiate(const ChatRequest& request, OnTokens on_tokens,
                                                         const Carry* carry);
  Task<Answer> ask_by(const Carry& carry, const ChatRequest& request, std::string body);
  Answer answer_of(const HttpResponse& response, const ChatRequest& request) const;
  // In one request.
  Task<std::expected<EmbeddingReply, ModelFailure>> embed_together(std::vector<std::string> texts);
  std::string url_beside(std::string_view path) const;
  Asked asked() const;
  Answer read_whole(std::string_view body) const;
  Answer refused(const std::vector<Complaint>& complaints) const;
  Answer broken(std::string_view reason, std::string_view body) const;
  SchemaRefusals known_refusals(const ChatRequest& request) const;
  void remember_refusals(const ChatRequest& request, const SchemaRefusals& refused);
  void note_omissions(const ChatRequest& request);
  void note_tokens(const ChatRequest& request, const Usage& usage);
  ModelFailure in_context(ModelFailure failure) const;

  ModelSpec spec_;
  const Provider& provider_;
  HttpClient& client_;
  EndpointSettings settings_;
  const Wire& wire_;
  const BatchWire* batches_ = nullptr;  // null: the provider has none for this wire
  const Address& address_;
  Secrets secrets_;
  std::unique_ptr<TokenCommand> command_;  // null: there is none
  Capabilities capabilities_;
  // What is the same for every request with one schema.
  struct KnownSchema {
    SharedJson schema;
    std::string text;  // as it is sent
    bool strict = false;
  };
  std::shared_ptr<const KnownSchema> known_schema(const SharedJson& schema);

  std::map<std::string, SchemaRefusals> schemas_;                  // by the schema's canonical text
  std::vector<std::shared_ptr<const KnownSchema>> known_schemas_;  // a few, the latest last
  std::set<std::string> notes_;
  bool told_short_ = false;
};

}  // namespace assay
