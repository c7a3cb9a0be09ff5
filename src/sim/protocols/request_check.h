// Reads the fields of a request's body as strictly as real servers do. The first thing that is wrong is kept
// with its place; from then on every read gives nothing, so that a reader is written straight through and
// asks once, at its end, whether all was well.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/json/json.h"

namespace assay::sim {

struct Refusal {
  enum class Kind { missing, wrong_type, wrong_value, unknown, unsupported_parameter, unsupported_value };
  Kind kind = Kind::wrong_value;
  std::string where;  // "messages[0].role" or "messages.0.role"
  std::string message;
};

enum class Need { required, optional };

// OpenAI's, in both of its protocols; which of them a model has differs.
inline constexpr std::array<std::string_view, 7> kReasoningEfforts = {"none", "minimal", "low", "medium",
                                                                      "high", "xhigh",   "max"};

class RequestCheck {
 public:
  enum class Paths { brackets, dots };
  explicit RequestCheck(Paths paths) : paths_(paths) {}

  bool failed() const { return refusal_.has_value(); }
  const Refusal& refusal() const { return *refusal_; }
  void refuse(Refusal::Kind kind, std::string where, std::string message);

  std::string at(std::string_view base, std::string_view key) const;
  std::string at(std::string_view base, std::size_t index) const;

  // Null is as good as absent, as real servers take it. `base` is the place of `object`.
  const Json* member(const JsonObject& object, std::string_view key, std::string_view base, Need need);
  std::optional<std::string_view> text(const JsonObject& object, std::string_view key, std::string_view base,
                                       Need need);
  std::optional<double> number(const JsonObject& object, std::string_view key, std::string_view base,
                               double least, double most);
  std::optional<std::int64_t> whole(const JsonObject& object, std::string_view key, std::string_view base,
                                    std::int64_t least, Need need);
  bool boolean(const JsonObject& object, std::string_view key, std::string_view base);
  const JsonArray* list(const JsonObject& object, std::string_view key, std::string_view base, Need need);
  const JsonObject* map(const JsonObject& object, std::string_view key, std::string_view base, Need need);
  const JsonObject* entry(const Json& value, std::string_view where);
  void one_of(std::string_view value, std::span<const std::string_view> allowed, std::string_view where);
  void known_keys(const JsonObject& object, std::span<const std::string_view> known, std::string_view base);
  // Letters, digits, _ and -, one to `longest` of them.
  void name(std::string_view value, std::size_t longest, std::string_view where);

 private:
  void wrong_type(std::string where, std::string_view expected, const Json& found);

  Paths paths_;
  std::optional<Refusal> refusal_;
};

}  // namespace assay::sim
