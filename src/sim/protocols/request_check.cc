#include "sim/protocols/request_check.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace assay::sim {

void RequestCheck::refuse(Refusal::Kind kind, std::string where, std::string message) {
  if (!refusal_) refusal_ = Refusal{kind, std::move(where), std::move(message)};
}

void RequestCheck::wrong_type(std::string where, std::string_view expected, const Json& found) {
  std::string message = fmt::format("expected {}, found {}", expected, kind_word(found));
  refuse(Refusal::Kind::wrong_type, std::move(where), std::move(message));
}

std::string RequestCheck::at(std::string_view base, std::string_view key) const {
  return base.empty() ? std::string(key) : fmt::format("{}.{}", base, key);
}

std::string RequestCheck::at(std::string_view base, std::size_t index) const {
  return paths_ == Paths::brackets ? fmt::format("{}[{}]", base, index) : fmt::format("{}.{}", base, index);
}

const Json* RequestCheck::member(const JsonObject& object, std::string_view key, std::string_view base,
                                 Need need) {
  if (failed()) return nullptr;
  const Json* found = object.if_contains(key);
  if (found != nullptr && !found->is_null()) return found;
  if (need == Need::required) refuse(Refusal::Kind::missing, at(base, key), "is required");
  return nullptr;
}

std::optional<std::string_view> RequestCheck::text(const JsonObject& object, std::string_view key,
                                                   std::string_view base, Need need) {
  const Json* found = member(object, key, base, need);
  if (found == nullptr) return std::nullopt;
  if (found->is_string()) return std::string_view(found->get_string());
  wrong_type(at(base, key), "text", *found);
  return std::nullopt;
}

std::optional<double> RequestCheck::number(const JsonObject& object, std::string_view key,
                                           std::string_view base, double least, double most) {
  const Json* found = member(object, key, base, Need::optional);
  if (found == nullptr) return std::nullopt;
  const auto value = as_number(*found);
  if (!value) {
    wrong_type(at(base, key), "number", *found);
  } else if (*value < least || *value > most) {
    refuse(Refusal::Kind::wrong_value, at(base, key),
           fmt::format("must be from {} to {}, found {}", least, most, *value));
  } else {
    return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> RequestCheck::whole(const JsonObject& object, std::string_view key,
                                                std::string_view base, std::int64_t least, Need need) {
  const Json* found = member(object, key, base, need);
  if (found == nullptr) return std::nullopt;
  const auto value = as_integer(*found);
  if (!value) {
    wrong_type(at(base, key), "whole number", *found);
  } else if (*value < least) {
    refuse(Refusal::Kind::wrong_value, at(base, key),
           fmt::format("must be at least {}, found {}", least, *value));
  } else {
    return value;
  }
  return std::nullopt;
}

bool RequestCheck::boolean(const JsonObject& object, std::string_view key, std::string_view base) {
  const Json* found = member(object, key, base, Need::optional);
  if (found == nullptr) return false;
  if (!found->is_bool()) wrong_type(at(base, key), "true/false", *found);
  return found->is_bool() && found->get_bool();
}

const JsonArray* RequestCheck::list(const JsonObject& object, std::string_view key, std::string_view base,
                                    Need need) {
  const Json* found = member(object, key, base, need);
  if (found == nullptr) return nullptr;
  if (!found->is_array()) wrong_type(at(base, key), "list", *found);
  return found->if_array();
}

const JsonObject* RequestCheck::map(const JsonObject& object, std::string_view key, std::string_view base,
                                    Need need) {
  const Json* found = member(object, key, base, need);
  return found == nullptr ? nullptr : entry(*found, at(base, key));
}

const JsonObject* RequestCheck::entry(const Json& value, std::string_view where) {
  if (failed()) return nullptr;
  if (!value.is_object()) wrong_type(std::string(where), "object", value);
  return value.if_object();
}

void RequestCheck::one_of(std::string_view value, std::span<const std::string_view> allowed,
                          std::string_view where) {
  if (failed() || std::ranges::find(allowed, value) != allowed.end()) return;
  refuse(Refusal::Kind::wrong_value, std::string(where),
         fmt::format("must be one of {}, found '{}'", fmt::join(allowed, ", "), shorten(value, 60)));
}

void RequestCheck::known_keys(const JsonObject& object, std::span<const std::string_view> known,
                              std::string_view base) {
  for (const auto& member : object) {
    if (failed()) return;
    if (std::ranges::find(known, std::string_view(member.key())) == known.end()) {
      refuse(Refusal::Kind::unknown, at(base, member.key()), "is not a parameter");
    }
  }
}

void RequestCheck::name(std::string_view value, std::size_t longest, std::string_view where) {
  const bool fits = !value.empty() && value.size() <= longest &&
                    std::ranges::all_of(
                        value, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
  if (!fits) {
    refuse(Refusal::Kind::wrong_value, std::string(where),
           fmt::format("must be 1 to {} letters, digits, _ or -, found '{}'", longest, shorten(value, 80)));
  }
}

}  // namespace assay::sim
