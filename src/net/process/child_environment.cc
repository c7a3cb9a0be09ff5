#include "net/process/child_environment.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 24> kSafeNames = {
    "PATH",         "HOME",           "USER",
    "LOGNAME",      "SHELL",          "LANG",
    "LANGUAGE",     "TERM",           "TZ",
    "TMPDIR",       "NODE_PATH",      "NODE_EXTRA_CA_CERTS",
    "http_proxy",   "https_proxy",    "all_proxy",
    "no_proxy",     "HTTP_PROXY",     "HTTPS_PROXY",
    "ALL_PROXY",    "NO_PROXY",       "SSL_CERT_FILE",
    "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"};
constexpr std::array<std::string_view, 2> kSafePrefixes = {"LC_", "XDG_"};
// npm reads these in any case of letters, tokens of registries among them: npm_config__authToken,
// npm_config_//registry.example.org/:_password.
constexpr std::string_view kNpmPrefix = "npm_config_";
constexpr std::array<std::string_view, 6> kSecretWords = {"auth", "token", "pass", "key", "otp", "secret"};

bool contains_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.contains(word); });
}

}  // namespace

bool safe_to_inherit(std::string_view name) {
  if (std::find(kSafeNames.begin(), kSafeNames.end(), name) != kSafeNames.end()) return true;
  for (const std::string_view prefix : kSafePrefixes) {
    if (name.starts_with(prefix)) return true;
  }
  const std::string lower = lower_ascii(name);
  return lower.starts_with(kNpmPrefix) &&
         !contains_any(std::string_view(lower).substr(kNpmPrefix.size()), kSecretWords);
}

}  // namespace assay
