#include "evaluations/experiment/design/blinding.h"

#include <array>
#include <random>
#include <set>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/json/json.h"
#include "core/random.h"
#include "core/sha256.h"

namespace assay::experiment {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr int kCodeLength = 4;
constexpr std::size_t kSaltBytes = 16;

std::string commitment_text(const BlindingKey& key, const std::string& started) {
  return pretty_text(JsonObject{
      {"file", kKeyFile},
      {"sha256", key.hash()},
      {"committed", "which file of answers stands under which code; written before anything was asked"},
      {"started", started}});
}

std::unexpected<Error> changed(const std::string& directory, const char* file, const std::string& what) {
  return fail(Error{ErrorKind::changed,
                    fmt::format("{}; judgements that were made under another key cannot be told apart any "
                                "more. Put the file back, or start a new run",
                                what),
                    {{"file", directory + "/" + file}}});
}

}  // namespace

std::vector<std::string> blinding_codes(const std::vector<std::string>& names, std::uint64_t seed,
                                        const std::string& salt) {
  std::vector<std::string> codes;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    Random random = Random::keyed(seed, "blinding", salt, name);
    std::string code;
    do {
      code = "dataset_";
      for (int i = 0; i < kCodeLength; ++i)
        code += kLetters[static_cast<std::size_t>(random.below(kLetters.size()))];
      code += ".json";
    } while (!taken.insert(code).second);
    codes.push_back(std::move(code));
  }
  return codes;
}

BlindingKey::BlindingKey(const Design& design, const std::string& salt) {
  std::vector<std::string> names;
  names.reserve(design.answers());
  for (std::size_t place = 0; place < design.answers(); ++place) names.push_back(design.file_at(place));
  codes_ = blinding_codes(names, design.seed, salt);
  JsonObject map;
  for (std::size_t i = 0; i < names.size(); ++i) map.emplace(names[i], codes_[i]);
  map.emplace(kSalt, salt);
  text_ = pretty_text(map);
  hash_ = hex(sha256(text_));
}

std::string fresh_salt() {
  std::array<unsigned char, kSaltBytes> bytes{};
  std::random_device device;
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(device());
  std::string salt;
  for (const unsigned char byte : bytes) salt += fmt::format("{:02x}", byte);
  return salt;
}

std::string salt_of(const std::string& key_text) {
  const auto key = parse_json(key_text);
  return key ? text_at(*key, kSalt) : "";
}

Result<BlindingKey> commit_to_key(const Design& design, const std::string& directory,
                                  const std::string& started) {
  const std::string key_path = directory + "/" + kKeyFile;
  const std::string commitment_path = directory + "/" + kCommitmentFile;
  const bool committed = file_exists(commitment_path);
  const bool kept = file_exists(key_path);
  if (committed && !kept)
    return changed(directory, kKeyFile, "the key is missing, although it was committed to");
  std::string salt;
  std::string before;
  if (kept) {
    auto text = read_file(key_path);
    if (!text) return fail(std::move(text.error()));
    before = std::move(*text);
    salt = salt_of(before);
  } else {
    salt = fresh_salt();
  }
  BlindingKey key(design, salt);
  if (kept && (salt.size() != 2 * kSaltBytes || before != key.text()))
    return changed(directory, kKeyFile, "this is not the key that names, seed and its salt give");
  if (!kept) {
    if (auto written = write_file(key_path, key.text()); !written) return fail(std::move(written.error()));
  }
  if (!committed) {
    if (auto written = write_file(commitment_path, commitment_text(key, started)); !written)
      return fail(std::move(written.error()));
    return key;
  }
  auto text = read_file(commitment_path);
  if (!text) return fail(std::move(text.error()));
  auto json = parse_json(*text);
  if (!json || text_at(*json, "sha256") != key.hash())
    return changed(directory, kCommitmentFile, "this commitment is not to the key of this run");
  return key;
}

}  // namespace assay::experiment
