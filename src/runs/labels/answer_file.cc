#include "runs/labels/answer_file.h"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"

namespace assay::labels {

Result<AnswerFile::Opened> AnswerFile::open(const std::string& path) {
  // Made durable with its directory: an answer in a file without a name would be lost.
  if (!file_exists(path)) {
    if (auto made = write_file(path, ""); !made) return fail(std::move(made.error()));
  }
  auto text = read_file(path);
  if (!text) return fail(std::move(text.error()));
  const std::size_t whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
  std::vector<Json> lines;
  for (const std::string_view line : split_lines(std::string_view(*text).substr(0, whole))) {
    auto tree = parse_json(line);
    if (!tree)
      return fail(std::move(tree.error()).with("line", std::to_string(lines.size() + 1)).with("file", path));
    lines.push_back(std::move(*tree));
  }
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return fail(file_error(path, "open", errno));
  AnswerFile opened(path, file, static_cast<std::int64_t>(whole));
  if (whole < text->size() && (::ftruncate(file, opened.size_) != 0 || ::fdatasync(file) != 0))
    return fail(file_error(path, "mend", errno));
  return Opened{std::move(opened), std::move(lines)};
}

AnswerFile::~AnswerFile() {
  if (file_ >= 0) ::close(file_);
}

Status AnswerFile::append(const Json& line) {
  const std::string text = to_text(line) + "\n";
  const std::string_view rest = text;
  std::size_t written = 0;
  int error = 0;
  while (written < rest.size() && error == 0) {
    const ssize_t count = ::pwrite(file_, rest.data() + written, rest.size() - written,
                                   size_ + static_cast<std::int64_t>(written));
    if (count >= 0) written += static_cast<std::size_t>(count);
    if (count < 0 && errno != EINTR) error = errno;
  }
  if (error == 0 && ::fdatasync(file_) != 0) error = errno;
  if (error != 0) {
    // The next line is written over whatever of it is there; a reader must not see it meanwhile.
    (void)::ftruncate(file_, size_);
    return fail(file_error(path_, "write", error));
  }
  size_ += static_cast<std::int64_t>(text.size());
  return {};
}

}  // namespace assay::labels
