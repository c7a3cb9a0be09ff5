#include "store/cache/answer_cache.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "store/sqlite.h"
#include "tests/core/mailbox.h"
#include "tests/store/run_store_fixture.h"
#include "tests/tools/sql/postgres_server.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

CachedAnswer answer_of(const std::string& what, std::string reply) {
  return {cache_key("model", sha256(what), "run1/judge", 1), std::move(reply), "m", 1, 2, 3, 4};
}

std::unique_ptr<AnswerCache> opened(const std::string& address) {
  auto cache = AnswerCache::open(address, [](const Error& error) { ADD_FAILURE() << error.text(); });
  EXPECT_TRUE(cache) << cache.error().text();
  return std::move(*cache);
}

std::optional<CachedAnswer> found(AnswerCache& cache, const Digest& key) {
  Mailbox loop;
  return loop.await(cache.find(key));
}

// What both kinds of cache promise.
void keeps_what_is_put_in(const std::string& address) {
  const CachedAnswer first = answer_of("a", "{\"text\":\"caf\u00e9 \\u0000\"}");
  opened(address)->put(first);
  opened(address)->put(answer_of("a", "another answer to the same request"));
  auto cache = opened(address);
  EXPECT_EQ(found(*cache, first.key), first);
  EXPECT_EQ(found(*cache, answer_of("b", "").key), std::nullopt);
}

// Several at once, on an address that nobody has made ready: each writes its own and what all write.
void takes_several_writers(const std::string& address) {
  constexpr int kWriters = 4;
  constexpr int kAnswers = 10;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&address, writer] {
      auto cache = opened(address);
      for (int i = 0; i < kAnswers; ++i) {
        cache->put(answer_of(fmt::format("{} {}", writer, i), "own"));
        cache->put(answer_of(fmt::format("shared {}", i), fmt::format("of {}", writer)));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  auto cache = opened(address);
  for (int i = 0; i < kAnswers; ++i) {
    for (int writer = 0; writer < kWriters; ++writer)
      EXPECT_TRUE(found(*cache, answer_of(fmt::format("{} {}", writer, i), "").key));
    const auto shared = found(*cache, answer_of(fmt::format("shared {}", i), "").key);
    ASSERT_TRUE(shared);
    EXPECT_THAT(shared->reply, HasSubstr("of "));
  }
}

TEST(AnswerCache, TellsApartWhatDecidesAnAnswer) {
  const Digest request = sha256("request");
  const Digest key = cache_key("model", request, "run1/judge", 1);
  EXPECT_EQ(key, cache_key("model", request, "run1/judge", 1));
  EXPECT_NE(key, cache_key("model", request, "run2/judge", 1)) << "the second of n_runs is another draw";
  EXPECT_NE(key, cache_key("model", request, "run1/judge", 2));
  EXPECT_NE(key, cache_key("embedding", request, "run1/judge", 1));
  EXPECT_NE(key, cache_key("model", sha256("another"), "run1/judge", 1));
}

TEST(AnswerCache, KeepsAnswersInADirectoryThatItMakes) {
  const ScratchDirectory scratch("cache");
  keeps_what_is_put_in(scratch.path() + "/new/cache");
  EXPECT_TRUE(file_exists(scratch.path() + "/new/cache/answers.db"));
  takes_several_writers(scratch.path() + "/several");
}

// SQLite changes to its log only while nobody else uses it, and does not wait for that itself.
TEST(AnswerCache, WaitsForWhoeverHasItWhileItIsMadeReady) {
  const ScratchDirectory scratch("read_cache");
  const std::string file = scratch.path() + "/answers.db";
  auto reader = Database::open(file, Database::Mode::create);
  ASSERT_TRUE(reader && reader->execute("CREATE TABLE other(x); BEGIN IMMEDIATE"));
  std::atomic<bool> is_open = false;
  std::thread opener([&] {
    opened(scratch.path());
    is_open = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(is_open);
  EXPECT_TRUE(reader->execute("COMMIT"));
  opener.join();
  EXPECT_TRUE(is_open);
}

TEST(AnswerCache, SaysBeforehandThatItCannotBeUsed) {
  const ScratchDirectory scratch("broken_cache");
  ASSERT_TRUE(write_file(scratch.path() + "/file", "not a directory"));
  ASSERT_TRUE(write_file(scratch.path() + "/answers.db", std::string(5000, 'x')));
  for (const std::string& address :
       {scratch.path() + "/file", scratch.path() + "/", std::string("mysql://localhost/x")})
    EXPECT_FALSE(AnswerCache::open(address, nullptr)) << address;
}

// Neither an exception nor a failed run: what cannot be read is asked for.
TEST(AnswerCache, IsGivenUpAfterItsFirstFailureWhichIsToldOnce) {
  struct Broken final : CacheTable {
    Result<std::optional<CachedAnswer>> find(const Digest&) override { return fail(ErrorKind::io, "gone"); }
    Status add(std::span<const CachedAnswer>) override { return fail(ErrorKind::io, "gone"); }
  };
  std::atomic<int> told = 0;
  {
    AnswerCache cache(std::make_unique<Broken>(), std::make_unique<Broken>(), [&](const Error&) { ++told; });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(found(cache, sha256("a")), std::nullopt);
    for (int i = 0; i < 3; ++i) cache.put(answer_of("a", ""));
  }
  EXPECT_EQ(told, 1);
}

TEST(AnswerCache, KeepsAnswersOnAPostgresServer) {
  PostgresServer server;
  server.sql("CREATE ROLE writer LOGIN PASSWORD 'pa55word'");
  server.sql("CREATE DATABASE one OWNER writer");
  server.sql("CREATE DATABASE two OWNER writer");
  keeps_what_is_put_in(server.url("writer", "one"));
  takes_several_writers(server.url("writer", "two"));
  const auto refused = AnswerCache::open(
      fmt::format("postgres://writer:pa55word@/missing?host={}", server.directory()), nullptr);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), testing::AllOf(HasSubstr("missing"), Not(HasSubstr("pa55word"))));
  const auto unreadable = AnswerCache::open("postgres://writer:pa55word@/one?nonsense=1", nullptr);
  ASSERT_FALSE(unreadable);
  EXPECT_THAT(unreadable.error().text(), Not(HasSubstr("pa55word")));
}

}  // namespace
}  // namespace assay
