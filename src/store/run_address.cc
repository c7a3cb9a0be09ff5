#include "store/run_address.h"

#include <cstdio>

#include <boost/json/object.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/json/json.h"

namespace assay {
namespace {

constexpr const char* kStore = "store";
constexpr const char* kRun = "run";

std::string path_in(const std::string& directory) {
  return fmt::format("{}/{}", directory, kJournalPlaceFile);
}

}  // namespace

std::string RunAddress::shown() const {
  if (!directory.empty()) return directory;
  return fmt::format("run {} in {}", run_id, store ? store->shown() : std::string("no store"));
}

Result<std::optional<RunAddress>> journal_place(const std::string& directory) {
  const std::string path = path_in(directory);
  if (!file_exists(path)) return std::nullopt;
  auto text = read_file(path, 65'536);
  if (!text) return fail(std::move(text.error()));
  auto tree = parse_json(*text);
  const std::string run_id = tree ? text_at(*tree, kRun) : std::string();
  auto store = StoreAddress::read(tree ? text_at(*tree, kStore) : std::string());
  if (!store || store->kind() != StoreAddress::Kind::postgres || run_id.empty()) {
    return fail(
        Error{ErrorKind::journal,
              R"(does not say where the run's journal is; expected {"store": "postgres://…", "run": "…"})",
              {{"file", path}}});
  }
  return RunAddress(directory, std::move(*store), run_id);
}

Status write_journal_place(const RunAddress& address) {
  const JsonObject place{{kStore, address.store->kept()}, {kRun, address.run_id}};
  return write_file(path_in(address.directory), to_text(place) + "\n");
}

void touch_journal_place(const std::string& directory) {
  if (!directory.empty()) ::utimensat(AT_FDCWD, path_in(directory).c_str(), nullptr, 0);
}

void remove_journal_place(const std::string& directory) {
  std::remove(path_in(directory).c_str());
}

}  // namespace assay
