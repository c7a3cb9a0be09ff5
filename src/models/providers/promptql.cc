#include "models/providers/promptql.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/secrets/secrets.h"
#include "core/text.h"
#include "models/failure.h"
#include "models/providers/provider.h"
#include "net/http/url.h"

namespace assay {
namespace {

constexpr std::string_view kDefaultKey = "PROMPTQL_API_KEY";
// An error body beyond this is only quoted from, not read.
constexpr std::size_t kLongestRead = std::size_t{1} << 18;

bool is_hasuras_own(std::string_view url) {
  const auto parsed = parse_url(url);
  if (!parsed) return false;
  const std::string host = lower_ascii(parsed->host);
  return host.ends_with(".hasura.io") || host.ends_with(".hasura.app");
}

// Only the default variable may be missing, where the service is not Hasura's own.
bool key_is_needed(const PromptqlQuery& query) {
  return !query.api_key_env.empty() && (query.api_key_env != kDefaultKey || is_hasuras_own(query.url));
}

// What is sent: the query with its secrets.
struct Filled {
  std::string body;
  std::string key;  // empty: none is sent
  Secrets secrets;  // everything that may not be shown, gathered while the query is filled
};

Status fill_texts(Json& value, const Environment& environment) {
  if (value.is_string()) {
    auto filled = fill_environment(value.get_string(), environment);
    if (!filled) return fail(std::move(filled).error());
    value = boost::json::string(*filled);
  } else if (JsonArray* list = value.if_array()) {
    for (Json& element : *list) {
      if (Status status = fill_texts(element, environment); !status) return status;
    }
  } else if (JsonObject* object = value.if_object()) {
    for (auto& member : *object) {
      if (Status status = fill_texts(member.value(), environment); !status) return status;
    }
  }
  return {};
}

Result<std::string> key_named(const std::string& name, const Environment& environment) {
  std::string key(trim(environment(name).value_or("")));
  if (key.empty()) return fail(ErrorKind::auth, fmt::format("no key: set the environment variable {}", name));
  const bool printable = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!printable) {
    return fail(ErrorKind::config,
                fmt::format("{} holds a space, a line break or another odd character", name));
  }
  return key;
}

// Sets the member that the pointer ends in; false if the object around it is not there.
bool put(Json& body, std::string_view pointer, std::string_view text) {
  const std::size_t last = pointer.rfind('/');
  if (last == std::string_view::npos) return false;
  boost::system::error_code error;
  Json* around = body.find_pointer(pointer.substr(0, last), error);
  if (around == nullptr || !around->is_object()) return false;
  around->get_object()[pointer.substr(last + 1)] = text;
  return true;
}

Result<Filled> fill(const PromptqlQuery& query, const Environment& environment) {
  Filled filled;
  Json body = query.body;
  if (JsonObject* object = body.if_object()) {
    if (Json* ddn = object->if_contains("ddn")) {
      if (Status status = fill_texts(*ddn, filled.secrets.noting(environment)); !status) {
        return fail(std::move(status).error().with("field", "ddn"));
      }
    }
  }
  for (const auto& [pointer, name] : query.body_keys) {
    auto key = key_named(name, environment);
    if (!key) return fail(std::move(key).error());
    filled.secrets.add(*key);
    if (!put(body, pointer, *key)) {
      return fail(ErrorKind::internal, fmt::format("the body has no place {} for a key", pointer));
    }
  }
  if (!query.api_key_env.empty()) {
    auto key = key_named(query.api_key_env, environment);
    if (!key && (key_is_needed(query) || key.error().kind != ErrorKind::auth))
      return fail(std::move(key).error());
    if (key) {
      filled.secrets.add(*key);
      filled.key = std::move(*key);
    }
  }
  filled.body = to_text(body);
  return filled;
}

Asked asked(const std::string& host, const Filled& filled, const PromptqlQuery& query) {
  return {host, query.api_key_env.empty() ? "api_key_env" : std::string_view(query.api_key_env),
          !filled.key.empty(), filled.secrets};
}

// What is wrong with the form of a reply; nothing if it can be used.
std::optional<std::string> misfit(const Json& reply) {
  if (!reply.is_object()) return fmt::format("it is {}, not an object", kind_word(reply));
  bool any = false;
  for (const std::string_view key : {"assistant_actions", "modified_artifacts"}) {
    const Json* member = find_member(reply, key);
    if (member == nullptr || member->is_null()) continue;
    if (!member->is_array()) return fmt::format("{} is {}, not a list", key, kind_word(*member));
    any = true;
  }
  if (!any) return "it has neither assistant_actions nor modified_artifacts";
  return std::nullopt;
}

std::expected<Json, ModelFailure> read_reply(std::string_view body, const Asked& asked) {
  const std::string_view start = cut(body, kLongestRead);
  auto reply = parse_json(body);
  if (!reply) return std::unexpected(failure_of_broken("it is not complete JSON", start, asked));
  const auto wrong = misfit(*reply);
  if (!wrong) return std::move(*reply);
  // Gateways report an error of the server behind them with status 200.
  if (const Json* error = find_member(*reply, "error"); error != nullptr && !error->is_null()) {
    return std::unexpected(failure_of_complaints(complaints_in_text(start), asked));
  }
  ModelFailure failure = failure_of_broken(*wrong, start, asked);
  failure.error.kind = ErrorKind::schema;
  return std::unexpected(std::move(failure));
}

// A model as v1 is told of it; its key is put at `key_place`.
JsonObject model_json(const ModelSpec& model, const char* key_place, PromptqlQuery& query) {
  const Provider* provider = find_provider(model.provider);
  if (provider == nullptr || provider->promptql_name.empty()) return {{"provider", "hasura"}};
  JsonObject json{{"provider", provider->promptql_name}, {"model", model.name}};
  if (!model.base_url.empty()) json["base_url"] = model.base_url;
  query.body_keys.emplace_back(key_place,
                               model.api_key_env.empty() ? provider->key_variable : model.api_key_env);
  return json;
}

}  // namespace

PromptqlQuery promptql_query(const PromptqlSettings& settings, const ModelSpec& model,
                             std::string_view user_message) {
  PromptqlQuery query;
  query.url = settings.url;
  query.api_key_env = settings.api_key_env;
  query.timeout = settings.timeout;
  JsonObject body{{"version", settings.version}};
  if (settings.version == "v1") {
    body["llm"] = model_json(model, "/llm/api_key", query);
    if (settings.ai_primitives)
      body["ai_primitives_llm"] = model_json(*settings.ai_primitives, "/ai_primitives_llm/api_key", query);
  }
  body["ddn"] = settings.ddn;
  if (!settings.artifacts.empty()) body["artifacts"] = settings.artifacts;
  if (settings.version == "v1" && !settings.system_instructions.empty()) {
    body["system_instructions"] = settings.system_instructions;
  }
  body["timezone"] = settings.timezone;
  body["interactions"] = JsonArray{JsonObject{{"user_message", JsonObject{{"text", user_message}}}}};
  body["stream"] = false;
  query.body = std::move(body);
  return query;
}

PromptqlQuery confirming_query(PromptqlQuery query, const Json& reply, std::string_view user_message) {
  JsonObject& body = query.body.as_object();
  JsonArray& interactions = body["interactions"].as_array();
  interactions.back().as_object()["assistant_actions"] = list_at(reply, "assistant_actions");
  interactions.push_back(JsonObject{{"user_message", JsonObject{{"text", user_message}}}});
  const JsonArray& made = list_at(reply, "modified_artifacts");
  if (made.empty()) return query;
  JsonArray artifacts = list_at(query.body, "artifacts");
  for (const Json& artifact : made) artifacts.push_back(artifact);
  body["artifacts"] = std::move(artifacts);
  return query;
}

Json to_json(const PromptqlQuery& query) {
  JsonObject keys;
  if (!query.api_key_env.empty()) keys["Authorization"] = query.api_key_env;
  for (const auto& [pointer, name] : query.body_keys) keys[pointer] = name;
  return JsonObject{{"url", query.url}, {"body", query.body}, {"keys", std::move(keys)}};
}

Task<std::expected<Json, ModelFailure>> query_promptql(HttpClient& client, const PromptqlQuery& query,
                                                       const Environment& environment) {
  const std::string host = host_of(query.url);
  auto filled = fill(query, environment);
  if (!filled) {
    co_return std::unexpected(ModelFailure{std::move(filled).error().with("promptql", host), std::nullopt});
  }
  HttpRequest http;
  http.method = "POST";
  http.url = query.url;
  http.headers.add("Content-Type", "application/json");
  http.headers.add("Accept", "application/json");
  if (!filled->key.empty()) http.headers.add("Authorization", "Bearer " + filled->key);
  http.body = filled->body;
  http.total_timeout = query.timeout;
  http.idle_timeout = query.timeout;  // silence is what a service that thinks sounds like
  Result<HttpResponse> response = co_await client.send(std::move(http));
  std::optional<ModelFailure> failure;
  if (!response) {
    failure = ModelFailure{std::move(response).error(), std::nullopt};
    failure->error.message = filled->secrets.hide_pieces(failure->error.message);
  } else if (response->status < 200 || response->status > 299) {
    failure = failure_of_status(response->status, response->headers, cut(response->body, kLongestRead),
                                asked(host, *filled, query), std::chrono::system_clock::now());
  } else {
    auto reply = read_reply(response->body, asked(host, *filled, query));
    if (reply) co_return filled->secrets.hide_in(*reply);
    failure = std::move(reply).error();
  }
  failure->error = std::move(failure->error).with("promptql", host);
  co_return std::unexpected(std::move(*failure));
}

std::vector<std::string> variables_of(const PromptqlQuery& query) {
  if (query.url == "sim") return {};
  std::vector<std::string> names;
  names.reserve(query.body_keys.size() + 1);
  for (const auto& [pointer, name] : query.body_keys) names.push_back(name);
  if (key_is_needed(query)) names.push_back(query.api_key_env);
  return names;
}

}  // namespace assay
