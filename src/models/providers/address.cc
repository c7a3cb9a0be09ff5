#include "models/providers/address.h"

#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "models/providers/provider.h"
#include "net/http/url.h"

namespace assay {
namespace {

constexpr std::string_view kModelPlace = "{model}";
constexpr std::string_view kOllamaBase = "/api";

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return text;
}

std::string_view without_slashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// With the model's name in its place.
std::string filled(std::string_view endpoint, std::string_view model) {
  const std::size_t at = endpoint.find(kModelPlace);
  if (at == std::string_view::npos) return std::string(endpoint);
  return fmt::format("{}{}{}", endpoint.substr(0, at), percent_encoded(model),
                     endpoint.substr(at + kModelPlace.size()));
}

bool names_parameter(std::string_view query, std::string_view parameter) {
  const std::string name(parameter.substr(0, parameter.find('=') + 1));
  return query.starts_with(name) || query.contains("&" + name);
}

// An endpoint may bring a query of its own, which joins the base's. What the base says already stands.
Url joined(Url base, std::string_view endpoint) {
  const std::size_t question = endpoint.find('?');
  base.path += endpoint.substr(0, question);
  if (question != std::string_view::npos && !names_parameter(base.query, endpoint.substr(question + 1))) {
    if (!base.query.empty()) base.query += '&';
    base.query += endpoint.substr(question + 1);
  }
  return base;
}

// "eu-west1-aiplatform.googleapis.com" belongs to aiplatform.googleapis.com: services put the place before
// it, with a dot or a hyphen.
bool is_within(std::string_view domain, std::string_view own) {
  if (domain == own) return true;
  if (!domain.ends_with(own)) return false;
  const char before = domain[domain.size() - own.size() - 1];
  return before == '.' || before == '-';
}

std::string domain_of(std::string_view url) {
  const auto parsed = parse_url(url);
  return parsed ? lower_ascii(parsed->host) : std::string();
}

}  // namespace

Result<Address> chat_address(const Provider& provider, const Wire& wire, std::string_view base_url,
                             std::string_view model) {
  auto url = parse_url(trim(base_url));
  if (!url) {
    return fail(ErrorKind::config,
                "base_url is not a URL that starts with http:// or https:// and names a host");
  }
  const std::string endpoint = filled(wire.endpoint, model);
  const std::string_view path = without_slashes(without_suffix(without_slashes(url->path), endpoint));
  const std::string_view own_path = &wire == provider.responses ? provider.responses_path : provider.path;
  const bool bare = path.empty();
  const bool add_version = wire.version_in == VersionIn::base ? bare : !path.ends_with(wire.version);
  url->path = path;
  if (bare && !own_path.empty()) {
    *url = joined(*url, filled(own_path, model));
  } else if (add_version) {
    url->path += wire.version;
  }

  Address address;
  address.host = url->authority();
  address.domain = lower_ascii(url->host);
  address.is_public = provider.domain.empty() ? address.domain == domain_of(provider.base_url)
                                              : is_within(address.domain, provider.domain);
  address.base = url_without_secrets(
      Url{.scheme = url->scheme, .host = url->host, .port = url->port, .path = url->path}.text());
  address.url = joined(*url, endpoint).text();
  address.stream_url =
      wire.stream_endpoint.empty() ? address.url : joined(*url, filled(wire.stream_endpoint, model)).text();
  if (wire.embeddings != nullptr) {
    // Ollama's own endpoints stand beside its compatible ones.
    const bool ollama = url->path.ends_with(kOllamaBase);
    address.embeddings_url = joined(*url, ollama ? std::string(kOllamaEmbeddings.substr(kOllamaBase.size()))
                                                 : filled(wire.embeddings->endpoint, model))
                                 .text();
  }
  return address;
}

Result<Address> chat_address(const Provider& provider, std::string_view base_url, std::string_view model) {
  return chat_address(provider, *provider.wire, base_url, model);
}

}  // namespace assay
