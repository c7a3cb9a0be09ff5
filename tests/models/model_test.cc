#include "models/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

TEST(ModelName, IsProviderSlashName) {
  const auto spec = parse_model_name("openai/gpt-4o");
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->provider, "openai");
  EXPECT_EQ(spec->name, "gpt-4o");
  EXPECT_EQ(spec->structured, "auto");
  EXPECT_EQ(parse_model_name("sim/judge")->provider, "sim");
}

TEST(ModelName, MayHoldSlashesOfItsOwn) {
  EXPECT_EQ(parse_model_name("openai/meta-llama/Llama-3.3-70B")->name, "meta-llama/Llama-3.3-70B");
}

TEST(ModelName, WithoutAKnownProviderIsAnErrorThatListsThem) {
  for (const std::string_view text :
       {"", "gpt-4o", "/gpt-4o", "openai/", "/", "acme/gpt-4o", "OpenAI/gpt-4o"}) {
    const auto spec = parse_model_name(text);
    ASSERT_FALSE(spec.has_value()) << text;
    EXPECT_EQ(spec.error().kind, ErrorKind::config);
    for (const auto provider : known_providers()) {
      EXPECT_THAT(spec.error().message, HasSubstr(std::string(provider))) << text;
    }
  }
}

}  // namespace
}  // namespace assay
