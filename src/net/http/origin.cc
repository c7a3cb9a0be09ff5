#include "net/http/origin.h"

#include <algorithm>
#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>

#include "net/http/http.h"

namespace assay {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part_of(CURLU* url, CURLUPart part, unsigned flags) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
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

Result<Origin> parse_origin(std::string_view url) {
  if (has_forbidden_character(url)) {
    return fail(ErrorKind::rejected, "the URL contains a space, a line break or another control character");
  }
  const auto scheme = url.substr(0, std::min(url.find("://"), url.size()));
  const bool tls = same_without_case(scheme, "https");
  if (!tls && !same_without_case(scheme, "http")) {
    return fail(ErrorKind::rejected, "the URL must begin with http:// or https://");
  }
  const std::unique_ptr<CURLU, UrlDeleter> parsed(curl_url());
  const std::string beginning(url.substr(0, authority_end(url)));
  const CURLUcode code = curl_url_set(parsed.get(), CURLUPART_URL, beginning.c_str(), 0);
  if (code != CURLUE_OK) {
    return fail(ErrorKind::rejected, fmt::format("the URL is not valid: {}", curl_url_strerror(code)));
  }
  const std::string host = part_of(parsed.get(), CURLUPART_HOST, 0);
  const std::string port = part_of(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (host.empty()) return fail(ErrorKind::rejected, "the URL names no host");
  return Origin{
      .name = fmt::format("{}://{}:{}", tls ? "https" : "http", host, port), .host = host, .tls = tls};
}

}  // namespace assay
