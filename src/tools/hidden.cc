#include "tools/hidden.h"

#include <algorithm>

#include <unistd.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"

namespace assay {
namespace {

// Looking for pieces of secrets costs time for every byte, and a message shows few of them. A secret that is
// cut in two here stands far from what is shown.
constexpr std::size_t kLookedAt = 16'384;

}  // namespace

std::string quoted_start(std::string_view text, std::size_t limit, const Secrets& secrets) {
  const std::string hidden = secrets.hide_pieces(trim(text).substr(0, kLookedAt));
  return shorten(repair_utf8(trim(hidden)), limit);
}

std::string quoted_end(std::string_view text, std::size_t limit, const Secrets& secrets) {
  text = trim(text);
  const bool cut = text.size() > kLookedAt;
  if (cut) text.remove_prefix(text.size() - kLookedAt);
  const std::string hidden = secrets.hide_pieces(text);
  std::string_view end = trim(hidden);
  if (end.size() <= limit) return (cut ? "…" : "") + repair_utf8(end);
  end.remove_prefix(end.size() - limit);
  while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0) == 0x80) end.remove_prefix(1);
  return "…" + repair_utf8(end);
}

void note_inherited(Secrets& secrets) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::size_t equals = std::min(variable.find('='), variable.size());
    if (equals < variable.size() && names_secret(variable.substr(0, equals)))
      secrets.add(variable.substr(equals + 1));
  }
}

}  // namespace assay
