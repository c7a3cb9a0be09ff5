#include "service/http/roles.h"

#include <array>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::uint32_t bit(TokenRole role) {
  return std::uint32_t{1} << static_cast<unsigned>(role);
}

// What a token may have, each with all that it includes.
struct Named {
  TokenRole role;
  std::uint32_t bits;
};
constexpr std::array kNamed{
    Named{TokenRole::read, bit(TokenRole::read)},
    Named{TokenRole::label, bit(TokenRole::label) | bit(TokenRole::read)},
    Named{TokenRole::write, bit(TokenRole::write) | bit(TokenRole::read)},
    Named{TokenRole::run,
          bit(TokenRole::run) | bit(TokenRole::read) | bit(TokenRole::label) | bit(TokenRole::write)},
};

}  // namespace

std::string_view to_string(TokenRole role) {
  switch (role) {
    case TokenRole::none:
      return "none";
    case TokenRole::any:
      return "any";
    case TokenRole::read:
      return "read";
    case TokenRole::label:
      return "label";
    case TokenRole::write:
      return "write";
    case TokenRole::run:
      break;
  }
  return "run";
}

void TokenRoles::add(TokenRole role) {
  for (const Named& named : kNamed) {
    if (named.role == role) bits_ |= named.bits;
  }
}

TokenRoles TokenRoles::all() {
  TokenRoles roles;
  roles.add(TokenRole::run);
  return roles;
}

TokenRoles TokenRoles::unnamed() {
  TokenRoles roles;
  roles.add(TokenRole::label);
  roles.add(TokenRole::write);
  return roles;
}

TokenRoles TokenRoles::of_bits(std::uint32_t bits) {
  TokenRoles roles;
  roles.bits_ = bits;
  return roles;
}

Result<TokenRoles> TokenRoles::parse(std::string_view list) {
  TokenRoles roles;
  for (const std::string_view part : split(list, ',')) {
    const std::string_view name = trim(part);
    bool known = false;
    for (const Named& named : kNamed) {
      if (to_string(named.role) != name) continue;
      roles.add(named.role);
      known = true;
    }
    if (!known)
      return fail(ErrorKind::config,
                  fmt::format("found the role \"{}\", expected read, label, write or run", name));
  }
  return roles;
}

bool TokenRoles::allow(TokenRole needed) const {
  if (needed == TokenRole::none) return true;
  if (needed == TokenRole::any) return bits_ != 0;
  return (bits_ & bit(needed)) != 0;
}

std::string TokenRoles::text() const {
  std::string text;
  for (const Named& named : kNamed) {
    if (!allow(named.role)) continue;
    if (!text.empty()) text += ',';
    text += to_string(named.role);
  }
  return text;
}

}  // namespace assay
