#include "runs/piped_data.h"

#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/file.h"
#include "core/tables/record_reader.h"
#include "runs/directory.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::string_view kWhileCopied = "input";

// Also a name of an open file, which means another one in the next process.
bool is_piped(const std::string& path) {
  if (path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
      path.starts_with("/proc/self/fd/"))
    return true;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::is_fifo(status) || fs::is_socket(status);
}

Status copy_all(int from, const std::string& source, AtomicFile& to) {
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(file_error(source, "read", errno));
    if (got == 0) return to.commit();
    to.write({piece.data(), static_cast<std::size_t>(got)});
  }
}

Status copy_file(const std::string& source, const std::string& path) {
  const bool input = source == "-";
  const int from = input ? STDIN_FILENO : ::open(source.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return fail(file_error(source, "open", errno));
  auto to = AtomicFile::create(path);
  auto copied = to ? copy_all(from, input ? "standard input" : source, *to) : fail(std::move(to.error()));
  if (!input) ::close(from);
  return copied;
}

}  // namespace

std::optional<PipedData> piped_data(const Keys& keys, const Config& config) {
  for (const Key& key : keys) {
    if (key.pipe != Pipe::copied) continue;
    if (std::string source = config.text(key.name); is_piped(source)) return PipedData{key.name, source};
  }
  return std::nullopt;
}

Result<CopiedData> CopiedData::copy(const PipedData& piped, const Config& config,
                                    const std::string& directory) {
  if (holds_run(directory)) return fail(holds_run_already(directory));
  if (auto free = check_free(directory, OwnFiles::none); !free) return fail(std::move(free.error()));
  CopiedData copied(directory, !directory_exists(directory));
  if (auto made = make_directories(directory); !made) return fail(std::move(made.error()));
  copied.name_ = std::string(kWhileCopied);
  if (auto done = copy_file(piped.source, copied.path()); !done)
    return fail(std::move(done.error()).with("key", piped.key));
  auto form = content_form(copied.path());
  if (!form) return fail(std::move(form.error()).with("key", piped.key));
  const std::string name = fmt::format(
      "{}.{}{}", kWhileCopied, to_string(record_format(config.text("input_format")).value_or(form->format)),
      form->gzip ? ".gz" : "");
  std::error_code failed;
  fs::rename(copied.path(), directory + "/" + name, failed);
  if (failed) return fail(file_error(directory + "/" + name, "write", failed.value()));
  copied.name_ = name;
  return copied;
}

CopiedData::CopiedData(CopiedData&& other) noexcept
    : directory_(std::move(other.directory_)),
      made_(other.made_),
      name_(std::exchange(other.name_, std::string())) {}

CopiedData::~CopiedData() {
  if (name_.empty() || holds_run(directory_) || was_begun(directory_)) return;
  std::error_code ignored;
  fs::remove(path(), ignored);
  if (made_) fs::remove(directory_, ignored);  // only if nothing else is there
}

}  // namespace assay
