#include "net/http/response_head.h"

#include <ctime>
#include <iterator>

#include <fmt/format.h>

namespace assay {

void append_response_head(std::string& out, const ResponseHead& head, bool& keep_alive) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nDate: {}\r\n", head.status,
                 reason_phrase(head.status), head.date);
  for (const auto& [name, value] : head.headers) {
    if (same_without_case(name, "Connection")) {
      if (same_without_case(value, "close")) keep_alive = false;
      continue;
    }
    if (!is_http_token(name) || same_without_case(name, "Content-Length") ||
        same_without_case(name, "Transfer-Encoding") || same_without_case(name, "Date")) {
      continue;
    }
    out += name;
    out += ": ";
    if (is_http_field_value(value)) {
      out += value;
    } else {
      // A line break here would let a value write headers of its own.
      for (const char c : value) out += is_http_field_value({&c, 1}) ? c : ' ';
    }
    out += "\r\n";
  }
  if (!keep_alive) {
    out += "Connection: close\r\n";
  } else if (head.old_version) {
    out += "Connection: keep-alive\r\n";
  }
}

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace assay
