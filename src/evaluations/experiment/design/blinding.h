// The randomization key: which file of answers goes under which code. The codes follow from the files' names,
// the seed and a salt that is drawn when the run begins and stands in the key, so that nobody who knows
// config and program can tell a code's condition, nor try keys against the commitment. The key is written
// before the first request, and its hash with it, so that a reader can check that it was not changed once
// judgements were there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "evaluations/experiment/design/design.h"

namespace assay::experiment {

inline constexpr const char* kKeyFile = "randomization_key.json";
inline constexpr const char* kCommitmentFile = "blinding_commitment.json";
inline constexpr std::string_view kSalt = "salt";  // the member of the key that is no file

class BlindingKey {
 public:
  BlindingKey(const Design& design, const std::string& salt);

  // "dataset_x7k9.json": of the answers at a place of the design.
  const std::string& code(std::size_t place) const { return codes_.at(place); }
  // The bytes of randomization_key.json, and their SHA-256.
  const std::string& text() const { return text_; }
  const std::string& hash() const { return hash_; }

 private:
  std::vector<std::string> codes_;  // by place
  std::string text_;
  std::string hash_;
};

// Random codes, one for each name and no two alike.
std::vector<std::string> blinding_codes(const std::vector<std::string>& names, std::uint64_t seed,
                                        const std::string& salt);

// 128 bits of the operating system's randomness, in hex.
std::string fresh_salt();
// What the text of a key says its salt is; "" if it says none.
std::string salt_of(const std::string& key_text);

// Writes key and commitment, or finds them as they must be. What was changed or taken away since is an error
// of kind changed.
Result<BlindingKey> commit_to_key(const Design& design, const std::string& directory,
                                  const std::string& started);

}  // namespace assay::experiment
