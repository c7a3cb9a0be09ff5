#include "evaluations/components/target.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/environment.h"
#include "core/file.h"
#include "core/schema/schema.h"
#include "core/text.h"
#include "engine/effects/model.h"
#include "engine/effects/target.h"
#include "evaluations/prompts.h"
#include "models/tokens.h"
#include "tools/find_program.h"
#include "tools/url_pattern.h"

namespace assay::components {
namespace {

constexpr int kCommandsAtOnce = 4;  // each a process on this machine

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

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// The names of the `${NAME}`s in the values.
std::vector<std::string> variables_in(const NamedTexts& texts) {
  std::vector<std::string> names;
  for (const auto& [unused, value] : texts) {
    const Environment noting = [&](std::string_view name) {
      names.emplace_back(name);
      return std::optional<std::string>("");
    };
    [[maybe_unused]] const auto filled = fill_environment(value, noting);
  }
  return names;
}

NamedTexts named_texts(const Json* given) {
  NamedTexts texts;
  if (given == nullptr || !given->is_object()) return texts;
  for (const auto& [name, value] : given->get_object()) texts.emplace_back(name, text_or_json(value));
  return texts;
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
  Result<Generated> actual_fields(const Json& reply) const {
    if (!reply.is_object() && map_.empty()) {
      return fail(target_error(
          fmt::format("found {} as the reply, expected an object with the actual fields", excerpt(reply))));
    }
    Generated generated;
    std::vector<std::string> problems;
    bool usable = true;
    for (const DataField& field : contract().actual) {
      const Json* value = find_actual(reply, field.name);
      std::string problem = check(field, value);
      if (problem.empty()) {
        if (value != nullptr) generated.fields.emplace(field.name, *value);
        continue;
      }
      problems.push_back(fmt::format("{}: {}", field.name, problem));
      usable = usable && field.secondary;
      generated.unusable.emplace_back(field.name, std::move(problem));
    }
    if (!usable) return fail(target_error("the reply does not fit: " + join(problems, "; ")));
    return generated;
  }

  // The pointer of the field in the reply, as far as it has one of its own.
  const std::string* pointer_of(std::string_view name) const {
    for (const auto& [field, pointer] : map_) {
      if (field == name) return &pointer;
    }
    return nullptr;
  }

 private:
  const Json* find_actual(const Json& reply, const std::string& name) const {
    const std::string* pointer = pointer_of(name);
    return pointer != nullptr ? find_pointer(reply, *pointer) : find_member(reply, name);
  }

  // "" if the value, or its absence, is as declared. More than the type: a kind of target may know better.
  std::string check(const DataField& field, const Json* value) const {
    if (value == nullptr) {
      if (field.presence == Presence::optional) return "";
      const std::string* pointer = pointer_of(field.name);
      return pointer != nullptr ? fmt::format("nothing at {}", *pointer) : "missing";
    }
    if (value->is_null() && (field.nullable || field.presence == Presence::optional)) return "";
    std::string problem = value_problem(field, *value);
    return problem.empty() ? further_problem(field.name, *value) : problem;
  }
  virtual std::string further_problem(const std::string& /*field*/, const Json& /*value*/) const {
    return "";
  }

  Map map_;
};

class CommandTarget final : public MappedTarget {
 public:
  // What of it comes from the case: `{field}` is filled.
  struct Filled {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;
  };

  CommandTarget(TargetContract contract, Map map, CommandCall pattern, Filled filled)
      : MappedTarget(std::move(contract), std::move(map)),
        pattern_(std::move(pattern)),
        filled_(std::move(filled)) {}

  Task<Result<Generated>> send(JsonObject input, CaseContext& context) const override {
    CommandCall call = pattern_;
    for (const std::string& argument : filled_.arguments)
      call.command.push_back(fill_fields(argument, input, [](std::string value) { return value; }));
    for (const auto& [name, value] : filled_.environment) {
      call.literal_environment.emplace_back(
          name, fill_fields(value, input, [](std::string field) { return field; }));
    }
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
  std::vector<std::string> variables() const override { return variables_in(pattern_.environment); }

 private:
  CommandCall pattern_;
  Filled filled_;
};

class HttpTarget final : public MappedTarget {
 public:
  HttpTarget(TargetContract contract, Map map, HttpCall pattern, UrlPattern url, Json body)
      : MappedTarget(std::move(contract), std::move(map)),
        pattern_(std::move(pattern)),
        url_(std::move(url)),
        body_(std::move(body)) {}

  Task<Result<Generated>> send(JsonObject input, CaseContext& context) const override {
    HttpCall call = pattern_;
    auto url = url_.fill(input);
    if (!url) co_return fail(std::move(url.error()).with("key", "target.http.url"));
    call.url = std::move(*url);
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
  std::vector<std::string> variables() const override { return variables_in(pattern_.headers); }

 private:
  HttpCall pattern_;
  UrlPattern url_;
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
        schema_(std::move(schema)) {
    const Json* properties = find_member(settings_.output_schema.value(), "properties");
    for (const DataField& field : this->contract().actual) {
      const Json* own = properties != nullptr && pointer_of(field.name) == nullptr
                            ? find_member(*properties, field.name)
                            : nullptr;
      if (own == nullptr) continue;
      if (auto compiled = Schema::compile(SharedJson(*own)))
        by_field_.emplace(field.name, std::move(*compiled));
    }
  }

  Task<Result<Generated>> send(JsonObject input, CaseContext& context) const override {
    StructuredPolicy policy;
    policy.attempts = settings_.attempts;
    policy.failure = ErrorKind::target;
    std::vector<Json> read;  // every answer that was JSON
    policy.normalise = [&read](Json answer) { return read.emplace_back(std::move(answer)); };
    auto answer = co_await ask(context, "target", request(input), schema_, std::move(policy));
    if (answer.value) co_return actual_fields(*answer.value);
    // Asked again and again, and some field is still wrong: the last answer whose main fields are good counts
    // without the others.
    if (answer.value.error().kind == ErrorKind::target) {
      for (auto one = read.rbegin(); one != read.rend(); ++one) {
        if (auto generated = actual_fields(*one)) co_return generated;
      }
    }
    co_return fail(std::move(answer.value.error()));
  }

  void count(const JsonObject& input, CallEstimate& estimate) const override {
    auto& model = estimate.models[settings_.model];
    ++model.calls;
    model.prompt_tokens += estimate_prompt_tokens(request(input));
    model.completion_tokens += settings_.sampling.max_tokens.value_or(60);
  }
  std::vector<std::string> models() const override { return {settings_.model}; }
  // Its answer is what the schema says.
  bool may_give(std::string_view field) const override {
    const Json* properties = find_member(settings_.output_schema.value(), "properties");
    return pointer_of(field) != nullptr || properties == nullptr ||
           find_member(*properties, field) != nullptr;
  }

 private:
  std::string further_problem(const std::string& field, const Json& value) const override {
    const auto schema = by_field_.find(field);
    if (schema == by_field_.end()) return "";
    const auto defects = schema->second.validate(value);
    return defects.empty() ? "" : fmt::format("found {}: {}", excerpt(value), defects.front().message);
  }

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
  std::map<std::string, Schema> by_field_;  // of the fields that the schema declares by their own names
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

std::unique_ptr<Target> command_target(const Config& config, TargetContract contract, Map map,
                                       CommandCall call, std::vector<ConfigProblem>& problems) {
  call.command = config.texts("target.command");
  call.working_directory = config.text("target.cwd");
  call.most_at_once = static_cast<int>(config.integer("target.concurrency").value_or(kCommandsAtOnce));
  if (call.command.empty()) {
    problems.push_back(
        {"config", "target.command", "found an empty list, expected a program and its arguments"});
    return nullptr;
  }
  if (auto found = check_program(call.command.front()); !found)
    problems.push_back({"config", "target.command", found.error().text()});
  if (!call.working_directory.empty() && !directory_exists(call.working_directory)) {
    problems.push_back(
        {"config", "target.cwd", fmt::format("there is no directory {}", call.working_directory)});
  }
  CommandTarget::Filled filled{config.texts("target.args"), {}};
  // A value from the environment is a secret and stays out of the journal; one from the case belongs there.
  for (auto& [name, value] : named_texts(config.find("target.env")))
    (value.contains("${") ? call.environment : filled.environment).emplace_back(name, value);
  return std::make_unique<CommandTarget>(std::move(contract), std::move(map), std::move(call),
                                         std::move(filled));
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

void Generated::warn(JsonObject& result) const {
  if (unusable.empty()) return;
  JsonArray warnings;
  for (const auto& [field, problem] : unusable)
    warnings.emplace_back(fmt::format("the target's {} is left out: {}", field, problem));
  result.insert_or_assign("warnings", std::move(warnings));
}

JsonObject Target::visible(JsonObject line) const {
  for (const DataField& field : contract_.input) {
    if (field.answer_key) erase_field(line, field);
  }
  for (const DataField& field : contract_.actual) erase_field(line, field);
  return line;
}

Task<Result<Generated>> Target::generate(JsonObject line, CaseContext& context) const {
  return send(visible(std::move(line)), context);
}

void Target::estimate(JsonObject line, CallEstimate& estimate) const {
  count(visible(std::move(line)), estimate);
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
    call.timeout = timeout;
    call.tries = static_cast<int>(attempts.value_or(1));
    call.stubborn = attempts.has_value();
    return command_target(config, std::move(contract), std::move(map), std::move(call), problems);
  }
  if (config.has("target.model")) return model_target(config, std::move(contract), std::move(map), problems);
  HttpCall call;
  call.method = config.text("target.http.method");
  auto url = UrlPattern::parse(config.text("target.http.url"));
  if (!url) {
    problems.push_back({"config", "target.http.url", url.error().text()});
    return nullptr;
  }
  call.timeout = timeout;
  call.tries = static_cast<int>(attempts.value_or(config.integer("limits.attempts").value_or(5)));
  call.stubborn = attempts.has_value();
  if (const auto most = config.integer("target.concurrency")) call.most_at_once = static_cast<int>(*most);
  const Json* body = config.find("target.http.body");
  bool typed = false;
  for (auto& [name, value] : named_texts(config.find("target.http.headers"))) {
    typed = typed || equal_ignoring_ascii_case(name, "content-type");
    call.headers.emplace_back(name, std::move(value));
  }
  if (!typed && (body == nullptr || !body->is_string()))
    call.headers.emplace_back("Content-Type", "application/json");
  return std::make_unique<HttpTarget>(std::move(contract), std::move(map), std::move(call), std::move(*url),
                                      body != nullptr ? *body : Json(nullptr));
}

}  // namespace assay::components
