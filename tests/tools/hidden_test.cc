#include "tools/hidden.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Secrets secrets() {
  Secrets known(kHiddenMark);
  known.add("s3cret-token");
  known.add("123456");
  return known;
}

std::string hidden(std::string_view text) {
  return to_text(secrets().hide_in(parse_json(text).value()));
}

TEST(Hidden, InTextsNamesAndNumbersAtEveryDepth) {
  EXPECT_EQ(hidden(R"({"a":[{"s3cret-token":"my s3cret-token!"}]})"),
            R"({"a":[{"[hidden]":"my [hidden]!"}]})");
  EXPECT_EQ(hidden("[123456,12345,1.5,true,null]"), R"(["[hidden]",12345,1.5,true,null])");
}

TEST(Hidden, HoweverJsonHasWrittenIt) {
  Secrets known(kHiddenMark);
  known.add("quo\"ted-secret");
  EXPECT_EQ(to_text(known.hide_in(parse_json(R"(["a quo\"ted-secret", "a quo\u0022ted-secret"])").value())),
            R"(["a [hidden]","a [hidden]"])");
}

TEST(Hidden, NothingChangesWithoutSecrets) {
  const Json value = parse_json(R"({"a":[1,"b",{"c":null}]})").value();
  EXPECT_EQ(Secrets().hide_in(value), value);
}

TEST(Hidden, QuotesShowTheBeginningOrTheEndOfText) {
  EXPECT_EQ(quoted_start("  word\n", 10, secrets()), "word");
  EXPECT_EQ(quoted_end("  word\n", 10, secrets()), "word");
  EXPECT_EQ(quoted_end("abcdefghij", 4, secrets()), "…ghij");
  EXPECT_EQ(quoted_end("äöü", 3, secrets()), "…ü") << "cut at a character";
  EXPECT_EQ(quoted_end(std::string(100'000, 'x'), 4, secrets()), "…xxxx");
}

TEST(Hidden, QuotesHideBeforeTheyCut) {
  EXPECT_EQ(quoted_start("key s3cret-token", 12, secrets()), "key [hidden]");
  EXPECT_EQ(quoted_end("s3cret-token is wrong", 12, secrets()), "…en] is wrong");
}

}  // namespace
}  // namespace assay
