// What a writer remembers of texts that may be shared: under which numbers they are kept, and which have come
// before and are not kept. Both within bounds: what was forgotten is looked up in the table, or kept once
// more where it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/sha256.h"

namespace assay {

// A text that is kept once, as the table has it.
struct SharedText {
  std::optional<std::int64_t> before;  // the one that it goes on from; none: it is whole
  std::string_view text;
  Digest hash{};  // of the whole
};

// Where shared texts are kept, each under a number.
class SharedTextTable {
 public:
  SharedTextTable() = default;
  SharedTextTable(const SharedTextTable&) = delete;
  SharedTextTable& operator=(const SharedTextTable&) = delete;
  virtual ~SharedTextTable() = default;
  virtual Result<std::optional<std::int64_t>> find(const Digest& hash) = 0;
  virtual Result<std::int64_t> add(const SharedText& text) = 0;
};

class TextMemory {
 public:
  // `nothing_there`: the table is known to be empty, so that what is not remembered is not in it.
  explicit TextMemory(bool nothing_there) : all_known_(nothing_there) {}

  Result<std::optional<std::int64_t>> number_of(const Digest& hash, SharedTextTable& table) {
    if (const auto found = numbers_.find(hash); found != numbers_.end()) return found->second;
    if (all_known_) return std::nullopt;
    auto found = table.find(hash);
    if (found && *found) note(hash, **found);
    return found;
  }
  Result<std::int64_t> keep(const SharedText& text, SharedTextTable& table) {
    auto number = table.add(text);
    if (number) note(text.hash, *number);
    return number;
  }
  // After what was kept was taken back.
  void forget_numbers() {
    numbers_.clear();
    all_known_ = false;
  }

  // How a text came that is not kept.
  enum class Came { inside, whole };  // as the beginning of another, or by itself
  std::optional<Came> came(const Digest& hash) const {
    for (const auto* generation : {&young_, &old_}) {
      if (const auto found = generation->find(mark(hash)); found != generation->end()) return found->second;
    }
    return std::nullopt;
  }
  void remember(const Digest& hash, Came how) {
    // What was once a whole text stays one: others may still go on from it.
    if (came(hash) == Came::whole) how = Came::whole;
    // Two generations: when the younger is full, the elder goes.
    if (young_.size() >= kMarks) old_ = std::exchange(young_, {});
    young_[mark(hash)] = how;
  }

 private:
  static constexpr std::size_t kNumbers = 50'000;  // some 5 MB
  static constexpr std::size_t kMarks = 50'000;    // of each generation, some 2 MB

  // The first 8 bytes of a digest are as good as random.
  static std::uint64_t mark(const Digest& digest) {
    std::uint64_t value = 0;
    std::memcpy(&value, digest.data(), sizeof value);
    return value;
  }
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const { return mark(digest); }
  };
  void note(const Digest& hash, std::int64_t number) {
    if (numbers_.size() >= kNumbers) forget_numbers();
    numbers_.emplace(hash, number);
  }

  bool all_known_;
  std::unordered_map<Digest, std::int64_t, DigestHash> numbers_;
  std::unordered_map<std::uint64_t, Came> young_;
  std::unordered_map<std::uint64_t, Came> old_;
};

}  // namespace assay
