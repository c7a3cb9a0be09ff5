#include "store/address.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/secrets/secrets.h"
#include "core/text.h"
#include "core/text/scheme.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 2> kPostgres = {"postgres", "postgresql"};
constexpr std::string_view kSqlite = "sqlite";
constexpr std::string_view kAuthority = "//";

std::unexpected<Error> refused(std::string words) {
  return fail(ErrorKind::config, std::move(words));
}

// What somebody meant who wrote another scheme.
std::string unknown_scheme(std::string_view scheme) {
  constexpr std::array<std::string_view, 3> kKnown = {"postgres", "postgresql", "sqlite"};
  const std::string lower = lower_ascii(scheme);
  const auto guess = nearest(lower, kKnown);
  if (guess) {
    return fmt::format("found {}:, expected {}; did you mean {}{}?", scheme, kStoreForms, *guess,
                       *guess == kSqlite ? ":FILE" : "://…");
  }
  return fmt::format(
      "found {0}:, and there is no {0} store: expected {1} (a directory whose name has a colon is "
      "written with ./ before it)",
      scheme, kStoreForms);
}

// Names of libpq's parameters whose values are secrets.
bool is_password(std::string_view parameter) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  return name == "password" || name == "sslpassword" || names_secret(name);
}

// libpq reads it so: user information ends at the first "@" before the first "/". A password with a raw "@"
// or "/" is more than it takes for one; then nobody can connect, and nothing of it may be shown.
struct UrlParts {
  std::string_view scheme;  // with its "//"
  std::string_view user;    // with its password
  std::string_view rest;    // from the "@" on, if there is one
  bool misread = false;
};

UrlParts parts_of(std::string_view url) {
  const std::size_t authority = url.find(kAuthority) + kAuthority.size();
  UrlParts parts{url.substr(0, authority), {}, url.substr(authority)};
  const std::size_t at = parts.rest.find_first_of("@/?");
  if (at != std::string_view::npos && parts.rest[at] == '@') {
    parts.user = parts.rest.substr(0, at);
    parts.rest.remove_prefix(at);
  }
  const std::string_view place = parts.rest.substr(0, parts.rest.find('?'));
  parts.misread = place.rfind('@') != std::string_view::npos && place.rfind('@') > 0;
  return parts;
}

std::string without_passwords(std::string_view url) {
  auto [scheme, user, rest, misread] = parts_of(url);
  if (misread) {
    const std::string marked = url_without_secrets(url);
    return parts_of(marked).misread ? fmt::format("{}{}", scheme, kHiddenMark) : without_passwords(marked);
  }
  std::string kept(scheme);
  kept += user.substr(0, user.find(':'));
  const std::size_t question = std::min(rest.find('?'), rest.size());
  kept += rest.substr(0, question);
  rest.remove_prefix(question);
  char before = '?';
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(parameter.size());
    if (parameter.empty() || is_password(parameter)) continue;
    kept += before;
    kept += parameter;
    before = '&';
  }
  return kept;
}

}  // namespace

Result<StoreAddress> StoreAddress::read(std::string_view text) {
  if (trim(text).empty()) return refused(fmt::format("found nothing, expected {}", kStoreForms));
  const auto scheme = scheme_of(text);
  if (!scheme) return StoreAddress(Kind::directory, std::string(text));
  const std::string_view rest = text.substr(scheme->size() + 1);
  if (std::ranges::find(kPostgres, *scheme) != kPostgres.end()) {
    if (!rest.starts_with(kAuthority))
      return refused(fmt::format("found {0}: without //, expected {0}://USER@HOST/DATABASE", *scheme));
    return StoreAddress(Kind::postgres, std::string(text));
  }
  if (*scheme == kSqlite) {
    if (rest.empty() || rest.starts_with(kAuthority)) {
      return refused(fmt::format("found {}, expected sqlite:FILE with the path of a file",
                                 rest.empty() ? "sqlite: without a file" : "sqlite://…"));
    }
    return StoreAddress(Kind::sqlite_file, std::string(rest));
  }
  return refused(unknown_scheme(*scheme));
}

Result<StoreAddress> run_store_address(std::string_view text) {
  auto address = StoreAddress::read(text);
  if (!address || address->kind() == StoreAddress::Kind::postgres) return address;
  return refused(fmt::format(
      "found {}, expected postgres://USER@HOST/DATABASE: a run keeps its journal in its own directory "
      "(output_dir), and a store is for one that several machines write",
      address->shown()));
}

std::string StoreAddress::shown() const {
  switch (kind_) {
    case Kind::directory:
      return text_;
    case Kind::sqlite_file:
      return fmt::format("{}:{}", kSqlite, text_);
    case Kind::postgres:
      break;
  }
  return without_passwords(text_);
}

std::string StoreAddress::kept() const {
  return shown();
}

void StoreAddress::add_secrets(Secrets& secrets) const {
  if (kind_ == Kind::postgres) add_url_secrets(text_, secrets);
}

}  // namespace assay
