// The randomization key: which file of answers goes under which code. It follows from the files' names and
// the seed, is written before the first request, and its hash with it, so that a reader can check that it was
// not changed once judgements were there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "evaluations/experiment/design/design.h"

namespace assay::experiment {

inline constexpr const char* kKeyFile = "randomization_key.json";
inline constexpr const char* kCommitmentFile = "blinding_commitment.json";

class BlindingKey {
 public:
  explicit BlindingKey(const Design& design);

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
std::vector<std::string> blinding_codes(const std::vector<std::string>& names, std::uint64_t seed);

// Writes key and commitment, or finds them as they must be. What was changed or taken away since is an error
// of kind changed.
Status commit_to_key(const BlindingKey& key, const std::string& directory, const std::string& started);

}  // namespace assay::experiment
