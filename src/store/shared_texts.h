// Texts that many rows of a journal share are kept once. Each is known by the SHA-256 of a whole prefix and
// holds what that prefix has beyond a shorter one (`before`), so that the earlier messages of a conversation
// are kept once however many requests repeat them. A row then holds a reference to the longest prefix that is
// kept, and only its own rest.
//
// A prefix is kept when it comes for the second time. A request that goes on from one that was asked before
// is a conversation, which will be repeated again: all of its messages are kept at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/headed_hash.h"
#include "core/prefixed_text.h"
#include "core/sha256.h"
#include "store/text_memory.h"

namespace assay {

class SharedTexts {
 public:
  explicit SharedTexts(bool nothing_there) : memory_(nothing_there) {}

  // A text behind a shared one.
  struct Split {
    std::optional<std::int64_t> before;
    std::string_view own;
  };
  // Keeps what is worth it; `text` is all of it, and what the result views.
  Result<Split> split(std::string_view text, const PrefixEnds& ends, SharedTextTable& table);

 private:
  struct Prefix {
    std::size_t end = 0;
    Digest hash{};
  };
  std::vector<Prefix> prefixes_of(std::string_view text, const PrefixEnds& ends);
  bool goes_on(const std::vector<Prefix>& prefixes) const;

  TextMemory memory_;
  HeadedHash hashes_;
};

}  // namespace assay
