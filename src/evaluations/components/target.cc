#include "evaluations/components/target.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/schema/schema.h"
#include "core/text.h"
#include "engine/effects/model.h"
#include "evaluations/fill.h"
#include "evaluations/prompts.h"
#include "evaluations/reply_map.h"
#include "evaluations/system_call.h"
#include "models/tokens.h"

namespace assay::components {
namespace {

Error target_error(std::string message) {
  return Error{ErrorKind::target, std::move(message), {}};
}

// The actual field that may be a reply by itself: the first one that the evaluation rests on, if no other
// must come with it. Null if there is none.
const DataField* main_field(const TargetContract& contract) {
  const DataField* main = nullptr;
  for (const DataField& field : contract.actual) {
    if (field.secondary) continue;
    if (main == nullptr) {
      main = &field;
    } else if (field.presence == Presence::required) {
      return nullptr;
    }
  }
  return main != nullptr && main->type != FieldType::any ? main : nullptr;
}

// What a reply that is no JSON is good for: as the field that may be a reply by itself, or that `map` makes
// of the whole of it.
TextReply text_reply(const TargetContract& contract, const ReplyMap& map) {
  const DataField* alone = map.empty() ? main_field(contract) : nullptr;
  for (const DataField& field : contract.actual) {
    if (map.takes_whole(field.name)) alone = &field;
  }
  if (alone == nullptr) return TextReply::refused;
  const bool text = alone->type == FieldType::text || alone->type == FieldType::text_or_object;
  if (text) return TextReply::answer;
  return map.empty() ? TextReply::refused : TextReply::unless_wrong;
}

// What every kind of target shares: reading the actual fields from its reply.
class MappedTarget : public Target {
 public:
  MappedTarget(TargetContract contract, ReplyMap map) : Target(std::move(contract)), map_(std::move(map)) {}

 protected:
  Result<Generated> actual_fields(Json reply) const {
    if (!reply.is_object() && map_.empty()) {
      const DataField* main = main_field(contract());
      if (main == nullptr || !fits_alone(*main, reply)) {
        return fail(target_error(
            fmt::format("found {} as the reply, expected an object with the actual fields", excerpt(reply))));
      }
      reply = JsonObject{{main->name, std::move(reply)}};
    }
    Generated generated;
    std::vector<std::string> problems;
    bool usable = true;
    for (const DataField& field : contract().actual) {
      auto value = map_.value(reply, field.name);
      std::string problem = value ? check(field, *value) : value.error().message;
      if (problem.empty()) {
        if (*value) generated.fields.emplace(field.name, std::move(**value));
        continue;
      }
      problems.push_back(fmt::format("{}: {}", field.name, problem));
      usable = usable && field.secondary;
      generated.unusable.emplace_back(field.name, std::move(problem));
    }
    if (!usable) return fail(target_error("the reply does not fit: " + join(problems, "; ")));
    return generated;
  }

  // Whether `map` says where the field is.
  bool is_mapped(std::string_view name) const { return map_.has(name); }

 private:
  static bool fits_alone(const DataField& field, const Json& reply) {
    return !reply.is_null() && !reply.is_array() && value_problem(field, reply).empty();
  }

  // "" if the value, or its absence, is as declared. More than the type: a kind of target may know better.
  std::string check(const DataField& field, const std::optional<Json>& value) const {
    if (!value) return field.presence == Presence::optional ? "" : map_.absent_words(field.name);
    if (value->is_null() && (field.nullable || field.presence == Presence::optional)) return "";
    std::string problem = value_problem(field, *value);
    return problem.empty() ? further_problem(field.name, *value) : problem;
  }
  virtual std::string further_problem(const std::string& /*field*/, const Json& /*value*/) const {
    return "";
  }

  ReplyMap map_;
};

class SystemTarget final : public MappedTarget {
 public:
  SystemTarget(TargetContract contract, ReplyMap map, SystemCall call)
      : MappedTarget(std::move(contract), std::move(map)), call_(std::move(call)) {}

  Task<Result<Generated>> send(JsonObject input, CaseContext& context) const override {
    auto reply = co_await call_.ask(std::move(input), "target", context);
    if (!reply) co_return fail(std::move(reply.error()));
    co_return actual_fields(std::move(*reply));
  }

  void count(const JsonObject&, CallEstimate& estimate) const override { ++estimate.target_calls; }
  std::vector<std::string> models() const override { return {}; }
  std::vector<std::string> variables() const override { return call_.variables(); }
  std::vector<std::pair<std::string, std::string>> not_found() const override { return call_.not_found(); }
  std::vector<std::string> needed() const override { return call_.needed(); }

 private:
  SystemCall call_;
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

  ModelTarget(TargetContract contract, ReplyMap map, Settings settings, Schema schema)
      : MappedTarget(std::move(contract), std::move(map)),
        settings_(std::move(settings)),
        schema_(std::move(schema)) {
    const Json* properties = find_member(settings_.output_schema.value(), "properties");
    for (const DataField& field : this->contract().actual) {
      const Json* own =
          properties != nullptr && !is_mapped(field.name) ? find_member(*properties, field.name) : nullptr;
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
    return is_mapped(field) || properties == nullptr || find_member(*properties, field) != nullptr;
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
    chat.messages.push_back({Role::user, fill_fields(settings_.prompt, input), {}, "", false});
    chat.output =
        OutputSchema{"actual", "What the system under test gives for this case.", settings_.output_schema};
    chat.sampling = settings_.sampling;
    return chat;
  }

  Settings settings_;
  Schema schema_;
  std::map<std::string, Schema> by_field_;  // of the fields that the schema declares by their own names
};

ReplyMap read_map(const Config& config, const TargetContract& contract,
                  std::vector<ConfigProblem>& problems) {
  std::vector<std::string> names;
  names.reserve(contract.actual.size());
  for (const DataField& actual : contract.actual) names.push_back(actual.name);
  ReplyMap map;
  for (const std::string key : {"target.map", "target.http.map"}) {
    if (const Json* given = config.find(key)) map.add(ReplyMap::read(*given, names, key, problems));
  }
  return map;
}

// A place for what the target must not see would be empty in every case.
void check_needed(const SystemCall& call, const TargetContract& contract,
                  std::vector<ConfigProblem>& problems) {
  const auto is_hidden = [&](const std::string& name) {
    const auto named = [&](const DataField& field) {
      return field.name == name || std::ranges::find(field.other_names, name) != field.other_names.end();
    };
    return std::ranges::any_of(contract.actual, named) ||
           std::ranges::any_of(contract.input,
                               [&](const DataField& field) { return field.answer_key && named(field); });
  };
  for (const std::string& name : call.needed()) {
    if (!is_hidden(name)) continue;
    problems.push_back(
        {"config", "target",
         fmt::format(
             "found {{{}}} in {}, but a target is never shown what is expected of it or what an earlier "
             "run gave",
             name, call.place())});
  }
}

std::unique_ptr<Target> model_target(const Config& config, TargetContract contract, ReplyMap map,
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

LineCheck with_needed_fields(LineCheck check, const Target* target) {
  std::vector<std::string> needed = target != nullptr ? target->needed() : std::vector<std::string>{};
  // The line's number is the id of a line without one.
  std::erase(needed, "id");
  if (needed.empty()) return check;
  return [check = std::move(check), needed = std::move(needed)](const DataFields& fields,
                                                                const LineParser& line) {
    std::vector<std::string> problems = check ? check(fields, line) : std::vector<std::string>{};
    const JsonObject declared = fields.present(line);
    const JsonObject extras = line.extras();
    for (const std::string& name : needed) {
      const Json* value = declared.if_contains(name);
      if (value == nullptr) value = extras.if_contains(name);
      if (value == nullptr || value->is_null())
        problems.push_back(fmt::format("field {}: missing; the target is filled from it", name));
    }
    return problems;
  };
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
  ReplyMap map = read_map(config, contract, problems);
  if (config.has("target.model")) return model_target(config, std::move(contract), std::move(map), problems);
  const auto tries = static_cast<int>(config.integer("limits.attempts").value_or(5));
  auto call = SystemCall::read(Config(config.find("target")->get_object()), "target", tries, problems);
  if (!call) return nullptr;
  check_needed(*call, contract, problems);
  call->take_text(text_reply(contract, map));
  call->set_input_field(contract.text_field);
  return std::make_unique<SystemTarget>(std::move(contract), std::move(map), std::move(*call));
}

}  // namespace assay::components
