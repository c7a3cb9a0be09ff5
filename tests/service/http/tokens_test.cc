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

std::string client_of(const Tokens& tokens, std::string_view token, std::string_view client = {}) {
  const auto holder = tokens.holder_of(token, client);
  return holder ? holder->client : "";
}

TEST_F(TokensTest, ATokenIsKnownAgainAndNotInTheFile) {
  const auto token = Tokens::add(path, "kim");
  ASSERT_TRUE(token);
  const auto other = Tokens::add(path, "lee");
  ASSERT_TRUE(other);
  EXPECT_NE(*token, *other);
  const auto tokens = Tokens::read(path);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(client_of(*tokens, *token), "kim");
  EXPECT_EQ(client_of(*tokens, *other, "lee"), "lee");
  EXPECT_EQ(client_of(*tokens, *other, "kim"), "") << "a token belongs to its client";
  EXPECT_EQ(client_of(*tokens, ""), "");
  EXPECT_EQ(client_of(*tokens, token->substr(1)), "");
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text.find(token->substr(6)), std::string::npos);
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::others_read,
            std::filesystem::perms::none);
}

TEST_F(TokensTest, EveryWrongLineIsToldAndAnEmptyFileIsNoDoor) {
  std::ofstream(path) << "# comment\nkim\nlee abc\nmax " << std::string(64, 'a') << " read,owner\n";
  const auto wrong = Tokens::read(path);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              AllOf(HasSubstr("line 2"), HasSubstr("line 3"), HasSubstr("line 4"), HasSubstr("\"owner\"")));
  std::ofstream(path) << "# nobody\n";
  EXPECT_FALSE(Tokens::read(path)) << "a file without tokens would let everybody in";
  for (const char* name : {"", "two words", "line\nend", "#kim"})
    EXPECT_FALSE(Tokens::add(path, name)) << name;
  EXPECT_FALSE(Tokens::add(path, "kim/second")) << "kim may record under that name already";
  EXPECT_FALSE(Tokens::add(path, "kim", "read,owner"));
  EXPECT_FALSE(Tokens::read(path + "-nowhere"));
}

TEST_F(TokensTest, ALineSaysWhatItsTokenAllows) {
  const auto old = Tokens::add(path, "old");
  const auto reader = Tokens::add(path, "reader", "read");
  const auto operating = Tokens::add(path, "operating", "run");
  const auto tokens = Tokens::read(path);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->holder_of(*old)->roles.text(), "read,label,write") << "as files had it before roles";
  EXPECT_EQ(tokens->holder_of(*reader)->roles.text(), "read");
  EXPECT_EQ(tokens->holder_of(*operating)->roles, TokenRoles::all());
}

TEST(TokenRoles, IncludeWhatTheyNeed) {
  const auto label = TokenRoles::parse("label");
  ASSERT_TRUE(label);
  EXPECT_TRUE(label->allow(TokenRole::read));
  EXPECT_FALSE(label->allow(TokenRole::write));
  EXPECT_FALSE(label->allow(TokenRole::run));
  EXPECT_EQ(TokenRoles::parse(" write, label ")->text(), "read,label,write");
  EXPECT_TRUE(TokenRoles().allow(TokenRole::none));
  EXPECT_FALSE(TokenRoles().allow(TokenRole::any));
  EXPECT_FALSE(TokenRoles::parse(""));
}

TEST_F(TokensTest, AChangedFileCountsAtOnce) {
  const auto kim = Tokens::add(path, "kim");
  std::string told;
  auto file = TokenFile::open(path, [&](const std::string& problem) { told = problem; });
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->now()->holder_of(*kim));
  const auto lee = Tokens::add(path, "lee");
  EXPECT_TRUE((*file)->now()->holder_of(*lee)) << "added while the service runs";
  EXPECT_EQ(told, "");
  std::ofstream(path, std::ios::app) << "half a line\n";
  EXPECT_TRUE((*file)->now()->holder_of(*kim)) << "a wrong line closes no other door";
  EXPECT_THAT(told, HasSubstr("line 3"));
  std::filesystem::remove(path);
  EXPECT_FALSE((*file)->now()->holder_of(*kim)) << "without a file nobody comes in";
  EXPECT_TRUE((*file)->needed());
}

TEST(TokenFile, WithoutAFileNobodyNeedsAToken) {
  const auto file = TokenFile::open("", {});
  ASSERT_TRUE(file);
  EXPECT_FALSE((*file)->needed());
}

}  // namespace
}  // namespace assay
