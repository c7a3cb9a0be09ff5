// Where a store is: a directory, a file of SQLite, or a PostgreSQL server. One reading for every flag and key
// that names one. What is not understood is refused in a sentence rather than taken for a directory's name.
//
// A password may stand in a URL, or come in libpq's own ways (PGPASSWORD, PGPASSFILE, a service file). It is
// never shown: whoever writes an address down or tells of it uses shown() or kept().
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

class Secrets;

class StoreAddress {
 public:
  enum class Kind { directory, sqlite_file, postgres };

  // "results/store", "sqlite:FILE", "postgres://USER@HOST/DATABASE?sslmode=verify-full". Kind config if it is
  // none of these.
  static Result<StoreAddress> read(std::string_view text);

  Kind kind() const { return kind_; }
  // The directory, or SQLite's file.
  const std::string& path() const { return text_; }
  // The whole URL, password included: for libpq only.
  const std::string& url() const { return text_; }

  // For messages: without passwords.
  std::string shown() const;
  // For files: the same, which reads as an address again and asks for its password in libpq's ways.
  std::string kept() const;
  // Whether both are the same place, whatever they know of its password.
  bool same_place(const StoreAddress& other) const { return kept() == other.kept(); }
  void add_secrets(Secrets& secrets) const;

 private:
  StoreAddress(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}
  Kind kind_;
  std::string text_;
};

// The same for the journal of a run, which is in the run's own directory or, for several machines, in
// PostgreSQL.
Result<StoreAddress> run_store_address(std::string_view text);

// What an address may be, for help and messages.
inline constexpr std::string_view kStoreForms = "a directory, sqlite:FILE or postgres://USER@HOST/DATABASE";

}  // namespace assay
