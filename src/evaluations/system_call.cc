#include "evaluations/system_call.h"

#include <utility>

#include <boost/json/object.hpp>

#include "engine/effects/target.h"

namespace assay {
namespace {

Result<Json> charged_to_system(Result<Json> reply, bool overload_counts) {
  if (reply) return reply;
  Error error = std::move(reply.error());
  if (error.kind == ErrorKind::timeout || (overload_counts && error.kind == ErrorKind::overloaded))
    error.kind = ErrorKind::target;
  return fail(std::move(error));
}

}  // namespace

std::optional<SystemCall> SystemCall::read(const Config& entry, const std::string& key, int usual_tries,
                                           std::vector<ConfigProblem>& problems) {
  if (entry.has("command")) {
    auto pattern = read_command_pattern(entry, key, problems);
    if (!pattern) return std::nullopt;
    return SystemCall(key, std::move(*pattern));
  }
  auto pattern = read_http_pattern(entry, key, usual_tries, problems);
  if (!pattern) return std::nullopt;
  return SystemCall(key, std::move(*pattern));
}

void SystemCall::take_text(TextReply text) {
  std::visit([text](auto& pattern) { pattern.call.text_reply = text; }, pattern_);
}

Task<Result<Json>> SystemCall::ask(JsonObject fields, std::string step, CaseContext& context) const {
  if (const auto* program = std::get_if<CommandPattern>(&pattern_)) {
    auto call = program->fill(fields);
    if (!call) co_return fail(std::move(call.error()));
    if (const Json* text = fields.if_contains(input_field_))
      call->literal_environment.emplace_back("INPUT", text_or_json(*text));
    co_return charged_to_system(co_await run_command(context, std::move(step), std::move(*call)), false);
  }
  auto call = std::get<HttpPattern>(pattern_).fill(fields);
  if (!call) co_return fail(std::move(call.error()));
  co_return charged_to_system(co_await call_http(context, std::move(step), std::move(*call)), true);
}

std::vector<std::string> SystemCall::variables() const {
  return std::visit([](const auto& pattern) { return pattern.variables(); }, pattern_);
}

std::vector<std::string> SystemCall::placeholders() const {
  return std::visit([](const auto& pattern) { return pattern.placeholders(); }, pattern_);
}

std::vector<std::string> SystemCall::needed() const {
  return std::visit([](const auto& pattern) { return pattern.needed(); }, pattern_);
}

std::vector<std::pair<std::string, std::string>> SystemCall::not_found() const {
  auto missing = std::visit([](const auto& pattern) { return pattern.not_found(); }, pattern_);
  for (auto& [key, words] : missing) key.insert(0, key_ + ".");
  return missing;
}

std::string_view SystemCall::place() const {
  return std::holds_alternative<CommandPattern>(pattern_) ? "args" : "http";
}

}  // namespace assay
