#include "models/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

class Echo : public ChatModel {
 public:
  explicit Echo(std::string name) : name_(std::move(name)) {}
  Task<std::expected<ChatReply, ModelFailure>> complete(const ChatRequest&, OnTokens) override {
    co_return ChatReply{};
  }
  ModelIdentity identity() const override { return {.provider = "sim", .name = name_}; }
  std::string limit_key() const override { return "sim " + name_; }

 private:
  std::string name_;
};

class Registry : public testing::Test {
 protected:
  static ModelAliases aliases() {
    ModelAliases list;
    list["claude"] = {.provider = "anthropic", .name = "claude-sonnet-4-5", .max_tokens = 1000};
    list["same"] = {.provider = "anthropic", .name = "claude-sonnet-4-5", .max_tokens = 1000, .stream = true};
    list["local"] = {.provider = "openai", .name = "qwen3", .base_url = "http://127.0.0.1:8080/v1"};
    list["with_token"] = {
        .provider = "vertex", .name = "x", .base_url = "https://aiplatform.googleapis.com/v1"};
    list["with_token"].api_key_command = {"/bin/sh", "-c", "echo token"};
    list["without_token"] = list["with_token"];
    list["without_token"].api_key_command = {"/nowhere/token", "--short"};
    list["broken"] = {.provider = "openai", .name = "x", .base_url = "nowhere"};
    list["mystery"] = {.provider = "acme", .name = "x"};
    return list;
  }

  EventLoop loop_;
  Models models_{loop_, aliases(), [](std::string_view) { return std::nullopt; },
                 [](const ModelSpec& spec) -> Result<std::unique_ptr<ChatModel>> {
                   if (spec.name == "gone") return nullptr;
                   if (spec.name == "wrong") return fail(ErrorKind::config, "the script is not readable");
                   return std::make_unique<Echo>(spec.name);
                 }};
};

TEST_F(Registry, FindsAliasesAndProviders) {
  EXPECT_EQ(models_.resolve("claude")->max_tokens, 1000);
  EXPECT_EQ(models_.resolve("openai/gpt-4o")->name, "gpt-4o");
  EXPECT_EQ((*models_.find("local"))->limit_key(), "openai http://127.0.0.1:8080/v1");
  EXPECT_EQ((*models_.find("claude"))->limit_key(), "anthropic https://api.anthropic.com/v1");
  EXPECT_EQ((*models_.find("sim/judge"))->limit_key(), "sim judge");
}

TEST_F(Registry, AliasesAreIdentifiedByWhatTheyStandFor) {
  const ModelIdentity claude = (*models_.find("claude"))->identity();
  EXPECT_EQ(claude.provider, "anthropic");
  EXPECT_EQ(claude.name, "claude-sonnet-4-5");
  EXPECT_EQ(claude.max_tokens, 1000);
  EXPECT_EQ((*models_.find("same"))->identity(), claude);
  EXPECT_NE((*models_.find("anthropic/claude-sonnet-4-5"))->identity(), claude);
}

TEST_F(Registry, BuildsAModelOnce) {
  EXPECT_EQ(*models_.find("claude"), *models_.find("claude"));
  EXPECT_NE(*models_.find("openai/a"), *models_.find("openai/b"));
  ChatModel* first = *models_.find("sim/judge");
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(models_.find("sim/x" + std::to_string(i)).has_value());
  EXPECT_EQ(*models_.find("sim/judge"), first);
}

TEST_F(Registry, ListsWhatIsKnownWhenAModelIsNot) {
  const auto found = models_.find("claud");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, ErrorKind::config);
  for (const char* word : {"claud", "did you mean claude", "local", "anthropic", "openai", "sim"}) {
    EXPECT_THAT(found.error().message, HasSubstr(word));
  }
}

TEST_F(Registry, NamesTheModelWhoseDeclarationIsWrong) {
  EXPECT_THAT(models_.find("broken").error().text(), HasSubstr("broken"));
  EXPECT_THAT(models_.find("broken").error().text(), HasSubstr("base_url"));
  EXPECT_THAT(models_.find("mystery").error().text(), HasSubstr("acme"));
  EXPECT_EQ(models_.find("sim/gone").error().kind, ErrorKind::config);
  EXPECT_THAT(models_.find("sim/wrong").error().text(), HasSubstr("the script is not readable"));
}

TEST_F(Registry, GivesItsTimeoutsToModelsWithoutADeclaration) {
  models_.set_timeouts({.total = std::chrono::seconds(7), .idle = std::chrono::seconds(3)});
  EXPECT_EQ(models_.resolve("openai/gpt-4o")->timeout, std::chrono::seconds(7));
  EXPECT_EQ(models_.resolve("openai/gpt-4o")->idle_timeout, std::chrono::seconds(3));
  EXPECT_EQ(models_.resolve("claude")->timeout, std::chrono::seconds(120));
}

TEST_F(Registry, IsReadyWhereTheProgramThatPrintsTheKeyIsThere) {
  EXPECT_TRUE((*models_.find("with_token"))->ready().has_value());
  EXPECT_EQ((*models_.find("without_token"))->ready().error().message,
            "api_key_command: there is no program /nowhere/token");
}

TEST_F(Registry, NeedsNoKeyToBuild) {
  EXPECT_TRUE(models_.find("openai/gpt-4o").has_value());
}

}  // namespace
}  // namespace assay
