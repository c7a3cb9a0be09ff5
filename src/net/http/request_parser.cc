#include "net/http/request_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "net/http/host_name.h"

namespace assay {
namespace {

constexpr std::size_t kMaxHead = std::size_t{64} << 10;
constexpr std::size_t kMaxFields = 256;
constexpr std::size_t kMaxTrailers = std::size_t{8} << 10;
// Nobody needs extensions of chunks; together they may have so many bytes in one request.
constexpr std::size_t kMaxExtensions = std::size_t{4} << 10;
// A client may announce any length: more than this is reserved only when it has come.
constexpr std::size_t kMostReserved = std::size_t{64} << 10;

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Calls `each` with the parts of a list such as "keep-alive, TE".
template <class Each>
void for_each_part(std::string_view list, const Each& each) {
  while (true) {
    const auto comma = list.find(',');
    each(without_blanks(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// Spaces and control characters would end it; bytes of UTF-8 are let through, as clients send them.
bool good_target(std::string_view target) {
  return !target.empty() && std::ranges::none_of(target, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || c == '#';
  });
}

}  // namespace

RequestParser::State RequestParser::refuse(int status, std::string reason) {
  status_ = status;
  reason_ = std::move(reason);
  return State::refused;
}

RequestParser::State RequestParser::feed(std::string_view bytes, std::size_t& used) {
  used = 0;
  if (status_ != 0) return State::refused;
  while (stage_ != Stage::complete) {
    if (stage_ == Stage::body || stage_ == Stage::chunk) {
      if (used == bytes.size()) return State::needs_more;
      take_body(bytes, used);
      continue;
    }
    const std::string_view rest = bytes.substr(used);
    const auto end = rest.find('\n');
    const std::size_t taken = end == std::string_view::npos ? rest.size() : end + 1;
    const bool in_head = stage_ == Stage::request_line || stage_ == Stage::field;
    if (in_head && head_bytes_ + line_.size() + taken > kMaxHead)
      return refuse(431, "the header is too large");
    if (!in_head && head_bytes_ + line_.size() + taken > kMaxTrailers)
      return refuse(400, "a line between or after the chunks is too long");
    used += taken;
    if (end == std::string_view::npos) {
      line_ += rest;
      return State::needs_more;
    }
    // A line that came in one piece is read where it is.
    std::string gathered;
    std::string_view line = rest.substr(0, end);
    if (!line_.empty()) {
      gathered = std::exchange(line_, {});
      gathered += line;
      line = gathered;
    }
    if (!line.ends_with('\r')) return refuse(400, "a line does not end with CR LF");
    if (in_head || stage_ == Stage::trailer) head_bytes_ += line.size() + 1;
    line.remove_suffix(1);
    if (const State state = take_line(line); state != State::needs_more) return state;
  }
  return State::done;
}

void RequestParser::take_body(std::string_view bytes, std::size_t& used) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size() - used));
  std::string& body = parsed_.request.body;
  if (body.empty())
    body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, kMostReserved)));
  body.append(bytes.substr(used, count));
  used += count;
  body_left_ -= count;
  if (body_left_ == 0) stage_ = stage_ == Stage::body ? Stage::complete : Stage::chunk_end;
}

RequestParser::State RequestParser::take_line(std::string_view line) {
  switch (stage_) {
    case Stage::request_line:
      return take_request_line(line);
    case Stage::field:
      return line.empty() ? end_head() : take_field(line);
    case Stage::chunk_size:
      return take_chunk_size(line);
    case Stage::chunk_end:
      if (!line.empty()) return refuse(400, "a chunk is longer than it says");
      stage_ = Stage::chunk_size;
      return State::needs_more;
    case Stage::trailer:
      return take_trailer(line);
    default:
      return State::needs_more;
  }
}

RequestParser::State RequestParser::take_request_line(std::string_view line) {
  // RFC 9112, 2.2: an empty line before a request is overlooked, for clients that end a body with one.
  if (line.empty() && !std::exchange(empty_line_seen_, true)) return State::needs_more;
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return refuse(400, "the request line is not valid");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_http_token(method)) return refuse(400, "the method is not valid");
  if (!good_target(target)) return refuse(400, "the path is not valid");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse(400, "the version is not HTTP/1.1");
  parsed_.http10 = version == "HTTP/1.0";
  parsed_.request.method = method;
  target_ = target;
  stage_ = Stage::field;
  return State::needs_more;
}

RequestParser::State RequestParser::take_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_http_token(line.substr(0, colon)))
    return refuse(400, "a header field is not valid");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = without_blanks(line.substr(colon + 1));
  if (!is_http_field_value(value)) return refuse(400, "a header field holds a control character");
  if (parsed_.request.headers.size() == kMaxFields) return refuse(431, "there are too many header fields");
  if (const State state = note_framing(name, value); state != State::needs_more) return state;
  parsed_.request.headers.add(std::string(name), std::string(value));
  return State::needs_more;
}

// What decides where the request ends and whom it is for.
RequestParser::State RequestParser::note_framing(std::string_view name, std::string_view value) {
  if (same_without_case(name, "Content-Length")) {
    if (std::exchange(has_length_, true)) return refuse(400, "there is more than one Content-Length");
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), body_left_);
    if (error == std::errc::result_out_of_range) return refuse(413, "the body is too large");
    if (error != std::errc() || end != value.data() + value.size())
      return refuse(400, "the Content-Length is not a number");
  } else if (same_without_case(name, "Transfer-Encoding")) {
    if (std::exchange(chunked_, true)) return refuse(400, "there is more than one Transfer-Encoding");
    if (!same_without_case(value, "chunked"))
      return refuse(501, "the Transfer-Encoding is not known; only chunked is");
  } else if (same_without_case(name, "Host")) {
    if (std::exchange(has_host_, true)) return refuse(400, "there is more than one Host");
    parsed_.request.host = value;
  } else if (same_without_case(name, "Connection")) {
    for_each_part(value, [this](std::string_view part) {
      wants_close_ |= same_without_case(part, "close");
      wants_keep_alive_ |= same_without_case(part, "keep-alive");
    });
  } else if (same_without_case(name, "Expect")) {
    if (!same_without_case(value, "100-continue")) return refuse(417, "only 100-continue can be expected");
    expects_continue_ = true;
  }
  return State::needs_more;
}

RequestParser::State RequestParser::end_head() {
  if (chunked_ && has_length_) return refuse(400, "there are both Content-Length and Transfer-Encoding");
  if (chunked_ && parsed_.http10) return refuse(400, "HTTP/1.0 has no Transfer-Encoding");
  if (!parsed_.http10 && !has_host_) return refuse(400, "the Host header is missing");
  if (const State state = take_target(); state != State::needs_more) return state;
  if (!parsed_.request.host.empty() && !split_authority(parsed_.request.host))
    return refuse(400, "the Host header is not valid");
  if (body_left_ > max_body_) return refuse(413, "the body is too large");
  parsed_.keep_alive = !wants_close_ && (!parsed_.http10 || wants_keep_alive_);
  head_bytes_ = 0;
  stage_ = chunked_ ? Stage::chunk_size : body_left_ > 0 ? Stage::body : Stage::complete;
  return State::head;
}

RequestParser::State RequestParser::take_target() {
  auto target = split_target(target_);
  if (!target) return refuse(400, "the path is not valid");
  // OPTIONS may be about the server as a whole, and CONNECT names a host and a port.
  const bool no_path =
      (target->path == "*" && parsed_.request.method == "OPTIONS") || parsed_.request.method == "CONNECT";
  if (!target->path.starts_with('/') && !no_path) return refuse(400, "the path is not valid");
  // RFC 9112, 3.2.2: a whole URL says whom the request is for, whatever Host says.
  if (!target->authority.empty()) parsed_.request.host = std::move(target->authority);
  parsed_.request.path = std::move(target->path);
  parsed_.request.query = std::move(target->query);
  return State::needs_more;
}

RequestParser::State RequestParser::take_chunk_size(std::string_view line) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), body_left_, 16);
  if (error == std::errc::result_out_of_range) return refuse(413, "the body is too large");
  if (error != std::errc()) return refuse(400, "the size of a chunk is not a number");
  const std::string_view extension(end, line.data() + line.size());
  if (!extension.empty()) {
    const std::string_view begun = without_blanks(extension);
    if (!begun.starts_with(';') || !is_http_field_value(extension))
      return refuse(400, "the size of a chunk is not a number");
    extension_bytes_ += extension.size();
    if (extension_bytes_ > kMaxExtensions) return refuse(400, "the extensions of the chunks are too long");
  }
  if (body_left_ > max_body_ - parsed_.request.body.size()) return refuse(413, "the body is too large");
  stage_ = body_left_ == 0 ? Stage::trailer : Stage::chunk;
  return State::needs_more;
}

// Trailers are read and dropped: nothing here needs one, and one must not pass for a header.
RequestParser::State RequestParser::take_trailer(std::string_view line) {
  if (line.empty()) {
    stage_ = Stage::complete;
    return State::needs_more;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_http_token(line.substr(0, colon)) ||
      !is_http_field_value(line.substr(colon + 1))) {
    return refuse(400, "a trailer is not valid");
  }
  return State::needs_more;
}

ParsedRequest RequestParser::take() {
  ParsedRequest parsed = std::move(parsed_);
  *this = RequestParser(max_body_);
  return parsed;
}

}  // namespace assay
