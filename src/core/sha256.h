// SHA-256, for naming requests, inputs and configurations by their content.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

using Digest = std::array<unsigned char, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // Of what came so far; more may follow.
  Digest so_far() const;
  // Ends the computation; the object may not be used afterwards.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest sha256(std::string_view bytes);
std::string hex(const Digest& digest);
// Of a file's content, read in pieces.
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace assay
