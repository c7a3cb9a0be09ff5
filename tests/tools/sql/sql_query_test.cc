#include "tools/sql/sql_query.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Three tickets in a file of its own.
class SqlQueryTest : public ::testing::Test {
 protected:
  SqlQueryTest() {
    std::string pattern = std::filesystem::temp_directory_path() / ("assay-sql-" + std::string(6, 'X'));
    directory_ = ::mkdtemp(pattern.data());
    file_ = directory_ + "/tickets.db";
    change(R"(
      CREATE TABLE tickets (id INTEGER PRIMARY KEY, title TEXT, hours REAL, mail BLOB);
      INSERT INTO tickets VALUES (1, 'Login fails', 2.5, NULL), (2, 'Grüße', 0.125, x'00ff10'), (3, NULL, NULL, x'');
      CREATE VIEW open_tickets AS SELECT id FROM tickets WHERE id < 3;)");
  }
  ~SqlQueryTest() override { std::filesystem::remove_all(directory_); }

  void change(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(::sqlite3_open(file_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << ::sqlite3_errmsg(database);
    ::sqlite3_close(database);
  }

  SqlQuery query(std::string sql) const {
    SqlQuery asked;
    asked.database = "sqlite:" + file_;
    asked.sql = std::move(sql);
    return asked;
  }
  static Result<Json> run(SqlQuery asked) {
    EventLoop loop;
    return loop.run_until_done(run_sql_query(loop, std::move(asked)));
  }
  // The answer as JSON text, or the error's text.
  static std::string text(SqlQuery asked) {
    const auto result = run(std::move(asked));
    return result ? to_text(*result) : result.error().text();
  }
  std::string text(std::string sql) const { return text(query(std::move(sql))); }
  ErrorKind error_kind(std::string sql) const {
    const auto result = run(query(std::move(sql)));
    EXPECT_FALSE(result.has_value()) << to_text(*result);
    return result ? ErrorKind::internal : result.error().kind;
  }

  std::string directory_;
  std::string file_;
};

TEST_F(SqlQueryTest, GivesRowsAsObjectsWithNullsExactNumbersAndBlobsInHexadecimal) {
  EXPECT_EQ(text("SELECT * FROM tickets ORDER BY id"),
            R"({"columns":["id","title","hours","mail"],"rows":[)"
            R"({"id":1,"title":"Login fails","hours":2.5,"mail":null},)"
            R"({"id":2,"title":"Grüße","hours":0.125,"mail":"X'00FF10'"},)"
            R"({"id":3,"title":null,"hours":null,"mail":"X''"}]})");
  EXPECT_EQ(
      text("SELECT 9223372036854775807 AS big, -9223372036854775808 AS small, 9e999 AS inf, -9e999 AS neg"),
      R"({"columns":["big","small","inf","neg"],"rows":[{"big":9223372036854775807,)"
      R"("small":-9223372036854775808,"inf":"Infinity","neg":"-Infinity"}]})");
  EXPECT_EQ(text("SELECT id FROM tickets WHERE id > 99"), R"({"columns":["id"],"rows":[]})");
  EXPECT_EQ(text("SELECT CAST(x'61ff62' AS TEXT) AS t"),
            "{\"columns\":[\"t\"],\"rows\":[{\"t\":\"a\xEF\xBF\xBD"
            "b\"}]}");
  EXPECT_EQ(text("SELECT 'a' || char(0) || 'b' AS t"), R"({"columns":["t"],"rows":[{"t":"a\u0000b"}]})");
}

TEST_F(SqlQueryTest, LosesNoColumnWhenNamesAreTheSame) {
  EXPECT_EQ(
      text("SELECT a.id, b.id, 7 AS id_2, 8 AS id FROM tickets a JOIN tickets b ON b.id = a.id + 1 LIMIT 1"),
      R"({"columns":["id","id_3","id_2","id_4"],"rows":[{"id":1,"id_3":2,"id_2":7,"id_4":8}]})");
}

TEST_F(SqlQueryTest, TakesAnyReadingStatement) {
  EXPECT_THAT(text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT "
                   "sum(i) AS s FROM n"),
              HasSubstr(R"([{"s":55}])"));
  EXPECT_THAT(text("VALUES (1, 2)"), HasSubstr(R"("column2":2)"));
  EXPECT_THAT(text("SELECT count(*) AS n FROM open_tickets"), HasSubstr(R"([{"n":2}])"));
  EXPECT_THAT(text("SELECT name FROM sqlite_schema WHERE type = 'table'"), HasSubstr("tickets"));
  EXPECT_THAT(text("PRAGMA table_info(tickets)"), HasSubstr(R"("name":"hours")"));
  EXPECT_THAT(text("SELECT name FROM pragma_table_info('tickets')"), HasSubstr(R"({"name":"mail"})"));
  EXPECT_THAT(text("EXPLAIN QUERY PLAN SELECT * FROM tickets"), HasSubstr("SCAN tickets"));
  EXPECT_THAT(text("SELECT value FROM json_each('[4]')"), HasSubstr("[{\"value\":4}]"));
  change("CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('the printer burns')");
  EXPECT_THAT(text("SELECT body FROM notes WHERE notes MATCH 'burns'"), HasSubstr("the printer burns"));
  EXPECT_THAT(text(" -- first\n; /* then */ SELECT 1 AS one ; ;\n -- and last\n"),
              HasSubstr(R"([{"one":1}])"));
}

TEST_F(SqlQueryTest, WritesNothingWhateverItIsAsked) {
  const std::string before = read_file(file_).value();
  const std::string other = directory_ + "/other.db";
  const std::vector<std::string> statements = {"DELETE FROM tickets",
                                               "UPDATE tickets SET title = 'x' RETURNING id",
                                               "INSERT INTO tickets (id) VALUES (4) RETURNING id",
                                               "DROP TABLE tickets",
                                               "CREATE TABLE t (a)",
                                               "CREATE TEMP TABLE t AS SELECT 1",
                                               "CREATE VIRTUAL TABLE t USING fts5(a)",
                                               "ALTER TABLE tickets RENAME TO t",
                                               fmt::format("ATTACH '{}' AS other", other),
                                               "DETACH main",
                                               "VACUUM",
                                               fmt::format("VACUUM INTO '{}'", other),
                                               "REINDEX",
                                               "ANALYZE",
                                               "BEGIN",
                                               "UPDATE sqlite_master SET sql = ''",
                                               "INSERT INTO sqlite_master (name) VALUES (1)",
                                               "DELETE FROM sqlite_master",
                                               "BEGIN EXCLUSIVE",
                                               "SAVEPOINT s",
                                               "COMMIT",
                                               "PRAGMA query_only = OFF",
                                               "PRAGMA journal_mode = DELETE",
                                               "PRAGMA journal_mode",
                                               "PRAGMA user_version = 7",
                                               "PRAGMA writable_schema = ON",
                                               "PRAGMA database_list",
                                               "SELECT * FROM pragma_database_list",
                                               "SELECT * FROM pragma_journal_mode",
                                               "PRAGMA temp_store_directory = '/tmp'",
                                               "SELECT load_extension('x.so')",
                                               "SELECT Load_Extension('x.so')",
                                               "SELECT fts3_tokenizer('simple')"};
  for (const auto& sql : statements) {
    EXPECT_EQ(error_kind(sql), ErrorKind::target) << sql;
  }
  EXPECT_EQ(read_file(file_).value(), before);
  EXPECT_FALSE(file_exists(other));
  EXPECT_THAT(text("DELETE FROM tickets"), HasSubstr("only reading is allowed here"));
  EXPECT_THAT(text("ATTACH 'x' AS y"), HasSubstr("only reading is allowed here"));
}

TEST_F(SqlQueryTest, TakesExactlyOneStatementWithoutParameters) {
  EXPECT_THAT(text("SELECT 1; SELECT 2"), HasSubstr("more than one statement"));
  EXPECT_THAT(text("SELECT 1; DROP TABLE tickets"), HasSubstr("more than one statement"));
  EXPECT_THAT(text("SELECT 1; rubbish"), HasSubstr("more than one statement"));
  EXPECT_THAT(text(""), HasSubstr("no statement"));
  EXPECT_THAT(text(" -- nothing\n ;;"), HasSubstr("no statement"));
  EXPECT_THAT(text("SELECT ?"), HasSubstr("parameters"));
  EXPECT_THAT(text("SELECT :name"), HasSubstr("parameters"));
  EXPECT_THAT(text(std::string("SELECT 1\0; DROP TABLE tickets", 29)), HasSubstr("zero byte"));
  EXPECT_THAT(text("SELECT '" + std::string(100'000, 'a') + "'"), HasSubstr("at most 100000"));
  EXPECT_THAT(text(std::string(100'000, ';')), HasSubstr("no statement"));
}

TEST_F(SqlQueryTest, SaysInSqlitesWordsWhatIsWrongWithAQuery) {
  EXPECT_THAT(text("SELEC 1"), HasSubstr("near \"SELEC\": syntax error"));
  EXPECT_THAT(text("SELECT owner FROM tickets"), HasSubstr("no such column: owner"));
  EXPECT_EQ(error_kind("SELECT * FROM missing"), ErrorKind::target);
  EXPECT_EQ(error_kind("SELECT abs(-9223372036854775808)"), ErrorKind::target);  // fails while it runs
}

TEST_F(SqlQueryTest, StopsAtTheRowLimitAndSaysSo) {
  auto asked = query("SELECT id FROM tickets ORDER BY id");
  asked.max_rows = 2;
  EXPECT_EQ(text(asked),
            R"({"columns":["id"],"rows":[{"id":1},{"id":2}],)"
            R"("truncated":"only the first 2 rows are here; use WHERE, LIMIT or an aggregate"})");
  asked.max_rows = 3;  // all there are
  EXPECT_THAT(text(asked), Not(HasSubstr("truncated")));
}

TEST_F(SqlQueryTest, StopsAtTheByteLimitWithWholeRows) {
  auto asked = query("SELECT id FROM tickets ORDER BY id");
  asked.max_bytes = 16;  // {"id":1} has 8
  EXPECT_THAT(text(asked),
              AllOf(HasSubstr(R"("rows":[{"id":1},{"id":2}],"truncated")"), HasSubstr("more than 16 bytes")));
  asked.max_bytes = 24;
  EXPECT_THAT(text(asked), Not(HasSubstr("truncated")));
  asked.sql = "SELECT hex(zeroblob(1000)) AS h";
  EXPECT_THAT(text(asked), HasSubstr(R"("rows":[],"truncated")"));
}

TEST_F(SqlQueryTest, RefusesValuesThatWouldFillTheMemory) {
  EXPECT_THAT(text("SELECT zeroblob(1000000000) AS b"), HasSubstr("more than 1048576 bytes"));
  EXPECT_THAT(text("SELECT hex(hex(hex(zeroblob(500000)))) AS h"), HasSubstr("more than 1048576 bytes"));
  EXPECT_THAT(text("WITH RECURSIVE n(t) AS (SELECT 'aaaaaaaaaa' UNION ALL SELECT t || t FROM n) SELECT "
                   "max(length(t)) FROM n"),
              HasSubstr("more than 1048576 bytes"));
}

TEST_F(SqlQueryTest, EndsAtItsDeadlineWhileTheLoopGoesOn) {
  auto asked =
      query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
  asked.timeout = 200ms;
  EventLoop loop;
  int ticks = 0;
  std::function<void()> tick = [&] {
    ++ticks;
    loop.call_after(10ms, tick);
  };
  loop.call_after(10ms, tick);
  const auto start = Clock::now();
  const auto result = loop.run_until_done(run_sql_query(loop, asked));
  const auto took = Clock::now() - start;
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::timeout);
  EXPECT_THAT(result.error().text(), HasSubstr("did not end within 200 ms"));
  EXPECT_GE(took, 200ms);
  EXPECT_GE(ticks, 3);
}

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_F(SqlQueryTest, AnswersAtItsDeadlineEvenInsideOneLongStep) {
  auto asked = query("SELECT printf('%.*c', 400000000, 'a')");  // seconds in one step of SQLite's machine
  asked.timeout = 50ms;
  const auto result = run(asked);
  const std::size_t threads = threads_of_this_process();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::timeout);
  const auto start = Clock::now();
  while (threads_of_this_process() >= threads && Clock::now() - start < 60s) std::this_thread::sleep_for(5ms);
  EXPECT_LT(threads_of_this_process(), threads) << "the step went on when the answer was there";
}

TEST_F(SqlQueryTest, ADestroyedTaskStopsItsQueryAndDoesNotWait) {
  auto asked =
      query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
  asked.timeout = 60s;
  EventLoop loop;
  const auto pause = [](EventLoop& on) -> Task<void> { co_await on.sleep(20ms); };
  const std::size_t threads = threads_of_this_process();
  {
    auto task = run_sql_query(loop, asked);
    task.await_suspend(std::noop_coroutine()).resume();
    loop.run_until_done(pause(loop));
    EXPECT_GT(threads_of_this_process(), threads);
  }
  const auto start = Clock::now();
  while (threads_of_this_process() > threads && Clock::now() - start < 20s) loop.run_until_done(pause(loop));
  EXPECT_LE(threads_of_this_process(), threads);
}

TEST_F(SqlQueryTest, ManyQueriesRunSideBySide) {
  EventLoop loop;
  std::vector<Task<Result<Json>>> tasks;
  for (int i = 0; i < 20; ++i) tasks.push_back(run_sql_query(loop, query(fmt::format("SELECT {} AS i", i))));
  const auto results = loop.run_until_done(all(std::move(tasks)));
  ASSERT_EQ(results.size(), 20U);
  EXPECT_EQ(to_text(*results[7]), R"({"columns":["i"],"rows":[{"i":7}]})");
}

TEST_F(SqlQueryTest, WaitsForALockOnlyUntilItsDeadline) {
  sqlite3* writer = nullptr;
  ASSERT_EQ(::sqlite3_open(file_.c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  auto asked = query("SELECT id FROM tickets");
  asked.timeout = 100ms;
  const auto locked = run(asked);
  ASSERT_FALSE(locked.has_value());
  EXPECT_EQ(locked.error().kind, ErrorKind::timeout);
  EXPECT_THAT(locked.error().text(), HasSubstr("locked"));

  asked.timeout = 30s;
  EventLoop loop;
  loop.call_after(50ms, [&] { ::sqlite3_exec(writer, "COMMIT", nullptr, nullptr, nullptr); });
  EXPECT_TRUE(loop.run_until_done(run_sql_query(loop, asked)).has_value());
  ::sqlite3_close(writer);
}

TEST_F(SqlQueryTest, ReadsADatabaseInWalModeAndSeesNewRows) {
  change("PRAGMA journal_mode = WAL; INSERT INTO tickets (id) VALUES (4);");
  EXPECT_THAT(text("SELECT count(*) AS n FROM tickets"), HasSubstr(R"([{"n":4}])"));
}

TEST_F(SqlQueryTest, SaysWhichFileCannotBeRead) {
  auto asked = query("SELECT 1");
  asked.database = "sqlite:" + directory_ + "/missing.db";
  auto result = run(asked);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::io);
  EXPECT_THAT(result.error().text(), AllOf(HasSubstr("missing.db"), HasSubstr("no such file")));
  EXPECT_FALSE(file_exists(directory_ + "/missing.db"));

  std::ofstream(directory_ + "/text.db") << std::string(5000, 'x');
  asked.database = "sqlite:" + directory_ + "/text.db";
  asked.sql = "SELECT * FROM tickets";
  result = run(asked);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::io);
  EXPECT_THAT(result.error().text(), HasSubstr("file is not a database"));

  asked.database = "sqlite:" + directory_;
  EXPECT_EQ(run(asked).error().kind, ErrorKind::io);
}

TEST(DatabaseUrl, IsAFileOrAServer) {
  EXPECT_EQ(parse_database_url("sqlite:tickets.db").value().location, "tickets.db");
  EXPECT_EQ(parse_database_url("sqlite:/data/a b.db").value().location, "/data/a b.db");
  const auto server = parse_database_url("postgres://me:s3cret@db/tickets").value();
  EXPECT_EQ(server.kind, DatabaseKind::postgres);
  EXPECT_EQ(server.location, "postgres://me:s3cret@db/tickets");
  EXPECT_EQ(parse_database_url("postgresql://db/x").value().kind, DatabaseKind::postgres);
  for (const std::string_view wrong :
       {"", "tickets.db", "sqlite:", "sqlite::memory:", "sqlite:///a.db", "mysql://me:s3cret@db"}) {
    const auto url = parse_database_url(wrong);
    ASSERT_FALSE(url.has_value()) << wrong;
    EXPECT_EQ(url.error().kind, ErrorKind::config);
    EXPECT_THAT(url.error().text(), Not(HasSubstr("s3cret")));
  }
}

TEST(DatabaseUrl, IsJournaledWithoutItsPassword) {
  const auto journaled = [](std::string url) {
    SqlQuery asked;
    asked.database = std::move(url);
    return to_json(asked).at("database").as_string();
  };
  EXPECT_EQ(journaled("postgres://me:s3cret@db/tickets"), "postgres://db/tickets");
  EXPECT_EQ(journaled("postgres://db:5433/tickets?user=me&password=s3cret&pass%77ord=s3cret"),
            "postgres://db:5433/tickets?user=me");
  EXPECT_EQ(journaled("postgres://me:s3@cret@db/tickets"), "postgres://db/tickets");
  SqlQuery asked;
  asked.database = "sqlite:a@b.db";
  asked.sql = "SELECT 1";
  EXPECT_EQ(to_text(to_json(asked)),
            R"({"database":"sqlite:a@b.db","sql":"SELECT 1","max_rows":1000,"max_bytes":1048576})");
}

}  // namespace
}  // namespace assay
