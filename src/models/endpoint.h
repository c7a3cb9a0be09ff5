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
#include "models/capabilities.h"
#include "models/embeddings.h"
#include "models/failure.h"
#include "models/model.h"
#include "models/providers/address.h"
#include "models/providers/provider.h"
#include "models/structured/structured_way.h"
#include "net/http/http_client.h"

namespace assay {

class HttpModel : public ChatModel, public EmbeddingModel {
 public:
  // Kind config if the declaration is wrong. A missing key is no error here, since a run that finds all of
  // its answers in the journal needs none: see ready(). `client` must outlive the model.
  static Result<std::unique_ptr<HttpModel>> make(ModelSpec spec, HttpClient& client,
                                                 const Environment& environment);
  // The same with a provider that need not be in the table; it must have a wire and outlive the model.
  static Result<std::unique_ptr<HttpModel>> make(ModelSpec spec, const Provider& provider, HttpClient& client,
                                                 const Environment& environment);

  // Kind auth if a key is needed and missing; names the variable. complete() fails in the same way.
  Status ready() const override;

  Task<std::expected<ChatReply, ModelFailure>> complete(const ChatRequest& request,
                                                        OnTokens on_tokens) override;
  Task<std::expected<EmbeddingReply, ModelFailure>> embed(const std::vector<std::string>& texts) override;
  ModelIdentity identity() const override;
  std::string limit_key() const override;
  std::vector<std::string> notes() const override;

 private:
  struct Answer;

  HttpModel(ModelSpec spec, HttpClient& client, const Wire& wire, Address address);

  struct KnownSchema;
  WirePlan plan_for(const ChatRequest& request, const SchemaRefusals& refused,
                    const KnownSchema* schema) const;
  HttpRequest request_for(std::string body, const WirePlan& plan) const;
  Task<Answer> ask(std::string body, const WirePlan& plan, const OnTokens& on_tokens);
  std::string embeddings_url() const;
  Asked asked() const;
  Answer read_whole(std::string_view body) const;
  Answer refused(const std::vector<Complaint>& complaints) const;
  Answer broken(std::string_view reason, std::string_view body) const;
  SchemaRefusals known_refusals(const ChatRequest& request) const;
  void remember_refusals(const ChatRequest& request, const SchemaRefusals& refused);
  void note_omissions(const ChatRequest& request);
  ModelFailure in_context(ModelFailure failure) const;

  ModelSpec spec_;
  HttpClient& client_;
  const Wire& wire_;
  Address address_;
  std::string key_;
  Secrets secrets_;
  std::string key_name_;  // the environment variable
  bool key_is_required_ = false;
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
};

}  // namespace assay
