#include "models/endpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"

namespace assay {
namespace {

// A server that refuses one parameter after the other is asked this often; each time it must have blamed
// something that was sent.
constexpr int kMostRenegotiations = 8;
// Schemas that a server refused are remembered up to here; a data set could bring a new one with every case.
constexpr std::size_t kMostSchemas = 1000;
constexpr std::size_t kKeptStart = 2000;
// A judge has one for each of its questions.
constexpr std::size_t kKnownSchemas = 32;
constexpr std::size_t kUsualReply = 8192;  // bytes of its tree

constexpr std::string_view kAutomatic = "auto";
constexpr std::array<std::string_view, 4> kStructured{kAutomatic, "json_schema", "tools", "text"};

// Servers of local models report as their own failure what they were not started for (llama.cpp: 500, "tools
// param requires --jinja flag"); any other 5xx says nothing about the request.
bool can_be_renegotiated(int status, const std::vector<Complaint>& complaints) {
  if (status == 400 || status == 422) return true;
  if (status != 500 && status != 501) return false;
  return std::ranges::any_of(complaints, [](const Complaint& complaint) {
    const std::string message = lower_ascii(complaint.message);
    return std::ranges::any_of(std::array{"requires --", "unsupported param", "not support"},
                               [&](const char* words) { return message.find(words) != std::string::npos; });
  });
}

// Reads a 2xx body while it arrives: server-sent events, or one JSON if the server does not stream after all.
class Arrival {
 public:
  explicit Arrival(std::unique_ptr<ReplyStream> stream) : stream_(std::move(stream)) {}

  void take(std::string_view data) {
    if (start_.size() < kKeptStart) start_ += data.substr(0, kKeptStart - start_.size());
    if (form_ == Form::unknown) {
      const std::size_t first = data.find_first_not_of(" \t\r\n");
      if (first == std::string_view::npos) return;
      form_ = data[first] == '{' ? Form::json : Form::events;
    }
    if (form_ == Form::json) {
      whole_ += data;
    } else {
      parser_.feed(data, [&](const ServerSentEvent& event) { stream_->take(event); });
    }
  }

  bool is_json() const { return form_ == Form::json; }
  // By the stream's own word, whatever the connection does after it.
  bool is_complete() const { return form_ == Form::events && stream_->finished(); }
  const std::string& whole() const { return whole_; }
  const std::string& start() const { return start_; }
  const ReplyStream& stream() const { return *stream_; }

 private:
  enum class Form { unknown, events, json };
  Form form_ = Form::unknown;
  std::unique_ptr<ReplyStream> stream_;
  ServerSentEventParser parser_;
  std::string start_;
  std::string whole_;
};

}  // namespace

// One exchange with the server: a reply, or a failure with what a renegotiation needs to know.
struct HttpModel::Answer {
  std::expected<ChatReply, ModelFailure> reply;
  int status = 200;
  std::vector<Complaint> complaints;
};

HttpModel::HttpModel(ModelSpec spec, HttpClient& client, const Wire& wire, Address address)
    : spec_(std::move(spec)),
      client_(client),
      wire_(wire),
      address_(std::move(address)),
      capabilities_(within(wire.capabilities, known_capabilities(spec_.name))) {}

Result<std::unique_ptr<HttpModel>> HttpModel::make(ModelSpec spec, HttpClient& client,
                                                   const Environment& environment) {
  const Provider* provider = find_provider(spec.provider);
  if (provider != nullptr && provider->wire != nullptr) {
    return make(std::move(spec), *provider, client, environment);
  }
  return fail(Error{ErrorKind::config,
                    fmt::format("the provider {} is not reached over HTTP", spec.provider),
                    {{"model", fmt::format("{}/{}", spec.provider, spec.name)}}});
}

Result<std::unique_ptr<HttpModel>> HttpModel::make(ModelSpec spec, const Provider& provider,
                                                   HttpClient& client, const Environment& environment) {
  const std::string name = fmt::format("{}/{}", spec.provider, spec.name);
  const auto wrong = [&](std::string message) {
    return fail(Error{ErrorKind::config, std::move(message), {{"model", name}}});
  };
  if (spec.name.empty()) return wrong("the model has no name");
  if (std::ranges::find(kStructured, spec.structured) == kStructured.end()) {
    return wrong(fmt::format("structured: found \"{}\", expected one of {}", spec.structured,
                             fmt::join(kStructured, ", ")));
  }
  std::string base = spec.base_url;
  std::string_view origin = "base_url";
  if (base.empty() && !provider.base_variable.empty()) {
    base = environment(provider.base_variable).value_or("");
    origin = provider.base_variable;
  }
  if (trim(base).empty()) base = provider.base_url;
  auto filled = fill_environment(base, environment);
  if (!filled) return fail(std::move(filled).error().with("key", std::string(origin)).with("model", name));
  base = std::move(*filled);
  auto address = chat_address(provider, base, spec.name);
  if (!address) return fail(std::move(address).error().with("key", std::string(origin)).with("model", name));

  const bool own_key = !spec.api_key_env.empty();
  const std::string key_name = own_key ? spec.api_key_env : std::string(provider.key_variable);
  const std::string key(key_name.empty() ? "" : trim(environment(key_name).value_or("")));
  const bool printable = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!printable)
    return wrong(fmt::format("{} holds a space, a line break or another odd character", key_name));

  const bool is_public = address->is_public;
  std::unique_ptr<HttpModel> model(
      new HttpModel(std::move(spec), client, *provider.wire, std::move(*address)));
  model->key_ = key;
  model->secrets_.add(key);
  add_url_secrets(base, model->secrets_);
  model->key_name_ = key_name;
  // A variable that the user names is meant to be set; otherwise only the provider's own service needs a key.
  model->key_is_required_ = own_key || (provider.needs_key && is_public);
  return model;
}

Status HttpModel::ready() const {
  if (!key_.empty() || !key_is_required_) return {};
  return fail(
      in_context(
          {Error{ErrorKind::auth, fmt::format("no key: set the environment variable {}", key_name_), {}},
           std::nullopt})
          .error);
}

ModelIdentity HttpModel::identity() const {
  return {.provider = spec_.provider,
          .name = spec_.name,
          .base_url = address_.base,
          .temperature = spec_.temperature,
          .max_tokens = spec_.max_tokens ? spec_.max_tokens : wire_.max_tokens,
          .structured = spec_.structured == kAutomatic ? std::string() : spec_.structured};
}

std::string HttpModel::limit_key() const {
  return fmt::format("{} {}", spec_.provider, address_.base);
}

std::vector<std::string> HttpModel::notes() const {
  return {notes_.begin(), notes_.end()};
}

Task<std::expected<ChatReply, ModelFailure>> HttpModel::complete(const ChatRequest& request,
                                                                 OnTokens on_tokens) {
  if (Status status = ready(); !status) {
    co_return std::unexpected(ModelFailure{std::move(status).error(), std::nullopt});
  }
  SchemaRefusals refused = known_refusals(request);
  note_omissions(request);
  const auto schema = request.output ? known_schema(request.output->schema) : nullptr;
  for (int round = 0;; ++round) {
    const WirePlan plan = plan_for(request, refused, schema.get());
    Answer answer = co_await ask(wire_.body(request, spec_, plan), plan, on_tokens);
    if (answer.reply) {
      ReplyOrigin& origin = answer.reply->origin;
      origin.status = answer.status;
      origin.max_tokens = sampling_of(request, spec_, plan.capabilities).max_tokens;
      if (!origin.max_tokens) origin.max_tokens = wire_.max_tokens;
      origin.way = plan.way;
      settle_reply(*answer.reply, request, plan);
      co_return std::move(*answer.reply);
    }
    if (round < kMostRenegotiations && can_be_renegotiated(answer.status, answer.complaints)) {
      const Json body = parse_json(wire_.body(request, spec_, plan)).value_or(Json());
      const SentRequest sent{&body, plan.way, spec_.structured != kAutomatic};
      if (const auto learnt = learn(sent, answer.complaints, capabilities_, refused)) {
        notes_.insert(*learnt);
        remember_refusals(request, refused);
        continue;
      }
    }
    co_return std::unexpected(in_context(std::move(answer.reply).error()));
  }
}

std::shared_ptr<const HttpModel::KnownSchema> HttpModel::known_schema(const SharedJson& schema) {
  for (const auto& known : known_schemas_) {
    if (known->schema.is(schema)) return known;
  }
  if (known_schemas_.size() >= kKnownSchemas) known_schemas_.erase(known_schemas_.begin());
  known_schemas_.push_back(
      std::make_shared<const KnownSchema>(schema, to_text(without_annotations(schema)),
                                          wire_.takes_strictly != nullptr && wire_.takes_strictly(schema)));
  return known_schemas_.back();
}

WirePlan HttpModel::plan_for(const ChatRequest& request, const SchemaRefusals& refused,
                             const KnownSchema* schema) const {
  WirePlan plan;
  plan.capabilities = capabilities_;
  plan.stream = spec_.stream && capabilities_.stream;
  if (!request.output) return plan;
  plan.way = choose_way(wire_, spec_.structured, *request.output, capabilities_, refused);
  plan.strict =
      *plan.way == StructuredWay::json_schema && capabilities_.strict && !refused.strict && schema->strict;
  plan.schema_text = &schema->text;
  return plan;
}

HttpRequest HttpModel::request_for(std::string body, const WirePlan& plan) const {
  HttpRequest http;
  http.method = "POST";
  http.url = plan.stream ? address_.stream_url : address_.url;
  http.headers.add("Content-Type", "application/json");
  http.headers.add("Accept", plan.stream ? "text/event-stream" : "application/json");
  http.body = std::move(body);
  wire_.put_headers(http, address_, key_);
  http.total_timeout = spec_.timeout;
  // Without a stream, silence is what a model that thinks sounds like.
  http.idle_timeout = plan.stream ? spec_.idle_timeout : spec_.timeout;
  return http;
}

Task<HttpModel::Answer> HttpModel::ask(std::string body, const WirePlan& plan, const OnTokens& on_tokens) {
  HttpRequest http = request_for(std::move(body), plan);
  Arrival arrival(wire_.stream());
  if (plan.stream) {
    http.on_data = [&arrival, &on_tokens](std::string_view data) {
      const std::int64_t before = arrival.stream().tokens();
      arrival.take(data);
      const std::int64_t more = arrival.stream().tokens() - before;
      if (on_tokens && more > 0) on_tokens(more);
      return true;
    };
    http.is_complete = [&arrival] { return arrival.is_complete(); };
  }
  Result<HttpResponse> response = co_await client_.send(std::move(http));
  if (!response) {
    Error error = std::move(response).error();
    error.message = secrets_.hide_pieces(error.message);
    co_return Answer{std::unexpected(ModelFailure{std::move(error), std::nullopt}), 0, {}};
  }
  if (response->status < 200 || response->status > 299) {
    co_return Answer{std::unexpected(failure_of_status(response->status, response->headers, response->body,
                                                       asked(), std::chrono::system_clock::now())),
                     response->status, complaints_in_text(response->body)};
  }
  if (!plan.stream) co_return read_whole(response->body);
  if (arrival.is_json()) co_return read_whole(arrival.whole());

  const ReplyStream& stream = arrival.stream();
  if (stream.error()) co_return refused(complaints_in(*stream.error()));
  if (stream.broken()) co_return broken("an event of the stream is not JSON", *stream.broken());
  if (!stream.finished()) co_return broken("the stream ends before the answer does", arrival.start());
  Result<ChatReply> reply = stream.reply();
  if (!reply) co_return broken(reply.error().message, arrival.start());
  co_return Answer{std::move(*reply), 200, {}};
}

Asked HttpModel::asked() const {
  return {address_.host, key_name_, !key_.empty(), secrets_};
}

HttpModel::Answer HttpModel::read_whole(std::string_view body) const {
  std::array<unsigned char, kUsualReply> first;
  boost::json::monotonic_resource memory(first.data(), first.size());
  const auto json = parse_json(body, &memory);
  if (!json) return broken("it is not complete JSON", body);
  Result<ChatReply> reply = wire_.reply(*json);
  if (reply) return Answer{std::move(*reply), 200, {}};
  // Gateways report an error of the server behind them with status 200.
  if (const Json* error = find_member(*json, "error"); error != nullptr && !error->is_null()) {
    return refused(complaints_in(*json));
  }
  return broken(reply.error().message, body);
}

HttpModel::Answer HttpModel::refused(const std::vector<Complaint>& complaints) const {
  return Answer{std::unexpected(failure_of_complaints(complaints, asked())), status_of(complaints),
                complaints};
}

HttpModel::Answer HttpModel::broken(std::string_view reason, std::string_view body) const {
  return Answer{std::unexpected(failure_of_broken(reason, body, asked())), 200, {}};
}

SchemaRefusals HttpModel::known_refusals(const ChatRequest& request) const {
  if (!request.output || schemas_.empty()) return {};
  const auto known = schemas_.find(request.output->schema.canonical());
  return known == schemas_.end() ? SchemaRefusals{} : known->second;
}

void HttpModel::remember_refusals(const ChatRequest& request, const SchemaRefusals& refused) {
  if (!request.output || !(refused.strict || refused.json_schema || refused.tools)) return;
  if (schemas_.size() < kMostSchemas) schemas_[request.output->schema.canonical()] = refused;
}

void HttpModel::note_omissions(const ChatRequest& request) {
  const auto note = [&](bool wanted, bool taken, std::string_view name) {
    if (wanted && !taken) notes_.insert(fmt::format("{} is not sent: the model does not take it", name));
  };
  const Sampling& sampling = request.sampling;
  note(sampling.temperature || spec_.temperature, capabilities_.temperature, "temperature");
  note(sampling.top_p.has_value(), capabilities_.top_p, "top_p");
  note(sampling.seed.has_value(), capabilities_.seed, "seed");
}

ModelFailure HttpModel::in_context(ModelFailure failure) const {
  failure.error = std::move(failure.error).with("model", fmt::format("{}/{}", spec_.provider, spec_.name));
  return failure;
}

}  // namespace assay
