#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"
#include "core/text/scheme.h"
#include "queue/work_queue.h"

namespace assay {
namespace {

constexpr std::string_view kAuthority = "://";

// One server of a list, in its parts: "nats", "ann:s3cret", "queue.example.org:4222".
struct Server {
  std::string_view scheme;  // empty if there is none
  std::string_view user;    // with its password; or a token
  std::string_view place;   // host and port
};

Server server_of(std::string_view text) {
  Server server{{}, {}, text};
  if (const std::size_t end = text.find(kAuthority); end != std::string_view::npos) {
    server.scheme = text.substr(0, end);
    server.place = text.substr(end + kAuthority.size());
  }
  if (const std::size_t at = server.place.rfind('@'); at != std::string_view::npos) {
    server.user = server.place.substr(0, at);
    server.place.remove_prefix(at + 1);
  }
  return server;
}

std::string shown_server(std::string_view text) {
  const Server server = server_of(text);
  return fmt::format("{}{}{}", server.scheme, server.scheme.empty() ? "" : kAuthority, server.place);
}

// HOST or HOST:PORT; a host of IPv6 in brackets. What is wrong with it; empty if nothing is.
std::string place_defect(std::string_view place) {
  const std::size_t bracket = place.starts_with('[') ? place.find(']') : 0;
  const std::size_t colon = bracket == std::string_view::npos ? bracket : place.find(':', bracket);
  const std::string_view host = place.substr(0, colon);
  const std::string_view after_bracket = bracket == 0 ? "" : host.substr(std::min(bracket + 1, host.size()));
  if (host.empty() || bracket == std::string_view::npos || !after_bracket.empty() ||
      host.find_first_of("/?# ") != std::string_view::npos)
    return "a host";
  if (colon == std::string_view::npos) return "";
  const std::string_view digits = place.substr(colon + 1);
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && port >= 1 && port <= 65'535 ? "" : "a port from 1 to 65535";
}

Result<std::string> read_server(std::string_view text) {
  const Server server = server_of(text);
  const std::string scheme = lower_ascii(server.scheme);
  if (scheme != "nats" && scheme != "tls") {
    const bool bare = !text.contains(kAuthority) && place_defect(server.place).empty();
    return fail(ErrorKind::config,
                fmt::format("found {}{}, expected {}", shown_server(text),
                            bare ? ", which does not say whether it is reached by TLS" : "", kQueueForms));
  }
  if (const std::string missing = place_defect(server.place); !missing.empty()) {
    return fail(ErrorKind::config,
                fmt::format("found {}, expected {} in {}://HOST:PORT", shown_server(text), missing, scheme));
  }
  return fmt::format("{}{}{}{}{}", scheme, kAuthority, server.user, server.user.empty() ? "" : "@",
                     server.place);
}

}  // namespace

Result<QueueAddress> QueueAddress::read(std::string_view servers) {
  QueueAddress address;
  for (const std::string_view part : split(servers, ',')) {
    const std::string_view one = trim(part);
    if (one.empty() && !trim(servers).empty()) continue;  // a comma at the end
    if (one.empty()) return fail(ErrorKind::config, fmt::format("found nothing, expected {}", kQueueForms));
    auto server = read_server(one);
    if (!server) return fail(std::move(server.error()));
    if (!address.servers.empty()) address.servers += ',';
    address.servers += *server;
  }
  return address;
}

std::string QueueAddress::shown() const {
  std::string all;
  for (const std::string_view one : split(servers, ',')) {
    if (!all.empty()) all += ',';
    all += shown_server(trim(one));
  }
  return all;
}

}  // namespace assay
