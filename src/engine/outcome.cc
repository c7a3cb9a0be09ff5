#include "engine/outcome.h"

#include <array>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<OutcomeKind, std::string_view>, 8> kNames = {{
    {OutcomeKind::scored, "scored"},
    {OutcomeKind::target_failed, "target_failed"},
    {OutcomeKind::judge_failed, "judge_failed"},
    {OutcomeKind::infra_failed, "infra_failed"},
    {OutcomeKind::context_overflow, "context_overflow"},
    {OutcomeKind::refused, "refused"},
    {OutcomeKind::limit_hit, "limit_hit"},
    {OutcomeKind::skipped, "skipped"},
}};

}  // namespace

std::string_view to_string(OutcomeKind kind) {
  for (const auto& [value, name] : kNames) {
    if (value == kind) return name;
  }
  return "";
}

OutcomeKind outcome_kind(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  return OutcomeKind::infra_failed;
}

OutcomeKind outcome_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::target:
      return OutcomeKind::target_failed;
    case ErrorKind::judge:
    case ErrorKind::schema:
    case ErrorKind::parse:
      return OutcomeKind::judge_failed;
    case ErrorKind::context_overflow:
      return OutcomeKind::context_overflow;
    case ErrorKind::refused:
      return OutcomeKind::refused;
    case ErrorKind::budget:
      return OutcomeKind::limit_hit;
    default:
      return OutcomeKind::infra_failed;
  }
}

Outcome failed_outcome(const Error& error) {
  return {outcome_of(error.kind), {}, error.text()};
}

bool winds_down(ErrorKind kind) {
  return kind == ErrorKind::cancelled || kind == ErrorKind::circuit_open || kind == ErrorKind::journal ||
         kind == ErrorKind::changed || kind == ErrorKind::budget;
}

}  // namespace assay
