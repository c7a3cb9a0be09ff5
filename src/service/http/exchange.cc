#include "service/http/exchange.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/tables/csv.h"
#include "core/text.h"

namespace assay {
namespace {

// application/x-www-form-urlencoded: + is a space. A wrong % stays as it is.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string_view part : split(query, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    pairs.emplace_back(decoded(part.substr(0, equals)),
                       equals == std::string_view::npos ? std::string() : decoded(part.substr(equals + 1)));
  }
  return pairs;
}

}  // namespace

std::string error_text(std::string message, const std::vector<FieldError>& errors) {
  JsonArray list;
  for (const FieldError& error : errors)
    list.push_back(JsonObject{{"pointer", error.pointer}, {"message", error.message}});
  return to_text(JsonObject{{"message", std::move(message)}, {"errors", std::move(list)}}) + "\n";
}

Exchange::Exchange(ServerRequest request, std::shared_ptr<Responder> responder)
    : request_(std::move(request)), responder_(std::move(responder)), query_(parse_query(request_.query)) {}

std::string Exchange::parameter(std::string_view name) const {
  const auto found =
      std::ranges::find(parameters_, name, [](const auto& one) -> std::string_view { return one.first; });
  return found == parameters_.end() ? std::string() : found->second;
}

std::optional<std::string> Exchange::text(std::string_view name) {
  std::optional<std::string> value;
  for (const auto& [key, given] : query_) {
    if (key == name && !given.empty()) value = given;
  }
  if (value && !valid_utf8(*value)) {
    add_error(std::string(name), "is not UTF-8");
    return std::nullopt;
  }
  return value;
}

std::vector<std::string> Exchange::texts(std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, given] : query_) {
    if (key != name || given.empty()) continue;
    if (valid_utf8(given))
      values.push_back(given);
    else
      add_error(std::string(name), "is not UTF-8");
  }
  return values;
}

std::optional<std::int64_t> Exchange::whole(std::string_view name, std::int64_t least, std::int64_t most) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), value);
  if (error != std::errc() || end != given->data() + given->size() || value < least || value > most) {
    const bool bounded = least != std::numeric_limits<std::int64_t>::min();
    add_error(std::string(name), fmt::format("found \"{}\", expected a whole number{}", *given,
                                             bounded ? fmt::format(" from {} to {}", least, most) : ""));
    return std::nullopt;
  }
  return value;
}

std::optional<double> Exchange::number(std::string_view name, double least, double most) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = cell_number(*given);
  if (!value || *value < least || *value > most) {
    add_error(std::string(name),
              fmt::format("found \"{}\", expected a number from {} to {}", *given, least, most));
    return std::nullopt;
  }
  return value;
}

bool Exchange::flag(std::string_view name) {
  const auto given = text(name);
  if (!given) return false;
  const std::string value = lower_ascii(*given);
  if (value == "true" || value == "1") return true;
  if (value != "false" && value != "0")
    add_error(std::string(name), fmt::format("found \"{}\", expected true or false", *given));
  return false;
}

void Exchange::expect_only(const std::vector<std::string>& names) {
  for (const auto& [key, value] : query_) {
    if (std::ranges::find(names, key) != names.end()) continue;
    const auto guess = nearest(key, names);
    add_error(key, guess ? fmt::format("unknown parameter; did you mean {}?", *guess) : "unknown parameter");
  }
}

void Exchange::add_error(std::string pointer, std::string message) {
  errors_.push_back({std::move(pointer), std::move(message)});
}

void Exchange::send(int status, const Json& body) const {
  send_text(status, to_text(body) + "\n");
}

void Exchange::send_bytes(int status, Headers headers, std::string body) const {
  responder_->send(status, std::move(headers), std::move(body));
}

void Exchange::send_text(int status, std::string text) const {
  responder_->send(status,
                   {{"Content-Type", "application/json"},
                    {"Cache-Control", "no-store"},
                    {"X-Content-Type-Options", "nosniff"}},
                   std::move(text));
}

void Exchange::send_error(int status, std::string message) const {
  send_text(status, error_text(std::move(message), errors_));
}

bool Exchange::refused() const {
  if (errors_.empty()) return false;
  send_error(400, errors_.size() == 1 ? "the request has a defect"
                                      : fmt::format("the request has {} defects", errors_.size()));
  return true;
}

void Exchange::send_failure(const Error& error) const {
  switch (error.kind) {
    case ErrorKind::usage:
    case ErrorKind::config:
    case ErrorKind::data:
      return send_error(400, error.text());
    case ErrorKind::changed:
      return send_error(409, error.text());
    case ErrorKind::cancelled:
    case ErrorKind::network:  // the store is on a server, and that is away
    case ErrorKind::timeout:
    case ErrorKind::overloaded:
      return send_error(503, error.text());
    default:
      return send_error(500, error.text());
  }
}

}  // namespace assay
