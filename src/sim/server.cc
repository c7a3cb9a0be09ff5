#include "sim/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/aws_signature.h"
#include "net/http/host_name.h"
#include "net/http/http_server.h"
#include "sim/answers/answer.h"
#include "sim/answers/script.h"
#include "sim/batches/batches.h"
#include "sim/protocols/anthropic_wire.h"
#include "sim/protocols/bedrock_wire.h"
#include "sim/protocols/context_window.h"
#include "sim/protocols/delivery.h"
#include "sim/protocols/embeddings_wire.h"
#include "sim/protocols/gemini_wire.h"
#include "sim/protocols/openai_wire.h"
#include "sim/protocols/promptql.h"
#include "sim/protocols/responses_wire.h"
#include "sim/protocols/thoughts.h"
#include "sim/routes.h"
#include "sim/stats.h"

namespace assay {
namespace sim {
namespace {

// Also as AWS wants it proved, with a key "ID:SECRET".
bool brings_key(const ServerRequest& request, std::string_view key) {
  const Headers& headers = request.headers;
  for (const std::string_view name : {"x-api-key", "api-key", "x-goog-api-key"}) {
    const std::string* own = headers.find(name);
    if (own != nullptr && *own == key) return true;
  }
  const std::string* proof = headers.find("authorization");
  if (proof == nullptr) return false;
  if (proof->starts_with("Bearer ")) return std::string_view(*proof).substr(7) == key;
  const std::size_t colon = key.find(':');
  if (!proof->starts_with("AWS4-") || colon == std::string_view::npos) return false;
  const AwsKeys keys{std::string(key.substr(0, colon)), std::string(key.substr(colon + 1)), {}};
  std::vector<std::string> parts;
  for (const std::string_view part : split(request.path, '/')) parts.push_back(percent_encoded(part));
  const std::string path = join(std::span<const std::string>(parts), "/");
  const AwsRequest signed_request{request.method, path, request.query, request.host, request.body};
  return *proof == aws_authorization(signed_request, headers, keys, *proof);
}

bool brings_any_key(const Headers& headers) {
  return std::ranges::any_of(std::array{"authorization", "x-api-key", "api-key", "x-goog-api-key"},
                             [&](const char* name) { return headers.find(name) != nullptr; });
}

class Endpoint : public std::enable_shared_from_this<Endpoint> {
 public:
  Endpoint(SimServerOptions options, Script script)
      : options_(std::move(options)),
        script_(std::move(script)),
        makers_(std::make_shared<InstanceMakers>()),
        answering_{options_.seed, options_.noise, options_.weak, makers_},
        stats_(std::make_shared<Stats>()),
        delivery_(std::make_shared<Delivery>(options_, stats_)),
        batches_(options_, [this](Protocol protocol, std::string_view endpoint,
                                  const Json& body) { return answer_item(protocol, endpoint, body); }),
        window_(options_.requests_per_minute) {}

  void handle(const ServerRequest& request, std::shared_ptr<Responder> responder) {
    if (request.path.starts_with("/sim/")) return handle_own(request, *responder);
    const bool anthropic = request.headers.find("anthropic-version") != nullptr;
    const auto route = find_route(request.path);
    const bool models = is_models(request.path);
    const auto batches = Batches::find(request.method, request.path);
    Exchange exchange;
    exchange.responder = std::move(responder);
    exchange.number = number_++;
    exchange.id = "req_" + id_text(~exchange.number);
    exchange.flight = std::make_shared<Stats::Flight>(stats_);
    exchange.protocol = anthropic ? Protocol::anthropic : Protocol::openai;
    exchange.route = models ? "GET /v1/models" : "other";
    if (route) {
      exchange.route = route->name;
      exchange.protocol = route->protocol;
      exchange.model = route->model;
    }
    if (batches) {
      exchange.route = batches->name;
      exchange.protocol = batches->protocol;
    }
    if (!options_.require_key.empty() && !brings_key(request, options_.require_key)) {
      const int status = exchange.protocol == Protocol::bedrock ? 403 : 401;
      return refuse(exchange, status,
                    brings_any_key(request.headers) ? "The API key is not valid." : "No API key was given.");
    }
    if (batches && batches->allowed.empty()) return handle_batches(request, *batches, exchange);
    if (!route && !models && !batches) {
      return delivery_->send_error(exchange,
                                   {404,
                                    fmt::format("Unknown request URL: {} {}.", shorten(request.method, 20),
                                                shorten(request.path, 200)),
                                    "", "", "unknown_url"});
    }
    const std::string_view method = batches ? batches->allowed : models ? "GET" : "POST";
    if (request.method != method) {
      const std::string text =
          fmt::format("{} is not allowed here; use {}.", shorten(request.method, 20), method);
      return delivery_->send_error(exchange, {405, text, "", "", ""}, {{"allow", std::string(method)}});
    }
    if (models) return send_models(request.path, exchange);
    stats_->count_body(request.body);
    handle_call(request, exchange);
  }

  Json stats() const { return stats_->to_json(); }

 private:
  static bool is_models(std::string_view path) {
    return path == "/models" || path == "/v1/models" || path.starts_with("/models/") ||
           path.starts_with("/v1/models/");
  }

  void refuse(const Exchange& exchange, int status, std::string message) const {
    delivery_->send_error(exchange, {status, std::move(message), "", "", ""});
  }

  void handle_own(const ServerRequest& request, Responder& responder) {
    const Headers json = {{"content-type", "application/json"}};
    if (request.path == "/sim/stats" && request.method == "GET") {
      return responder.send(200, json, to_text(stats()) + "\n");
    }
    if (request.path == "/sim/reset" && request.method == "POST") {
      stats_->reset();
      script_.reset();
      batches_.reset();
      window_.reset();
      number_ = 0;
      return responder.send(200, json, "{\"reset\":true}\n");
    }
    const bool known = request.path == "/sim/stats" || request.path == "/sim/reset";
    responder.send(known ? 405 : 404, json,
                   "{\"error\":{\"message\":\"GET /sim/stats or POST /sim/reset\"}}\n");
  }

  void send_models(std::string_view path, const Exchange& exchange) const {
    const bool anthropic = exchange.protocol == Protocol::anthropic;
    if (path.ends_with("/models")) {
      return delivery_->send(exchange, anthropic ? anthropic_models_body() : openai_models_body());
    }
    const std::string_view id = path.substr(path.find("/models/") + 8);
    delivery_->send(exchange, anthropic ? anthropic_model_body(id) : openai_model_body(id));
  }

  // What a fault does to an answer here, it does after the batch was made.
  void handle_batches(const ServerRequest& request, const Batches::Route& route, Exchange& exchange) {
    FaultPlan plan = plan_faults(options_, options_.seed, exchange.number);
    if (plan.fault == Fault::wrong_schema || plan.fault == Fault::length) plan.fault = Fault::none;
    if (sent_failure(exchange, plan)) return;
    BatchReply reply = batches_.handle(route, request);
    if (!reply) return delivery_->send_error(exchange, reply.error());
    if (plan.fault != Fault::none) stats_->count_fault(plan.fault);
    delivery_->deliver(exchange, plan, {false, std::move(*reply), {}});
  }

  // A request of a batch. Rules of a script hold for it, but for what they say of a connection.
  ItemAnswer answer_item(Protocol protocol, std::string_view endpoint, const Json& body) {
    stats_->count_body(canonical_text(body));
    if (endpoint == "/v1/responses") return answer_read(read_responses_request(body), protocol);
    return protocol == Protocol::openai ? answer_read(read_openai_request(body), protocol)
                                        : answer_read(read_anthropic_request(body), protocol);
  }
  template <class Call>
  ItemAnswer answer_read(const std::expected<Call, WireError>& call, Protocol protocol) {
    const auto refused = [&](const WireError& error) {
      return ItemAnswer{error.status, error_body(protocol, error, "req_batch")};
    };
    if (!call) return refused(call.error());
    if (const auto error = schema_error(call->request, protocol)) return refused(*error);
    if (const auto error = overflow_error(call->request, protocol, options_.context_window))
      return refused(*error);
    const ScriptRule* rule = script_.take(call->request);
    if (rule != nullptr) {
      if (const auto* error = std::get_if<ScriptedError>(&rule->reply)) {
        if (error->body) return {error->status, *error->body};
        return refused({error->status, "As the script says.", "", "", ""});
      }
      if (std::holds_alternative<Fault>(rule->reply)) rule = nullptr;
    }
    const ChatReply reply =
        rule != nullptr ? scripted_reply(*rule, call->request) : answer(call->request, answering_);
    stats_->count_usage(reply.usage);
    return {200, write(*call, reply, {hash_request(call->request), reply.model}).body};
  }

  void handle_call(const ServerRequest& request, Exchange& exchange) {
    if (options_.max_in_flight > 0 && stats_->in_flight() > options_.max_in_flight) {
      return delivery_->send_busy(exchange, options_.overload_status, "Too many requests at once.",
                                  options_.retry_after);
    }
    if (options_.requests_per_minute > 0) {
      exchange.admission = window_.admit(std::chrono::steady_clock::now());
      if (!exchange.admission.admitted) {
        return delivery_->send_busy(
            exchange, 429, fmt::format("Rate limit reached: {} requests per minute.", window_.limit()),
            std::chrono::duration<double>(exchange.admission.until_reset).count());
      }
    }
    const FaultPlan plan = plan_faults(options_, options_.seed, exchange.number);
    if (sent_failure(exchange, plan)) return;
    if (request.body.size() > options_.max_body) {
      return refuse(exchange, 413,
                    fmt::format("The body has {} bytes; at most {} are taken.", request.body.size(),
                                options_.max_body));
    }
    if (exchange.protocol == Protocol::anthropic && request.headers.find("anthropic-version") == nullptr) {
      return refuse(exchange, 400, "anthropic-version: header is required");
    }
    const auto body = parse_json(request.body);
    if (exchange.protocol == Protocol::promptql) return answer_query(exchange, plan, body);
    if (!body) return refuse(exchange, 400, "The body could not be read as JSON: " + body.error().message);
    if (const auto form = embedding_form(exchange.route))
      return answer_embedding(exchange, plan, *body, *form);
    read_and_answer(exchange, plan, *body);
  }

  void read_and_answer(const Exchange& exchange, const FaultPlan& plan, const Json& body) {
    const auto go_on = [&](const auto& call) {
      call ? answer_call(exchange, plan, *call) : delivery_->send_error(exchange, call.error());
    };
    switch (exchange.protocol) {
      case Protocol::anthropic:
        return go_on(read_anthropic_request(body));
      case Protocol::gemini:
        return go_on(read_gemini_request(body, exchange.model, exchange.route == kGeminiStream));
      case Protocol::bedrock:
        return go_on(read_bedrock_request(body, exchange.model, exchange.route == kConverseStream));
      case Protocol::openai:
      case Protocol::promptql:
        break;
    }
    exchange.route == kResponses ? go_on(read_responses_request(body)) : go_on(read_openai_request(body));
  }

  static std::optional<EmbeddingWire> embedding_form(std::string_view route) {
    if (route == kEmbeddings) return EmbeddingWire::openai;
    if (route == kOllamaEmbeddings) return EmbeddingWire::ollama;
    if (route == kGeminiEmbeddings) return EmbeddingWire::gemini;
    if (route == kVertexEmbeddings) return EmbeddingWire::vertex;
    return std::nullopt;
  }

  // Faults that spoil a text have nothing to spoil here.
  void answer_embedding(const Exchange& exchange, FaultPlan plan, const Json& body,
                        EmbeddingWire form) const {
    auto answered = answer_embeddings(body, form, options_.seed, exchange.model);
    if (!answered) return delivery_->send_error(exchange, answered.error());
    if (plan.fault == Fault::wrong_schema || plan.fault == Fault::length) plan.fault = Fault::none;
    if (plan.fault != Fault::none) stats_->count_fault(plan.fault);
    stats_->count_usage(answered->usage);
    delivery_->deliver(exchange, plan, {false, std::move(answered->body), {}});
  }

  void answer_query(const Exchange& exchange, FaultPlan plan, const Result<Json>& body) {
    const JsonArray problems =
        body ? promptql_problems(*body)
             : JsonArray{JsonObject{
                   {"loc", JsonArray{"body"}}, {"msg", "JSON decode error"}, {"type", "json_invalid"}}};
    if (!problems.empty()) {
      return delivery_->send_scripted(exchange, {}, {422, to_text(JsonObject{{"detail", problems}}), {}});
    }
    const ChatRequest conversation = promptql_conversation(*body);
    const ScriptRule* rule = script_.take(conversation);
    if (rule != nullptr && sent_rule(exchange, plan, rule)) return;
    Json reply;
    if (rule == nullptr) {
      reply = promptql_reply(*body, answering_);
    } else if (const auto* whole = std::get_if<ScriptedJson>(&rule->reply)) {
      reply = whole->value;
    } else if (const auto* text = std::get_if<ScriptedText>(&rule->reply)) {
      reply = promptql_message(text->text, *body);
    } else {
      return refuse(exchange, 500, "The script has tool_calls here, which PromptQL does not reply with.");
    }
    if (plan.fault == Fault::wrong_schema) spoil_promptql(reply);
    if (plan.fault == Fault::length) cut_promptql(reply);
    if (plan.fault != Fault::none) stats_->count_fault(plan.fault);
    sign_promptql(reply);
    std::string written = to_text(reply);
    const Message said{.role = Role::assistant, .text = written};
    stats_->count_usage({prompt_tokens(conversation), completion_tokens(said), 0, 0, 0});
    delivery_->deliver(exchange, plan, {false, std::move(written), {}});
  }

  // What a rule changes of the plan. True if it was all; else `rule` is null if it has no reply of its own.
  bool sent_rule(const Exchange& exchange, FaultPlan& plan, const ScriptRule*& rule) const {
    plan.latency += rule->delay;
    plan.fault = Fault::none;  // a script is obeyed to the letter
    if (const auto* error = std::get_if<ScriptedError>(&rule->reply)) {
      delivery_->send_scripted(exchange, plan.latency, *error);
      return true;
    }
    const auto* fault = std::get_if<Fault>(&rule->reply);
    if (fault == nullptr) return false;
    plan.fault = *fault;
    rule = nullptr;
    return sent_failure(exchange, plan);
  }

  // Faults that need no answer. A 429 comes at once, the others when the answer would have come.
  bool sent_failure(const Exchange& exchange, const FaultPlan& plan) const {
    switch (plan.fault) {
      case Fault::rate_limited:
        stats_->count_fault(plan.fault);
        delivery_->send_busy(exchange, 429, "Rate limit reached; slow down.", options_.retry_after);
        return true;
      case Fault::server_error:
        stats_->count_fault(plan.fault);
        Delivery::later(exchange, plan.latency, [self = shared_from_this(), exchange] {
          self->refuse(exchange, 500, "Internal server error.");
        });
        return true;
      case Fault::overloaded:
        stats_->count_fault(plan.fault);
        Delivery::later(exchange, plan.latency, [self = shared_from_this(), exchange] {
          self->delivery_->send_busy(exchange, 503, "Overloaded; try again later.",
                                     self->options_.retry_after);
        });
        return true;
      default:
        return false;
    }
  }

  template <class Call>
  void answer_call(const Exchange& exchange, FaultPlan plan, const Call& call) {
    const ChatRequest& request = call.request;
    if (const auto error = schema_error(request, exchange.protocol))
      return delivery_->send_error(exchange, *error);
    if (const auto error = overflow_error(request, exchange.protocol, options_.context_window))
      return delivery_->send_error(exchange, *error);
    ChatReply reply;
    const ScriptRule* rule = script_.take(request);
    if (rule != nullptr && sent_rule(exchange, plan, rule)) return;
    reply = rule != nullptr ? scripted_reply(*rule, request) : answer(request, answering_);
    if (call.thinks || !reply.message.reasoning.empty()) think(reply, request);
    if (plan.fault == Fault::wrong_schema &&
        !spoil_answer(reply, request, *makers_, Chance(options_.seed).fork("spoil").fork(exchange.number))) {
      plan.fault = Fault::none;
    }
    if (plan.fault == Fault::length)
      cut_reply(reply, std::max<std::int64_t>(1, reply.usage.completion_tokens / 2));
    if (plan.fault != Fault::none) stats_->count_fault(plan.fault);
    stats_->count_usage(reply.usage);
    delivery_->deliver(exchange, plan,
                       write(call, reply, {hash_request(request) + exchange.number, reply.model}));
  }

  static Written write(const OpenAiCall& call, const ChatReply& reply, const ReplyIdentity& identity) {
    if (!call.stream) return {false, openai_reply_body(reply, identity), {}};
    return {true, {}, openai_events(reply, identity, call.include_usage)};
  }
  static Written write(const AnthropicCall& call, const ChatReply& reply, const ReplyIdentity& identity) {
    if (!call.stream) return {false, anthropic_reply_body(reply, identity), {}};
    return {true, {}, anthropic_events(reply, identity)};
  }

  static Written write(const ResponsesCall& call, const ChatReply& reply, const ReplyIdentity& identity) {
    if (!call.stream) return {false, responses_reply_body(call, reply, identity), {}};
    return {true, {}, responses_events(call, reply, identity)};
  }
  static Written write(const GeminiCall& call, const ChatReply& reply, const ReplyIdentity& identity) {
    if (!call.stream) return {false, gemini_reply_body(reply, identity), {}};
    return {true, {}, gemini_events(reply, identity)};
  }
  static Written write(const BedrockCall& call, const ChatReply& reply, const ReplyIdentity& /*identity*/) {
    if (!call.stream) return {false, bedrock_reply_body(reply), {}};
    return {true, {}, bedrock_frames(reply)};
  }

  // A schema that cannot be compiled is refused before anything is answered, as real servers do.
  std::optional<WireError> schema_error(const ChatRequest& request, Protocol protocol) const {
    const bool openai = protocol == Protocol::openai;
    const auto refused = [&](const Json& schema, const std::string& where) -> std::optional<WireError> {
      const auto maker = makers_->get(schema);
      if (maker) return std::nullopt;
      return WireError{400, fmt::format("{}: the JSON schema is not valid: {}", where, maker.error().message),
                       "", where, "invalid_json_schema"};
    };
    if (request.output) {
      auto error =
          refused(request.output->schema, openai ? "response_format" : "output_config.format.schema");
      if (error) return error;
    }
    for (std::size_t i = 0; i < request.tools.size(); ++i) {
      auto error =
          refused(request.tools[i].parameters, openai ? fmt::format("tools[{}].function.parameters", i)
                                                      : fmt::format("tools.{}.input_schema", i));
      if (error) return error;
    }
    return std::nullopt;
  }

  const SimServerOptions options_;
  const Script script_;
  const std::shared_ptr<InstanceMakers> makers_;
  const SimOptions answering_;
  const std::shared_ptr<Stats> stats_;
  const std::shared_ptr<const Delivery> delivery_;
  Batches batches_;
  MinuteWindow window_;
  std::atomic<std::uint64_t> number_{0};
};

class Server final : public SimServer {
 public:
  Server(std::shared_ptr<Endpoint> endpoint, std::unique_ptr<HttpServer> http, std::string host)
      : endpoint_(std::move(endpoint)), http_(std::move(http)), host_(std::move(host)) {}

  std::uint16_t port() const override { return http_->port(); }
  std::string url() const override { return fmt::format("http://{}:{}", url_host(host_), port()); }
  Json stats() const override { return endpoint_->stats(); }

 private:
  std::shared_ptr<Endpoint> endpoint_;
  std::unique_ptr<HttpServer> http_;
  std::string host_;
};

}  // namespace
}  // namespace sim

Result<std::unique_ptr<SimServer>> start_sim(SimServerOptions options) {
  if (auto checked = sim::check_faults(options); !checked) return fail(std::move(checked.error()));
  if (options.overload_status != 429 && options.overload_status != 503) {
    return fail(ErrorKind::config,
                fmt::format("the overload status is {}, expected 429 or 503", options.overload_status));
  }
  if (!(options.noise >= 0 && options.noise <= 1)) {
    return fail(ErrorKind::config, fmt::format("the noise is {}, expected 0 to 1", options.noise));
  }
  sim::Script script;
  if (!options.script.empty()) {
    auto loaded = sim::Script::load(options.script);
    if (!loaded) {
      std::string all;
      for (const Error& problem : loaded.error()) all += (all.empty() ? "" : "\n") + problem.text();
      return fail(ErrorKind::config, std::move(all));
    }
    script = std::move(*loaded);
  }
  HttpServerOptions http;
  http.host = options.host;
  http.port = options.port;
  http.threads = options.threads;
  // Bodies a little too large get their protocol's own refusal; the server's plain one is for the rest.
  http.max_body = options.max_body + (std::size_t{1} << 20);
  auto endpoint = std::make_shared<sim::Endpoint>(options, std::move(script));
  auto server =
      HttpServer::start(http, [endpoint](const ServerRequest& request, std::shared_ptr<Responder> responder) {
        endpoint->handle(request, std::move(responder));
      });
  if (!server) return fail(std::move(server.error()));
  return std::make_unique<sim::Server>(std::move(endpoint), std::move(*server), options.host);
}

}  // namespace assay
