#include "models/endpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/find_program.h"
#include "core/text.h"
#include "models/providers/aws_event_stream.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"
#include "models/tokens.h"
#include "models/windows.h"
#include "net/http/url.h"

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

// No prompt is so much shorter than our estimate, but one that was cut; short ones are not looked at.
constexpr std::int64_t kSurelyCut = 3;
constexpr std::int64_t kLeastCut = 1000;

constexpr std::string_view kAutomatic = "auto";

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

// Groq looks at a structured answer itself, and gives one that does not fit as an error of the request. It is
// an answer with defects like any other.
std::optional<ChatReply> answer_in_refusal(const HttpResponse& response, const ChatRequest& request) {
  if (response.status != 400 || !request.output || !response.body.contains("failed_generation"))
    return std::nullopt;
  const auto json = parse_json(response.body);
  const Json* error = json ? find_member(*json, "error") : nullptr;
  const Json* text = error != nullptr ? find_member(*error, "failed_generation") : nullptr;
  if (text == nullptr || !as_text(*text)) return std::nullopt;
  ChatReply reply;
  reply.message = {.role = Role::assistant, .text = std::string(*as_text(*text))};
  const bool cut_off = text_at(*error, "message").contains("max completion tokens");
  reply.finish = cut_off ? FinishReason::length : FinishReason::stop;
  reply.origin.finish_reason = text_at(*error, "code");
  return reply;
}

// Reads a 2xx body while it arrives: server-sent events, or one JSON if the server does not stream after all.
class Arrival {
 public:
  Arrival(std::unique_ptr<ReplyStream> stream, Framing framing)
      : stream_(std::move(stream)), framing_(framing) {}

  void take(std::string_view data) {
    if (start_.size() < kKeptStart) start_ += data.substr(0, kKeptStart - start_.size());
    if (form_ == Form::unknown) {
      const std::size_t first = data.find_first_not_of(" \t\r\n");
      if (first == std::string_view::npos) return;
      form_ = data[first] == '{' ? Form::json : Form::events;
    }
    if (form_ == Form::json) {
      whole_ += data;
    } else if (framing_ == Framing::aws) {
      aws_parser_.feed(data, [&](const ServerSentEvent& event) { stream_->take(event); });
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
  Framing framing_;
  ServerSentEventParser parser_;
  AwsEventStreamParser aws_parser_;
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

HttpModel::HttpModel(ModelSpec spec, const Provider& provider, HttpClient& client, EndpointSettings settings,
                     const Secrets& secrets)
    : spec_(std::move(spec)),
      provider_(provider),
      client_(client),
      settings_(std::move(settings)),
      wire_(*settings_.wire),
      address_(settings_.address),
      secrets_(secrets),
      capabilities_(within(wire_.capabilities, known_capabilities(spec_.name))) {
  if (settings_.thinks) capabilities_ = within(wire_.thinking, capabilities_);
}

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
                                                   HttpClient& client, const Environment& environment,
                                                   const NoteSecret& note_secret) {
  const std::string name = fmt::format("{}/{}", spec.provider, spec.name);
  Secrets secrets;
  auto settings = read_endpoint(spec, provider, environment, secrets);
  if (!settings) return fail(std::move(settings.error()).with("model", name));
  for (const std::string& secret : settings->secrets) {
    if (note_secret) note_secret(secret);
  }
  std::vector<std::string> command = spec.api_key_command;
  std::unique_ptr<HttpModel> model(
      new HttpModel(std::move(spec), provider, client, std::move(*settings), secrets));
  model->batches_ = &model->wire_ == provider.responses ? provider.responses_batches : provider.batches;
  if (!command.empty()) {
    model->command_ = std::make_unique<TokenCommand>(
        client.loop(), std::move(command), [own = model.get(), note_secret](std::string_view token) {
          own->secrets_.add(token);
          if (note_secret) note_secret(token);
        });
  }
  return model;
}

Status HttpModel::ready() const {
  if (command_) {
    if (auto found = check_command(spec_.api_key_command, ""); !found)
      return fail(ErrorKind::auth, fmt::format("api_key_command: {}", found.error().message));
  }
  return has_key();
}

Status HttpModel::has_key() const {
  const bool known = !settings_.key.empty() || settings_.aws || command_ != nullptr;
  if (known || !settings_.key_is_required || brings_own_key()) return {};
  return fail(in_context({Error{ErrorKind::auth,
                                fmt::format("no key: set the environment variable {}", settings_.key_name),
                                {}},
                          std::nullopt})
                  .error);
}

ModelIdentity HttpModel::identity() const {
  return {.provider = spec_.provider,
          .name = spec_.name,
          .base_url = address_.base,
          .temperature = spec_.temperature,
          .max_tokens = spec_.max_tokens ? spec_.max_tokens : wire_.max_tokens,
          .top_p = spec_.top_p,
          .seed = spec_.seed,
          .stop = spec_.stop,
          .structured = spec_.structured == kAutomatic ? std::string() : spec_.structured,
          .settings = settings_.identity};
}

std::string HttpModel::limit_key() const {
  return fmt::format("{} {}", spec_.provider, address_.base);
}

std::vector<std::string> HttpModel::notes() const {
  return {notes_.begin(), notes_.end()};
}

Task<std::expected<ChatReply, ModelFailure>> HttpModel::complete(const ChatRequest& request,
                                                                 OnTokens on_tokens) {
  return negotiate(request, std::move(on_tokens), nullptr);
}

Task<std::expected<ChatReply, ModelFailure>> HttpModel::negotiate(const ChatRequest& request,
                                                                  OnTokens on_tokens, const Carry* carry) {
  if (Status status = has_key(); !status) {
    co_return std::unexpected(ModelFailure{std::move(status).error(), std::nullopt});
  }
  auto key = co_await credential();
  if (!key) co_return std::unexpected(in_context({std::move(key.error()), std::nullopt}));
  bool renewed = false;
  SchemaRefusals refused = known_refusals(request);
  note_omissions(request);
  const auto schema = request.output ? known_schema(request.output->schema) : nullptr;
  for (int round = 0;; ++round) {
    WirePlan plan = plan_for(request, refused, schema.get());
    if (carry != nullptr) plan.stream = false;
    Answer answer = carry != nullptr ? co_await ask_by(*carry, request, body_of(request, plan))
                                     : co_await ask(request, plan, on_tokens, *key);
    if (answer.reply) {
      ReplyOrigin& origin = answer.reply->origin;
      origin.status = answer.status;
      origin.max_tokens = sampling_of(request, spec_, plan.capabilities).max_tokens;
      if (!origin.max_tokens) origin.max_tokens = wire_.max_tokens;
      origin.way = plan.way;
      note_tokens(request, answer.reply->usage);
      settle_reply(*answer.reply, request, plan);
      co_return std::move(*answer.reply);
    }
    if (answer.status == 401 && command_ && !std::exchange(renewed, true)) {
      command_->refuse(*key);
      const std::string before = std::exchange(*key, {});
      key = co_await credential();
      if (!key) co_return std::unexpected(in_context({std::move(key.error()), std::nullopt}));
      if (*key != before) continue;
    }
    if (round < kMostRenegotiations && can_be_renegotiated(answer.status, answer.complaints)) {
      const Json body = parse_json(body_of(request, plan)).value_or(Json());
      const SentRequest sent{&body, plan.way, spec_.structured != kAutomatic, spec_.thinking.is_object()};
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
  if (!capabilities_.stop) plan.cut_at = request.sampling.stop.empty() ? spec_.stop : request.sampling.stop;
  if (!request.output) return plan;
  plan.way = choose_way(wire_, spec_.structured, *request.output, capabilities_, refused);
  plan.strict =
      *plan.way == StructuredWay::json_schema && capabilities_.strict && !refused.strict && schema->strict;
  plan.schema_text = &schema->text;
  return plan;
}

std::string HttpModel::body_of(const ChatRequest& request, const WirePlan& plan) const {
  return with_additions(wire_.body(request, spec_, plan), settings_.additions);
}

bool HttpModel::brings_own_key() const {
  return settings_.headers.find(provider_.key_header.name) != nullptr;
}

Task<Result<std::string>> HttpModel::credential() {
  if (!command_) co_return settings_.key;
  co_return co_await command_->get();
}

Task<Result<HttpResponse>> HttpModel::send_keyed(std::function<HttpRequest(std::string_view key)> made) {
  Result<HttpResponse> response = HttpResponse();
  std::optional<std::string> refused;
  for (;;) {
    auto key = co_await credential();
    if (!key) co_return fail(std::move(key.error()));
    if (refused == *key) co_return response;  // it prints the same one again
    response = co_await client_.send(made(*key));
    if (!response) response.error().message = secrets_.hide_pieces(response.error().message);
    if (!response || response->status != 401 || !command_) co_return response;
    command_->refuse(*key);
    if (refused) co_return response;
    refused = std::move(*key);
  }
}

HttpRequest HttpModel::request_for(const std::string& url, std::string body, const WirePlan& plan,
                                   std::string_view key) const {
  HttpRequest http;
  http.method = "POST";
  http.url = url;
  http.headers.add("Content-Type", "application/json");
  const bool events = plan.stream && wire_.framing == Framing::server_sent;
  http.headers.add("Accept", events        ? "text/event-stream"
                             : plan.stream ? "application/vnd.amazon.eventstream"
                                           : "application/json");
  http.body = std::move(body);
  // A header of the user's takes the place of ours.
  HttpRequest ours;
  if (wire_.put_headers != nullptr) wire_.put_headers(ours);
  put_key(ours, key);
  for (const auto& [name, value] : ours.headers) {
    if (settings_.headers.find(name) == nullptr) http.headers.add(name, value);
  }
  for (const auto& [name, value] : settings_.headers) http.headers.add(name, value);
  if (key.empty() && settings_.aws && !brings_own_key()) sign(http);
  http.total_timeout = spec_.timeout;
  // Without a stream, silence is what a model that thinks sounds like.
  http.idle_timeout = plan.stream ? spec_.idle_timeout : spec_.timeout;
  return http;
}

void HttpModel::put_key(HttpRequest& http, std::string_view key) const {
  if (key.empty()) return;
  const bool token = command_ != nullptr && !provider_.token_header.name.empty();
  const KeyHeader& header = token ? provider_.token_header : provider_.key_header;
  http.headers.add(std::string(header.name), fmt::format("{}{}", header.before, key));
  // Who names Azure's address under the provider openai has Azure's key.
  const bool azure = address_.domain.ends_with(".azure.com") && header.name == kBearer.name && !token;
  if (azure) http.headers.add("api-key", std::string(key));
}

void HttpModel::sign(HttpRequest& http) const {
  const auto url = parse_url(http.url);
  if (!url) return;
  const std::string host = url->authority();
  const AwsRequest request{http.method, url->path, url->query, host, http.body};
  const AwsScope scope{settings_.region, std::string(provider_.aws_service)};
  for (const auto& [name, value] :
       aws_signature(request, *settings_.aws, scope, std::chrono::system_clock::now()))
    http.headers.add(name, value);
}

Task<HttpModel::Answer> HttpModel::ask(const ChatRequest& request, const WirePlan& plan,
                                       const OnTokens& on_tokens, std::string key) {
  HttpRequest http =
      request_for(plan.stream ? address_.stream_url : address_.url, body_of(request, plan), plan, key);
  Arrival arrival(wire_.stream(), wire_.framing);
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
  if (!plan.stream || response->status < 200 || response->status > 299)
    co_return answer_of(*response, request);
  if (arrival.is_json()) co_return read_whole(arrival.whole());

  const ReplyStream& stream = arrival.stream();
  if (stream.error()) co_return refused(complaints_in(*stream.error()));
  if (stream.broken()) co_return broken("an event of the stream is not JSON", *stream.broken());
  if (!stream.finished()) co_return broken("the stream ends before the answer does", arrival.start());
  Result<ChatReply> reply = stream.reply();
  if (!reply) co_return broken(reply.error().message, arrival.start());
  co_return Answer{std::move(*reply), 200, {}};
}

HttpModel::Answer HttpModel::answer_of(const HttpResponse& response, const ChatRequest& request) const {
  if (response.status >= 200 && response.status <= 299) return read_whole(response.body);
  if (auto answer = answer_in_refusal(response, request))
    return Answer{std::move(*answer), response.status, {}};
  Asked sized = asked();
  sized.prompt_tokens = estimate_prompt_tokens(request);
  return Answer{std::unexpected(failure_of_status(response.status, response.headers, response.body, sized,
                                                  std::chrono::system_clock::now())),
                response.status, complaints_in_text(response.body)};
}

Task<HttpModel::Answer> HttpModel::ask_by(const Carry& carry, const ChatRequest& request, std::string body) {
  auto response = co_await carry(*this, std::move(body));
  if (response) co_return answer_of(*response, request);
  co_return Answer{std::unexpected(ModelFailure{std::move(response).error(), std::nullopt}), 0, {}};
}

Asked HttpModel::asked() const {
  return {address_.host, settings_.key_name, !settings_.key.empty() || settings_.aws || command_ != nullptr,
          secrets_,      std::nullopt,       known_window(spec_.name)};
}

HttpModel::Answer HttpModel::read_whole(std::string_view body) const {
  std::array<unsigned char, kUsualReply> first;
  boost::json::monotonic_resource memory(first.data(), first.size());
  const auto json = parse_json(body, &memory);
  if (!json) return broken("it is not complete JSON", body);
  Result<ChatReply> reply = wire_.reply(*json);
  if (reply) return Answer{std::move(*reply), 200, {}};
  // Gateways report an error of the server behind them with status 200, OpenRouter inside of the choice.
  for (const std::string_view place : {"", "/choices/0"}) {
    const Json* holder = find_pointer(*json, place);
    const Json* error = holder != nullptr ? find_member(*holder, "error") : nullptr;
    if (error != nullptr && !error->is_null()) return refused(complaints_in(*holder));
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
  note(sampling.top_p || spec_.top_p, capabilities_.top_p, "top_p");
  note(sampling.seed || spec_.seed, capabilities_.seed, "seed");
}

void HttpModel::note_tokens(const ChatRequest& request, const Usage& usage) {
  if (usage.prompt_tokens + usage.completion_tokens == 0)
    notes_.insert("its replies tell no tokens: what they took and cost is not known");
  if (usage.prompt_tokens == 0 || told_short_) return;
  // The estimate reads all of it: first the bytes alone, which are never more than half as many tokens.
  std::size_t bytes = request.output ? request.output->schema.canonical().size() : 0;
  for (const Message& message : request.messages) bytes += message.text.size();
  const std::int64_t cut = usage.prompt_tokens * kSurelyCut;
  if (static_cast<std::int64_t>(bytes / 2) < std::max(cut, kLeastCut)) return;
  const std::int64_t expected = estimate_prompt_tokens(request);
  if (expected < std::max(cut, kLeastCut)) return;
  told_short_ = true;
  notes_.insert(fmt::format(
      "it counts {} tokens in a prompt that has about {} by our estimate: it may have cut the prompt to its "
      "context without saying so (Ollama: num_ctx)",
      usage.prompt_tokens, expected));
}

ModelFailure HttpModel::in_context(ModelFailure failure) const {
  failure.error = std::move(failure.error).with("model", fmt::format("{}/{}", spec_.provider, spec_.name));
  return failure;
}

}  // namespace assay
