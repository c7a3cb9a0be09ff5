#include "evaluations/components/target.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/schema/schema.h"
#include "core/text.h"
#include "engine/effects/model.h"
#include "engine/effects/target.h"
#include "evaluations/prompts.h"
#include "models/tokens.h"

namespace assay::components {
namespace {

// Replaces {field} by the case's value, passed through `encode`. Braces that name no field stay.
template <class Encode>
std::string fill_fields(std::string_view text, const JsonObject& input, Encode encode) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out.append(text.substr(0, open));
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    const Json* value = close == std::string_view::npos
                            ? nullptr
                            : input.if_contains(text.substr(open + 1, close - open - 1));
    if (value == nullptr) {
      out += '{';
      text.remove_prefix(open + 1);
    } else {
      out += encode(text_or_json(*value));
      text.remove_prefix(close + 1);
    }
  }
  return out;
}

// In a JSON body a text that is nothing but "{field}" becomes the field's value with its type.
Json fill_tree(const Json& pattern, const JsonObject& input) {
  if (const auto text = as_text(pattern)) {
    if (text->size() > 2 && text->front() == '{' && text->back() == '}') {
      if (const Json* whole = input.if_contains(text->substr(1, text->size() - 2))) return *whole;
    }
    return boost::json::string(fill_fields(*text, input, [](std::string value) { return value; }));
  }
  if (pattern.is_object()) {
    JsonObject object;
    for (const auto& [key, value] : pattern.get_object()) object.emplace(key, fill_tree(value, input));
    return object;
  }
  if (pattern.is_array()) {
    JsonArray array;
    for (const Json& value : pattern.get_array()) array.push_back(fill_tree(value, input));
    return array;
  }
  return pattern;
}

Error target_error(std::string message) {
  return Error{ErrorKind::target, std::move(message), {}};
}

// JSON pointers into the reply, by actual field.
using Map = std::vector<std::pair<std::string, std::string>>;

// What every kind of target shares: reading the actual fields from its reply.
class MappedTarget : public Target {
 public:
  MappedTarget(TargetContract contract, Map map) : Target(std::move(contract)), map_(std::move(map)) {}

 protected:
  Result<JsonObject> actual_fields(const Json& reply) const {
    if (!reply.is_object() && map_.empty()) {
      return fail(target_error(
          fmt::format("found {} as the reply, expected an object with the actual fields", excerpt(reply))));
    }
    JsonObject actual;
    std::string problems;
    for (const DataField& field : contract().actual) {
      const Json* value = find_actual(reply, field.name);
      std::string problem = check(field, value);
      if (!problem.empty()) {
        problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", field.name, problem);
      } else if (value != nullptr) {
        actual.emplace(field.name, *value);
      }
    }
    if (!problems.empty()) return fail(target_error("the reply does not fit: " + problems));
    return actual;
  }

 private:
  const Json* find_actual(const Json& reply, const std::string& name) const {
    for (const auto& [field, pointer] : map_) {
      if (field == name) return find_pointer(reply, pointer);
    }
    return find_member(reply, name);
  }

  std::string check(const DataField& field, const Json* value) const {
    if (value == nullptr) {
      if (field.presence == Presence::optional) return "";
      for (const auto& [name, pointer] : map_) {
        if (name == field.name) return fmt::format("nothing at {}", pointer);
      }
      return "missing";
    }
    if (value->is_null() && (field.nullable || field.presence == Presence::optional)) return "";
    const bool fits = (field.type == FieldType::text && value->is_string()) ||
                      (field.type == FieldType::boolean && value->is_bool()) ||
                      (field.type == FieldType::number && value->is_number()) || field.type == FieldType::any;
    if (!fits) {
      const std::string_view expected = field.type == FieldType::text      ? "text"
                                        : field.type == FieldType::boolean ? "true or false"
                                                                           : "a number";
      return fmt::format("found {}, expected {}", excerpt(*value), expected);
    }
    return field.check ? field.check(*value) : "";
  }

  Map map_;
};

class CommandTarget final : public MappedTarget {
 public:
  CommandTarget(TargetContract contract, Map map, CommandCall pattern)
      : MappedTarget(std::move(contract), std::move(map)), pattern_(std::move(pattern)) {}

  Task<Result<JsonObject>> send(JsonObject input, CaseContext& context) const override {
    CommandCall call = pattern_;
    call.input = to_text(input);
    if (const Json* text = input.if_contains(contract().text_field)) {
      call.literal_environment.emplace_back("INPUT", text_or_json(*text));
    }
    auto reply = co_await run_command(context, "target", std::move(call));
    if (!reply) {
      // A program that hangs or cannot be run is the target's failure, not the network's.
      Error error = std::move(reply.error());
      if (error.kind == ErrorKind::timeout) error.kind = ErrorKind::target;
      co_return fail(std::move(error));
    }
    co_return actual_fields(*reply);
  }

  void count(const JsonObject&, CallEstimate& estimate) const override { ++estimate.target_calls; }
  std::vector<std::string> models() const override { return {}; }

 private:
  CommandCall pattern_;
};

class HttpTarget final : public MappedTarget {
 public:
  HttpTarget(TargetContract contract, Map map, HttpCall pattern, Json body)
      : MappedTarget(std::move(contract), std::move(map)),
        pattern_(std::move(pattern)),
        body_(std::move(body)) {}

  Task<Result<JsonObject>> send(JsonObject input, CaseContext& context) const override {
    HttpCall call = pattern_;
    call.url = fill_fields(call.url, input, percent_encoded);
    if (const auto text = as_text(body_)) {
      call.body = fill_fields(*text, input, [](std::string value) { return value; });
    } else if (!body_.is_null()) {
      call.body = to_text(fill_tree(body_, input));
    } else if (call.method != "GET") {
      call.body = to_text(input);
    }
    auto reply = co_await call_http(context, "target", std::move(call));
    if (!reply) {
      // A service that answers 5xx or not in time has failed; a connection that cannot be made has not
      // reached it.
      Error error = std::move(reply.error());
      if (error.kind == ErrorKind::overloaded || error.kind == ErrorKind::timeout)
        error.kind = ErrorKind::target;
      co_return fail(std::move(error));
    }
    co_return actual_fields(*reply);
  }

  void count(const JsonObject&, CallEstimate& estimate) const override { ++estimate.target_calls; }
  std::vector<std::string> models() const override { return {}; }

 private:
  HttpCall pattern_;
  Json body_;
};

class ModelTarget final : public MappedTarget {
 public:
  struct Settings {
    std::string model;
    std::string prompt;
    SharedJson output_schema;
    Sampling sampling;
    int attempts = 3;
  };

  ModelTarget(TargetContract contract, Map map, Settings settings, Schema schema)
      : MappedTarget(std::move(contract), std::move(map)),
        settings_(std::move(settings)),
        schema_(std::move(schema)) {}

  Task<Result<JsonObject>> send(JsonObject input, CaseContext& context) const override {
    StructuredPolicy policy;
    policy.attempts = settings_.attempts;
    policy.failure = ErrorKind::target;
    auto answer = co_await ask(context, "target", request(input), schema_, std::move(policy));
    if (!answer.value) co_return fail(std::move(answer.value.error()));
    co_return actual_fields(*answer.value);
  }

  void count(const JsonObject& input, CallEstimate& estimate) const override {
    auto& model = estimate.models[settings_.model];
    ++model.calls;
    model.prompt_tokens += estimate_prompt_tokens(request(input));
    model.completion_tokens += settings_.sampling.max_tokens.value_or(60);
  }
  std::vector<std::string> models() const override { return {settings_.model}; }

 private:
  ChatRequest request(const JsonObject& input) const {
    ChatRequest chat;
    chat.model = settings_.model;
    chat.messages.push_back({Role::user,
                             fill_fields(settings_.prompt, input, [](std::string value) { return value; }),
                             {},
                             "",
                             false});
    chat.output =
        OutputSchema{"actual", "What the system under test gives for this case.", settings_.output_schema};
    chat.sampling = settings_.sampling;
    return chat;
  }

  Settings settings_;
  Schema schema_;
};

Map read_map(const Config& config, const TargetContract& contract, std::vector<ConfigProblem>& problems) {
  Map map;
  for (const std::string key : {"target.map", "target.http.map"}) {
    const Json* given = config.find(key);
    if (given == nullptr) continue;
    if (!given->is_object()) {
      problems.push_back(
          {"config", key, fmt::format("found {}, expected fields with JSON pointers", excerpt(*given))});
      continue;
    }
    for (const auto& [field, pointer] : given->get_object()) {
      const std::string path = key + "." + std::string(field);
      std::vector<std::string> names;
      names.reserve(contract.actual.size());
      for (const DataField& actual : contract.actual) names.push_back(actual.name);
      if (std::find(names.begin(), names.end(), field) == names.end()) {
        const auto guess = nearest(field, names);
        problems.push_back({"config", path,
                            guess ? fmt::format("unknown field; did you mean `{}`?", *guess)
                                  : fmt::format("unknown field; known are {}", join(names, ", "))});
      } else if (!pointer.is_string() ||
                 !(pointer.get_string().empty() || pointer.get_string().starts_with("/"))) {
        problems.push_back(
            {"config", path,
             fmt::format("found {}, expected a JSON pointer such as /data/label", excerpt(pointer))});
      } else {
        map.emplace_back(field, pointer.get_string());
      }
    }
  }
  return map;
}

std::unique_ptr<Target> model_target(const Config& config, TargetContract contract, Map map,
                                     std::vector<ConfigProblem>& problems) {
  ModelTarget::Settings settings;
  settings.model = config.text("target.model.model");
  settings.prompt = config.text("target.model.prompt");
  settings.sampling.temperature = config.number("target.model.temperature");
  if (const auto tokens = config.integer("target.model.max_tokens"))
    settings.sampling.max_tokens = static_cast<int>(*tokens);
  settings.attempts =
      static_cast<int>(config.integer("target.attempts").value_or(config.integer("attempts").value_or(3)));
  const Json* own = config.find("target.model.schema");
  settings.output_schema = own != nullptr ? *own : contract.schema;
  auto schema = Schema::compile(settings.output_schema);
  if (!schema) {
    problems.push_back({"config", "target.model.schema", schema.error().text()});
    return nullptr;
  }
  if (settings.prompt.find("{" + contract.text_field + "}") == std::string::npos) {
    problems.push_back({"config", "target.model.prompt",
                        fmt::format("the placeholder {{{}}} is missing: every case would be asked the same",
                                    contract.text_field)});
    return nullptr;
  }
  return std::make_unique<ModelTarget>(std::move(contract), std::move(map), std::move(settings),
                                       std::move(*schema));
}

}  // namespace

JsonObject Target::visible(JsonObject line) const {
  for (const DataField& field : contract_.input) {
    if (field.answer_key) erase_field(line, field);
  }
  for (const DataField& field : contract_.actual) erase_field(line, field);
  return line;
}

Task<Result<JsonObject>> Target::generate(JsonObject line, CaseContext& context) const {
  return send(visible(std::move(line)), context);
}

void Target::estimate(JsonObject line, CallEstimate& estimate) const {
  count(visible(std::move(line)), estimate);
}

Key target_key() {
  return {
      .name = "target",
      .type = KeyType::object,
      .help =
          "The system under test, needed with `generate: true`: exactly one of `command`, `http`, `model`.",
      .keys = {
          {.name = "command",
           .type = KeyType::text_list,
           .help = "A program, run once per case: the case as JSON on stdin, its text in INPUT; it prints "
                   "one JSON object with the actual fields.",
           .example = "[\"./classify.sh\"]"},
          {.name = "http",
           .type = KeyType::object,
           .help = "A service, asked once per case; `{field}` is filled from the case.",
           .keys =
               {{.name = "url", .help = "Address.", .required = true},
                {.name = "method",
                 .help = "HTTP method.",
                 .default_value = "POST",
                 .choices = {"GET", "POST", "PUT", "PATCH"}},
                {.name = "headers",
                 .type = KeyType::any,
                 .help = "Headers; `${NAME}` is filled from the environment and kept secret."},
                {.name = "body", .type = KeyType::any, .help = "JSON or text; by default the whole case."},
                {.name = "map",
                 .type = KeyType::any,
                 .help = "JSON pointers into the reply, by actual field."}}},
          {.name = "model",
           .type = KeyType::object,
           .help = "A prompted model with structured output.",
           .keys = {{.name = "model", .help = "`provider/name` or a name under `models`.", .required = true},
                    {.name = "prompt",
                     .help = "The prompt; `{field}` is filled from the case.",
                     .required = true},
                    {.name = "schema",
                     .type = KeyType::any,
                     .help = "JSON schema of the reply; by default that of the actual fields."},
                    {.name = "temperature",
                     .type = KeyType::number,
                     .help = "Sampling temperature.",
                     .minimum = 0,
                     .maximum = 2},
                    {.name = "max_tokens",
                     .type = KeyType::integer,
                     .help = "Longest answer, in tokens.",
                     .minimum = 1}}},
          {.name = "map",
           .type = KeyType::any,
           .help = "Where in the reply each actual field is (JSON pointers); by default under its own name.",
           .example = "{actual_outcome: /result/label}"},
          {.name = "timeout",
           .type = KeyType::duration,
           .help = "Longest time for one case of a command or HTTP target.",
           .default_value = "120s"},
          {.name = "attempts",
           .type = KeyType::integer,
           .help =
               "Tries per case; by default 1 for a command, limits.attempts for HTTP, attempts for a model.",
           .minimum = 1,
           .maximum = 100},
      }};
}

std::unique_ptr<Target> make_target(const Config& config, TargetContract contract,
                                    std::vector<ConfigProblem>& problems) {
  const int kinds = static_cast<int>(config.has("target.command")) +
                    static_cast<int>(config.has("target.http")) +
                    static_cast<int>(config.has("target.model"));
  if (kinds != 1) {
    problems.push_back({"config", "target",
                        kinds == 0
                            ? "missing; `generate: true` needs a target with command, http or model"
                            : "found more than one kind, expected exactly one of command, http, model"});
    return nullptr;
  }
  Map map = read_map(config, contract, problems);
  const auto attempts = config.integer("target.attempts");
  const auto timeout = config.duration("target.timeout");
  if (config.has("target.command")) {
    CommandCall call;
    call.command = config.texts("target.command");
    call.timeout = timeout;
    call.tries = static_cast<int>(attempts.value_or(1));
    call.stubborn = attempts.has_value();
    if (call.command.empty()) {
      problems.push_back(
          {"config", "target.command", "found an empty list, expected a program and its arguments"});
      return nullptr;
    }
    return std::make_unique<CommandTarget>(std::move(contract), std::move(map), std::move(call));
  }
  if (config.has("target.model")) return model_target(config, std::move(contract), std::move(map), problems);
  HttpCall call;
  call.method = config.text("target.http.method");
  call.url = config.text("target.http.url");
  call.timeout = timeout;
  call.tries = static_cast<int>(attempts.value_or(config.integer("limits.attempts").value_or(5)));
  call.stubborn = attempts.has_value();
  const Json* body = config.find("target.http.body");
  bool typed = false;
  if (const Json* headers = config.find("target.http.headers"); headers != nullptr && headers->is_object()) {
    for (const auto& [name, value] : headers->get_object()) {
      call.headers.emplace_back(name, text_or_json(value));
      typed = typed || equal_ignoring_ascii_case(name, "content-type");
    }
  }
  if (!typed && (body == nullptr || !body->is_string()))
    call.headers.emplace_back("Content-Type", "application/json");
  return std::make_unique<HttpTarget>(std::move(contract), std::move(map), std::move(call),
                                      body != nullptr ? *body : Json(nullptr));
}

}  // namespace assay::components
