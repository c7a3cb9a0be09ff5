#include "models/endpoint_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "net/http/host_name.h"
#include "net/http/url.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> kStructured{"auto", "json_schema", "tools", "text"};
// What the client itself sees to.
constexpr std::array<std::string_view, 5> kClientHeaders{"content-type", "content-length", "host",
                                                         "transfer-encoding", "accept"};

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::config, std::move(message));
}

// An address as OLLAMA_HOST has it may lack scheme and port. Where a key leaves this machine, nobody guesses
// that it may go in clear: what lacks a scheme is then no address.
std::string completed(const std::string& base, const ModelSpec& spec, const Provider& provider,
                      const Environment& environment) {
  if (base.contains("://") || provider.needs_key) return base;
  std::string whole = fmt::format("http://{}", base);
  const auto given = parse_url(whole);
  const bool with_key = !spec.api_key_env.empty() || !spec.api_key_command.empty() ||
                        !trim(environment(provider.key_variable).value_or("")).empty();
  if (!given || (with_key && !is_loopback_host(given->host))) return base;
  const auto own = parse_url(provider.base_url);
  if (!own || !given->port.empty() || own->port.empty()) return whole;
  Url url = *given;
  url.port = own->port;
  return url.text();
}

// Where the path of the provider's own address says whose account it is, a host alone is given that path.
Result<std::string> with_own_path(std::string base, const Provider& provider,
                                  const Environment& environment) {
  const std::size_t host = provider.base_url.find("://") + 3;
  const std::size_t at = provider.base_url.find('/', host);
  if (at == std::string_view::npos || !provider.base_url.substr(at).contains("${")) return base;
  auto url = parse_url(trim(base));
  if (!url || url->path.find_first_not_of('/') != std::string::npos) return base;
  auto path = fill_environment(provider.base_url.substr(at), environment);
  if (!path) return fail(std::move(path.error()));
  url->path = std::move(*path);
  return url->text();
}

Result<std::string> base_of(const ModelSpec& spec, const Provider& provider, const Environment& environment) {
  std::string base = spec.base_url;
  std::string_view origin = "base_url";
  if (trim(base).empty() && !provider.base_variable.empty()) {
    base = std::string(trim(environment(provider.base_variable).value_or("")));
    origin = provider.base_variable;
    if (!base.empty()) base = completed(base, spec, provider, environment);
  }
  const bool own_address = trim(base).empty();
  if (own_address) base = provider.base_url;
  if (base.empty())
    return wrong(fmt::format("no address: set {}, or base_url of the model", provider.base_variable));
  auto filled = fill_environment(base, environment);
  if (filled) filled = with_own_path(std::move(*filled), provider, environment);
  if (!filled) return fail(std::move(filled).error().with("key", std::string(origin)));
  const std::size_t host = filled->find("://") + 3;
  const bool everywhere =
      !provider.everywhere.empty() && filled->substr(host).starts_with(provider.everywhere);
  if (own_address && everywhere) filled->erase(host, provider.everywhere.size());
  const bool versioned = !provider.version_variable.empty() && spec.api != "responses";
  const auto version = versioned ? environment(provider.version_variable) : std::nullopt;
  if (version && !trim(*version).empty() && !filled->contains("api-version="))
    *filled += fmt::format("{}api-version={}", filled->contains('?') ? '&' : '?', trim(*version));
  return filled;
}

bool is_printable(std::string_view key) {
  return std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7F; });
}

Status read_keys(const ModelSpec& spec, const Provider& provider, const Environment& environment,
                 EndpointSettings& settings, Secrets& secrets) {
  const auto value = [&](std::string_view name) {
    std::string text(name.empty() ? "" : trim(environment(name).value_or("")));
    secrets.add(text);
    return text;
  };
  const bool own_key = !spec.api_key_env.empty();
  if (own_key && !spec.api_key_command.empty())
    return wrong("api_key_command: there is api_key_env too; one of the two says where the key comes from");
  settings.key_name = own_key ? spec.api_key_env : std::string(provider.key_variable);
  if (!spec.api_key_command.empty()) {
    settings.key_name = fmt::format("api_key_command ({})", spec.api_key_command.front());
    return {};
  }
  settings.key = value(settings.key_name);
  if (!is_printable(settings.key))
    return wrong(fmt::format("{} holds a space, a line break or another odd character", settings.key_name));
  // A variable that the user names is meant to be set; otherwise only the provider's own service needs a key.
  settings.key_is_required = own_key || (provider.needs_key && settings.address.is_public);
  if (provider.aws_service.empty() || !settings.key.empty()) return {};
  AwsKeys keys{value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY"), value("AWS_SESSION_TOKEN")};
  if (!is_printable(keys.id + keys.secret + keys.session))
    return wrong(
        "one of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN holds a space, a line "
        "break or another odd character");
  settings.region = aws_region(settings.address.domain);
  if (settings.region.empty()) settings.region = trim(environment("AWS_REGION").value_or("us-east-1"));
  if (!keys.id.empty() && !keys.secret.empty()) {
    settings.aws = std::move(keys);
  } else {
    settings.key_name += ", or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  }
  return {};
}

Status read_headers(const ModelSpec& spec, const Environment& environment, EndpointSettings& settings,
                    Secrets& secrets) {
  for (const auto& [name, written] : spec.headers) {
    if (!is_http_token(name))
      return wrong(
          fmt::format("headers: found {}, expected names of headers with their values", shorten(name, 60)));
    if (std::ranges::find(kClientHeaders, lower_ascii(name)) != kClientHeaders.end())
      return wrong(fmt::format("headers: {} is set by the program itself", name));
    auto filled = fill_environment(written, environment);
    if (!filled) return fail(std::move(filled.error()).with("key", fmt::format("headers.{}", name)));
    if (!is_http_field_value(*filled))
      return wrong(fmt::format("headers: the value of {} holds a line break or control character", name));
    if (names_secret(name) || written.contains("${")) {
      secrets.add(*filled);
      settings.secrets.push_back(*filled);
    }
    settings.headers.add(name, std::move(*filled));
  }
  return {};
}

// Whether what stands at `path` is the program's own, or holds or is inside of something that is.
const std::string_view* own_at(const Wire& wire, std::string_view path, bool is_object) {
  const auto found = std::ranges::find_if(wire.own, [&](std::string_view own) {
    if (path == own || (path.starts_with(own) && path[own.size()] == '.')) return true;
    return !is_object && own.starts_with(path) && own[path.size()] == '.';
  });
  return found == wire.own.end() ? nullptr : &*found;
}

Status check_extra(const JsonObject& extra, const Wire& wire, const std::string& base = {}) {
  for (const auto& member : extra) {
    const std::string path =
        base.empty() ? std::string(member.key()) : fmt::format("{}.{}", base, std::string_view(member.key()));
    if (const auto* own = own_at(wire, path, member.value().is_object()))
      return wrong(fmt::format(
          "extra: {} is written by the program itself ({}): set what the model has for it, such as "
          "temperature, max_tokens, thinking or structured",
          path, *own));
    if (const JsonObject* inner = member.value().if_object()) {
      if (auto checked = check_extra(*inner, wire, path); !checked) return checked;
    }
  }
  return {};
}

void merge(JsonObject& into, const JsonObject& from) {
  for (const auto& member : from) {
    Json* before = into.if_contains(member.key());
    if (before != nullptr && before->is_object() && member.value().is_object()) {
      merge(before->get_object(), member.value().get_object());
    } else {
      into[member.key()] = member.value();
    }
  }
}

// As they are written: what stands for a variable is no part of what decides an answer, and no secret either.
JsonObject headers_identity(const ModelSpec& spec) {
  JsonObject headers;
  for (const auto& [name, written] : spec.headers) {
    const bool literal_secret = names_secret(name) && !written.contains("${");
    headers[name] = literal_secret ? std::string(kHiddenMark) : written;
  }
  return headers;
}

std::string identity_of(const ModelSpec& spec) {
  JsonObject deciding;
  if (!spec.api.empty() && spec.api != "chat") deciding["api"] = spec.api;
  if (!spec.reasoning_effort.empty()) deciding["reasoning_effort"] = spec.reasoning_effort;
  if (!spec.thinking.is_null()) deciding["thinking"] = spec.thinking;
  if (!spec.extra.is_null()) deciding["extra"] = spec.extra;
  if (JsonObject headers = headers_identity(spec); !headers.empty()) deciding["headers"] = std::move(headers);
  return deciding.empty() ? std::string() : canonical_text(Json(std::move(deciding)));
}

Status read_body_options(const ModelSpec& spec, const Provider& provider, EndpointSettings& settings) {
  auto options = settings.wire->options(spec, provider.thinking);
  if (!options) return fail(std::move(options.error()));
  settings.additions = std::move(*options);
  const auto thinking = read_thinking(spec.thinking);
  settings.thinks = thinking && *thinking && (*thinking)->on;
  if (spec.extra.is_null()) return {};
  const JsonObject* extra = spec.extra.if_object();
  if (extra == nullptr) return wrong(fmt::format("extra: found {}, expected an object", excerpt(spec.extra)));
  if (auto checked = check_extra(*extra, *settings.wire); !checked) return checked;
  merge(settings.additions, *extra);
  return {};
}

}  // namespace

Result<EndpointSettings> read_endpoint(const ModelSpec& spec, const Provider& provider,
                                       const Environment& given, Secrets& secrets) {
  const Environment environment = with_other_names(given);
  if (spec.name.empty()) return wrong("the model has no name");
  if (std::ranges::find(kStructured, spec.structured) == kStructured.end())
    return wrong(fmt::format("structured: found \"{}\", expected one of {}", spec.structured,
                             fmt::join(kStructured, ", ")));
  EndpointSettings settings;
  settings.wire = find_wire(provider, spec.api);
  if (settings.wire == nullptr) return wrong(fmt::format("api: {} has no {}", provider.name, spec.api));
  auto base = base_of(spec, provider, environment);
  if (!base) return fail(std::move(base.error()));
  auto address = chat_address(provider, *settings.wire, *base, spec.name);
  if (!address) {
    const bool own = trim(spec.base_url).empty() && !provider.base_variable.empty();
    return fail(
        std::move(address).error().with("key", std::string(own ? provider.base_variable : "base_url")));
  }
  settings.address = std::move(*address);
  add_url_secrets(*base, secrets);
  if (auto read = read_keys(spec, provider, environment, settings, secrets); !read) return fail(read.error());
  if (auto read = read_headers(spec, environment, settings, secrets); !read) return fail(read.error());
  if (auto read = read_body_options(spec, provider, settings); !read) return fail(read.error());
  settings.identity = identity_of(spec);
  return settings;
}

std::string with_additions(std::string body, const JsonObject& additions) {
  if (additions.empty()) return body;
  auto parsed = parse_json(body);
  if (!parsed || !parsed->is_object()) return body;
  merge(parsed->get_object(), additions);
  return to_text(*parsed);
}

}  // namespace assay
