#include "core/secrets/literal_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;

Json json(std::string_view text) {
  return parse_json(text).value();
}

TEST(LiteralSecrets, HaveTellingNames) {
  for (const char* name : {"Authorization", "Proxy-Authorization", "X-Api-Key", "api-key", "DB_PASSWORD",
                           "access_token", "Cookie", "CLIENT_SECRET", "x-auth", "sig", "code"})
    EXPECT_TRUE(names_secret(name)) << name;
  for (const char* name : {"api_key_env", "max_tokens", "Content-Type", "author", "keywords", "Accept", "id",
                           "api-version", "timeout", "PWD", "OLDPWD", "XDG_SESSION_TYPE", "SSH_AUTH_SOCK"})
    EXPECT_FALSE(names_secret(name)) << name;
}

TEST(LiteralSecrets, OfAUrlAreItsUserItsTellingParametersAndLongRandomWords) {
  EXPECT_EQ(url_without_secrets("http://me:pw-1234@proxy:3128"), "http://me:[hidden]@proxy:3128");
  EXPECT_EQ(url_without_secrets("http://only-a-token@proxy/x"), "http://[hidden]@proxy/x");
  EXPECT_EQ(url_without_secrets("http://u:a/b@proxy:3128"), "http://u:[hidden]@proxy:3128");
  EXPECT_EQ(url_without_secrets("postgres://me:pw-1234@db/x"), "postgres://me:[hidden]@db/x");
  EXPECT_EQ(url_without_secrets("https://g/v1?api-version=2024-10-21&token=abc#f"),
            "https://g/v1?api-version=2024-10-21&token=[hidden]#f");
  EXPECT_EQ(url_without_secrets("https://g/a1b2c3d4e5f6a7b8c9d0e1f2/v1"), "https://g/[hidden]/v1");
  for (const char* open : {"https://g/deployments/gpt-4o-mini-2024-07-18/v1", "http://127.0.0.1:8080/v1",
                           "https://[::1]:80/@me/x", "https://u:${PASSWORD}@g/v1?token=${TOKEN}",
                           "https://g/x?case={id}&key={key}", "sqlite:a.db", "",
                           "postgres://only-a-name@db/x", "postgresql://name@/x?host=/run"})
    EXPECT_EQ(url_without_secrets(open), open);
}

TEST(LiteralSecrets, OfAUrlAreKnownInTheFormsThatServersRepeat) {
  Secrets secrets(kHiddenMark);
  add_url_secrets("http://me:p%40ss-word@proxy:3128", secrets);
  // printf 'me:p@ss-word' | base64
  EXPECT_EQ(secrets.hide("p%40ss-word p@ss-word Basic bWU6cEBzcy13b3Jk"), "[hidden] [hidden] Basic [hidden]");
}

const std::string_view kConfig = R"({
  "http": {"proxy": "me:hunter2@proxy:3128"},
  "models": {"m": {"base_url": "https://g/v1?token=t0ken-abc", "api_key_env": "MY_KEY"}},
  "target": {"http": {"headers": {"Authorization": "Bearer abc.def", "X-Env": "${TOKEN}", "Accept": "text/plain",
                                  "X-Token": "${TOKEN}"},
                      "body": {"api_key": "k-1234567", "text": "{question}"}}},
  "target_prompt": "see http://user:word@host for more",
  "tools": [{"environment": {"DB_PASSWORD": "s3cret"}}]})";

TEST(LiteralSecrets, OfAConfigHaveMarksInTheirPlaces) {
  const Json hidden = without_secrets(json(kConfig));
  EXPECT_EQ(hidden, json(R"({
  "http": {"proxy": "me:[hidden]@proxy:3128"},
  "models": {"m": {"base_url": "https://g/v1?token=[hidden]", "api_key_env": "MY_KEY"}},
  "target": {"http": {"headers": {"Authorization": "Bearer [hidden]", "X-Env": "${TOKEN}", "Accept": "text/plain",
                                  "X-Token": "${TOKEN}"},
                      "body": {"api_key": "[hidden]", "text": "{question}"}}},
  "target_prompt": "see http://user:word@host for more",
  "tools": [{"environment": {"DB_PASSWORD": "[hidden]"}}]})"));
  EXPECT_EQ(without_secrets(hidden), hidden);
  EXPECT_TRUE(has_secrets(json(kConfig)));
  EXPECT_FALSE(has_secrets(hidden));
  Secrets secrets(kHiddenMark);
  add_secrets_of(json(kConfig), secrets);
  EXPECT_EQ(secrets.hide("hunter2 t0ken-abc abc.def k-1234567 s3cret text/plain"),
            "[hidden] [hidden] [hidden] [hidden] [hidden] text/plain");
}

TEST(LiteralSecrets, ArePutBackFromTheConfigThatHasThem) {
  const Json hidden = without_secrets(json(kConfig));
  EXPECT_EQ(with_secrets_of(hidden, json(kConfig)), json(kConfig));
  EXPECT_TRUE(still_hidden(json(kConfig)).empty());
  // Another proxy in the original is no answer to this one.
  const Json other = json(R"({"http": {"proxy": "me:hunter2@elsewhere:3128"}, "models": {"m": {}}})");
  const Json filled = with_secrets_of(json(R"({"http": {"proxy": "me:[hidden]@proxy:3128"}})"), other);
  EXPECT_THAT(still_hidden(filled), ElementsAre("/http/proxy"));
  EXPECT_TRUE(still_hidden(json(R"({"prompt": "what is [hidden]?"})")).empty());
}

}  // namespace
}  // namespace assay
