#include "store/cache/answer_cache.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::size_t kGroup = 1024;
constexpr std::string_view kFilePrefix = "sqlite:";
constexpr std::string_view kFileName = "/answers.db";

Result<std::unique_ptr<CacheTable>> open_table(const std::string& address) {
  if (address.starts_with("postgres://") || address.starts_with("postgresql://"))
    return open_postgres_cache(address);
  if (address.starts_with(kFilePrefix)) return open_sqlite_cache(address.substr(kFilePrefix.size()));
  if (address.contains("://"))
    return fail(ErrorKind::config, "expected a directory, sqlite:FILE or postgres://…");
  return open_sqlite_cache(fmt::format("{}{}", address, kFileName));
}

}  // namespace

Digest cache_key(std::string_view kind, const Digest& request_hash, std::string_view step, int attempt) {
  return sha256(fmt::format("assay answer 1\n{}\n{}\n{}\n{}", kind, hex(request_hash), attempt, step));
}

Result<std::unique_ptr<AnswerCache>> AnswerCache::open(const std::string& address,
                                                       std::function<void(const Error&)> failed) {
  auto writing = open_table(address);
  if (!writing) return fail(std::move(writing.error()));
  auto reading = open_table(address);
  if (!reading) return fail(std::move(reading.error()));
  return std::make_unique<AnswerCache>(std::move(*reading), std::move(*writing), std::move(failed));
}

AnswerCache::AnswerCache(std::unique_ptr<CacheTable> reading, std::unique_ptr<CacheTable> writing,
                         std::function<void(const Error&)> failed)
    : reading_(std::move(reading)),
      writing_(std::move(writing)),
      failed_(std::move(failed)),
      writer_(
          kGroup, [this](std::span<CachedAnswer> group) { return writing_->add(group); },
          [this](std::span<CachedAnswer> /*group*/, const Status& written) {
            if (!written) give_up(written.error());
          }) {}

void AnswerCache::give_up(const Error& error) {
  if (!given_up_.exchange(true) && failed_) failed_(error);
}

Task<std::optional<CachedAnswer>> AnswerCache::find(Digest key) {
  using Found = Result<std::optional<CachedAnswer>>;
  if (given_up_) co_return std::nullopt;
  auto found = co_await reader_.run<Found>([this, key]() -> Found {
    if (given_up_) return std::nullopt;
    return reading_->find(key);
  });
  if (found) co_return std::move(*found);
  give_up(found.error());
  co_return std::nullopt;
}

void AnswerCache::put(CachedAnswer answer) {
  if (!given_up_) writer_.add(std::move(answer));
}

}  // namespace assay
