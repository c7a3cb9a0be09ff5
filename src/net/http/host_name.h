// Hosts as requests name them, in one form, so that two names of the same host are equal texts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

// "Example.org:8080", "[::1]", "127.0.0.1."
struct Authority {
  std::string host;  // lower case, without brackets and final dot; IPv6 in its shortest form
  std::string port;  // digits; empty: none given
};
// Nothing if it is not a host with or without a port; user information is none.
std::optional<Authority> split_authority(std::string_view text);

// "LOCALHOST." → "localhost", "::ffff:10.0.0.1" → "10.0.0.1": as Authority::host has it.
std::string plain_host(std::string_view host);
// localhost, 127.0.0.0/8 and ::1; of a plain host.
bool is_loopback_host(std::string_view host);
// 0.0.0.0 and ::, which stand for every address of the machine.
bool is_wildcard_host(std::string_view host);
// As a URL has it: with brackets if it is IPv6.
std::string url_host(std::string_view host);

}  // namespace assay
