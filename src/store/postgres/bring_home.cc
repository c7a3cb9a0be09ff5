// The end of a run that was kept in PostgreSQL: its journal becomes the run.db of its directory.
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "store/journal_copy.h"
#include "store/postgres/run_store.h"

namespace assay::postgres {
namespace {

constexpr std::int64_t kPartRows = 1000;

// A name of a file in the directory itself, or in a folder of it.
bool stays_inside(const std::string& name) {
  return !name.empty() && name.front() != '/' && !fmt::format("/{}/", name).contains("/../");
}

Status copy_rows(RunReads& reads, JournalCopy& copy) {
  for (std::int64_t first = RunReads::kFirstCase; first != std::numeric_limits<std::int64_t>::max();) {
    auto part = reads.part(first, kPartRows);
    if (!part) return fail(std::move(part.error()));
    if (!*part) break;
    first = (*part)->next;
    if (auto added = copy.add(std::move((*part)->effects), std::move((*part)->outcomes)); !added)
      return added;
  }
  return {};
}

}  // namespace

Status write_files(const std::vector<std::pair<std::string, std::string>>& files,
                   const std::string& directory) {
  for (const auto& [name, text] : files) {
    if (!stays_inside(name))
      return fail(ErrorKind::journal,
                  fmt::format("the store names a file outside of the run's directory: {}", name));
    const std::string path = fmt::format("{}/{}", directory, name);
    if (auto there = read_file(path); there && *there == text) continue;
    if (auto written = write_file(path, text); !written) return written;
  }
  return {};
}

Status bring_run_home(const RunAddress& address, std::int64_t run, const RunIdentity& identity) {
  LastingConnection connection(*address.store, for_reading());
  RunReads reads(connection, run);
  auto files = reads.kept_files();
  if (!files) return fail(std::move(files.error()));
  if (auto written = write_files(*files, address.directory); !written) return written;
  auto texts = reads.texts();
  if (!texts) return fail(std::move(texts.error()));
  auto sittings = reads.sittings();
  if (!sittings) return fail(std::move(sittings.error()));
  auto copy = JournalCopy::begin(address.directory, identity, *texts);
  if (!copy) return fail(std::move(copy.error()));
  if (auto copied = copy_rows(reads, *copy); !copied) return copied;
  for (const RunReads::Sitting& sitting : *sittings) {
    if (auto added = copy->add_sitting(sitting.number, sitting.worked_ms, sitting.notes); !added)
      return added;
  }
  auto head = copy->finish();
  if (!head) return fail(std::move(head.error()));
  auto told = connection.ask([&](Connection& made) {
    return made.query(
        "UPDATE assay_runs SET home = $2::bytea WHERE run = $1::bigint",
        Values().integer(run).bytes({reinterpret_cast<const char*>(head->data()), head->size()}));
  });
  if (!told) return fail(std::move(told.error()));
  // From here on the directory is the run.
  remove_journal_place(address.directory);
  return {};
}

}  // namespace assay::postgres
