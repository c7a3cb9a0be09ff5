#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/parts.h"

namespace assay::custom {
namespace {

constexpr std::string_view kNot = "not_";

std::unique_ptr<const Check> opposite_of(std::unique_ptr<const Check> check) {
  // Reasons say what was found, which is as true of the opposite.
  return check_of([check = std::move(check)](const Subject& subject) {
    Checked checked = check->look(subject);
    if (checked.score) checked.score = 1 - *checked.score;
    return checked;
  });
}

}  // namespace

std::span<const CheckKind> check_kinds() {
  static const std::vector<CheckKind> kinds = [] {
    std::vector<CheckKind> all;
    for (const auto group : {text_kinds(), pattern_kinds(), json_kinds(), limit_kinds(), tool_kinds(),
                             number_kinds(), similarity_kinds()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  return kinds;
}

const CheckKind* find_check(std::string_view name) {
  const auto kinds = check_kinds();
  const auto found = std::ranges::find(kinds, name, &CheckKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

NamedCheck find_named_check(std::string_view name) {
  if (const CheckKind* kind = find_check(name)) return {kind, false};
  if (!name.starts_with(kNot)) return {};
  const CheckKind* kind = find_check(name.substr(kNot.size()));
  if (kind == nullptr || !kind->has_not) return {};
  return {kind, true};
}

CheckMade make_check(const NamedCheck& named, const Json& argument, const JsonObject& options) {
  if (!named.negated) return named.kind->make(argument, options);
  if (named.kind->make_not != nullptr) return named.kind->make_not(argument, options);
  auto check = named.kind->make(argument, options);
  if (!check) return check;
  return opposite_of(std::move(*check));
}

}  // namespace assay::custom
