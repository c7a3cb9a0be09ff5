// The SQL tool against a real PostgreSQL server. The role `reader` owns its tables and may write to them:
// that it does not is the tool's doing.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/tools/sql/postgres_server.h"
#include "tools/sql/postgres_value.h"
#include "tools/sql/sql_query.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPassword = "p@ss/w:rd%?#";

Environment variables(std::vector<std::pair<std::string, std::string>> known) {
  return [known = std::move(known)](std::string_view name) -> std::optional<std::string> {
    for (const auto& [key, value] : known) {
      if (key == name) return value;
    }
    return std::nullopt;
  };
}

class PostgresQueryTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<PostgresServer>();
    server_->sql(
        fmt::format("CREATE ROLE reader LOGIN; CREATE ROLE locked LOGIN PASSWORD '{}'; "
                    "CREATE ROLE climber LOGIN; GRANT postgres TO climber; "
                    "CREATE ROLE nosy LOGIN; GRANT pg_read_all_data TO nosy; "
                    "CREATE ROLE rummager LOGIN; GRANT pg_read_server_files TO rummager",
                    kPassword));
    server_->sql("CREATE DATABASE tickets OWNER reader");
    server_->sql(R"(
      SET ROLE reader;
      CREATE TABLE tickets (id int PRIMARY KEY, title text, hours float8, mail bytea);
      INSERT INTO tickets VALUES (1, 'Login fails', 2.5, NULL), (2, 'Grüße', 0.125, '\x00ff10'), (3, NULL, NULL, '');
      CREATE SEQUENCE numbers;
      CREATE FUNCTION sneak() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM tickets; RETURN 1; END $$;
      CREATE FUNCTION chatter() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'noise'; RETURN 1; END $$;
      CREATE PROCEDURE leave(INOUT n int) LANGUAGE plpgsql AS $$ BEGIN COMMIT; DELETE FROM tickets; END $$;)",
                 "tickets");
    // Passwords are asked for on the same socket.
    const std::string rules = server_->directory() + "/data/pg_hba.conf";
    ASSERT_TRUE(write_file(rules, "local all locked scram-sha-256\nlocal all all trust\n"));
    std::filesystem::permissions(rules, std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    server_->sql("SELECT pg_reload_conf()");
  }
  static void TearDownTestSuite() { server_.reset(); }

  static SqlQuery query(std::string sql) {
    SqlQuery asked;
    asked.database = server_->url("reader", "tickets");
    asked.sql = std::move(sql);
    asked.timeout = 60s;
    return asked;
  }
  static Result<Json> run(SqlQuery asked, Environment environment = process_environment()) {
    EventLoop loop;
    return loop.run_until_done(run_sql_query(loop, std::move(asked), std::move(environment)));
  }
  // The answer as JSON text, or the error's text.
  static std::string text(SqlQuery asked, Environment environment = process_environment()) {
    const auto result = run(std::move(asked), std::move(environment));
    return result ? to_text(*result) : result.error().text();
  }
  static std::string text(std::string sql) { return text(query(std::move(sql))); }
  static Error error(SqlQuery asked, Environment environment = process_environment()) {
    const auto result = run(std::move(asked), std::move(environment));
    return result ? Error{ErrorKind::internal, "no error: " + to_text(*result), {}} : result.error();
  }
  static Error error(std::string sql) { return error(query(std::move(sql))); }
  // The rows alone.
  static std::string rows(std::string sql) {
    const auto result = run(query(std::move(sql)));
    return result ? to_text(result->at("rows")) : result.error().text();
  }

  // Statements that the tool's connections still run.
  static std::string running() {
    return server_->sql(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'");
  }
  static bool ends_soon() {
    for (int i = 0; i < 300 && running() != "0\n"; ++i) std::this_thread::sleep_for(50ms);
    return running() == "0\n";
  }

  static inline std::unique_ptr<PostgresServer> server_;
};

TEST_F(PostgresQueryTest, GivesRowsAsObjects) {
  EXPECT_EQ(text("SELECT * FROM tickets ORDER BY id"),
            R"({"columns":["id","title","hours","mail"],"rows":[)"
            R"({"id":1,"title":"Login fails","hours":2.5,"mail":null},)"
            R"({"id":2,"title":"Grüße","hours":0.125,"mail":"X'00FF10'"},)"
            R"({"id":3,"title":null,"hours":null,"mail":"X''"}]})");
  EXPECT_EQ(text("SELECT id FROM tickets WHERE id > 99"), R"({"columns":["id"],"rows":[]})");
}

TEST_F(PostgresQueryTest, GivesEachTypeAsTheHeaderSays) {
  EXPECT_EQ(rows("SELECT 9223372036854775807 AS big, '-32768'::int2 AS small, 'Infinity'::float8 AS inf, "
                 "'NaN'::float4 AS nan, 0.1::float4 AS real, true AS yes, false AS no, 7::oid AS oid"),
            R"([{"big":9223372036854775807,"small":-32768,"inf":"Infinity","nan":"NaN","real":0.1,)"
            R"("yes":true,"no":false,"oid":7}])");
  EXPECT_EQ(rows("SELECT 12.50 AS price, sum(id) AS sum, avg(id) AS mean, 1e30::numeric AS huge, "
                 "0.1234567890123456789 AS long FROM tickets"),
            R"([{"price":12.5,"sum":6,"mean":2,"huge":"1000000000000000000000000000000",)"
            R"("long":"0.1234567890123456789"}])");
  EXPECT_EQ(rows(R"(SELECT '{"a": [1, null]}'::jsonb AS j, '"t"'::json AS t)"),
            R"([{"j":{"a":[1,null]},"t":"t"}])");
  EXPECT_EQ(rows("SELECT timestamp '2026-01-31 12:00:00.5' AS at, timestamptz '2026-01-31 12:00:00+00' AT "
                 "TIME ZONE 'UTC' AS utc, date '2026-01-31' AS day, interval '1 day 2 hours' AS time"),
            R"([{"at":"2026-01-31 12:00:00.5","utc":"2026-01-31 12:00:00","day":"2026-01-31",)"
            R"("time":"1 day 02:00:00"}])");
  EXPECT_EQ(rows("SELECT ARRAY[1,2] AS list, 'a'::name AS name, int4range(1,3) AS range"),
            R"-([{"list":"{1,2}","name":"a","range":"[1,3)"}])-");
}

TEST(PostgresValue, KeepsADecimalExactly) {
  const auto numeric = [](std::string_view text) { return to_text(postgres_value(1700, text)); };
  EXPECT_EQ(numeric("-12.500"), "-12.5");
  EXPECT_EQ(numeric("0.00"), "0");
  EXPECT_EQ(numeric("100"), "100");
  EXPECT_EQ(numeric("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(numeric("9223372036854775808"), R"("9223372036854775808")");
  EXPECT_EQ(numeric("0.000123456789012345"), to_text(Json(0.000123456789012345)));
  EXPECT_EQ(numeric("3.3333333333333333"), R"("3.3333333333333333")");
  EXPECT_EQ(numeric("NaN"), R"("NaN")");
  EXPECT_EQ(numeric("0." + std::string(400, '0') + "1"), "\"0." + std::string(400, '0') + "1\"");
}

TEST_F(PostgresQueryTest, LosesNoColumnWhenNamesAreTheSame) {
  EXPECT_EQ(text("SELECT a.id, b.id, 7 AS id_2 FROM tickets a JOIN tickets b ON b.id = a.id + 1 ORDER BY 1 "
                 "LIMIT 1"),
            R"({"columns":["id","id_3","id_2"],"rows":[{"id":1,"id_3":2,"id_2":7}]})");
}

TEST_F(PostgresQueryTest, TakesAnyReadingStatement) {
  EXPECT_EQ(rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT "
                 "sum(i) AS s FROM n"),
            R"([{"s":55}])");
  EXPECT_EQ(rows("VALUES (1, 2)"), R"([{"column1":1,"column2":2}])");
  EXPECT_THAT(text("TABLE tickets"), HasSubstr("Login fails"));
  EXPECT_THAT(text("EXPLAIN SELECT * FROM tickets"), HasSubstr("Seq Scan on tickets"));
  EXPECT_EQ(rows("SHOW transaction_read_only"), R"([{"transaction_read_only":"on"}])");
  EXPECT_THAT(text("SELECT column_name FROM information_schema.columns WHERE table_name = 'tickets'"),
              HasSubstr("hours"));
  EXPECT_EQ(rows(" -- first\n /* then */ SELECT 1 AS one ; ;\n -- and last\n"), R"([{"one":1}])");
  EXPECT_EQ(rows("SELECT chatter() AS c"), R"([{"c":1}])");
}

TEST_F(PostgresQueryTest, WritesNothingWhateverItIsAsked) {
  const auto everything = [] {
    return server_->sql(
        "SELECT count(*), min(title), (SELECT last_value FROM numbers), (SELECT count(*) FROM pg_class), "
        "(SELECT count(*) FROM pg_largeobject_metadata) FROM tickets",
        "tickets");
  };
  const std::string before = everything();
  for (const std::string statement : {
           "DELETE FROM tickets",
           "DELETE FROM tickets RETURNING id",
           "UPDATE tickets SET title = 'x' RETURNING id",
           "INSERT INTO tickets (id) VALUES (4) RETURNING id",
           "WITH gone AS (DELETE FROM tickets RETURNING id) SELECT * FROM gone",
           "TRUNCATE tickets",
           "DROP TABLE tickets",
           "CREATE TABLE t (a int)",
           "CREATE TEMP TABLE t AS SELECT 1",
           "SELECT 1 AS a INTO t",
           "SELECT * FROM tickets FOR UPDATE",
           "SELECT nextval('numbers')",
           "SELECT setval('numbers', 7)",
           "SELECT sneak()",
           "EXPLAIN ANALYZE DELETE FROM tickets",
           "EXPLAIN ANALYZE SELECT sneak()",
           "CALL leave(1)",
           "DO $$ BEGIN DELETE FROM tickets; END $$",
           "COPY tickets TO STDOUT",
           "COPY tickets FROM STDIN",
           "COPY tickets TO '/tmp/assay-stolen'",
           "COPY tickets TO PROGRAM 'cat'",
           "SELECT lo_export(1, '/tmp/assay-stolen')",
           "SELECT pg_read_file('/etc/passwd')",
           "LOCK TABLE tickets",
           "VACUUM",
           "ANALYZE tickets",
           "CHECKPOINT",
           "NOTIFY everybody",
           "LISTEN everybody",
           "PREPARE p AS SELECT 1",
           "DECLARE c CURSOR FOR SELECT 1",
           "GRANT ALL ON tickets TO PUBLIC",
           "ALTER ROLE reader SET default_transaction_read_only = off",
           "ALTER SYSTEM SET fsync = off",
       }) {
    EXPECT_EQ(error(statement).kind, ErrorKind::target) << statement;
  }
  // Where the server is lenient, nothing remains.
  for (const std::string statement : {"EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1", "SELECT lo_create(0)",
                                      "SELECT pg_notify('everybody', 'hello')"}) {
    [[maybe_unused]] const auto result = run(query(statement));
  }
  EXPECT_EQ(everything(), before);
  EXPECT_THAT(text("DELETE FROM tickets RETURNING id"), HasSubstr("only reading is allowed here"));
  EXPECT_THAT(text("DELETE FROM tickets"), HasSubstr("only reading is allowed here"));
}

TEST_F(PostgresQueryTest, CannotLeaveTheReadOnlyTransaction) {
  for (const std::string statement : {
           "SET TRANSACTION READ WRITE",
           "SET default_transaction_read_only = off",
           "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
           "RESET ALL",
           "DISCARD ALL",
           "BEGIN",
           "COMMIT",
           "COMMIT AND CHAIN",
           "ROLLBACK",
           "SAVEPOINT s",
           "SELECT set_config('transaction_read_only', 'off', true)",
           "SELECT set_config('transaction_read_only', 'off', false)",
           "SELECT set_config('transaction_read_only', 'off', true), sneak()",
           "SELECT sneak() FROM (SELECT set_config('default_transaction_read_only', 'off', false)) AS s",
       }) {
    EXPECT_EQ(error(statement).kind, ErrorKind::target) << statement;
  }
  EXPECT_THAT(text("SELECT set_config('transaction_read_only', 'off', true)"),
              HasSubstr("only reading is allowed here"));
  EXPECT_EQ(rows("SELECT count(*) AS n FROM tickets"), R"([{"n":3}])");
}

TEST_F(PostgresQueryTest, RefusesARoleThatNothingConfines) {
  for (const std::string role : {"postgres", "climber"}) {
    auto asked = query("SELECT 1");
    asked.database = server_->url(role, "tickets");
    const Error refused = error(asked);
    EXPECT_EQ(refused.kind, ErrorKind::config) << refused.text();
    EXPECT_THAT(refused.text(), AllOf(HasSubstr(role), HasSubstr("superuser")));
  }
}

TEST_F(PostgresQueryTest, RefusesARoleThatReadsPasswordsOrFiles) {
  for (const std::string role : {"nosy", "rummager"}) {
    auto asked = query("SELECT rolpassword FROM pg_authid");
    asked.database = server_->url(role, "tickets");
    const Error refused = error(asked);
    EXPECT_EQ(refused.kind, ErrorKind::config) << refused.text();
    EXPECT_THAT(refused.text(), AllOf(HasSubstr(role), HasSubstr("GRANT SELECT ON ALL TABLES")));
  }
}

TEST_F(PostgresQueryTest, TakesExactlyOneStatementWithoutParameters) {
  EXPECT_THAT(text("SELECT 1; SELECT 2"), HasSubstr("more than one statement"));
  EXPECT_THAT(text("COMMIT; DELETE FROM tickets"), HasSubstr("more than one statement"));
  EXPECT_THAT(text(""), HasSubstr("no statement"));
  EXPECT_THAT(text(" -- nothing\n ;;"), HasSubstr("no statement"));
  EXPECT_THAT(text("SELECT $1::int"), HasSubstr("parameters"));
  EXPECT_THAT(text("SELECT '" + std::string(100'000, 'a') + "'"), HasSubstr("at most 100000"));
  EXPECT_THAT(text(std::string("SELECT 1\0; DROP TABLE tickets", 29)), HasSubstr("zero byte"));
}

TEST_F(PostgresQueryTest, SaysInTheServersWordsWhatIsWrongWithAQuery) {
  EXPECT_EQ(text("SELEC 1"), "database tickets: syntax error at or near \"SELEC\", at character 1");
  EXPECT_THAT(text("SELECT titel FROM tickets"),
              AllOf(HasSubstr("column \"titel\" does not exist, at character 8"),
                    HasSubstr("Perhaps you meant to reference the column \"tickets.title\"")));
  EXPECT_EQ(error("SELECT 1 / (id - 1) FROM tickets").kind, ErrorKind::target);  // fails while it runs
}

TEST_F(PostgresQueryTest, StopsAtTheRowLimitOfAMillionRows) {
  auto asked = query("SELECT i FROM generate_series(1, 1000000) AS i");
  asked.max_rows = 2;
  EXPECT_EQ(text(asked),
            R"({"columns":["i"],"rows":[{"i":1},{"i":2}],)"
            R"("truncated":"only the first 2 rows are here; use WHERE, LIMIT or an aggregate"})");
  asked.sql = "SELECT i FROM generate_series(1, 2) AS i";  // all there are
  EXPECT_THAT(text(asked), Not(HasSubstr("truncated")));
  asked.sql = "SELECT generate_series(1, 1000000000000000)";  // as long as they are fetched
  EXPECT_THAT(text(asked), HasSubstr("truncated"));
  EXPECT_TRUE(ends_soon());
}

TEST_F(PostgresQueryTest, StopsAtTheByteLimitWithWholeRows) {
  auto asked = query("SELECT id FROM tickets ORDER BY id");
  asked.max_bytes = 16;  // {"id":1} has 8
  EXPECT_THAT(text(asked),
              AllOf(HasSubstr(R"("rows":[{"id":1},{"id":2}],"truncated")"), HasSubstr("more than 16 bytes")));
  asked.sql = "SELECT repeat('a', 1000)";
  EXPECT_THAT(text(asked), HasSubstr(R"("rows":[],"truncated")"));
}

TEST_F(PostgresQueryTest, GivesManyRowsOfAnySizeWithinTheLimits) {
  auto asked = query("SELECT repeat('a', i * 100) AS t FROM generate_series(1, 1000) AS i");
  asked.max_bytes = std::size_t{1} << 30;
  const auto result = run(asked);
  ASSERT_TRUE(result) << result.error().text();
  const auto& given = result->at("rows").as_array();
  ASSERT_EQ(given.size(), 1000U);
  EXPECT_EQ(given[999].at("t").as_string().size(), 100'000U);
}

TEST_F(PostgresQueryTest, RefusesValuesThatWouldFillTheMemory) {
  const auto result = run(query("SELECT repeat('a', 100000000) AS t"));
  // Bytes are counted between looks at the socket: on a slow machine the row may be whole by the first one.
  if (result) {
    EXPECT_THAT(to_text(*result), HasSubstr(R"("rows":[],"truncated")"));
  } else {
    EXPECT_EQ(result.error().kind, ErrorKind::target);
    EXPECT_THAT(result.error().text(), HasSubstr("a row of more than 1048576 bytes came up"));
  }
}

TEST_F(PostgresQueryTest, EndsAtItsDeadlineWhileTheLoopGoesOn) {
  for (const std::string endless :
       {"SELECT pg_sleep(1000)", "SELECT count(*) FROM generate_series(1, 1000000000000000)",
        "SELECT set_config('statement_timeout', '0', false), pg_sleep(1000)"}) {
    auto asked = query(endless);
    asked.timeout = 300ms;
    EventLoop loop;
    int ticks = 0;
    std::function<void()> tick = [&] {
      ++ticks;
      loop.call_after(10ms, tick);
    };
    loop.call_after(10ms, tick);
    const auto result = loop.run_until_done(run_sql_query(loop, asked));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::timeout);
    EXPECT_THAT(result.error().text(), HasSubstr("did not end within 300 ms"));
    EXPECT_GE(ticks, 3);
    EXPECT_TRUE(ends_soon()) << endless;
  }
}

TEST_F(PostgresQueryTest, ADestroyedTaskStopsItsQuery) {
  EventLoop loop;
  const auto pause = [](EventLoop& on) -> Task<void> { co_await on.sleep(20ms); };
  {
    auto task = run_sql_query(loop, query("SELECT pg_sleep(1000)"));
    task.await_suspend(std::noop_coroutine()).resume();
    for (int i = 0; i < 500 && running() == "0\n"; ++i) loop.run_until_done(pause(loop));
    EXPECT_EQ(running(), "1\n");
  }
  EXPECT_TRUE(ends_soon());
}

TEST_F(PostgresQueryTest, ManyQueriesRunSideBySide) {
  EventLoop loop;
  std::vector<Task<Result<Json>>> tasks;
  for (int i = 0; i < 20; ++i) tasks.push_back(run_sql_query(loop, query(fmt::format("SELECT {} AS i", i))));
  const auto results = loop.run_until_done(all(std::move(tasks)));
  ASSERT_EQ(results.size(), 20U);
  ASSERT_TRUE(results[7]) << results[7].error().text();
  EXPECT_EQ(to_text(*results[7]), R"({"columns":["i"],"rows":[{"i":7}]})");
}

TEST_F(PostgresQueryTest, FillsThePasswordFromTheEnvironment) {
  auto asked = query("SELECT current_user AS me");
  asked.database = fmt::format("postgres://${{WHO}}:${{SECRET}}@/tickets?host=${{PLACE}}");
  const auto known = [](const std::string& secret) {
    return variables({{"WHO", "locked"}, {"SECRET", secret}, {"PLACE", server_->directory()}});
  };
  EXPECT_EQ(text(asked, known(kPassword)), R"({"columns":["me"],"rows":[{"me":"locked"}]})");

  const Error wrong = error(asked, known("wr0ng"));
  EXPECT_EQ(wrong.kind, ErrorKind::auth);
  EXPECT_THAT(wrong.text(),
              AllOf(HasSubstr("password authentication failed for user \"[hidden]\""),
                    Not(HasSubstr("wr0ng")), Not(HasSubstr("28P01")), Not(HasSubstr("postgres://"))));
  const Error missing = error(asked, variables({{"WHO", "locked"}}));
  EXPECT_EQ(missing.kind, ErrorKind::auth);
  EXPECT_THAT(missing.text(), HasSubstr("SECRET is not set"));
  EXPECT_THAT(to_text(to_json(asked)),
              AllOf(HasSubstr("\"postgres:///tickets?host=${PLACE}\""), Not(HasSubstr("SECRET"))));
}

TEST_F(PostgresQueryTest, SaysWhyThereIsNoConnection) {
  auto asked = query("SELECT 1");
  asked.database = "postgres://me:s3cret@127.0.0.1:1/tickets";
  const Error refused = error(asked);
  EXPECT_EQ(refused.kind, ErrorKind::network);
  EXPECT_THAT(refused.text(), AllOf(HasSubstr("cannot connect to the database"),
                                    HasSubstr("Connection refused"), Not(HasSubstr("s3cret"))));
  asked.database = server_->url("reader", "missing");
  const Error missing = error(asked);
  EXPECT_EQ(missing.kind, ErrorKind::config);
  EXPECT_THAT(missing.text(), HasSubstr("database \"missing\" does not exist"));
}

TEST_F(PostgresQueryTest, AnswersAtItsDeadlineWhenTheServerIsSilent) {
  // Accepts connections and says nothing.
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = server_->directory() + "/.s.PGSQL.6000";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(fd, 16), 0);
  auto asked = query("SELECT 1");
  asked.database += "&port=6000";
  asked.timeout = 100ms;
  EXPECT_EQ(error(asked).kind, ErrorKind::timeout);
  ::close(fd);
}

TEST_F(PostgresQueryTest, NeverRepeatsAUrlThatCannotBeRead) {
  for (const std::string url : {"postgres://me:s3cret%zz@db/x", "postgres://me:s3cret@db/x?nonsense=1",
                                "postgres://me:s3/cret@db/x", "postgres://me:s3@cret@db/x",
                                "postgres://db/x?password=s3cret&bad=1", "postgres://me:s3cret@[::1/x"}) {
    auto asked = query("SELECT 1");
    asked.database = url;
    const Error refused = error(asked);
    EXPECT_EQ(refused.kind, ErrorKind::config) << url;
    EXPECT_THAT(refused.text(), AllOf(Not(HasSubstr("s3")), Not(HasSubstr("cret")))) << url;
    EXPECT_THAT(to_text(to_json(asked)), AllOf(Not(HasSubstr("s3")), Not(HasSubstr("cret"))));
  }
}

}  // namespace
}  // namespace assay
