#include "models/providers/aws_signature.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "core/sha256.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kMethod = "AWS4-HMAC-SHA256";
constexpr std::size_t kBlock = 64;  // of SHA-256

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// RFC 2104.
Digest keyed_hash(std::string_view key, std::string_view text) {
  std::string padded(key);
  if (padded.size() > kBlock) padded = bytes_of(sha256(key));
  padded.resize(kBlock, '\0');
  std::string inner;
  std::string outer;
  for (const char c : padded) {
    inner += static_cast<char>(static_cast<unsigned char>(c) ^ 0x36U);
    outer += static_cast<char>(static_cast<unsigned char>(c) ^ 0x5CU);
  }
  return sha256(outer + std::string(bytes_of(sha256(inner + std::string(text)))));
}

// The path as AWS hashes it: what is sent, encoded once more.
std::string encoded_path(std::string_view path) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(path, '/')) parts.push_back(percent_encoded(part));
  return join(std::span<const std::string>(parts), "/");
}

std::string sorted_query(std::string_view query) {
  if (query.empty()) return {};
  std::vector<std::string> parts;
  for (const std::string_view part : split(query, '&')) {
    parts.emplace_back(part.contains('=') ? std::string(part) : fmt::format("{}=", part));
  }
  std::ranges::sort(parts);
  return join(std::span<const std::string>(parts), "&");
}

struct Signed {
  std::string names;  // "host;x-amz-date"
  std::string signature;
};

// `headers`: those that are signed, by their names in lower case. `stamp`: "20150830T123600Z".
Signed sign(const AwsRequest& request, const std::map<std::string, std::string>& headers,
            std::string_view secret, std::string_view stamp, std::string_view scope) {
  Signed done;
  std::string lines;
  for (const auto& [name, value] : headers) {
    lines += fmt::format("{}:{}\n", name, trim(value));
    done.names += (done.names.empty() ? "" : ";") + name;
  }
  const std::string canonical =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, encoded_path(request.path),
                  sorted_query(request.query), lines, done.names, hex(sha256(request.body)));
  const std::string text = fmt::format("{}\n{}\n{}\n{}", kMethod, stamp, scope, hex(sha256(canonical)));
  Digest key = keyed_hash(fmt::format("AWS4{}", secret), scope.substr(0, scope.find('/')));
  std::string_view rest = scope.substr(scope.find('/') + 1);
  for (const std::string_view part : split(rest, '/')) key = keyed_hash(bytes_of(key), part);
  done.signature = hex(keyed_hash(bytes_of(key), text));
  return done;
}

std::string authorization_of(std::string_view id, std::string_view scope, const Signed& done) {
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kMethod, id, scope, done.names,
                     done.signature);
}

// The value behind `name=` in an Authorization header.
std::string_view field(std::string_view authorization, std::string_view name) {
  const std::size_t at = authorization.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = authorization.substr(at + name.size());
  return rest.substr(0, rest.find(','));
}

std::string stamp_of(WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(seconds - day);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace

Headers aws_signature(const AwsRequest& request, const AwsKeys& keys, const AwsScope& scope, WallTime now) {
  const std::string stamp = stamp_of(now);
  const std::string scoped =
      fmt::format("{}/{}/{}/aws4_request", stamp.substr(0, 8), scope.region, scope.service);
  std::map<std::string, std::string> signed_headers{{"host", std::string(request.host)},
                                                    {"x-amz-date", stamp}};
  Headers headers{{"X-Amz-Date", stamp}};
  if (!keys.session.empty()) {
    signed_headers["x-amz-security-token"] = keys.session;
    headers.add("X-Amz-Security-Token", keys.session);
  }
  const Signed done = sign(request, signed_headers, keys.secret, stamp, scoped);
  headers.add("Authorization", authorization_of(keys.id, scoped, done));
  return headers;
}

std::string aws_authorization(const AwsRequest& request, const Headers& headers, const AwsKeys& keys,
                              std::string_view authorization) {
  const std::string_view credential = field(authorization, "Credential=");
  const std::string_view scope = credential.substr(std::min(credential.find('/') + 1, credential.size()));
  std::map<std::string, std::string> signed_headers;
  for (const std::string_view name : split(field(authorization, "SignedHeaders="), ';')) {
    const std::string* value = headers.find(name);
    signed_headers[std::string(name)] = value != nullptr ? *value : std::string();
  }
  const std::string* stamp = headers.find("x-amz-date");
  const Signed done = sign(request, signed_headers, keys.secret, stamp != nullptr ? *stamp : "", scope);
  return authorization_of(keys.id, scope, done);
}

std::string aws_region(std::string_view host) {
  const std::vector<std::string_view> parts = split(host, '.');
  auto amazon = std::ranges::find(parts, "amazonaws");
  // Of an endpoint inside of a private network: "….us-east-1.vpce.amazonaws.com".
  if (amazon != parts.end() && amazon != parts.begin() && *(amazon - 1) == "vpce") --amazon;
  return amazon == parts.end() || amazon - parts.begin() < 2 ? std::string() : std::string(*(amazon - 1));
}

}  // namespace assay
