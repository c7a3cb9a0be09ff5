// URLs, read by libcurl's own parser, so that what is checked and shown is what the request does. Messages
// name no more of a URL than where it goes: user information, path and query may hold secrets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

// Where a request goes: scheme, host and port of its URL.
struct Origin {
  std::string name;  // "https://api.example.com:443"
  std::string host;
  bool tls = false;
};

// The parts of an http or https URL, each as it is written there (nothing is decoded); a fragment is left
// out, since it is never sent.
struct Url {
  std::string scheme = {};  // "http" or "https"
  std::string user = {};    // "name", "name:password"; empty: none
  std::string host = {};    // "api.example.com", "[::1]"
  std::string port = {};    // empty: the scheme's own
  std::string path = {};    // begins with "/"
  std::string query = {};   // without "?"

  std::string authority() const;  // host, and the port if there is one: "127.0.0.1:8080"
  Origin origin() const;
  std::string text() const;
};

// Error of kind rejected if it is not a well-formed http or https URL, or has a space or control character;
// the message does not repeat it.
Result<Url> parse_url(std::string_view text);

// Error of kind config if it is no proxy as libcurl takes them: HOST or HOST:PORT, with a scheme before it or
// none. The message does not repeat it: it may hold a password.
Status check_proxy(std::string_view text);

// Url::authority() for messages; empty if it is no URL.
std::string host_of(std::string_view url);

// How many characters of `url` say where it goes: all before path, query or fragment. Two URLs with the same
// beginning have the same origin, so that it need not be read again for every request.
std::size_t authority_end(std::string_view url);

// The part of parse_url's check that concerns every character of the URL.
bool has_forbidden_character(std::string_view url);

}  // namespace assay
