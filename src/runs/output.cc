#include "runs/output.h"

#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The sealed run that the path lies in; folders of a run are one level deep.
std::optional<std::string> run_around(const std::string& path) {
  fs::path directory = fs::path(path).parent_path();
  for (int level = 0; level < 2; ++level, directory = directory / "..") {
    if (directory.empty()) directory = ".";
    if (file_exists((directory / kSealFile).string())) return directory.lexically_normal().string();
  }
  return std::nullopt;
}

}  // namespace

Status write_output(const std::string& path, std::string_view text) {
  auto run = run_around(path);
  if (!run) return write_file(path, text);
  while (run->size() > 1 && run->ends_with('/')) run->pop_back();
  auto lock = RunStore::lock(*run);
  if (!lock) return fail(std::move(lock.error()));
  auto sealed = check_seal(*run);
  if (!sealed) return fail(std::move(sealed.error()));
  if (!sealed->defects.empty()) {
    return fail(Error{ErrorKind::usage,
                      fmt::format("{}; see `assay verify {}`, and write the file elsewhere",
                                  sealed->defects.front().words(), *run),
                      {{"directory", *run}}});
  }
  if (file_exists(path)) {
    auto there = read_file(path);
    if (there && *there == text) return {};
    return fail(Error{ErrorKind::usage,
                      "is a file of the run, and is not written over; choose another name",
                      {{"file", path}}});
  }
  auto history = break_seal(*run);
  if (!history) return fail(std::move(history.error()));
  if (auto written = write_file(path, text); !written) {
    mend_seal(*run);
    return written;
  }
  auto again = write_seal(*run, *history);
  return again ? Status() : fail(std::move(again.error()));
}

}  // namespace assay
