#include "service/http/tokens.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct TokensTest : testing::Test {
  std::string path = testing::TempDir() + "assay-tokens";
  void SetUp() override { std::filesystem::remove(path); }
};

TEST_F(TokensTest, ATokenIsKnownAgainAndNotInTheFile) {
  const auto token = Tokens::add(path, "kim");
  ASSERT_TRUE(token);
  const auto other = Tokens::add(path, "lee");
  ASSERT_TRUE(other);
  EXPECT_NE(*token, *other);
  const auto tokens = Tokens::read(path);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->client_of(*token), "kim");
  EXPECT_EQ(tokens->client_of(*other, "lee"), "lee");
  EXPECT_EQ(tokens->client_of(*other, "kim"), "") << "a token belongs to its client";
  EXPECT_EQ(tokens->client_of(""), "");
  EXPECT_EQ(tokens->client_of(token->substr(1)), "");
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text.find(token->substr(6)), std::string::npos);
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::others_read,
            std::filesystem::perms::none);
}

TEST_F(TokensTest, EveryWrongLineIsToldAndAnEmptyFileIsNoDoor) {
  std::ofstream(path) << "# comment\nkim\nlee abc\n";
  const auto wrong = Tokens::read(path);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("line 2"), HasSubstr("line 3")));
  std::ofstream(path) << "# nobody\n";
  EXPECT_FALSE(Tokens::read(path)) << "a file without tokens would let everybody in";
  EXPECT_TRUE(Tokens::read("")->empty());
  EXPECT_FALSE(Tokens::add(path, "two words"));
  EXPECT_FALSE(Tokens::read(path + "-nowhere"));
}

}  // namespace
}  // namespace assay
