// What is written to a run's journal, on the writer's thread: groups of rows, each in one transaction that
// also extends the chain of hashes. Nothing changes on the disk before the first of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/error.h"
#include "store/file_place.h"
#include "store/journal_chain.h"
#include "store/journal_check.h"
#include "store/journal_head.h"
#include "store/run_store.h"
#include "store/running_totals.h"
#include "store/shared_texts.h"
#include "store/sqlite.h"

namespace assay {

class RunWrites {
 public:
  struct Note {
    std::string text;
  };
  using Row = std::variant<EffectRow, OutcomeRow, Note>;

  // Goes on after `end`; what is written from now on is one more sitting of the run.
  RunWrites(Database database, JournalHeadFile head_file, const std::string& directory, JournalEnd end);

  // All of it, or nothing.
  Status commit(std::span<const Row* const> rows);
  // Begins the chain anew over what is there, with the reason. Before the first commit.
  Status accept_all(const std::string& why);
  // The rows are those of a sitting that was elsewhere: its number, and how long it worked.
  struct Sitting {
    std::int64_t number = 1;
    std::int64_t worked_ms = 0;
  };
  void set_sitting(const Sitting& sitting) {
    next_.sitting = sitting.number;
    elsewhere_ = sitting;
  }
  // Of the last commit.
  const Digest& head() const { return end_.head; }
  // What the journal adds up to: what it held before, told by begin(), and every commit since.
  RunningTotals& totals() { return *totals_; }
  // Leaves one plain file behind: it can be copied, and read where nothing may be written. If it fails (disk
  // full), the next opening recovers from the log as after a kill.
  void close();

 private:
  class SharedTextRows;

  Status get_ready();
  // Rows that refer to what is not there any more are of no use to anybody; without them it is asked again.
  Status drop_what_refers_to_nothing();
  Status write(std::span<const Row* const> rows);
  Status insert(const EffectRow& row);
  Status insert(const OutcomeRow& row);
  Status insert(const Note& note);
  // The number of the row that holds the word.
  Result<std::int64_t> word(const std::string& text);
  Status still_there() const;

  Database database_;
  JournalHeadFile head_file_;
  FilePlace journal_place_;
  FilePlace head_place_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<Sitting> elsewhere_;
  JournalEnd end_;
  JournalCommit next_;  // being written
  JournalChain chain_;
  SharedTexts shared_texts_;
  std::unique_ptr<RunningTotals> totals_ = std::make_unique<RunningTotals>();  // read by other threads
  std::unordered_map<std::string, std::int64_t> words_;  // some of those that are in the table
  std::optional<Statement> find_word_;
  std::optional<Statement> insert_word_;
  std::optional<Statement> find_shared_text_;
  std::optional<Statement> insert_shared_text_;
  std::optional<Statement> insert_effect_;
  std::optional<Statement> insert_outcome_;
  std::optional<Statement> replace_outcome_;
  std::optional<Statement> drop_outcome_;
  std::optional<Statement> insert_commit_;
};

}  // namespace assay
