// How a store's address is read, and what is shown of it.
#include "store/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/secrets/secrets.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = StoreAddress::Kind;

StoreAddress read(std::string_view text) {
  auto address = StoreAddress::read(text);
  EXPECT_TRUE(address.has_value()) << address.error().text();
  return address ? *address : *StoreAddress::read("unread");
}

std::string refusal(std::string_view text) {
  const auto address = StoreAddress::read(text);
  EXPECT_FALSE(address.has_value()) << text;
  return address ? "" : address.error().text();
}

TEST(StoreAddress, IsADirectoryAFileOfSqliteOrAPostgresServer) {
  EXPECT_EQ(read("results/store").kind(), Kind::directory);
  EXPECT_EQ(read("./a:b").kind(), Kind::directory);
  EXPECT_EQ(read("/data/2026-01-01T10:00:00").kind(), Kind::directory);
  const StoreAddress file = read("sqlite:answers.db");
  EXPECT_EQ(file.kind(), Kind::sqlite_file);
  EXPECT_EQ(file.path(), "answers.db");
  EXPECT_EQ(file.shown(), "sqlite:answers.db");
  for (const char* url :
       {"postgres://db/evals", "postgresql://me@[::1]:5432/evals", "postgres:///evals?host=/run"}) {
    EXPECT_EQ(read(url).kind(), Kind::postgres) << url;
    EXPECT_EQ(read(url).url(), url);
    EXPECT_EQ(read(url).kept(), url) << "nothing of it is a secret";
  }
}

TEST(StoreAddress, WhatIsNotUnderstoodIsRefusedWithASentence) {
  EXPECT_THAT(
      refusal("mysql://me:pa55word@db/x"),
      AllOf(HasSubstr("there is no mysql store"), HasSubstr("postgres://"), Not(HasSubstr("pa55word"))));
  EXPECT_THAT(refusal("redis://db"), HasSubstr("there is no redis store"));
  EXPECT_THAT(refusal("postgres:/x"), HasSubstr("without //"));
  EXPECT_THAT(refusal("postgres:x"), HasSubstr("without //"));
  EXPECT_THAT(refusal("postgers://db/x"), HasSubstr("did you mean postgres://"));
  EXPECT_THAT(refusal("Postgres://db/x"), HasSubstr("did you mean postgres://"));
  EXPECT_THAT(refusal("sqllite:x"), HasSubstr("did you mean sqlite:FILE"));
  EXPECT_THAT(refusal("sqlite:"), HasSubstr("expected sqlite:FILE"));
  EXPECT_THAT(refusal("sqlite:///x.db"), HasSubstr("expected sqlite:FILE"));
  EXPECT_THAT(refusal(""), HasSubstr("found nothing"));
  EXPECT_THAT(refusal("file:x"), HasSubstr("./ before it"));
}

TEST(StoreAddress, APasswordIsNeitherShownNorKept) {
  const StoreAddress address = read(
      "postgres://me:pa55word@db:5433/evals?sslmode=verify-full&password=geheim123&sslpassword=k3yphrase");
  for (const std::string& text : {address.shown(), address.kept()})
    EXPECT_THAT(text,
                AllOf(Not(HasSubstr("pa55word")), Not(HasSubstr("geheim123")), Not(HasSubstr("k3yphrase"))));
  EXPECT_EQ(address.kept(), "postgres://me@db:5433/evals?sslmode=verify-full");
  EXPECT_EQ(read("postgres://me:pa55word@db?password=x&sslmode=require").kept(),
            "postgres://me@db?sslmode=require");
  EXPECT_EQ(read("postgres://:pa55word@db/x").kept(), "postgres://@db/x");
  Secrets secrets;
  address.add_secrets(secrets);
  EXPECT_THAT(secrets.hide("FATAL: pa55word, geheim123 and k3yphrase"),
              AllOf(Not(HasSubstr("pa55word")), Not(HasSubstr("geheim123")), Not(HasSubstr("k3yphrase"))));
}

TEST(StoreAddress, AUsersNameIsNoSecretAndAPasswordThatLibpqMisreadsIsNotShownInPart) {
  const StoreAddress plain = read("postgres://postgres@/evals?host=/run");
  EXPECT_EQ(plain.shown(), "postgres://postgres@/evals?host=/run");
  Secrets secrets;
  plain.add_secrets(secrets);
  EXPECT_EQ(secrets.hide("role \"postgres\" does not exist"), "role \"postgres\" does not exist");
  for (const char* url : {"postgres://me:pa55@w0rd@db/x", "postgres://me:pa55/w0rd@db/x"}) {
    EXPECT_THAT(read(url).shown(), AllOf(Not(HasSubstr("pa55")), Not(HasSubstr("w0rd")))) << url;
    Secrets hidden;
    read(url).add_secrets(hidden);
    EXPECT_THAT(hidden.hide_pieces("host pa55@w0rd@db pa55/w0rd"),
                Not(HasSubstr(std::string(url).substr(14, 9))));
  }
}

TEST(StoreAddress, KnowsItsPlaceWhateverThePassword) {
  EXPECT_TRUE(read("postgres://me:one11111@db/x").same_place(read("postgres://me@db/x")));
  EXPECT_FALSE(read("postgres://me@db/x").same_place(read("postgres://me@db/y")));
}

}  // namespace
}  // namespace assay
