// PromptQL's natural language API: one question, answered by a service that plans, writes and runs programs
// on the user's data and leaves its results as artifacts. Version v1 is told which model to use and where the
// data are; v2 knows both from its project. Only whole replies (`stream: false`).
//
// A query is complete in itself but for secrets: those are named in it, and filled in when it is sent, so
// that it can be journaled and shown.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/json/json.h"
#include "core/task.h"
#include "models/model.h"
#include "net/http/http_client.h"

namespace assay {

// What a config says of a PromptQL service.
struct PromptqlSettings {
  std::string url = "https://api.promptql.pro.hasura.io/query";  // "sim": the built-in simulator
  std::string version = "v1";                                    // v1, v2
  std::string api_key_env = "PROMPTQL_API_KEY";  // Authorization: Bearer …; empty: none is sent
  std::string timezone = "UTC";                  // IANA name
  // v1: {url, headers}, v2: {build_id or build_version, headers}; texts may hold ${NAME}.
  JsonObject ddn = {};
  std::string system_instructions = {};         // v1
  std::optional<ModelSpec> ai_primitives = {};  // v1: for the service's own primitives; none: `llm`
  JsonArray artifacts = {};                     // given along: {identifier, title, artifact_type, data}
  std::chrono::nanoseconds timeout = std::chrono::seconds(600);
};

// One question.
struct PromptqlQuery {
  std::string url = {};
  std::string api_key_env = {};
  Json body = {};  // without secrets; `${NAME}` below /ddn stands for one
  // JSON pointer into the body → environment variable whose value is put there (v1: /llm/api_key).
  std::vector<std::pair<std::string, std::string>> body_keys = {};
  std::chrono::nanoseconds timeout = std::chrono::seconds(600);
  int tries = 1;
  bool stubborn = false;
};

// `model` is what answers. v1: it becomes `llm`, with a key of the model's own; the provider sim stands for
// the model of the service. v2 takes none.
PromptqlQuery promptql_query(const PromptqlSettings& settings, const ModelSpec& model,
                             std::string_view user_message);

// The same question once more, with what was replied to it and the user's next words.
PromptqlQuery confirming_query(PromptqlQuery query, const Json& reply, std::string_view user_message);

// What identifies it in the journal: url, body, and the names of the keys.
Json to_json(const PromptqlQuery& query);

// One try; never retries. All arguments must outlive the task.
// A key that is not set is an error of kind auth that names the variable, and nothing is sent. Only the
// default variable may be missing, where the service is not Hasura's own.
// Errors name host and status, quote the service's words in short, and never hold a secret. A 2xx reply that
// is not JSON is of kind network; JSON that is no object with a list `assistant_actions` or
// `modified_artifacts` is of kind schema.
Task<std::expected<Json, ModelFailure>> query_promptql(HttpClient& client, const PromptqlQuery& query,
                                                       const Environment& environment);

// The environment variables without which it cannot be sent.
std::vector<std::string> variables_of(const PromptqlQuery& query);

// Every problem of the settings, a sentence each that begins with the key; empty if there is none.
std::vector<std::string> problems_of(const PromptqlSettings& settings);

}  // namespace assay
