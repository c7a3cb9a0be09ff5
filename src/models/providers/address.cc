#include "models/providers/address.h"

#include <fmt/format.h>

#include "core/text.h"
#include "net/http/url.h"

namespace assay {
namespace {

struct WireAddress {
  std::string_view base;
  std::string_view public_host;
  std::string_view endpoint;  // below the version
};

constexpr WireAddress kOpenAi{"https://api.openai.com/v1", "api.openai.com", "/chat/completions"};
constexpr WireAddress kAnthropic{"https://api.anthropic.com/v1", "api.anthropic.com", "/messages"};

const WireAddress& address_of(Wire wire) {
  return wire == Wire::openai ? kOpenAi : kAnthropic;
}

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return text;
}

std::string_view without_slashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

std::string_view default_base_url(Wire wire) {
  return address_of(wire).base;
}

Result<Address> chat_address(Wire wire, std::string_view base_url) {
  const WireAddress& known = address_of(wire);
  auto url = parse_url(trim(base_url));
  if (!url) {
    return fail(ErrorKind::config,
                "base_url is not a URL that starts with http:// or https:// and names a host");
  }
  std::string_view path = without_slashes(url->path);
  path = without_slashes(without_suffix(path, known.endpoint));
  // OpenAI's users give the version with the base; a path of their own (a gateway's, Azure's) is taken as it
  // is. Anthropic's users give a base without it, whatever its path.
  const bool add_version = wire == Wire::openai ? path.empty() : !path.ends_with("/v1");
  url->path = fmt::format("{}{}", path, add_version ? "/v1" : "");

  Address address;
  address.host = url->authority();
  address.is_public = equal_ignoring_ascii_case(url->host, known.public_host);
  address.is_azure = lower_ascii(url->host).ends_with(".azure.com");
  address.base = Url{.scheme = url->scheme, .host = url->host, .port = url->port, .path = url->path}.text();
  url->path += known.endpoint;
  address.url = url->text();
  return address;
}

}  // namespace assay
