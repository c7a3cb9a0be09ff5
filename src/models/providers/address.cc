#include "models/providers/address.h"

#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "models/providers/provider.h"
#include "net/http/url.h"

namespace assay {
namespace {

constexpr std::string_view kModelPlace = "{model}";

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return text;
}

std::string_view without_slashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::string endpoint_for(std::string_view endpoint, std::string_view model) {
  const std::size_t at = endpoint.find(kModelPlace);
  if (at == std::string_view::npos) return std::string(endpoint);
  return fmt::format("{}{}{}", endpoint.substr(0, at), percent_encoded(model),
                     endpoint.substr(at + kModelPlace.size()));
}

// An endpoint may bring a query of its own, which joins the base's.
std::string joined(Url base, std::string_view endpoint) {
  const std::size_t question = endpoint.find('?');
  base.path += endpoint.substr(0, question);
  if (question != std::string_view::npos) {
    if (!base.query.empty()) base.query += '&';
    base.query += endpoint.substr(question + 1);
  }
  return base.text();
}

std::string domain_of(std::string_view url) {
  const auto parsed = parse_url(url);
  return parsed ? lower_ascii(parsed->host) : std::string();
}

}  // namespace

Result<Address> chat_address(const Provider& provider, std::string_view base_url, std::string_view model) {
  const Wire& wire = *provider.wire;
  auto url = parse_url(trim(base_url));
  if (!url) {
    return fail(ErrorKind::config,
                "base_url is not a URL that starts with http:// or https:// and names a host");
  }
  const std::string endpoint = endpoint_for(wire.endpoint, model);
  const std::string_view path = without_slashes(without_suffix(without_slashes(url->path), endpoint));
  const bool add_version = wire.version_in == VersionIn::base ? path.empty() : !path.ends_with(wire.version);
  url->path = fmt::format("{}{}", path, add_version ? wire.version : "");

  Address address;
  address.host = url->authority();
  address.domain = lower_ascii(url->host);
  address.is_public = address.domain == domain_of(provider.base_url);
  address.base = url_without_secrets(
      Url{.scheme = url->scheme, .host = url->host, .port = url->port, .path = url->path}.text());
  address.url = joined(*url, endpoint);
  address.stream_url =
      wire.stream_endpoint.empty() ? address.url : joined(*url, endpoint_for(wire.stream_endpoint, model));
  return address;
}

}  // namespace assay
