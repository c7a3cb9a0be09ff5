#include "service/results/start_routes.h"

#include <filesystem>
#include <functional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/yaml.h"
#include "runs/start/key_declarations.h"
#include "service/http/route_parts.h"
#include "service/results/schemas.h"

namespace assay {
namespace {

constexpr const char* kStart =
    R"({"type": "object", "required": ["config"], "additionalProperties": false,
  "properties": {"config": {"type": "string"},
    "changes": {"type": "object", "description": "Values by the names of keys, as flags would say them."}}})";

// What is asked to run: a config with changes that were found good, or nothing
// and answered.
struct Wanted {
  ReadConfig config;
  std::vector<FlagValue> flags;
};

bool has_configs(const RunStarts& starts, const Exchange& exchange) {
  if (starts.configs) return true;
  exchange.send_error(404, "no configs are offered here: assay serve --configs DIR");
  return false;
}

std::string pointer_to(const std::string& key) {
  return "/changes/" + key;
}

// What the declarations say of the changed keys, before any process is started.
void check_values(const Wanted& wanted, const JsonObject& changes, Exchange& exchange) {
  const auto text = read_file(wanted.config.file);
  auto yaml = text ? parse_yaml(*text) : fail(text.error());
  if (!yaml) return;  // the program will say it
  const ResolvedConfig resolved =
      resolve_config(all_keys(*wanted.config.kind), {wanted.config.file, std::move(*yaml), wanted.flags});
  for (const ConfigProblem& problem : resolved.problems) {
    if (changes.contains(problem.key)) exchange.add_error(pointer_to(problem.key), problem.text);
  }
}

std::optional<Wanted> wanted_of(const RunStarts& starts, Exchange& exchange, const Json& body) {
  auto config = starts.configs->read(text_at(body, "config"));
  if (!config) {
    exchange.add_error("/config", config.error().text());
    (void)exchange.refused();
    return std::nullopt;
  }
  const Json* given = find_member(body, "changes");
  const JsonObject changes = given != nullptr && given->is_object() ? given->get_object() : JsonObject();
  auto flags = flags_for(all_keys(*config->kind), changes,
                         [&](const std::string& path) { return starts.configs->real_path(*config, path); });
  if (!flags) {
    for (const ChangeProblem& problem : flags.error())
      exchange.add_error(pointer_to(problem.key), problem.message);
    (void)exchange.refused();
    return std::nullopt;
  }
  Wanted wanted{std::move(*config), std::move(*flags)};
  check_values(wanted, changes, exchange);
  if (exchange.refused()) return std::nullopt;
  return wanted;
}

void list_configs(Results& /*results*/, RunStarts& starts, const ExchangePointer& exchange) {
  if (!has_configs(starts, *exchange)) return;
  work_on(starts.reading, exchange, [&starts, exchange] {
    JsonArray configs;
    for (const FoundConfig& one : starts.configs->list()) {
      JsonObject json{{"name", one.name}, {"evaluation", one.evaluation}, {"what", one.what}};
      if (!one.problem.empty()) json.emplace("problem", one.problem);
      configs.push_back(std::move(json));
    }
    exchange->send(200, JsonObject{{"configs", std::move(configs)}});
  });
}

void show_config(Results& /*results*/, RunStarts& starts, const ExchangePointer& exchange) {
  const std::string name = exchange->text("name").value_or("");
  if (exchange->refused() || !has_configs(starts, *exchange)) return;
  work_on(starts.reading, exchange, [&starts, exchange, name] {
    auto config = starts.configs->read(name);
    if (!config && config.error().kind == ErrorKind::usage)
      return exchange->send_error(404, config.error().text());
    if (!config) return exchange->send_error(400, config.error().text());
    exchange->send(200, JsonObject{{"name", config->name},
                                   {"text", config->text},
                                   {"evaluation", config->kind->name},
                                   {"values", std::move(config->values)},
                                   {"keys", key_declarations(all_keys(*config->kind))}});
  });
}

void check_config(RunStarts& starts, const ExchangePointer& exchange, const Json& body) {
  if (!has_configs(starts, *exchange)) return;
  work_on(starts.waiting, exchange, [&starts, exchange, body] {
    const auto wanted = wanted_of(starts, *exchange, body);
    if (!wanted) return;
    const auto checked = starts.runs->check(wanted->config.file, wanted->flags);
    if (!checked) return exchange->send_failure(checked.error());
    exchange->send(200, JsonObject{{"ok", checked->good}, {"output", checked->output}});
  });
}

// The id under which the run in this directory is listed.
std::string id_of(Results& results, const std::string& directory) {
  const auto plain = std::filesystem::path(directory).lexically_normal();
  for (const auto& one : results.catalogue.look()->runs()) {
    if (std::filesystem::path(one->run.directory).lexically_normal() == plain) return one->id;
  }
  return "";
}

void start_run(Results& results, RunStarts& starts, const ExchangePointer& exchange, const Json& body) {
  if (!has_configs(starts, *exchange)) return;
  work_on(starts.waiting, exchange, [&results, &starts, exchange, body] {
    const auto wanted = wanted_of(starts, *exchange, body);
    if (!wanted) return;
    const auto directory = starts.runs->start(wanted->config.kind->name, wanted->config.file, wanted->flags);
    if (!directory) return exchange->send_failure(directory.error());
    const std::string id = id_of(results, *directory);
    // Started, but still reading its data: it is listed under its id once it begins.
    const bool reading = id.empty();
    exchange->send(
        202, JsonObject{{"run", reading ? starts.runs->coming_id(*directory) : id}, {"reading", reading}});
  });
}

// Not behind starts and checks, which may wait for minutes while a run costs money.
void stop_run(Results& results, RunStarts& starts, const ExchangePointer& exchange) {
  work_on(starts.reading, exchange, [&results, &starts, exchange] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    if (const auto stopped = starts.runs->stop(run->run.directory); !stopped)
      return exchange->send_error(409, stopped.error().text());
    exchange->send(202, JsonObject{{"run", run->id}});
  });
}

void resume_run(Results& results, RunStarts& starts, const ExchangePointer& exchange) {
  work_on(starts.waiting, exchange, [&results, &starts, exchange] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    if (const auto begun = starts.runs->resume(run->run.directory); !begun)
      return exchange->send_failure(begun.error());
    exchange->send(202, JsonObject{{"run", run->id}});
  });
}

}  // namespace

std::vector<Route> start_routes(Results& results, RunStarts& starts) {
  static const BodySchema start(kStart);
  const char* const text = R"({"type": "string"})";
  const auto about = [&](auto handler) {
    return [&results, &starts, handler](const ExchangePointer& exchange, const Json&) {
      handler(results, starts, exchange);
    };
  };
  return {
      {.method = "GET",
       .path = "/api/configs",
       .role = TokenRole::run,
       .summary = "Configs that a run can be started from.",
       .answer = *parse_json(schemas::config_list()),
       .statuses = {200, 400, 404},
       .handle = about(list_configs)},
      {.method = "GET",
       .path = "/api/config",
       .role = TokenRole::run,
       .summary = "A config: its text, its values, and every key that its "
                  "evaluation knows.",
       .query = {needed({"name", "string", "The config's name in the list."})},
       .answer = *parse_json(schemas::config_detail()),
       .statuses = {200, 400, 404},
       .handle = about(show_config)},
      {.method = "POST",
       .path = "/api/check",
       .role = TokenRole::run,
       .summary = "What `assay check` says of a config with changes: problems, "
                  "calls, cost; nothing is sent.",
       .body = start.json(),
       .answer = object_schema({{"ok", R"({"type": "boolean"})"}, {"output", text}}),
       .statuses = {200, 400, 404},
       .handle =
           [&starts](const ExchangePointer& exchange, const Json& body) {
             if (start.fits(*exchange, body)) check_config(starts, exchange, body);
           }},
      {.method = "POST",
       .path = "/api/runs",
       .role = TokenRole::run,
       .summary = "Starts a run of a config with changes; answered when the run is there, or "
                  "after two minutes of reading its data (\"reading\").",
       .body = start.json(),
       .answer = object_schema({{"run", text}, {"reading", R"({"type": "boolean"})"}}),
       .statuses = {202, 400, 404},
       .handle =
           [&results, &starts](const ExchangePointer& exchange, const Json& body) {
             if (start.fits(*exchange, body)) start_run(results, starts, exchange, body);
           }},
      {.method = "POST",
       .path = "/api/runs/{run}/stop",
       .role = TokenRole::run,
       .summary = "Stops a run that was started here, when what is in flight "
                  "has ended.",
       .answer = object_schema({{"run", text}}),
       .statuses = {202, 400, 404, 409},
       .handle = about(stop_run)},
      {.method = "POST",
       .path = "/api/runs/{run}/resume",
       .role = TokenRole::run,
       .summary = "Goes on with a run that is not finished.",
       .answer = object_schema({{"run", text}}),
       .statuses = {202, 400, 404},
       .handle = about(resume_run)},
  };
}

}  // namespace assay
