// A model that can be asked. Implementations: endpoint.h (over HTTP, whoever the provider), sim/model.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "core/task.h"
#include "models/chat.h"

namespace assay {

// One try of one request. On failure the retry layer decides by `error.kind`; `retry_after` is what the
// server asked for (Retry-After, or reset headers of rate limits).
struct ModelFailure {
  Error error;
  std::optional<std::chrono::milliseconds> retry_after = {};
};

// What a model's answers depend on beside the request: two models with the same identity are asked the same
// thing by the same request, whatever alias each goes by. Holds no secret and does not change while the model
// is asked.
struct ModelIdentity {
  std::string provider = {};
  std::string name = {};      // as the provider knows it
  std::string base_url = {};  // in force, variables applied; without user information and query; sim: empty
  // Where the request says nothing of its own; none: the provider's.
  std::optional<double> temperature = {};
  std::optional<int> max_tokens = {};
  std::optional<double> top_p = {};
  std::optional<std::int64_t> seed = {};
  std::vector<std::string> stop = {};
  std::string structured = {};  // json_schema, tools, text; empty: chosen by what the model takes
  // What else of its declaration decides answers (api, thinking, extra, …), as canonical JSON; empty:
  // nothing.
  std::string settings = {};
  bool operator==(const ModelIdentity&) const = default;
};

// Hears of a reply that is being streamed how many more tokens of it have come, as estimated (tokens.h): for
// whoever watches. What the provider counts comes with the reply.
using OnTokens = std::function<void(std::int64_t more)>;

class BatchedModel;    // batch/batched_model.h
class EmbeddingModel;  // embeddings.h

class ChatModel {
 public:
  virtual ~ChatModel() = default;
  // Never retries. Secrets never appear in an error. `request` must outlive the task; `on_tokens` may be
  // empty.
  virtual Task<std::expected<ChatReply, ModelFailure>> complete(const ChatRequest& request,
                                                                OnTokens on_tokens) = 0;
  // Whether it can be asked at all: kind auth, naming the variable, if a key is needed and missing. Sends
  // nothing.
  virtual Status ready() const { return {}; }
  // The same model where its requests may be handed in together; null: its provider has no such thing.
  virtual BatchedModel* batched() { return nullptr; }
  // The same model where it gives vectors; null: whoever serves it has none.
  virtual EmbeddingModel* embedding() { return nullptr; }
  virtual ModelIdentity identity() const = 0;
  // Models with the same key share limits: "openai https://api.openai.com/v1".
  virtual std::string limit_key() const = 0;
  // What was left out or put differently because the model does not take it, one sentence each ("temperature
  // is not sent: …"). Grows as the model is asked.
  virtual std::vector<std::string> notes() const { return {}; }
};

// A model as declared under `models:` or written as "provider/name".
struct ModelSpec {
  std::string provider = {};     // one of known_providers()
  std::string name = {};         // as the provider knows it
  std::string base_url = {};     // empty: the provider's, or its environment variable
  std::string api_key_env = {};  // empty: the provider's
  std::optional<int> max_tokens = {};
  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::optional<std::int64_t> seed = {};
  std::vector<std::string> stop = {};
  std::string structured = "auto";  // auto, json_schema, tools, text
  std::string api = {};             // chat, responses; empty: the provider's usual one
  std::string reasoning_effort = {};
  Json thinking = {};  // true, false, a number of tokens, or the wire's own object; null: the model's way
  Json extra = {};     // members that the body gets in addition; null: none
  std::vector<std::pair<std::string, std::string>> headers = {};  // with ${NAME} as it is written
  std::vector<std::string> api_key_command = {};                  // prints a token; empty: there is none
  std::optional<int> concurrency = {};                            // requests at once of this alias alone
  bool stream = false;
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);
  // Without a byte for so long. A reply that is not streamed is silent until it is complete, so there only
  // `timeout` counts.
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(60);
  bool operator==(const ModelSpec&) const = default;
};

// The names of the providers that this program speaks to (providers/provider.h), in alphabetical order.
std::vector<std::string_view> known_providers();

// "openai/gpt-4o" → {openai, gpt-4o}; the error lists the known providers.
Result<ModelSpec> parse_model_name(std::string_view text);

}  // namespace assay
