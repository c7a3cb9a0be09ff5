#include "net/http/http.h"

#include <algorithm>
#include <iterator>

namespace assay {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (lower(c) >= 'a' && lower(c) <= 'f') return lower(c) - 'a' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

// RFC 9110, section 15, and those of RFC 6585.
constexpr std::pair<int, std::string_view> kReasons[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

}  // namespace

std::string_view reason_phrase(int status) {
  const auto* found = std::lower_bound(std::begin(kReasons), std::end(kReasons), status,
                                       [](const auto& entry, int wanted) { return entry.first < wanted; });
  return found != std::end(kReasons) && found->first == status ? found->second : std::string_view();
}

bool same_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

bool is_http_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || kOthers.contains(c);
  });
}

bool is_http_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::optional<RequestTarget> split_target(std::string_view target) {
  std::string_view authority;
  if (const auto scheme = target.find("://"); !target.starts_with('/') && scheme != std::string_view::npos) {
    const auto path = target.find_first_of("/?", scheme + 3);
    authority = target.substr(scheme + 3, path - (scheme + 3));
    target = path == std::string_view::npos ? "/" : target.substr(path);
  }
  const auto question = target.find('?');
  auto path = percent_decoded(target.substr(0, question));
  if (!path) return std::nullopt;
  RequestTarget parts{.path = std::move(*path), .query = {}, .authority = std::string(authority)};
  if (parts.path.empty()) parts.path = "/";
  if (question != std::string_view::npos) parts.query = target.substr(question + 1);
  return parts;
}

const std::string* Headers::find(std::string_view name) const {
  const auto found = std::find_if(list_.rbegin(), list_.rend(),
                                  [&](const auto& field) { return same_without_case(field.first, name); });
  return found == list_.rend() ? nullptr : &found->second;
}

}  // namespace assay
