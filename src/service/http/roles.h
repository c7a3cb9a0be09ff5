// What a token allows and what a route asks for. `label` and `write` include `read`, `run` includes all of
// them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

enum class TokenRole {
  none,   // of a route: it needs no token
  any,    // of a route: a token of whichever role
  read,   // runs, cases, figures; what the data service holds
  label,  // a person's judgements
  write,  // records and jobs of the data service
  run,    // configs and runs: starting, stopping, going on
};
// "read"
std::string_view to_string(TokenRole role);

// The roles that somebody has.
class TokenRoles {
 public:
  TokenRoles() = default;
  static TokenRoles all();
  // Of a line in the file of tokens that names none: all but `run`.
  static TokenRoles unnamed();
  // "read,label"; an error of kind config names what is no role.
  static Result<TokenRoles> parse(std::string_view list);
  // As bits() gave them.
  static TokenRoles of_bits(std::uint32_t bits);

  bool allow(TokenRole needed) const;
  // Those that it was made of, and those that they include: "read,label".
  std::string text() const;
  std::uint32_t bits() const { return bits_; }
  bool operator==(const TokenRoles&) const = default;

 private:
  void add(TokenRole role);
  std::uint32_t bits_ = 0;
};

}  // namespace assay
