#include "evaluations/data/unread_keys.h"

#include <vector>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {

std::string unread_words(std::string_view field, const KeyCounts& counts) {
  std::vector<std::string> keys;
  keys.reserve(counts.size());
  for (const auto& [key, count] : counts)
    keys.push_back(fmt::format("{} ({} {})", key, count, count == 1 ? "time" : "times"));
  if (keys.empty()) return "";
  return fmt::format("field {}: nothing reads the key{} {}", field, keys.size() == 1 ? "" : "s",
                     join(keys, ", "));
}

}  // namespace assay
