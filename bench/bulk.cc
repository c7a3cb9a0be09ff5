// Rows in bulk, to and from PostgreSQL: what COPY would bring over what the store does (docs/size.md).
// Writes: arrays that unnest() makes rows of, under their keys, against COPY into a table beside that an
// INSERT empties into it, since COPY knows no ON CONFLICT; and COPY alone, which a key that is there already
// would end. Reads: parts of a thousand rows in the order of the key, as a journal is brought home, against
// one COPY TO STDOUT.
//
//   bulk postgres://…    makes and drops the table assay_bulk there
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include <libpq-fe.h>

namespace {

constexpr int kRows = 100'000;
constexpr int kPart = 1000;

[[noreturn]] void end(PGconn* connection) {
  std::fprintf(stderr, "%s", PQerrorMessage(connection));
  std::exit(1);
}

void done(PGconn* connection, PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN &&
      status != PGRES_COPY_OUT)
    end(connection);
  PQclear(result);
}

void execute(PGconn* connection, const char* sql) {
  done(connection, PQexec(connection, sql));
}

void add(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFF);
}

// What an outcome holds, which is no other one's.
std::string text_of(int row) {
  std::string text;
  for (std::uint64_t word = 0; text.size() < 400; ++word)
    text += std::to_string((static_cast<std::uint64_t>(row) + word) * 2'654'435'761U % 1'000'003) + ' ';
  return text;
}

// An array of PostgreSQL's binary form.
std::string array_of(std::uint32_t type, int first, int count,
                     const std::function<void(std::string&, int)>& item) {
  std::string out;
  add(out, 1, 4);
  add(out, 0, 4);
  add(out, type, 4);
  add(out, static_cast<std::uint64_t>(count), 4);
  add(out, 1, 4);
  for (int row = first; row < first + count; ++row) item(out, row);
  return out;
}

void add_number(std::string& out, int row) {
  add(out, 8, 4);
  add(out, static_cast<std::uint64_t>(row), 8);
}
void add_text(std::string& out, int row) {
  const std::string text = text_of(row);
  add(out, text.size(), 4);
  out += text;
}

void insert(PGconn* connection, int first, int count) {
  const std::string numbers = array_of(20, first, count, add_number);
  const std::string texts = array_of(17, first, count, add_text);
  const char* values[] = {numbers.data(), texts.data()};
  const int sizes[] = {static_cast<int>(numbers.size()), static_cast<int>(texts.size())};
  const int forms[] = {1, 1};
  done(connection, PQexecPrepared(connection, "insert", 2, values, sizes, forms, 1));
}

void copy_in(PGconn* connection, const char* sql, int first, int count) {
  execute(connection, sql);
  std::string rows("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  for (int row = first; row < first + count; ++row) {
    add(rows, 2, 2);
    add_number(rows, row);
    add_text(rows, row);
  }
  add(rows, 0xFFFF, 2);
  if (PQputCopyData(connection, rows.data(), static_cast<int>(rows.size())) != 1) end(connection);
  if (PQputCopyEnd(connection, nullptr) != 1) end(connection);
  while (PGresult* result = PQgetResult(connection)) done(connection, result);
}

void copy_beside(PGconn* connection, int first, int count) {
  execute(connection, "BEGIN");
  copy_in(connection, "COPY assay_bulk_beside FROM STDIN (FORMAT binary)", first, count);
  execute(connection,
          "INSERT INTO assay_bulk SELECT * FROM assay_bulk_beside ON CONFLICT DO NOTHING; TRUNCATE "
          "assay_bulk_beside; "
          "COMMIT");
}

void copy_alone(PGconn* connection, int first, int count) {
  copy_in(connection, "COPY assay_bulk FROM STDIN (FORMAT binary)", first, count);
}

void read_parts(PGconn* connection) {
  for (int first = 0; first < kRows; first += kPart) {
    const std::string from = std::to_string(first);
    const std::string to = std::to_string(first + kPart);
    const char* values[] = {from.c_str(), to.c_str()};
    done(connection, PQexecPrepared(connection, "part", 2, values, nullptr, nullptr, 1));
  }
}

void copy_out(PGconn* connection) {
  execute(connection, "COPY (SELECT number, text FROM assay_bulk ORDER BY number) TO STDOUT (FORMAT binary)");
  char* row = nullptr;
  while (PQgetCopyData(connection, &row, 0) > 0) PQfreemem(row);
  while (PGresult* result = PQgetResult(connection)) done(connection, result);
}

double microseconds_a_row(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - began;
  return taken.count() / kRows;
}

}  // namespace

int main(int count, char** words) {
  PGconn* const connection = PQconnectdb(count > 1 ? words[1] : "");
  if (PQstatus(connection) != CONNECTION_OK) end(connection);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  // The flush of a commit costs all of them the same.
  execute(connection, "SET synchronous_commit = off");
  execute(connection,
          "SET client_min_messages = warning; DROP TABLE IF EXISTS assay_bulk, assay_bulk_beside");
  execute(connection, "CREATE TABLE assay_bulk(number bigint PRIMARY KEY, text bytea NOT NULL)");
  execute(connection, "CREATE TEMP TABLE assay_bulk_beside(number bigint, text bytea)");
  done(connection,
       PQprepare(
           connection, "insert",
           "INSERT INTO assay_bulk SELECT * FROM unnest($1::bigint[], $2::bytea[]) ON CONFLICT DO NOTHING", 0,
           nullptr));
  done(connection,
       PQprepare(connection, "part",
                 "SELECT number, text FROM assay_bulk WHERE number >= $1::bigint AND number < $2::bigint "
                 "ORDER BY number",
                 0, nullptr));
  const auto write = [&](const char* name, int together, void (*put)(PGconn*, int, int)) {
    execute(connection, "TRUNCATE assay_bulk");
    execute(connection, "CHECKPOINT");
    const double taken = microseconds_a_row([&] {
      for (int first = 0; first < kRows; first += together) put(connection, first, together);
    });
    std::printf("write, %6d a commit, %-34s %6.1f us a row\n", together, name, taken);
  };
  for (int round = 0; round < 2; ++round) {
    for (const int together : {20, kPart}) {
      write("unnest of arrays", together, insert);
      write("COPY beside, INSERT from there", together, copy_beside);
      write("COPY alone", together, copy_alone);
    }
    execute(connection, "VACUUM ANALYZE assay_bulk");
    std::printf("read, parts of %d rows %37.1f us a row\n", kPart,
                microseconds_a_row([&] { read_parts(connection); }));
    std::printf("read, COPY TO STDOUT %39.1f us a row\n", microseconds_a_row([&] { copy_out(connection); }));
  }
  execute(connection, "DROP TABLE assay_bulk");
  PQfinish(connection);
  return 0;
}
