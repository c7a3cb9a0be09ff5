// Who answers, and in which protocol, as values. A Wire is a protocol: how a request is written, how a reply
// is read, what it has and what it lacks; one file each (openai.cc, anthropic.cc). A Provider is a row of one
// table (provider.cc): a name, an address, a key, and the wire that is spoken there. Whatever differs between
// providers stands in these two; nothing else in the program asks which one it is.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "models/capabilities.h"
#include "models/chat.h"
#include "models/model.h"
#include "models/providers/address.h"
#include "models/providers/reply_stream.h"
#include "models/structured/structured_way.h"
#include "net/http/http_client.h"

namespace assay {

// Where a wire's version stands in the base URLs that users have.
enum class VersionIn {
  base,      // they give it with the base, so that only a base without any path lacks it
  endpoint,  // they give a base without it, whatever its path
};

// A wire's own name for an error, as it stands under `type` or `code` of an error body.
struct ErrorName {
  std::string_view word;  // "overloaded_error"
  int status;             // that it comes with: what counts where it came inside a reply that began well
  bool used_up = false;   // quota or credit, which waiting does not bring back
};

struct Wire {
  // Where requests go below a base URL. `{model}` in an endpoint stands for the model's name.
  std::string_view version;  // "/v1"
  VersionIn version_in = VersionIn::base;
  std::string_view endpoint;              // "/chat/completions"
  std::string_view stream_endpoint = {};  // empty: the same
  std::string_view embeddings = {};       // where OpenAI's embeddings are; empty: there are none

  // Adds the wire's own headers, and the key unless it is empty. The body is there already, should a
  // signature cover it.
  void (*put_headers)(HttpRequest& http, const Address& address, std::string_view key);
  std::string (*body)(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);  // JSON
  // Kind parse if it is no reply. Structured output is not settled yet (settle_reply).
  Result<ChatReply> (*reply)(const Json& json);
  std::unique_ptr<ReplyStream> (*stream)();

  std::span<const StructuredWay> ways;                   // to structured output, the best first
  bool (*takes_schema)(const Json& schema) = nullptr;    // in the way json_schema; null: every schema
  bool (*takes_strictly)(const Json& schema) = nullptr;  // with `strict` beside it; null: there is no such
  Capabilities capabilities = {};      // false: the wire has no place for it, whatever the model takes
  std::optional<int> max_tokens = {};  // sent where nobody names a limit; none: the wire can do without
  std::span<const ErrorName> errors = {};
};

struct Provider {
  std::string_view name;       // as a config writes it: "openai"
  const Wire* wire = nullptr;  // null: its models come from a factory, not over HTTP (Models)
  std::string_view base_url = {};
  std::string_view base_variable = {};  // environment variable with another base URL: "OPENAI_BASE_URL"
  std::string_view key_variable = {};   // environment variable with the key: "OPENAI_API_KEY"
  bool needs_key = true;                // at its own address; other servers may take anybody
  std::string_view promptql_name = {};  // as PromptQL knows it; empty: PromptQL uses a model of its own
};

std::span<const Provider> providers();
// Null if there is none of that name.
const Provider* find_provider(std::string_view name);

// What this `type` or `code` of an error body means with any wire, since gateways pass on the errors of
// whatever is behind them. Null if none knows it.
const ErrorName* find_error(std::string_view word);

}  // namespace assay
