#include "service/page/page_files.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "core/sha256.h"
#include "core/text.h"

namespace assay {
namespace {

struct MediaType {
  std::string_view ending;
  const char* type;
};
constexpr MediaType kTypes[] = {{".html", "text/html; charset=utf-8"},
                                {".js", "text/javascript; charset=utf-8"},
                                {".css", "text/css; charset=utf-8"},
                                {".svg", "image/svg+xml"},
                                {".png", "image/png"},
                                {".woff2", "font/woff2"}};

std::string type_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(kTypes, [&](const MediaType& one) { return name.ends_with(one.ending); });
  return found == std::end(kTypes) ? "application/octet-stream" : found->type;
}

constexpr std::size_t kEtagDigits = 32;

// "W/"abc", "def"" names it, or everything does.
bool names_etag(std::string_view list, std::string_view etag) {
  for (std::string_view part : split(list, ',')) {
    part = trim(part);
    if (part.starts_with("W/")) part.remove_prefix(2);
    if (part == "*" || part == etag) return true;
  }
  return false;
}

}  // namespace

bool takes_gzip(const Headers& request) {
  const std::string* accepted = request.find("Accept-Encoding");
  if (accepted == nullptr) return false;
  for (const std::string_view part : split(*accepted, ',')) {
    const auto pieces = split(part, ';');
    if (!equal_ignoring_ascii_case(trim(pieces[0]), "gzip")) continue;
    const std::string_view weight = pieces.size() > 1 ? trim(pieces[1]) : "";
    return !weight.starts_with("q=0") || weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

std::string gzipped(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kMemory = 8;
  z_stream stream{};
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return {};
  std::string out(::deflateBound(&stream, text.size()), '\0');
  std::string in(text);  // zlib wants it writable
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = ::deflate(&stream, Z_FINISH);
  out.resize(ended == Z_STREAM_END ? stream.total_out : 0);
  ::deflateEnd(&stream);
  return out;
}

PageFiles::PageFiles(std::span<const EmbeddedText> files) {
  for (const EmbeddedText& one : files) {
    File file{.text = one.text,
              .gzip = gzipped(one.text),
              .type = type_of(one.name),
              .etag = fmt::format("\"{}\"", hex(sha256(one.text)).substr(0, kEtagDigits))};
    files_.emplace(one.name, std::move(file));
  }
}

std::optional<PageAnswer> PageFiles::answer(std::string_view name, const Headers& request) const {
  const auto found = files_.find(name);
  if (found == files_.end()) return std::nullopt;
  const File& file = found->second;
  PageAnswer answer;
  // Kept by the browser, and asked for again each time: another version of the program has another page.
  answer.headers = {{"ETag", file.etag},
                    {"Cache-Control", "no-cache"},
                    {"Vary", "Accept-Encoding"},
                    {"Content-Security-Policy", kPagePolicy},
                    {"X-Content-Type-Options", "nosniff"},
                    {"Referrer-Policy", "no-referrer"}};
  if (const std::string* known = request.find("If-None-Match");
      known != nullptr && names_etag(*known, file.etag)) {
    answer.status = 304;
    return answer;
  }
  answer.headers.add("Content-Type", file.type);
  if (!file.gzip.empty() && file.gzip.size() < file.text.size() && takes_gzip(request)) {
    answer.headers.add("Content-Encoding", "gzip");
    answer.body = file.gzip;
  } else {
    answer.body = file.text;
  }
  return answer;
}

}  // namespace assay
