#include "service/http/access.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "net/http/host_name.h"

namespace assay {
namespace {

struct PageOrigin {
  Authority authority;
  bool secure = false;
};

// "https://example.org:8443"; nothing for `null` and all else that is no page's.
std::optional<PageOrigin> read_origin(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    auto authority = split_authority(text.substr(scheme.size()));
    if (!authority) return std::nullopt;
    return PageOrigin{std::move(*authority), scheme == "https://"};
  }
  return std::nullopt;
}

std::string_view port_of(const Authority& authority, bool secure) {
  return !authority.port.empty() ? std::string_view(authority.port) : secure ? "443" : "80";
}

std::string plain_origin(std::string_view origin) {
  std::string plain = lower_ascii(trim(origin));
  while (plain.ends_with('/')) plain.pop_back();
  return plain;
}

bool changes_state(const ServerRequest& request) {
  return request.method != "GET" && request.method != "HEAD" && request.method != "OPTIONS";
}

}  // namespace

Access::Access(const std::string& bound, const std::vector<std::string>& names,
               const std::vector<std::string>& origins)
    : bound_(plain_host(bound)) {
  for (const std::string& origin : origins) origins_.push_back(plain_origin(origin));
  for (const std::string& name : names) {
    const auto authority = split_authority(name);
    names_.push_back(authority ? authority->host : plain_host(name));
  }
}

// An address that stands for all is no name; of those it stands for, the one that was connected to is.
bool Access::known_host(const std::string& host, const ServerRequest& request) const {
  if (is_loopback_host(host) || host == request.local) return true;
  if (!is_wildcard_host(bound_) && host == bound_) return true;
  return std::ranges::find(names_, host) != names_.end();
}

// A page of the service itself. Behind a proxy that ends TLS, or that sends another Host, it is one of ours
// by its name.
bool Access::own_origin(const std::string& origin, const ServerRequest& request) const {
  const auto page = read_origin(lower_ascii(origin));
  if (!page) return false;
  if (std::ranges::find(names_, page->authority.host) != names_.end()) return true;
  const auto host = split_authority(request.host);
  return host && host->host == page->authority.host &&
         port_of(*host, page->secure) == port_of(page->authority, page->secure);
}

std::string Access::named_origin(const ServerRequest& request) const {
  const std::string* origin = request.headers.find("Origin");
  if (origin == nullptr || std::ranges::find(origins_, plain_origin(*origin)) == origins_.end()) return {};
  return *origin;
}

std::string Access::origin_defect(const std::string& origin) {
  const auto page = read_origin(plain_origin(origin));
  if (page && !page->authority.host.empty()) return {};
  return fmt::format("found \"{}\", expected the origin of a page: https://dashboard.example.org", origin);
}

std::optional<std::pair<int, std::string>> Access::objection(const ServerRequest& request) const {
  // Only HTTP/1.0 may leave it out, which no browser speaks.
  const auto host = split_authority(request.host);
  if (host && !known_host(host->host, request)) {
    return std::pair(421, fmt::format("the service is not known as {0}; if that is a name of this machine, "
                                      "start the service with --names {0}",
                                      host->host));
  }
  for (const auto& [name, value] : request.headers) {
    if (!same_without_case(name, "Origin")) continue;
    if (!own_origin(value, request) && named_origin(request).empty())
      return std::pair(403, std::string("a page of another origin may not use the service"));
  }
  // A browser that names no origin still says that another site is behind it.
  const std::string* site = request.headers.find("Sec-Fetch-Site");
  if (site != nullptr && *site == "cross-site" && changes_state(request) && named_origin(request).empty())
    return std::pair(403, std::string("a page of another site may not use the service"));
  return std::nullopt;
}

}  // namespace assay
