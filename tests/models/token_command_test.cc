#include "models/token_command.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};

TEST(PrintedToken, IsAWordOrJson) {
  EXPECT_EQ(read_token("abc\n", kNow)->token, "abc");
  EXPECT_FALSE(read_token("abc\n", kNow)->expires.has_value());
  const auto google = read_token(R"({"access_token":"g","expires_in":3599})", kNow);
  EXPECT_EQ(google->token, "g");
  EXPECT_EQ(*google->expires, kNow + std::chrono::seconds(3599));
  const auto azure = read_token(R"({"accessToken":"a","expiresOn":"2027-01-15T08:00:00Z"})", kNow);
  EXPECT_EQ(azure->token, "a");
  EXPECT_TRUE(azure->expires.has_value());
}

TEST(PrintedToken, ThatIsNoneIsToldWithoutRepeatingIt) {
  for (const std::string_view printed :
       {"", "  \n", "two words", R"({"secret":"s3cret"})", "{\"access_token\":"}) {
    const auto token = read_token(printed, kNow);
    ASSERT_FALSE(token.has_value()) << printed;
    EXPECT_EQ(token.error().kind, ErrorKind::auth);
    EXPECT_THAT(token.error().message, testing::Not(HasSubstr("s3cret")));
  }
}

class Command : public testing::Test {
 protected:
  // Prints how often it was run.
  std::vector<std::string> counting() { return {"/bin/sh", "-c", "echo x >> \"$0\"; wc -l < \"$0\"", file_}; }
  Result<std::string> get(TokenCommand& command) { return loop_.run_until_done(command.get()); }

  void SetUp() override {
    file_ = testing::TempDir() + "/token_runs_" + std::to_string(::getpid());
    std::filesystem::remove(file_);
  }

  std::string file_;
  EventLoop loop_;
  std::vector<std::string> noted_;
};

TEST_F(Command, IsRunOnceForAllWhoAskAndAgainWhenItsTokenWasRefused) {
  TokenCommand command(loop_, counting(), [this](std::string_view token) { noted_.emplace_back(token); });
  const auto both = loop_.run_until_done([](TokenCommand& one) -> Task<std::vector<Result<std::string>>> {
    std::vector<Task<Result<std::string>>> asked;
    for (int i = 0; i < 3; ++i) asked.push_back(one.get());
    co_return co_await all(std::move(asked));
  }(command));
  for (const auto& token : both) EXPECT_EQ(token.value_or("?"), "1");
  EXPECT_EQ(*get(command), "1");
  command.refuse("another");
  EXPECT_EQ(*get(command), "1");
  command.refuse("1");
  EXPECT_EQ(*get(command), "2");
  EXPECT_THAT(noted_, ElementsAre("1", "2"));
}

TEST_F(Command, IsRunAgainWhenItsTokenHasExpired) {
  const auto living = [&](double seconds) {
    return std::make_unique<TokenCommand>(
        loop_,
        std::vector<std::string>{"/bin/sh", "-c",
                                 fmt::format("echo x >> \"$0\"; printf '{{\"access_token\":\"t%d\","
                                             "\"expires_in\":{}}}' $(wc -l < \"$0\")",
                                             seconds),
                                 file_},
        [](std::string_view) {});
  };
  const auto brief = living(0.2);
  EXPECT_EQ(*get(*brief), "t1");
  loop_.run_until_done(
      [](EventLoop& loop) -> Task<void> { co_await loop.sleep(std::chrono::milliseconds(200)); }(loop_));
  EXPECT_EQ(*get(*brief), "t2");
  // A short life is lived, but for its end: the program is not run for each request.
  const auto short_lived = living(30);
  EXPECT_EQ(*get(*short_lived), "t3");
  EXPECT_EQ(*get(*short_lived), "t3");
  const auto dead = living(0);
  EXPECT_EQ(*get(*dead), "t4");
  EXPECT_EQ(*get(*dead), "t5");
}

TEST_F(Command, ThatFailsIsToldWithoutWhatItSays) {
  const auto why = [&](std::vector<std::string> argv) {
    TokenCommand command(loop_, std::move(argv), [](std::string_view) {});
    const auto token = get(command);
    return token ? "" : token.error().message;
  };
  EXPECT_EQ(why({"/bin/sh", "-c", "echo s3cret >&2; exit 3"}),
            "api_key_command (/bin/sh): it ended with the code 3; run it by hand to see why");
  EXPECT_THAT(why({"no-such-program-here"}), HasSubstr("no-such-program-here"));
  EXPECT_THAT(why({"/bin/sh", "-c", "true"}), HasSubstr("it printed nothing"));
}

// A case that is ended while it waits must not be resumed, and the others go on.
TEST_F(Command, LetsThoseGoOnWhoStillWait) {
  TokenCommand command(loop_, counting(), [](std::string_view) {});
  {
    auto given_up = command.get();
    given_up.await_suspend(std::noop_coroutine()).resume();
  }
  EXPECT_EQ(*get(command), "1");
}

}  // namespace
}  // namespace assay
