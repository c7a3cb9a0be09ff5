#include "tools/sql/sql_query.h"

#include <algorithm>
#include <coroutine>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/secrets/secrets.h"
#include "core/text.h"
#include "core/time.h"
#include "tools/hidden.h"
#include "tools/sql/postgres_query.h"
#include "tools/sql/sql_rows.h"
#include "tools/sql/sqlite_query.h"

namespace assay {
namespace {

constexpr std::size_t kMaxSql = 100'000;

// One query, shared by the loop and the query's thread.
struct Job {
  SqlRun run;
  DatabaseUrl database;
  std::stop_source stop;
  std::coroutine_handle<> awaiter;     // only for the loop's thread; null once nobody waits
  std::optional<Result<Json>> result;  // set by the query's thread before it posts
  std::mutex mutex;
  EventLoop* loop = nullptr;  // guarded by mutex; null once nobody waits
};

void run_on_thread(const std::shared_ptr<Job>& job) {
  const std::string& location = job->database.location;
  auto result = job->database.kind == DatabaseKind::sqlite ? query_sqlite(location, job->run)
                                                           : query_postgres(location, job->run);
  const std::lock_guard lock(job->mutex);
  if (job->loop == nullptr) return;
  job->result.emplace(std::move(result));
  job->loop->post([job] {
    if (job->awaiter) std::exchange(job->awaiter, nullptr).resume();
  });
}

// co_await Querying(loop, job): until the thread has an answer or the deadline has come. Then, or when
// it is destroyed, the thread is told to end and left to itself: nobody waits for it.
class Querying {
 public:
  Querying(EventLoop& loop, std::shared_ptr<Job> job) : loop_(loop), job_(std::move(job)) {}
  Querying(const Querying&) = delete;
  Querying& operator=(const Querying&) = delete;
  ~Querying() {
    loop_.cancel(deadline_timer_);
    job_->stop.request_stop();
    job_->awaiter = nullptr;
    const std::lock_guard lock(job_->mutex);
    job_->loop = nullptr;
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    job_->awaiter = handle;
    job_->loop = &loop_;
    try {
      std::thread([job = job_] { run_on_thread(job); }).detach();
    } catch (const std::system_error& error) {
      failure_ = sql_error(fmt::format("no thread can be started for the query: {}", error.what()));
      return false;
    }
    deadline_timer_ = loop_.call_after(job_->run.query.timeout, [this] {
      deadline_timer_ = 0;
      failure_ = late();
      if (job_->awaiter) std::exchange(job_->awaiter, nullptr).resume();
    });
    return true;
  }
  Result<Json> await_resume() {
    if (failure_) return fail(std::move(*failure_));
    return std::move(*job_->result);
  }

 private:
  Error late() const {
    const bool locked = job_->run.saw_lock.load(std::memory_order_relaxed);
    return Error{ErrorKind::timeout,
                 fmt::format("the query did not end within {}{}", duration_text(job_->run.query.timeout),
                             locked ? "; the database was locked by another program" : ""),
                 {}};
  }

  EventLoop& loop_;
  std::shared_ptr<Job> job_;
  EventLoop::TimerId deadline_timer_ = 0;
  std::optional<Error> failure_;
};

constexpr std::string_view kSchemeEnd = "://";

// What follows the "?" of a URL, but for parameters that may be secret. A name that is not plain letters may
// be any name, encoded.
std::string open_parameters(std::string_view parameters) {
  std::string kept;
  for (const std::string_view parameter : split(parameters, '&')) {
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!plain || name.contains("password")) continue;
    kept += kept.empty() ? '?' : '&';
    kept += parameter;
  }
  return kept;
}

std::string without_secrets(std::string_view url) {
  const auto scheme_end = url.find(kSchemeEnd);
  if (scheme_end == std::string_view::npos) return std::string(url);
  const std::size_t start = scheme_end + kSchemeEnd.size();
  const auto at = url.rfind('@');
  const std::string_view place = url.substr(at == std::string_view::npos || at < start ? start : at + 1);
  const auto question = place.find('?');
  std::string shown(url.substr(0, start));
  shown += place.substr(0, question);
  if (question != std::string_view::npos) shown += open_parameters(place.substr(question + 1));
  return shown;
}

// Where a URL is read differently from what was meant, a part of the password is taken for a host or a port
// and comes back in a message.
bool password_is_unclear(std::string_view url) {
  url.remove_prefix(url.find(kSchemeEnd) + kSchemeEnd.size());
  const auto at = url.find('@');
  if (at == std::string_view::npos) return false;
  return url.substr(0, at).contains('/') || url.substr(at + 1).contains('@');
}

Error unclear_password() {
  return Error{ErrorKind::config,
               "in a database URL the only @ stands before the host; in a user name, password or anything "
               "else write @ as %40, and before it / as %2F",
               {}};
}

// A user name or password from the environment stands there as it is; in the URL it is encoded. What comes
// after the "@" may be a host with its port, so it is taken literally.
Result<std::string> filled_url(std::string_view url, const Environment& environment, Secrets& secrets) {
  const auto at = url.find('@');
  const std::size_t split_at = at == std::string_view::npos ? 0 : at;
  const Environment encoded = [&](std::string_view name) -> std::optional<std::string> {
    const auto value = environment(name);
    if (!value) return std::nullopt;
    std::string text = percent_encoded(*value);
    secrets.add(text);
    return text;
  };
  auto secret = fill_environment(url.substr(0, split_at), encoded);
  if (!secret) return fail(std::move(secret.error()));
  auto place = fill_environment(url.substr(split_at), environment);
  if (!place) return fail(std::move(place.error()));
  std::string filled = *secret + *place;
  if (password_is_unclear(filled)) return fail(unclear_password());
  return filled;
}

Status check_text(const std::string& sql) {
  if (sql.size() > kMaxSql) {
    return fail(
        sql_error(fmt::format("the query has {} bytes; at most {} are allowed", sql.size(), kMaxSql)));
  }
  if (sql.contains('\0')) return fail(sql_error("the query contains a zero byte"));
  return {};
}

}  // namespace

Result<DatabaseUrl> parse_database_url(std::string_view text) {
  text = trim(text);
  if (text.starts_with("postgres://") || text.starts_with("postgresql://")) {
    if (password_is_unclear(text)) return fail(unclear_password());
    return DatabaseUrl{DatabaseKind::postgres, std::string(text)};
  }
  constexpr std::string_view kScheme = "sqlite:";
  if (!text.starts_with(kScheme)) {
    return fail(ErrorKind::config, "a database is written sqlite:FILE or postgres://HOST/NAME");
  }
  const auto file = text.substr(kScheme.size());
  if (file.starts_with("//")) {
    return fail(ErrorKind::config,
                "after sqlite: comes the path of the file as it is, without //: sqlite:data/tickets.db or "
                "sqlite:/data/tickets.db");
  }
  if (file.empty() || file == ":memory:" || file.contains('\0')) {
    return fail(ErrorKind::config, "sqlite: must be followed by the path of a file");
  }
  return DatabaseUrl{DatabaseKind::sqlite, std::string(file)};
}

Json to_json(const SqlQuery& query) {
  return JsonObject{{"database", without_secrets(query.database)},
                    {"sql", query.sql},
                    {"max_rows", query.max_rows},
                    {"max_bytes", query.max_bytes}};
}

Task<Result<Json>> run_sql_query(EventLoop& loop, SqlQuery query, Environment environment) {
  auto url = parse_database_url(query.database);
  if (!url) co_return fail(std::move(url.error()));
  if (auto status = check_text(query.sql); !status) co_return fail(std::move(status.error()));
  auto job = std::make_shared<Job>();
  job->database = std::move(*url);
  Secrets secrets(kHiddenMark);
  if (job->database.kind == DatabaseKind::postgres) {
    auto filled = filled_url(job->database.location, secrets.noting(std::move(environment)), secrets);
    if (!filled) co_return fail(std::move(filled.error()));
    job->database.location = std::move(*filled);
  }
  job->run.query = std::move(query);
  job->run.stop = job->stop.get_token();
  auto result = co_await Querying(loop, job);
  if (result) co_return result;
  // A server's URL is not for messages; its errors name what they can.
  if (job->database.kind == DatabaseKind::sqlite)
    co_return fail(std::move(result.error()).with("database", job->database.location));
  result.error().message = secrets.hide_pieces(result.error().message);
  co_return result;
}

}  // namespace assay
