// A SHA-256 computation as a value: it can be copied where many go on from it. For those who compute hashes;
// everybody else asks core/sha256.h.
#pragma once

// OpenSSL's newer interface allocates for each computation and looks its algorithm up by name; this one is
// the same code on the processor's SHA instructions.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <string_view>

#include <openssl/sha.h>

#include "core/sha256.h"

namespace assay {

class Sha256State {
 public:
  Sha256State() { SHA256_Init(&context_); }
  void update(std::string_view bytes) { SHA256_Update(&context_, bytes.data(), bytes.size()); }
  // Of what came so far; more may follow.
  Digest digest() const {
    SHA256_CTX copy = context_;
    Digest digest{};
    SHA256_Final(digest.data(), &copy);
    return digest;
  }

 private:
  SHA256_CTX context_;
};

}  // namespace assay
