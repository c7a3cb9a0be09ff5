#include "net/http/host_name.h"

#include <algorithm>

#include <arpa/inet.h>

#include "core/text.h"

namespace assay {
namespace {

bool good_name(std::string_view host) {
  return !host.empty() && host.size() <= 255 && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
}

bool good_port(std::string_view port) {
  return port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
}

// The shortest form of an IPv6 address, or the IPv4 address that it stands for; nothing if it is none.
std::optional<std::string> plain_ipv6(std::string_view text) {
  in6_addr address{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), &address) != 1) return std::nullopt;
  char shortest[INET6_ADDRSTRLEN] = {};
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    inet_ntop(AF_INET, address.s6_addr + 12, shortest, sizeof shortest);
  } else {
    inet_ntop(AF_INET6, &address, shortest, sizeof shortest);
  }
  return std::string(shortest);
}

}  // namespace

std::optional<Authority> split_authority(std::string_view text) {
  Authority parts;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    auto address = plain_ipv6(text.substr(1, end - 1));
    if (!address) return std::nullopt;
    parts.host = std::move(*address);
    text.remove_prefix(end + 1);
  } else {
    const auto colon = text.find(':');
    parts.host = plain_host(text.substr(0, colon));
    if (!good_name(parts.host)) return std::nullopt;
    text = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
  }
  if (text.empty()) return parts;
  if (!text.starts_with(':') || !good_port(text.substr(1))) return std::nullopt;
  parts.port = text.substr(1);
  return parts;
}

std::string plain_host(std::string_view host) {
  if (auto address = plain_ipv6(host)) return std::move(*address);
  std::string plain = lower_ascii(host);
  if (plain.ends_with('.')) plain.pop_back();
  return plain;
}

bool is_loopback_host(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  in_addr address{};
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

bool is_wildcard_host(std::string_view host) {
  return host == "0.0.0.0" || host == "::";
}

std::string url_host(std::string_view host) {
  return host.contains(':') ? "[" + std::string(host) + "]" : std::string(host);
}

}  // namespace assay
