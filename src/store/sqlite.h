// A thin, owning layer over SQLite's C interface: errors as values, statements that reset themselves.
// A Database and its Statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace assay {

class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Parameters count from 1. Texts and blobs must live until the next step() has returned.
  void bind(int index, std::int64_t value);
  void bind(int index, double value);
  void bind(int index, std::string_view text);
  void bind_blob(int index, std::span<const unsigned char> bytes);
  void bind_null(int index);

  // True: a row is there; false: done. The statement is reset after done or failure.
  Result<bool> step();
  void reset();

  // Columns count from 0. Views are valid until the next step().
  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string_view text(int column) const;
  std::span<const unsigned char> blob(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Mode { create, read_write, read_only };
  static Result<Database> open(const std::string& path, Mode mode);
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  Status execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  // Rows that the last INSERT, UPDATE or DELETE has changed.
  std::int64_t changes() const;
  // Whether what failed last did so because somebody else has the database, so that trying again can help.
  bool is_busy() const;
  const std::string& path() const { return path_; }

 private:
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}
  std::string path_;
  sqlite3* handle_ = nullptr;
};

}  // namespace assay
