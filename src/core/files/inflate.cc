#include "core/files/inflate.h"

#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "core/file.h"

namespace assay {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;
constexpr int kGzipOnly = 15 + 16;  // the largest window, and no other wrapping than gzip's

class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  int get() const { return file_; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

class Inflation {
 public:
  Inflation() { good_ = ::inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { ::inflateEnd(&stream_); }
  bool good() const { return good_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool good_ = false;
};

std::string temporary_directory() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

Result<int> nameless_file() {
  std::string name = temporary_directory() + "/assay-" + std::string(6, 'X');  // mkostemp() fills them
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return fail(file_error(name, "create", errno));
  ::unlink(name.c_str());
  return file;
}

Status write_all(int file, const unsigned char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(file_error(temporary_directory(), "write the inflated data to", errno));
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return {};
}

Error damaged(const std::string& path, std::string message) {
  return {ErrorKind::data, std::move(message), {{"file", path}}};
}

Status inflate_into(int from, int to, const std::string& path) {
  Inflation inflation;
  if (!inflation.good()) return fail(ErrorKind::internal, "zlib cannot be made ready");
  z_stream& stream = inflation.stream();
  std::vector<unsigned char> packed(kPiece);
  std::vector<unsigned char> plain(kPiece);
  bool inside = false;  // a member has begun and not ended
  std::uint64_t members = 0;
  for (;;) {
    const ssize_t got = ::read(from, packed.data(), packed.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(file_error(path, "read", errno));
    if (got == 0) break;
    stream.next_in = packed.data();
    stream.avail_in = static_cast<uInt>(got);
    // With its output full, zlib may hold back more of what it was given.
    for (stream.avail_out = 1; stream.avail_in > 0 || stream.avail_out == 0;) {
      inside = inside || stream.avail_in > 0;
      stream.next_out = plain.data();
      stream.avail_out = static_cast<uInt>(plain.size());
      const int state = ::inflate(&stream, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
        return fail(damaged(path, members == 0 ? "the gzip data are damaged"
                                               : "something that is not gzip stands behind the gzip data"));
      if (auto written = write_all(to, plain.data(), plain.size() - stream.avail_out); !written)
        return written;
      if (state != Z_STREAM_END) continue;
      inside = false;
      ++members;
      ::inflateReset(&stream);
      stream.avail_out = 1;
    }
  }
  // What zlib still holds back belongs to a member that has not ended.
  if (inside) return fail(damaged(path, "the gzip data end too early: the file is cut off; copy it again"));
  return {};
}

}  // namespace

bool is_gzip(std::string_view start) {
  return start.starts_with("\x1F\x8B");
}

Result<int> inflated_file(const std::string& path) {
  const OpenFile from(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.get() < 0) return fail(file_error(path, "open", errno));
  auto made = nameless_file();
  if (!made) return made;
  OpenFile to(*made);
  if (auto done = inflate_into(from.get(), to.get(), path); !done) return fail(std::move(done.error()));
  if (::lseek(to.get(), 0, SEEK_SET) < 0) return fail(file_error(path, "seek in", errno));
  return to.release();
}

}  // namespace assay
