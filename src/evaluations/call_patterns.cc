#include "evaluations/call_patterns.h"

#include <algorithm>
#include <filesystem>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/config/variables.h"
#include "core/file.h"
#include "core/files/find_program.h"
#include "core/text.h"
#include "evaluations/fill.h"

namespace assay {
namespace {

constexpr int kCommandsAtOnce = 4;  // each a process on this machine

void add_names(std::vector<std::string>& names, std::vector<std::string> more) {
  for (std::string& name : more) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
}

// A case chooses a directory below the declared one: what is no plain name would choose another.
Result<std::string> filled_directory(const std::string& pattern, const JsonObject& fields) {
  std::string filled = fill_fields(pattern, fields);
  for (const std::string& name : placeholders_in(pattern)) {
    const Json* value = fields.if_contains(name);
    const std::string text = value != nullptr ? text_or_json(*value) : "";
    const bool plain = !text.empty() && text.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
    if (plain && std::filesystem::path(filled).lexically_normal() == filled) continue;
    return fail(ErrorKind::target,
                fmt::format("cwd cannot be filled: {} holds {}, expected the plain name of a "
                            "directory",
                            name, excerpt(Json(boost::json::string(text)))));
  }
  return filled;
}

}  // namespace

NamedTexts named_texts(const Json* given) {
  NamedTexts texts;
  if (given == nullptr || !given->is_object()) return texts;
  for (const auto& [name, value] : given->get_object()) texts.emplace_back(name, text_or_json(value));
  return texts;
}

Result<CommandCall> CommandPattern::fill(const JsonObject& fields) const {
  for (const std::string& name : needed()) {
    if (const Json* value = fields.if_contains(name); value == nullptr || value->is_null())
      return fail(ErrorKind::target,
                  fmt::format("the field {} is missing, and the command is filled from it", name));
  }
  CommandCall filled = call;
  auto directory = filled_directory(call.working_directory, fields);
  if (!directory) return fail(std::move(directory.error()));
  filled.working_directory = std::move(*directory);
  for (const std::string& argument : arguments) filled.command.push_back(fill_fields(argument, fields));
  for (const auto& [name, value] : environment)
    filled.literal_environment.emplace_back(name, fill_fields(value, fields));
  filled.input = to_text(fields);
  return filled;
}

std::vector<std::string> CommandPattern::variables() const {
  return environment_names(call.environment);
}

std::vector<std::string> CommandPattern::placeholders() const {
  std::vector<std::string> names = placeholders_in(call.working_directory);
  for (const std::string& argument : arguments) add_names(names, placeholders_in(argument));
  for (const auto& [name, value] : environment) add_names(names, placeholders_in(value));
  return names;
}

std::vector<std::pair<std::string, std::string>> CommandPattern::not_found() const {
  std::vector<std::pair<std::string, std::string>> missing;
  // Of one that is filled for each case, as much as all cases share.
  std::string directory = call.working_directory;
  if (!placeholders_in(directory).empty())
    directory = std::filesystem::path(directory.substr(0, directory.find('{'))).parent_path().string();
  const bool shared = directory == call.working_directory;
  if (!directory.empty() && !directory_exists(directory)) {
    missing.emplace_back("cwd", "there is no directory " + directory);
    if (auto found = check_program(call.command.front()); !found)
      missing.emplace_back("command", found.error().text());
  } else if (auto found =
                 shared ? check_command(call.command, directory) : check_program(call.command.front());
             !found) {
    missing.emplace_back("command", found.error().text());
  }
  return missing;
}

Result<HttpCall> HttpPattern::fill(const JsonObject& fields) const {
  HttpCall filled = call;
  auto address = url.fill(fields);
  if (!address) return fail(std::move(address.error()).with("key", "http.url"));
  filled.url = std::move(*address);
  if (const auto text = as_text(body)) {
    filled.body = fill_fields(*text, fields);
  } else if (!body.is_null()) {
    filled.body = to_text(fill_tree(body, fields));
  } else if (filled.method != "GET") {
    filled.body = to_text(fields);
  }
  return filled;
}

std::vector<std::string> HttpPattern::variables() const {
  return environment_names(call.headers);
}

std::vector<std::string> HttpPattern::placeholders() const {
  std::vector<std::string> names = url.names();
  add_names(names, placeholders_in(body));
  return names;
}

std::optional<CommandPattern> read_command_pattern(const Config& entry, const std::string& key,
                                                   std::vector<ConfigProblem>& problems) {
  const std::size_t before = problems.size();
  const auto attempts = entry.integer("attempts");
  CommandPattern pattern;
  CommandCall& call = pattern.call;
  call.command = entry.texts("command");
  call.working_directory = entry.text("cwd");
  call.timeout = entry.duration("timeout");
  call.tries = static_cast<int>(attempts.value_or(1));
  call.stubborn = attempts.has_value();
  call.most_at_once = static_cast<int>(entry.integer("concurrency").value_or(kCommandsAtOnce));
  if (call.command.empty()) {
    problems.push_back(
        {"config", key + ".command", "found an empty list, expected a program and its arguments"});
  }
  pattern.arguments = entry.texts("args");
  // A value from the environment is a secret and stays out of the journal; one from the case belongs there.
  for (auto& [name, value] : named_texts(entry.find("env")))
    (value.contains("${") ? call.environment : pattern.environment).emplace_back(name, value);
  if (problems.size() > before) return std::nullopt;
  return pattern;
}

std::optional<HttpPattern> read_http_pattern(const Config& entry, const std::string& key, int usual_tries,
                                             std::vector<ConfigProblem>& problems) {
  auto url = UrlPattern::parse(entry.text("http.url"));
  if (!url) {
    problems.push_back({"config", key + ".http.url", url.error().text()});
    return std::nullopt;
  }
  const auto attempts = entry.integer("attempts");
  const Json* body = entry.find("http.body");
  HttpPattern pattern{{}, std::move(*url), body != nullptr ? *body : Json(nullptr)};
  HttpCall& call = pattern.call;
  call.method = entry.has("http.method") ? entry.text("http.method") : "POST";
  call.timeout = entry.duration("timeout");
  call.tries = static_cast<int>(attempts.value_or(usual_tries));
  call.stubborn = attempts.has_value();
  if (const auto most = entry.integer("concurrency")) call.most_at_once = static_cast<int>(*most);
  bool typed = false;
  for (auto& [name, value] : named_texts(entry.find("http.headers"))) {
    typed = typed || equal_ignoring_ascii_case(name, "content-type");
    call.headers.emplace_back(name, std::move(value));
  }
  if (!typed && (body == nullptr || !body->is_string()))
    call.headers.emplace_back("Content-Type", "application/json");
  return pattern;
}

}  // namespace assay
