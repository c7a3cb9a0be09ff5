#include "core/sha256.h"

#include <gtest/gtest.h>

#include "core/headed_hash.h"

namespace assay {
namespace {

// FIPS 180-2, B.1 and the empty message.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(hex(sha256("abc")), kAbc);
  EXPECT_EQ(hex(sha256("")), kEmpty);
}

TEST(Sha256, CanBeAskedForInBetween) {
  Sha256 hash;
  EXPECT_EQ(hex(hash.so_far()), kEmpty);
  hash.update("ab");
  EXPECT_EQ(hash.so_far(), sha256("ab"));
  hash.update("c");
  EXPECT_EQ(hex(hash.so_far()), kAbc);
  EXPECT_EQ(hex(hash.finish()), kAbc) << "asking changes nothing";
}

TEST(HeadedHash, GivesTheSameAsHashingEachPrefixByItself) {
  HeadedHash hashes;
  // More heads than are kept, in turns; some are short, one is too long to be kept, ends may coincide.
  for (int round = 0; round < 40; ++round) {
    const std::string head(static_cast<std::size_t>(100 + (round % 11) * 700),
                           static_cast<char>('a' + round % 11));
    const std::string message =
        head + "said " + std::to_string(round % 3) + std::string(round == 7 ? 70'000 : 50, 'x');
    const std::string text = message + "own " + std::to_string(round);
    const PrefixEnds ends{head.size(), message.size(), message.size(), text.size() - 1};
    EXPECT_EQ(hashes.whole(text, ends), sha256(text)) << round;
    EXPECT_EQ(hashes.whole(text, {}), sha256(text)) << round;
    const auto digests = hashes.prefixes(text, ends);
    ASSERT_EQ(digests.size(), ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i)
      EXPECT_EQ(digests[i], sha256(std::string_view(text).substr(0, ends[i]))) << round << " " << i;
    // The same beginning, divided otherwise.
    EXPECT_EQ(hashes.prefixes(text, {50, head.size()}).front(), sha256(std::string_view(text).substr(0, 50)));
  }
}

}  // namespace
}  // namespace assay
