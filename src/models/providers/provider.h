// Who answers, and in which protocol, as values. A Wire is a protocol: how a request is written, how a reply
// is read, what it has and what it lacks; one file each (openai.cc, gemini.cc). A Provider is a row of one
// table (provider.cc): a name, an address, a key, and the wire that is spoken there. Whatever differs between
// providers stands in these two; nothing else in the program asks which one it is.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "models/capabilities.h"
#include "models/chat.h"
#include "models/embeddings.h"
#include "models/model.h"
#include "models/providers/address.h"
#include "models/providers/reply_stream.h"
#include "models/providers/thinking.h"
#include "models/structured/structured_way.h"
#include "net/http/http_client.h"

namespace assay {

// Where a wire's version stands in the base URLs that users have.
enum class VersionIn {
  base,      // they give it with the base, so that only a base without any path lacks it
  endpoint,  // they give a base without it, whatever its path
};

// How a stream is cut into events.
enum class Framing {
  server_sent,  // text/event-stream
  aws,          // application/vnd.amazon.eventstream (aws_event_stream.h)
};

// A wire's own name for an error, as it stands under `type` or `code` of an error body.
struct ErrorName {
  std::string_view word;  // "overloaded_error"
  int status;             // that it comes with: what counts where it came inside a reply that began well
  bool used_up = false;   // quota or credit, which waiting does not bring back
};

// Vectors in the wire's own way.
struct EmbeddingForm {
  std::string_view endpoint;  // "/embeddings"; `{model}` as below
  Json (*body)(std::string_view model, const std::vector<std::string>& texts);
  std::size_t (*most_texts)(std::string_view model) = nullptr;  // of one request; null: as many as there are
};

struct Wire {
  std::string_view name;  // under which it keeps what it must see again (Message::kept)
  // Where requests go below a base URL. `{model}` in an endpoint stands for the model's name.
  std::string_view version;  // "/v1"
  VersionIn version_in = VersionIn::base;
  std::string_view endpoint;                  // "/chat/completions"
  std::string_view stream_endpoint = {};      // empty: the same
  const EmbeddingForm* embeddings = nullptr;  // null: there are none
  Framing framing = Framing::server_sent;

  void (*put_headers)(HttpRequest& http) = nullptr;  // the wire's own, without the key; null: it has none
  std::string (*body)(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);  // JSON
  // Kind parse if it is no reply. Structured output is not settled yet (settle_reply).
  Result<ChatReply> (*reply)(const Json& json);
  std::unique_ptr<ReplyStream> (*stream)();
  // What `reasoning_effort` and `thinking` become, to be merged into the body. Kind config: they have no
  // place. `form` is the provider's.
  Result<JsonObject> (*options)(const ModelSpec& spec, ThinkingForm form) = no_options;

  std::span<const StructuredWay> ways;                   // to structured output, the best first
  bool (*takes_schema)(const Json& schema) = nullptr;    // in the way json_schema; null: every schema
  bool (*takes_strictly)(const Json& schema) = nullptr;  // with `strict` beside it; null: there is no such
  Capabilities capabilities = {};      // false: the wire has no place for it, whatever the model takes
  Capabilities thinking = {};          // false: not beside `thinking`
  std::optional<int> max_tokens = {};  // sent where nobody names a limit; none: the wire can do without
  // What the program itself writes into a body, as dotted paths: `extra` may not.
  std::span<const std::string_view> own = {};
  std::span<const ErrorName> errors = {};
};

struct BatchWire;
// How a key is shown to the server: "Authorization: Bearer KEY".
struct KeyHeader {
  std::string_view name;
  std::string_view before = {};
};
inline constexpr KeyHeader kBearer{"Authorization", "Bearer "};

struct Provider {
  std::string_view name;            // as a config writes it: "openai"
  const Wire* wire = nullptr;       // null: its models come from a factory, not over HTTP (Models)
  const Wire* responses = nullptr;  // for `api: responses`; null: it has no such
  // Its own address; `${NAME}` is filled from the environment. Empty: every user has another.
  std::string_view base_url = {};
  // What the host of its own address begins with where it belongs to no region: left out ("global-").
  std::string_view everywhere = {};
  std::string_view base_variable = {};  // environment variable with another base URL: "OPENAI_BASE_URL"
  std::string_view key_variable = {};   // environment variable with the key: "OPENAI_API_KEY"
  bool needs_key = true;                // at its own address; other servers may take anybody
  const BatchWire* batches = nullptr;   // batch/batch_wire.h; null: it has none
  const BatchWire* responses_batches = nullptr;
  std::string_view domain = {};  // that its own addresses end in; empty: the one of base_url
  // What a base without any path lacks, in the place of the wire's version; may have a query.
  std::string_view path = {};
  std::string_view responses_path = {};
  std::string_view version_variable = {};  // with another `api-version` than the one in `path`
  KeyHeader key_header = kBearer;
  KeyHeader token_header = {};        // of what a command printed; empty: as a key
  std::string_view aws_service = {};  // requests are signed for it where there is no key (aws_signature.h)
  ThinkingForm thinking = ThinkingForm::none;
  std::string_view promptql_name = {};  // as PromptQL knows it; empty: PromptQL uses a model of its own
};

std::span<const Provider> providers();
// Null if there is none of that name.
const Provider* find_provider(std::string_view name);

// The wire that `api` names ("": the usual one); null if the provider does not have it.
const Wire* find_wire(const Provider& provider, std::string_view api);

// What this `type` or `code` of an error body means with any wire, since gateways pass on the errors of
// whatever is behind them. Null if none knows it.
const ErrorName* find_error(std::string_view word);

// `inner`, also under the other names that providers' own tools have for a variable (AWS_DEFAULT_REGION).
Environment with_other_names(Environment inner);

}  // namespace assay
