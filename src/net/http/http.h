// The plain types of HTTP shared by client and server.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> list) : list_(list) {}
  void add(std::string name, std::string value) { list_.emplace_back(std::move(name), std::move(value)); }
  // Last value of that name, compared without case; null if there is none.
  const std::string* find(std::string_view name) const;
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }
  void clear() { list_.clear(); }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

// ASCII letters only, as in the names of header fields.
bool same_without_case(std::string_view a, std::string_view b);
// What a method or the name of a header field may consist of (RFC 9110, 5.6.2).
bool is_http_token(std::string_view text);
// Whether it can stand in a header field without ending it: no line breaks, no other control characters.
bool is_http_field_value(std::string_view text);

// "Not Found" for 404; empty if the status has no name.
std::string_view reason_phrase(int status);

// The target of a request line: "/path?query", or a whole URL as a proxy gets it.
struct RequestTarget {
  std::string path;       // decoded; "/" if the target has none
  std::string query;      // raw, without '?'
  std::string authority;  // of a whole URL: host and port as they are written
};
// Null if a percent sign does not begin an encoded byte, or encodes a zero byte.
std::optional<RequestTarget> split_target(std::string_view target);

}  // namespace assay
