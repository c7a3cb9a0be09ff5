#include "cli/examples.h"

#include <filesystem>
#include <utility>

#include "core/file.h"
#include "store/sqlite.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

}  // namespace

Status write_example(const std::string& path, std::string_view text) {
  const fs::path file(path);
  if (file.has_parent_path()) {
    if (auto made = make_directories(file.parent_path().string()); !made) return made;
  }
  if (auto written = write_file(path, text); !written) return written;
  // A command target must be runnable.
  if (file.extension() == ".sh") {
    std::error_code ignored;
    fs::permissions(file, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add, ignored);
  }
  return {};
}

std::string database_of(const std::string& script) {
  return fs::path(script).replace_extension(".db").string();
}

Status make_database(const std::string& path, std::string_view script) {
  auto database = Database::open(path, Database::Mode::create);
  if (!database) return fail(std::move(database.error()));
  if (auto made = database->execute(std::string(script)); !made)
    return fail(std::move(made.error()).with("file", path));
  return {};
}

}  // namespace assay
