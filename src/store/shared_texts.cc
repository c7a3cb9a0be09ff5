#include "store/shared_texts.h"

#include <utility>

namespace assay {
namespace {

// A text of its own takes about as much beside its bytes: number, reference and its hash twice.
constexpr std::size_t kWorthKeeping = 100;

}  // namespace

std::vector<SharedTexts::Prefix> SharedTexts::prefixes_of(std::string_view text, const PrefixEnds& ends) {
  std::vector<Prefix> prefixes;
  prefixes.reserve(ends.size());
  const std::vector<Digest> hashes = hashes_.prefixes(text, ends);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] >= kWorthKeeping) prefixes.push_back({ends[i], hashes[i]});
  }
  return prefixes;
}

bool SharedTexts::goes_on(const std::vector<Prefix>& prefixes) const {
  for (std::size_t i = 0; i + 1 < prefixes.size(); ++i) {
    if (memory_.came(prefixes[i].hash) == TextMemory::Came::whole) return true;
  }
  return false;
}

Result<SharedTexts::Split> SharedTexts::split(std::string_view text, const PrefixEnds& ends,
                                              SharedTextTable& table) {
  if (ends.empty()) return Split{std::nullopt, text};
  const std::vector<Prefix> prefixes = prefixes_of(text, ends);
  Split split;
  std::size_t done = 0;   // bytes that are shared
  std::size_t first = 0;  // prefix that is not kept
  for (std::size_t i = prefixes.size(); i > 0 && !split.before; --i) {
    auto number = memory_.number_of(prefixes[i - 1].hash, table);
    if (!number) return fail(std::move(number.error()));
    if (!*number) continue;
    split.before = *number;
    done = prefixes[i - 1].end;
    first = i;
  }
  const bool conversation = goes_on(prefixes);
  for (std::size_t i = first; i < prefixes.size(); ++i) {
    const auto& [end, hash] = prefixes[i];
    const bool again = conversation || memory_.came(hash).has_value();
    memory_.remember(hash, i + 1 == prefixes.size() ? TextMemory::Came::whole : TextMemory::Came::inside);
    if (!again || end - done < kWorthKeeping) continue;
    auto number = memory_.keep({split.before, text.substr(done, end - done), hash}, table);
    if (!number) return fail(std::move(number.error()));
    split.before = *number;
    done = end;
  }
  split.own = text.substr(done);
  return split;
}

}  // namespace assay
