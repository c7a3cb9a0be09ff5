// Calls to a system of the user's with `{field}` in them, as a config declares them: filled from the fields
// of a case they become the command or the request that is sent.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"
#include "tools/command.h"
#include "tools/http_call.h"
#include "tools/url_pattern.h"

namespace assay {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// An object of names and texts, as headers and variables are declared; empty if it is none.
NamedTexts named_texts(const Json* given);

struct CommandPattern {
  CommandCall call;
  std::vector<std::string> arguments;  // behind those of the call
  NamedTexts environment;

  // The fields as JSON on stdin. Error of kind target if a field that an argument or a variable is filled
  // from is missing: the program would be given its name for its value.
  Result<CommandCall> fill(const JsonObject& fields) const;
  // Of the environment, that must be set.
  std::vector<std::string> variables() const;
  // The `{field}`s in it.
  std::vector<std::string> placeholders() const;
  // Those that a case must have.
  std::vector<std::string> needed() const { return placeholders(); }
  // The program, its script and its directory, as far as they are not there: key (below that of the pattern)
  // and what is missing.
  std::vector<std::pair<std::string, std::string>> not_found() const;
};

struct HttpPattern {
  HttpCall call;
  UrlPattern url;
  Json body;  // null: all fields as an object

  Result<HttpCall> fill(const JsonObject& fields) const;
  std::vector<std::string> variables() const;
  std::vector<std::string> placeholders() const;
  // Of the address; braces of a body that name no field stay.
  std::vector<std::string> needed() const { return url.names(); }
  // Whether somebody listens is seen when it is asked.
  static std::vector<std::pair<std::string, std::string>> not_found() { return {}; }
};

// From an object with the keys `command, args, env, cwd, concurrency, timeout, attempts` or `http` (url,
// method, headers, body), `timeout`, … as components/target_key.cc declares them. `key` is its place in the
// config. Nothing after a problem.
std::optional<CommandPattern> read_command_pattern(const Config& entry, const std::string& key,
                                                   std::vector<ConfigProblem>& problems);
std::optional<HttpPattern> read_http_pattern(const Config& entry, const std::string& key, int usual_tries,
                                             std::vector<ConfigProblem>& problems);

}  // namespace assay
