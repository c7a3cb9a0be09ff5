// Where a request goes: scheme, host and port of its URL. Messages name nothing else of a URL, since user
// information, path and query may hold secrets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

struct Origin {
  std::string name;  // "https://api.example.com:443"
  std::string host;
  bool tls = false;
};

// How many characters of `url` say where it goes: all before path, query or fragment. Two URLs with the same
// beginning have the same origin.
std::size_t authority_end(std::string_view url);

// Error of kind rejected if it is not a well-formed http or https URL, or has a space or control character.
Result<Origin> parse_origin(std::string_view url);

// The part of that check that concerns every character of the URL.
bool has_forbidden_character(std::string_view url);

}  // namespace assay
