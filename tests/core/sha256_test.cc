#include "core/sha256.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay
