#include "store/pieced_texts.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/json/json.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kShortText = 1000;  // below, a list of parts is hardly shorter than what it saves
constexpr std::size_t kLeast = 64;
constexpr std::size_t kMost = 2048;
// Seven bits: one place of 128. They depend on the last 32 bytes or so.
constexpr std::uint64_t kPlaces = std::uint64_t{0x7F} << 25;

// A number for each byte, as good as random (SplitMix64).
constexpr std::array<std::uint64_t, 256> kGear = [] {
  std::array<std::uint64_t, 256> numbers{};
  std::uint64_t state = 0;
  for (std::uint64_t& number : numbers) {
    state += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    number = mixed ^ (mixed >> 31);
  }
  return numbers;
}();

bool between_characters(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
}

std::size_t size_of_first_piece(std::string_view text) {
  std::uint64_t hash = 0;
  std::size_t last = 0;  // place between characters
  for (std::size_t end = 1; end <= text.size(); ++end) {
    hash = (hash << 1U) + kGear[static_cast<unsigned char>(text[end - 1])];
    if (!between_characters(text, end)) continue;
    last = end;
    if (end >= kLeast && ((hash & kPlaces) == 0 || end >= kMost)) return end;
  }
  return last == 0 ? text.size() : last;
}

// One part after the other; what follows the one before without a gap is added to it.
class PartList {
 public:
  enum Kind : int { own = 0, shared = 1 };
  void add(Kind kind, std::int64_t first, std::int64_t count) {
    if (!parts_.empty()) {
      Part& last = parts_.back();
      if (last.kind == kind && last.first + last.count == first) {
        last.count += count;
        return;
      }
    }
    parts_.push_back({kind, first, count});
  }
  bool one_part() const { return parts_.size() == 1 && parts_.front().kind == own; }
  std::vector<PiecedTexts::Range> shared_ranges() const {
    std::vector<PiecedTexts::Range> ranges;
    for (const Part& part : parts_) {
      if (part.kind == shared) ranges.push_back({part.first, part.count});
    }
    return ranges;
  }
  std::string json() const {
    std::string text = "[";
    for (const Part& part : parts_)
      text += fmt::format("{}[{},{},{}]", text.size() > 1 ? "," : "", static_cast<int>(part.kind), part.first,
                          part.count);
    return text + "]";
  }

 private:
  struct Part {
    Kind kind;
    std::int64_t first;
    std::int64_t count;
  };
  std::vector<Part> parts_;
};

}  // namespace

std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t size = size_of_first_piece(text);
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

Result<PiecedTexts::Parts> PiecedTexts::split(std::string_view text, SharedTextTable& table) {
  // SQLite counts characters of what is UTF-8, and up to the first zero.
  if (text.size() < kShortText || !valid_utf8(text) || text.contains('\0'))
    return Parts{std::string(text), "", {}};
  Parts parts;
  PartList list;
  std::int64_t own_characters = 0;
  struct Own {
    std::int64_t first;
    std::int64_t count;
  };
  std::map<Digest, Own> seen;  // in this text
  for (const std::string_view piece : pieces_of(text)) {
    const Digest hash = sha256(piece);
    auto number = memory_.number_of(hash, table);
    if (!number) return fail(std::move(number.error()));
    if (!*number && memory_.came(hash)) {
      auto kept = memory_.keep({std::nullopt, piece, hash}, table);
      if (!kept) return fail(std::move(kept.error()));
      *number = *kept;
    }
    if (*number) {
      list.add(PartList::shared, **number, 1);
      continue;
    }
    const auto [found, fresh] =
        seen.try_emplace(hash, Own{own_characters, static_cast<std::int64_t>(count_code_points(piece))});
    if (fresh) {
      parts.own += piece;
      own_characters += found->second.count;
    }
    list.add(PartList::own, found->second.first, found->second.count);
  }
  for (const auto& [hash, place] : seen) memory_.remember(hash, TextMemory::Came::inside);
  if (!list.one_part()) parts.list = list.json();
  parts.shared = list.shared_ranges();
  return parts;
}

std::vector<PiecedTexts::Range> PiecedTexts::shared_ranges(std::string_view list) {
  std::vector<Range> ranges;
  const auto json = parse_json(list);
  if (!json || !json->is_array()) return ranges;
  for (const Json& part : json->get_array()) {
    if (!part.is_array() || part.get_array().size() != 3) continue;
    const auto number = [&](std::size_t at) { return as_integer(part.get_array()[at]).value_or(0); };
    if (number(0) == PartList::shared) ranges.push_back({number(1), number(2)});
  }
  return ranges;
}

}  // namespace assay
