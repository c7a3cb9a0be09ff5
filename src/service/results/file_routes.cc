// Files of a run, read in pieces as fast as the peer takes them.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "core/time.h"
#include "service/http/route_parts.h"
#include "service/results/result_routes.h"
#include "service/results/schemas.h"
#include "store/run_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{256} << 10;

// What a browser may do with a file that is saved; never anything that it would run.
struct FileType {
  std::string_view ending;
  const char* type;
};
constexpr FileType kTypes[] = {
    {".json", "application/json"},         {".jsonl", "application/x-ndjson"},
    {".csv", "text/csv; charset=utf-8"},   {".yaml", "text/plain; charset=utf-8"},
    {".log", "text/plain; charset=utf-8"}, {".md", "text/plain; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"}, {".sha256", "text/plain; charset=utf-8"},
    {".svg", "application/octet-stream"},  {".html", "application/octet-stream"}};

std::string type_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(kTypes, [&](const FileType& one) { return name.ends_with(one.ending); });
  return found == std::end(kTypes) ? "application/octet-stream" : found->type;
}

// What only a process that writes the run needs.
bool is_working_file(std::string_view name) {
  return is_temporary_name(name) || name.ends_with(".lock") || name.ends_with("-wal") ||
         name.ends_with("-shm");
}

struct RunFile {
  std::string name;  // "summary.json", "plots/latency.vl.json"
  std::int64_t bytes = 0;
  WallTime written{};
};

// Plain files only: a link could lead anywhere.
void add_files(const std::string& directory, const std::string& folder, std::vector<RunFile>& files) {
  std::error_code ignored;
  for (fs::directory_iterator it(fmt::format("{}/{}", directory, folder), ignored), end; it != end;
       it.increment(ignored)) {
    RunFile file{.name = folder + it->path().filename().string()};
    struct stat info{};
    if (is_working_file(file.name) || ::lstat(it->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    if (!valid_utf8(file.name)) continue;
    file.bytes = info.st_size;
    file.written =
        WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::seconds(info.st_mtim.tv_sec)));
    files.push_back(std::move(file));
  }
}

std::vector<RunFile> files_of(const std::string& directory) {
  std::vector<RunFile> files;
  add_files(directory, "", files);
  add_files(directory, "plots/", files);
  std::ranges::sort(files, {}, &RunFile::name);
  return files;
}

void list_files(Results& results, const ExchangePointer& exchange) {
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    JsonArray files;
    for (const RunFile& file : files_of(run->run.directory)) {
      files.push_back(
          JsonObject{{"name", file.name}, {"bytes", file.bytes}, {"written", iso_time(file.written)}});
    }
    exchange->send(200, JsonObject{{"files", std::move(files)}});
  });
}

// One file on its way. Lives as long as somebody has work to do for it.
class Sending : public std::enable_shared_from_this<Sending> {
 public:
  Sending(Results& results, std::shared_ptr<Responder> to, int fd)
      : results_(results), to_(std::move(to)), fd_(fd) {}
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  ~Sending() { ::close(fd_); }

  // On a reader's thread.
  void go_on() {
    std::string piece(kPiece, '\0');
    const ssize_t count = ::read(fd_, piece.data(), piece.size());
    if (count < 0) return;  // breaks off, which the peer notices
    if (count == 0) return to_->end_stream();
    piece.resize(static_cast<std::size_t>(count));
    to_->write(std::move(piece));
    to_->when_sent(
        [self = shared_from_this()] { (void)self->results_.readers.post([self] { self->go_on(); }); });
  }

 private:
  Results& results_;
  std::shared_ptr<Responder> to_;
  int fd_;
};

// RFC 6266 and 8187: a plain name for all, and the real one.
std::string attachment(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('/') + 1);
  std::string plain;
  std::string encoded;
  for (const char c : last) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
    plain += good ? c : '_';
    encoded += good ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain, encoded);
}

void send_file(Results& results, const ExchangePointer& exchange) {
  const std::string name = exchange->text("name").value_or("");
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, name] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    // Only what the list has can be asked for, so no name leads out of the run.
    const auto files = files_of(run->run.directory);
    const auto file = std::ranges::find(files, name, &RunFile::name);
    if (file == files.end()) return exchange->send_error(404, "the run has no such file");
    const std::string path = fmt::format("{}/{}", run->run.directory, file->name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return exchange->send_failure(file_error(path, "open", errno));
    const auto sending = std::make_shared<Sending>(results, exchange->responder(), fd);
    exchange->responder()->begin_stream(200, {{"Content-Type", type_of(name)},
                                              {"Content-Disposition", attachment(name)},
                                              {"X-Content-Type-Options", "nosniff"},
                                              {"Content-Security-Policy", "default-src 'none'; sandbox"},
                                              {"Cache-Control", "no-store"}});
    sending->go_on();
  });
}

}  // namespace

std::vector<Route> file_routes(Results& results) {
  return {
      {.method = "GET",
       .path = "/api/runs/{run}/files",
       .role = TokenRole::read,
       .summary = "The files of a run.",
       .answer = object_schema(
           {{"files", schemas::list_of(to_text(object_schema({{"name", R"({"type": "string"})"},
                                                              {"bytes", R"({"type": "integer"})"},
                                                              {"written", R"({"type": "string"})"}})))}}),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, list_files)},
      {.method = "GET",
       .path = "/api/runs/{run}/file",
       .role = TokenRole::read,
       .summary = "A file of a run, to be saved.",
       .query = {needed({"name", "string", "The file's name, as the list of files has it."})},
       .answer = JsonObject{{"type", "string"}, {"format", "binary"}},
       .media = "application/octet-stream",
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, send_file)},
  };
}

}  // namespace assay
