// SHA-256 of texts of which many begin alike, as the requests of a judge do: where a text begins with a head
// that came before, the computation goes on behind it. The digests are those of sha256(). Belongs to one
// thread at a time.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/prefixed_text.h"
#include "core/sha256.h"

namespace assay {

class HeadedHash {
 public:
  HeadedHash();
  ~HeadedHash();
  HeadedHash(HeadedHash&&) noexcept;
  HeadedHash& operator=(HeadedHash&&) noexcept;

  // Of the whole text.
  Digest whole(std::string_view text, const PrefixEnds& ends);
  // Of each prefix, in the order of the ends.
  std::vector<Digest> prefixes(std::string_view text, const PrefixEnds& ends);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
