#include "models/providers/address.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "net/http/origin.h"

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

}  // namespace

std::string_view default_base_url(Wire wire) {
  return address_of(wire).base;
}

Result<Address> chat_address(Wire wire, std::string_view base_url) {
  const WireAddress& known = address_of(wire);
  const std::string_view whole = trim(base_url);
  const auto origin = parse_origin(whole);
  if (!origin) {
    return fail(ErrorKind::config,
                "base_url is not a URL that starts with http:// or https:// and names a host");
  }
  const std::string_view url = whole.substr(0, whole.find('#'));
  const std::size_t path_at = authority_end(url);
  const std::size_t query_at = std::min(url.find('?', path_at), url.size());
  const std::string_view query = url.substr(query_at);
  std::string_view path = url.substr(path_at, query_at - path_at);
  while (path.ends_with('/')) path.remove_suffix(1);
  path = without_suffix(path, known.endpoint);
  while (path.ends_with('/')) path.remove_suffix(1);
  // OpenAI's users give the version with the base; a path of their own (a gateway's, Azure's) is taken as it
  // is. Anthropic's users give a base without it, whatever its path.
  const bool add_version = wire == Wire::openai ? path.empty() : !path.ends_with("/v1");
  const std::string full_path = fmt::format("{}{}", path, add_version ? "/v1" : "");

  const std::size_t authority_at = url.find("://") + 3;
  const std::string_view authority = url.substr(authority_at, path_at - authority_at);
  const std::size_t user_end = authority.rfind('@');
  const std::string_view host =
      user_end == std::string_view::npos ? authority : authority.substr(user_end + 1);

  Address address;
  address.url = fmt::format("{}{}{}{}", url.substr(0, path_at), full_path, known.endpoint, query);
  address.base = fmt::format("{}{}{}", url.substr(0, authority_at), host, full_path);
  address.host = host;
  address.is_public = equal_ignoring_ascii_case(origin->host, known.public_host);
  address.is_azure = lower_ascii(origin->host).ends_with(".azure.com");
  return address;
}

}  // namespace assay
