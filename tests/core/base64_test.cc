#include "core/base64.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

// RFC 4648, section 10.
const std::vector<std::pair<std::string, std::string>> kVectors = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
};

TEST(Base64, GivesAndReadsTheVectorsOfTheStandard) {
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(from_base64(base64(all)), all);
}

TEST(Base64, ReadsNothingElse) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm9",
                           "Zm9v=", "Z===", "====", "Zg==Zg==", "Zh==", "Zm9=", "Zm 9", "Zm-v", "Zm9v\n"})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace assay
