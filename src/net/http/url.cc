#include "net/http/url.h"

#include <algorithm>
#include <array>
#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "net/http/host_name.h"
#include "net/http/http.h"

namespace assay {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

}  // namespace

std::size_t authority_end(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return url.size();
  return std::min(url.find_first_of("/?#", scheme + 3), url.size());
}

bool has_forbidden_character(std::string_view url) {
  return std::any_of(url.begin(), url.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f;
  });
}

Result<Url> parse_url(std::string_view text) {
  if (has_forbidden_character(text)) {
    return fail(ErrorKind::rejected, "the URL contains a space, a line break or another control character");
  }
  const auto scheme = text.substr(0, std::min(text.find("://"), text.size()));
  if (!same_without_case(scheme, "https") && !same_without_case(scheme, "http")) {
    return fail(ErrorKind::rejected, "the URL must begin with http:// or https://");
  }
  const std::unique_ptr<CURLU, UrlDeleter> parsed(curl_url());
  // libcurl would take the path of "http:///path" for the host.
  const bool names_host = authority_end(text) > scheme.size() + 3;
  const CURLUcode code =
      names_host ? curl_url_set(parsed.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_PATH_AS_IS)
                 : CURLUE_NO_HOST;
  if (code != CURLUE_OK) {
    return fail(ErrorKind::rejected, fmt::format("the URL is not valid: {}", curl_url_strerror(code)));
  }
  Url url{.scheme = part_of(parsed.get(), CURLUPART_SCHEME),
          .user = part_of(parsed.get(), CURLUPART_USER),
          .host = part_of(parsed.get(), CURLUPART_HOST),
          .port = part_of(parsed.get(), CURLUPART_PORT),
          .path = part_of(parsed.get(), CURLUPART_PATH),
          .query = part_of(parsed.get(), CURLUPART_QUERY)};
  if (const std::string password = part_of(parsed.get(), CURLUPART_PASSWORD); !password.empty()) {
    url.user += ":" + password;
  }
  if (url.host.empty()) return fail(ErrorKind::rejected, "the URL names no host");
  return url;
}

Status check_proxy(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kSchemes = {"http",   "https",   "socks4",
                                                               "socks5", "socks4a", "socks5h"};
  const auto refused = [](std::string_view found) {
    return fail(ErrorKind::config, fmt::format("found {}, expected [SCHEME://]HOST[:PORT] with one of the "
                                               "schemes {}",
                                               found, fmt::join(kSchemes, ", ")));
  };
  if (has_forbidden_character(text)) return refused("a space or another control character");
  if (const auto end = text.find("://"); end != std::string_view::npos) {
    const auto known = [scheme = text.substr(0, end)](std::string_view one) {
      return same_without_case(scheme, one);
    };
    if (std::ranges::none_of(kSchemes, known)) return refused("another scheme");
    text.remove_prefix(end + 3);
  }
  text = text.substr(0, text.find_first_of("/?#"));
  if (const auto user = text.rfind('@'); user != std::string_view::npos) text.remove_prefix(user + 1);
  if (!split_authority(text)) return refused("no host, or a port that is no number");
  return {};
}

std::string Url::authority() const {
  return port.empty() ? host : fmt::format("{}:{}", host, port);
}

Origin Url::origin() const {
  const bool tls = scheme == "https";
  const std::string_view number = port.empty() ? std::string_view(tls ? "443" : "80") : port;
  return {.name = fmt::format("{}://{}:{}", scheme, host, number), .host = host, .tls = tls};
}

std::string Url::text() const {
  return fmt::format("{}://{}{}{}{}{}{}", scheme, user, user.empty() ? "" : "@", authority(), path,
                     query.empty() ? "" : "?", query);
}

std::string host_of(std::string_view url) {
  const auto parsed = parse_url(url);
  return parsed ? parsed->authority() : std::string();
}

}  // namespace assay
