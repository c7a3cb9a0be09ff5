// Addresses with places and what is filled in, secrets in URLs, text for a terminal: the first line is the
// pattern, the rest the value. Whatever the value is, the filled address stays where the pattern points.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "core/secrets/literal_secrets.h"
#include "core/visible.h"
#include "net/http/url.h"
#include "tests/fuzz/require.h"
#include "tools/url_pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view first = text.substr(0, text.find('\n'));
  const std::string value(text.substr(std::min(first.size() + 1, text.size())));
  for (const char c : visible(text)) fuzz::require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);

  Secrets secrets(kHiddenMark);
  add_url_secrets(first, secrets);
  const std::string shown = url_without_secrets(first);
  fuzz::require(shown.contains(kHiddenMark) || shown == first);

  const auto pattern = UrlPattern::parse(first);
  if (!pattern) return 0;
  JsonObject values;
  for (const std::string& name : pattern->names()) values.insert_or_assign(name, value);
  const auto url = pattern->fill(values);
  if (!url) return 0;
  const std::size_t host = authority_end(first);
  fuzz::require(url->substr(0, host) == first.substr(0, host));
  // As many segments as the pattern has: no value adds one or takes one away.
  const auto slashes = [](std::string_view address) {
    return std::ranges::count(address.substr(0, address.find_first_of("?#")), '/');
  };
  if (!first.contains('?') && !first.contains('#')) {
    std::string without;
    bool inside = false;
    for (const char c : first) {
      if (c == '{') inside = true;
      if (!inside) without += c;
      if (c == '}') inside = false;
    }
    fuzz::require(slashes(*url) >= slashes(without));
  }
  return 0;
}
