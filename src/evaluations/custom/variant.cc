#include "evaluations/custom/variant.h"

#include <algorithm>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/schema/schema.h"
#include "core/text.h"
#include "engine/effects/model.h"
#include "engine/effects/target.h"
#include "evaluations/components/target.h"
#include "evaluations/fill.h"
#include "evaluations/judge_config.h"
#include "evaluations/prompts.h"
#include "evaluations/reply_map.h"
#include "evaluations/system_call.h"
#include "models/tokens.h"

namespace assay::custom {
namespace {

constexpr std::int64_t kUsualAnswerTokens = 200;  // of one that no limit bounds

const std::vector<std::string>& reply_parts() {
  static const std::vector<std::string> parts{"output", "contexts", "trace", "meta"};
  return parts;
}

Error no_output(std::string why) {
  return {ErrorKind::target, std::move(why), {}};
}

// What a system said, by its map; without one an object with an `output` says its parts itself, and anything
// else is the output.
Result<Reply> read_reply(const Json& said, const ReplyMap& map) {
  Reply reply;
  JsonObject parts;
  const JsonObject* object = said.if_object();
  if (!map.empty()) {
    auto mapped = map.apply(said);
    if (!mapped) return fail(no_output(mapped.error().text()));
    parts = std::move(*mapped);
  } else if (object != nullptr && object->contains("output")) {
    parts = *object;
  } else {
    parts.emplace("output", said);
  }
  const auto take = [&parts](std::string_view name, Json& into) {
    if (Json* value = parts.if_contains(name)) into = std::move(*value);
  };
  take("output", reply.output);
  take("contexts", reply.contexts);
  take("trace", reply.trace);
  take("meta", reply.meta);
  const bool blank = reply.output.is_string() && trim(reply.output.get_string()).empty();
  // An agent that has called tools and says nothing more has answered all the same.
  const bool acted = reply.trace.is_array() && !reply.trace.get_array().empty();
  if (reply.output.is_null() && acted) reply.output = "";
  if (!acted && (reply.output.is_null() || blank)) return fail(no_output("the reply holds no output"));
  return reply;
}

// What is known of the call goes beside what the system itself says of it.
void add_latency(Reply& reply, const StepSpending& spent) {
  if (!reply.meta.is_object()) reply.meta = JsonObject();
  reply.meta.get_object().emplace("latency_ms", spent.latency_ms);
}

class GivenVariant final : public Variant {
 public:
  // An empty field: `output`, `contexts`, `trace` and `meta` of the data.
  GivenVariant(std::string field, ReplyMap map) : field_(std::move(field)), map_(std::move(map)) {}

  Task<Result<Reply>> answer(JsonObject fields, std::string /*step*/,
                             CaseContext& /*context*/) const override {
    co_return given(fields);
  }
  static Result<Reply> read_whole(const JsonObject& fields) {
    if (const Json* error = fields.if_contains("error"); error != nullptr && !fields.contains("output"))
      return fail(no_output(text_or_json(*error)));
    JsonObject parts;
    for (const std::string& part : reply_parts()) {
      if (const Json* value = fields.if_contains(part)) parts.emplace(part, *value);
    }
    if (!parts.contains("output")) return fail(no_output("the case has no field output"));
    return read_reply(parts, {});
  }
  Result<Reply> given(const JsonObject& fields) const override {
    if (field_.empty()) return read_whole(fields);
    const Json* value = fields.if_contains(field_);
    if (value == nullptr || value->is_null())
      return fail(no_output(fmt::format("the case has no field {}", field_)));
    return read_reply(*value, map_);
  }
  void estimate(const JsonObject& /*fields*/, CallEstimate& /*estimate*/) const override {}
  bool asks() const override { return false; }
  std::vector<std::pair<std::string, std::string>> placeholders() const override {
    if (field_.empty()) return {{"output", "variants"}};
    return {{field_, "given"}};
  }

 private:
  std::string field_;
  ReplyMap map_;
};

class SystemVariant final : public Variant {
 public:
  SystemVariant(SystemCall call, ReplyMap map) : call_(std::move(call)), map_(std::move(map)) {}

  Task<Result<Reply>> answer(JsonObject fields, std::string step, CaseContext& context) const override {
    auto said = co_await call_.ask(std::move(fields), step, context);
    if (!said) co_return fail(std::move(said.error()));
    auto reply = read_reply(*said, map_);
    // What an answer costs whoever runs the system is known to the system alone.
    if (reply) add_latency(*reply, context.spending_of(step));
    co_return reply;
  }
  void estimate(const JsonObject& /*fields*/, CallEstimate& estimate) const override {
    ++estimate.target_calls;
  }
  bool brings_contexts() const override { return true; }
  std::vector<std::string> variables() const override { return call_.variables(); }
  std::vector<std::pair<std::string, std::string>> not_found() const override { return call_.not_found(); }
  std::vector<std::pair<std::string, std::string>> placeholders() const override {
    std::vector<std::pair<std::string, std::string>> found;
    for (std::string& name : call_.placeholders()) found.emplace_back(std::move(name), call_.place());
    return found;
  }

 private:
  SystemCall call_;
  ReplyMap map_;
};

struct Prompted {
  std::string model;
  std::vector<Message> messages;  // with `{field}`
  Sampling sampling;
  std::optional<OutputSchema> output;  // a reply that is JSON
  int attempts = 3;
  bool draws = false;  // it answers more than once: each answer is a draw of its own
};

class ModelVariant final : public Variant {
 public:
  ModelVariant(Prompted prompted, std::optional<Schema> schema, ReplyMap map)
      : prompted_(std::move(prompted)), schema_(std::move(schema)), map_(std::move(map)) {}

  Task<Result<Reply>> answer(JsonObject fields, std::string step, CaseContext& context) const override {
    ChatRequest chat = request(fields);
    if (prompted_.draws) chat.sampling.seed = static_cast<std::int64_t>(context.random(step).bits32() >> 1);
    auto said = schema_ ? co_await structured(std::move(chat), step, context)
                        : co_await plain(std::move(chat), step, context);
    if (!said) co_return fail(std::move(said.error()));
    auto reply = read_reply(said->output, map_);
    if (!reply) co_return reply;
    if (!reply->meta.is_object()) reply->meta = std::move(said->meta);
    const StepSpending spent = context.spending_of(step);
    add_latency(*reply, spent);
    if (spent.cost_usd) reply->meta.get_object().emplace("cost_usd", *spent.cost_usd);
    reply->meta.get_object().emplace("usage", JsonObject{{"prompt_tokens", spent.prompt_tokens},
                                                         {"completion_tokens", spent.completion_tokens}});
    co_return reply;
  }

  void estimate(const JsonObject& fields, CallEstimate& estimate) const override {
    auto& model = estimate.models[prompted_.model];
    ++model.calls;
    model.prompt_tokens += estimate_prompt_tokens(request(fields));
    model.completion_tokens +=
        prompted_.sampling.max_tokens ? *prompted_.sampling.max_tokens : kUsualAnswerTokens;
  }
  bool brings_contexts() const override { return schema_.has_value() || !map_.empty(); }
  std::vector<std::string> models() const override { return {prompted_.model}; }
  std::vector<std::pair<std::string, std::string>> placeholders() const override {
    std::vector<std::pair<std::string, std::string>> found;
    for (const Message& message : prompted_.messages) {
      for (std::string& name : placeholders_in(message.text)) found.emplace_back(std::move(name), "prompt");
    }
    return found;
  }

 private:
  ChatRequest request(const JsonObject& fields) const {
    ChatRequest chat;
    chat.model = prompted_.model;
    chat.messages = prompted_.messages;
    for (Message& message : chat.messages) message.text = fill_fields(message.text, fields);
    chat.output = prompted_.output;
    chat.sampling = prompted_.sampling;
    return chat;
  }

  Task<Result<Reply>> plain(ChatRequest chat, std::string step, CaseContext& context) const {
    auto said = co_await complete(context, std::move(step), 1, std::move(chat));
    if (!said) co_return fail(std::move(said.error()));
    if (!said->refusal.empty()) co_return fail(ErrorKind::refused, "the model declined: " + said->refusal);
    if (said->finish == FinishReason::length && trim(said->message.text).empty()) {
      co_return fail(no_output(fmt::format(
          "the reply was cut off at its limit of tokens before the answer began{}; raise max_tokens",
          said->message.reasoning.empty() ? "" : ", while the model was thinking")));
    }
    Reply reply{boost::json::string(said->message.text)};
    reply.meta = JsonObject{{"model", said->model}, {"finish_reason", to_string(said->finish)}};
    co_return reply;
  }

  Task<Result<Reply>> structured(ChatRequest chat, std::string step, CaseContext& context) const {
    StructuredPolicy policy;
    policy.attempts = prompted_.attempts;
    policy.failure = ErrorKind::target;
    auto answer = co_await ask(context, std::move(step), std::move(chat), *schema_, std::move(policy));
    if (!answer.value) co_return fail(std::move(answer.value.error()));
    Reply reply{std::move(*answer.value)};
    const StructuredAttempt& last = answer.history.back();
    reply.meta = JsonObject{{"model", last.model}, {"finish_reason", to_string(last.finish)}};
    co_return reply;
  }

  Prompted prompted_;
  std::optional<Schema> schema_;
  ReplyMap map_;
};

std::optional<Role> role_named(std::string_view name) {
  for (const Role role : {Role::system, Role::user, Role::assistant}) {
    if (to_string(role) == name) return role;
  }
  return std::nullopt;
}

// A prompt with parts (`=== system`), or one user message.
std::vector<Message> read_prompt(const Config& config, const Json& given, const std::string& key,
                                 std::vector<ConfigProblem>& problems) {
  auto text = config.given_text(given);
  if (!text) {
    problems.push_back({"config", key, text.error().text()});
    return {};
  }
  auto prompt = Prompt::parse(*text, {});
  if (!prompt) {
    problems.push_back({"config", key, prompt.error().text()});
    return {};
  }
  return prompt->render({});
}

std::vector<Message> read_messages(const Config& config, const Json& list, const std::string& key,
                                   std::vector<ConfigProblem>& problems) {
  std::vector<Message> messages;
  for (const Json& item : list.get_array()) {
    const std::string at = fmt::format("{}[{}]", key, messages.size());
    const auto role = role_named(text_at(item, "role"));
    auto text = config.given_text(*find_member(item, "content"));
    if (!text) problems.push_back({"config", at + ".content", text.error().text()});
    messages.push_back({role.value_or(Role::user), text ? std::move(*text) : std::string(), {}, "", false});
  }
  if (messages.empty())
    problems.push_back({"config", key, "found an empty list, expected at least one message"});
  return messages;
}

// `model:` of a variant, with the settings under `key`.
std::unique_ptr<Variant> model_variant(const Config& config, const Config& settings, const std::string& key,
                                       ReplyMap map, std::vector<ConfigProblem>& problems) {
  Prompted prompted;
  prompted.model = settings.text("model");
  prompted.sampling.temperature = settings.number("temperature");
  if (const auto tokens = settings.integer("max_tokens"))
    prompted.sampling.max_tokens = static_cast<int>(*tokens);
  prompted.attempts = static_cast<int>(config.integer("attempts").value_or(3));
  prompted.draws = config.integer("repeat").value_or(1) > 1;
  const Json* prompt = settings.find("prompt");
  const Json* messages = settings.find("messages");
  if ((prompt == nullptr) == (messages == nullptr)) {
    problems.push_back({"config", key, "expected exactly one of `prompt` and `messages`"});
    return nullptr;
  }
  prompted.messages = prompt != nullptr ? read_prompt(config, *prompt, key + ".prompt", problems)
                                        : read_messages(config, *messages, key + ".messages", problems);
  std::optional<Schema> schema;
  if (const Json* given = settings.find("schema")) {
    auto tree = config.given_tree(*given);
    auto compiled = tree ? Schema::compile(SharedJson(*tree)) : Result<Schema>(fail(tree.error()));
    if (!compiled) {
      problems.push_back({"config", key + ".schema", compiled.error().text()});
      return nullptr;
    }
    prompted.output = OutputSchema{"answer", "The answer that is asked for.", SharedJson(*tree)};
    schema = std::move(*compiled);
  }
  return std::make_unique<ModelVariant>(std::move(prompted), std::move(schema), std::move(map));
}

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::unique_ptr<Variant> read_variant(const Config& config, const Config& entry, const std::string& key,
                                      std::vector<ConfigProblem>& problems) {
  std::vector<std::string> kinds;
  for (const char* kind : {"model", "http", "command", "given"}) {
    if (entry.has(kind)) kinds.emplace_back(kind);
  }
  if (kinds.size() != 1) {
    problems.push_back({"config", key,
                        fmt::format("found {}, expected exactly one of model, http, command, given",
                                    kinds.empty() ? "none of them" : "both " + join(kinds, " and "))});
    return nullptr;
  }
  const Json* given_map = entry.find("map");
  ReplyMap map =
      given_map != nullptr ? ReplyMap::read(*given_map, reply_parts(), key + ".map", problems) : ReplyMap();
  if (entry.has("given")) return std::make_unique<GivenVariant>(entry.text("given"), std::move(map));
  if (entry.has("model")) {
    return model_variant(config, Config(entry.find("model")->get_object()), key + ".model", std::move(map),
                         problems);
  }
  const auto tries = static_cast<int>(config.integer("limits.attempts").value_or(5));
  auto call = SystemCall::read(entry, key, tries, problems);
  if (!call) return nullptr;
  call->take_text(TextReply::answer);
  return std::make_unique<SystemVariant>(std::move(*call), std::move(map));
}

// "prompts/old.txt" is old, "openai/gpt-4.1" is gpt-4_1: a part of a figure's name.
std::string short_name(std::string_view text) {
  if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos)
    text.remove_prefix(slash + 1);
  std::string name(text);
  for (const std::string_view ending : {".txt", ".md"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  for (char& c : name) {
    if (!good_name(std::string_view(&c, 1))) c = '_';
  }
  return name;
}

std::string prompt_name(const Config& entry, std::size_t place) {
  if (entry.has("name")) return entry.text("name");
  const std::string text = entry.text("prompt");
  return text.starts_with("file:") ? short_name(text) : fmt::format("prompt{}", place + 1);
}

// Every prompt with every model.
void read_matrix(const Config& config, std::vector<NamedVariant>& variants,
                 std::vector<ConfigProblem>& problems) {
  const Json* prompts = config.find("matrix.prompts");
  const Json* models = config.find("matrix.models");
  const std::size_t rows = prompts != nullptr ? prompts->get_array().size() : 0;
  const std::size_t columns = models != nullptr ? models->get_array().size() : 0;
  if (rows == 0 || columns == 0) {
    problems.push_back({"config", "matrix", "expected `prompts` and `models` with at least one entry each"});
    return;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const Config prompt(prompts->get_array()[i].get_object());
    for (std::size_t j = 0; j < columns; ++j) {
      const Config model(models->get_array()[j].get_object());
      const std::string first = prompt_name(prompt, i);
      const std::string second = model.has("name") ? model.text("name") : short_name(model.text("model"));
      const std::string name = columns == 1 ? first
                               : rows == 1  ? second
                                            : fmt::format("{}-{}", first, second);
      JsonObject settings = model.values();
      settings.erase("name");
      settings.insert_or_assign("prompt", *prompt.find("prompt"));
      auto made = model_variant(config, Config(std::move(settings)), fmt::format("matrix.models[{}]", j), {},
                                problems);
      if (made) variants.push_back({name, std::move(made)});
    }
  }
}

Keys model_keys() {
  return {{.name = "model", .help = "`provider/name` or a name under `models`.", .required = true},
          {.name = "prompt",
           .type = KeyType::file_or_value,
           .help = "A file or the prompt itself; `{field}` is filled from the case. Lines `=== system` and "
                   "`=== user` begin a message.",
           .example = "prompts/old.txt"},
          {.name = "messages",
           .type = KeyType::object_list,
           .help = "Several turns in place of `prompt`.",
           .keys = {{.name = "role",
                     .help = "Who speaks.",
                     .required = true,
                     .choices = {"system", "user", "assistant"}},
                    {.name = "content",
                     .type = KeyType::file_or_value,
                     .help = "What is said, or a file with it; `{field}` is filled from the case.",
                     .required = true}}},
          {.name = "schema",
           .type = KeyType::file_or_value,
           .help = "JSON schema of a reply that is JSON; without it the reply is a text."},
          temperature_key(),
          max_tokens_key()};
}

}  // namespace

Keys variant_keys() {
  Keys keys;
  for (Key& key : components::target_key().keys) {
    if (key.name == "model") {
      key.help = "A prompted model.";
      key.keys = model_keys();
    }
    if (key.name == "map")
      key.help =
          "Where in the reply `output`, `contexts`, `trace` and `meta` are; by default a reply is the "
          "output.";
    if (key.name == "command")
      key.help =
          "A program, run once per answer: the case's fields as JSON on stdin; what it prints is the "
          "reply, a text or JSON.";
    keys.push_back(std::move(key));
  }
  keys.push_back({.name = "given", .help = "The field of the data that holds the output."});
  Keys models = model_keys();
  std::erase_if(models, [](const Key& key) {
    return key.name == "prompt" || key.name == "messages" || key.name == "schema";
  });
  models.insert(models.begin(), Key{.name = "name", .help = "What it is called in the variants' names."});
  return {{.name = "variants",
           .type = KeyType::object_map,
           .help = "Who gives the output, by a name of your own: each exactly one of `model`, `http`, "
                   "`command`, `given`. Left out: the data hold `output`.",
           .keys = std::move(keys),
           .example = "old: {model: {model: openai/gpt-4o-mini, prompt: prompts/old.txt}}"},
          {.name = "matrix",
           .type = KeyType::object,
           .help = "Makes variants of every prompt with every model.",
           .keys = {{.name = "prompts",
                     .type = KeyType::object_list,
                     .help = "Files or texts.",
                     .keys = {{.name = "name", .help = "What it is called in the variants' names."},
                              {.name = "prompt",
                               .type = KeyType::file_or_value,
                               .help = "A file or the prompt itself.",
                               .required = true}},
                     .shorthand = "prompt"},
                    {.name = "models",
                     .type = KeyType::object_list,
                     .help = "Models, with settings of their own where they are objects.",
                     .keys = std::move(models),
                     .shorthand = "model"}},
           .example = "{prompts: [a.txt, b.txt], models: [openai/gpt-4o-mini, anthropic/claude-sonnet-4-5]}"},
          {.name = "variant", .type = KeyType::text_list, .help = "Only these variants."}};
}

std::vector<NamedVariant> read_variants(const Config& config, std::vector<ConfigProblem>& problems) {
  std::vector<NamedVariant> variants;
  if (const Json* declared = config.find("variants")) {
    for (const auto& [name, entry] : declared->get_object()) {
      const std::string key = "variants." + std::string(name);
      if (auto made = read_variant(config, Config(entry.get_object()), key, problems))
        variants.push_back({std::string(name), std::move(made)});
    }
  }
  if (config.has("matrix")) read_matrix(config, variants, problems);
  std::vector<std::string> names;
  for (const NamedVariant& variant : variants) {
    if (!good_name(variant.name)) {
      problems.push_back(
          {"config", "variants",
           fmt::format("found the name \"{}\", expected letters, digits, - and _", variant.name)});
    }
    if (std::ranges::find(names, variant.name) != names.end())
      problems.push_back({"config", "variants", fmt::format("the name {} is there twice", variant.name)});
    names.push_back(variant.name);
  }
  const auto known = [&](const char* key, const std::string& name) {
    if (std::ranges::find(names, name) != names.end()) return;
    const auto guess = nearest(name, names);
    problems.push_back({"config", key,
                        guess ? fmt::format("unknown variant {}; did you mean `{}`?", name, *guess)
                              : fmt::format("unknown variant {}; there are {}", name, join(names, ", "))});
  };
  if (config.has("baseline")) known("baseline", config.text("baseline"));
  if (const auto only = config.texts("variant"); !only.empty()) {
    for (const std::string& name : only) known("variant", name);
    std::erase_if(variants, [&only](const NamedVariant& variant) {
      return std::ranges::find(only, variant.name) == only.end();
    });
  }
  if (variants.empty() && problems.empty())
    variants.push_back({"", std::make_unique<GivenVariant>("", ReplyMap())});
  return variants;
}

}  // namespace assay::custom
