// What must hold for any bytes. A fuzzer ends with abort() where it does not, so that libFuzzer keeps the
// input.
#pragma once

#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace assay::fuzz {

inline void require(bool held) {
  if (!held) std::abort();
}

// A message for people: there is one, and every terminal and file can show it.
inline void require_words(std::string_view text) {
  require(!text.empty() && valid_utf8(text));
}

template <class T>
void require_words(const Result<T>& result) {
  if (!result) require_words(result.error().text());
}

}  // namespace assay::fuzz
