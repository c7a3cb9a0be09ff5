#include "store/journal_copy.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "store/journal_head.h"
#include "store/run_tables.h"
#include "store/run_writes.h"
#include "store/sqlite.h"

namespace assay {
namespace {

// Beside the journal, on the same disk; its name is one that leftovers are known by.
std::string copy_folder(const std::string& directory) {
  return fmt::format("{}/{}.copy", directory, kJournalFile);
}

Status move_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return fail(file_error(to, "create", errno));
  return {};
}

}  // namespace

JournalCopy::JournalCopy(std::string directory, std::unique_ptr<RunWrites> writes)
    : directory_(std::move(directory)), writes_(std::move(writes)) {}
JournalCopy::JournalCopy(JournalCopy&&) noexcept = default;
JournalCopy& JournalCopy::operator=(JournalCopy&&) noexcept = default;
JournalCopy::~JournalCopy() {
  if (!writes_) return;
  writes_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(copy_folder(directory_), ignored);
}

Result<JournalCopy> JournalCopy::begin(const std::string& directory, const RunIdentity& identity,
                                       const std::vector<PlanText>& texts) {
  const std::string folder = copy_folder(directory);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (auto made = make_directories(folder); !made) return fail(std::move(made.error()));
  auto database = Database::open(fmt::format("{}/{}", folder, kJournalFile), Database::Mode::create);
  if (!database) return fail(std::move(database.error()));
  auto head = run_tables::make(*database, identity, texts);
  if (!head) return fail(std::move(head.error()));
  if (auto kept = JournalHeadFile::create(folder, {0, *head}); !kept) return fail(std::move(kept.error()));
  auto head_file = JournalHeadFile::open(folder);
  if (!head_file) return fail(std::move(head_file.error()));
  const JournalEnd end{JournalCommit{.anew = true}, *head};
  return JournalCopy(directory,
                     std::make_unique<RunWrites>(std::move(*database), std::move(*head_file), folder, end));
}

Status JournalCopy::add(std::vector<EffectRow> effects, std::vector<OutcomeRow> outcomes) {
  std::vector<RunWrites::Row> rows;
  rows.reserve(effects.size() + outcomes.size());
  for (EffectRow& row : effects) rows.emplace_back(std::move(row));
  for (OutcomeRow& row : outcomes) rows.emplace_back(std::move(row));
  std::vector<const RunWrites::Row*> pointers;
  pointers.reserve(rows.size());
  for (const RunWrites::Row& row : rows) pointers.push_back(&row);
  return writes_->commit(pointers);
}

Status JournalCopy::add_sitting(std::int64_t sitting, std::int64_t worked_ms,
                                const std::vector<std::string>& notes) {
  writes_->set_sitting({sitting, worked_ms});
  std::vector<RunWrites::Row> rows;
  rows.reserve(notes.size());
  for (const std::string& note : notes) rows.emplace_back(RunWrites::Note{note});
  // Each note in a commit of its own, as they came.
  for (const RunWrites::Row& row : rows) {
    const std::array<const RunWrites::Row*, 1> one{&row};
    if (auto done = writes_->commit(one); !done) return done;
  }
  return rows.empty() ? writes_->commit({}) : Status();
}

Result<Digest> JournalCopy::finish() {
  const Digest head = writes_->head();
  writes_->close();
  writes_.reset();
  const std::string folder = copy_folder(directory_);
  // The head first: the journal is never there without it.
  if (auto moved = move_file(JournalHeadFile::path_in(folder), JournalHeadFile::path_in(directory_)); !moved)
    return fail(std::move(moved.error()));
  if (auto moved = move_file(fmt::format("{}/{}", folder, kJournalFile),
                             fmt::format("{}/{}", directory_, kJournalFile));
      !moved)
    return fail(std::move(moved.error()));
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return head;
}

}  // namespace assay
