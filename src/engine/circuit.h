// Notices that everything fails in the same way, so that a run stops with one message instead of failing a
// million times. A wrong key or certificate is noticed at once; other failures after several in a row on
// whatever cases, with no success between. Only failures that are final (after all retries) count.
#pragma once

#include <optional>
#include <string>

#include "core/error.h"

namespace assay {

class Circuit {
 public:
  explicit Circuit(int threshold) : threshold_(threshold) {}

  void success() { in_a_row_ = 0; }
  // The error to stop with, once, when this failure opens the circuit.
  std::optional<Error> failure(const Error& error);
  bool open() const { return open_; }

 private:
  int threshold_;
  int in_a_row_ = 0;
  std::string signature_;
  bool open_ = false;
};

}  // namespace assay
