#include "models/providers/aws_event_stream.h"

#include <cstdint>
#include <optional>

#include <boost/crc.hpp>

namespace assay {
namespace {

// Length of all, length of the headers, checksum of both.
constexpr std::size_t kPrelude = 12;
constexpr std::size_t kChecksum = 4;
constexpr std::size_t kLongestFrame = std::size_t{16} << 20;
constexpr unsigned char kTextHeader = 7;

std::uint32_t crc(std::string_view bytes) {
  boost::crc_32_type sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
}

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size = 4) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = (number << 8U) | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

void put_number(std::string& out, std::uint32_t number, unsigned size = 4) {
  for (unsigned i = size; i-- > 0;) out += static_cast<char>((number >> (8U * i)) & 0xFFU);
}

void put_header(std::string& out, std::string_view name, std::string_view value) {
  out += static_cast<char>(name.size());
  out += name;
  out += static_cast<char>(kTextHeader);
  put_number(out, static_cast<std::uint32_t>(value.size()), 2);
  out += value;
}

// How many bytes the value of a header of this type takes; texts and bytes say it themselves.
std::optional<std::size_t> value_size(unsigned type, std::string_view rest) {
  constexpr std::size_t kFixed[] = {0, 0, 1, 2, 4, 8};
  if (type < std::size(kFixed)) return kFixed[type];
  if (type == 6 || type == kTextHeader)
    return rest.size() < 2 ? std::nullopt : std::optional<std::size_t>(2 + number_at(rest, 0, 2));
  if (type == 8) return 8;
  if (type == 9) return 16;
  return std::nullopt;
}

// What kind of event it is; none if the headers cannot be read.
std::optional<std::string> kind_of(std::string_view headers) {
  std::string kind;
  while (!headers.empty()) {
    const std::size_t length = static_cast<unsigned char>(headers.front());
    if (headers.size() < length + 2) return std::nullopt;
    const std::string_view name = headers.substr(1, length);
    const auto type = static_cast<unsigned char>(headers[length + 1]);
    headers.remove_prefix(length + 2);
    const auto size = value_size(type, headers);
    if (!size || headers.size() < *size) return std::nullopt;
    const bool tells = name == ":event-type" || name == ":exception-type" || name == ":error-code";
    if (tells && type == kTextHeader) kind = headers.substr(2, *size - 2);
    headers.remove_prefix(*size);
  }
  return kind;
}

std::optional<ServerSentEvent> read_frame(std::string_view frame) {
  const std::size_t headers = number_at(frame, 4);
  if (number_at(frame, frame.size() - kChecksum) != crc(frame.substr(0, frame.size() - kChecksum)))
    return std::nullopt;
  auto kind = kind_of(frame.substr(kPrelude, headers));
  if (!kind) return std::nullopt;
  const std::string_view payload =
      frame.substr(kPrelude + headers, frame.size() - kPrelude - headers - kChecksum);
  ServerSentEvent event;
  event.event = std::move(*kind);
  event.data = payload;
  return event;
}

// Whether the lengths can be true.
bool sound(std::string_view prelude) {
  const std::size_t all = number_at(prelude, 0);
  const std::size_t headers = number_at(prelude, 4);
  return number_at(prelude, 8) == crc(prelude.substr(0, 8)) && all <= kLongestFrame &&
         all >= kPrelude + headers + kChecksum;
}

}  // namespace

void AwsEventStreamParser::feed(std::string_view bytes,
                                const std::function<void(const ServerSentEvent&)>& take) {
  if (broken_) return;
  pending_ += bytes;
  std::string_view rest = pending_;
  while (rest.size() >= kPrelude) {
    if (!sound(rest.substr(0, kPrelude))) {
      broken_ = true;
      break;
    }
    const std::size_t size = number_at(rest, 0);
    if (rest.size() < size) break;
    const auto event = read_frame(rest.substr(0, size));
    if (!event) {
      broken_ = true;
      break;
    }
    take(*event);
    rest.remove_prefix(size);
  }
  if (broken_) {
    ServerSentEvent event;
    event.data = "(a frame that cannot be read)";
    take(event);
    pending_.clear();
    return;
  }
  pending_.erase(0, pending_.size() - rest.size());
}

std::string aws_event_frame(std::string_view kind, std::string_view payload) {
  const bool exception = kind.ends_with("Exception");
  std::string headers;
  put_header(headers, ":message-type", exception ? "exception" : "event");
  put_header(headers, exception ? ":exception-type" : ":event-type", kind);
  put_header(headers, ":content-type", "application/json");
  std::string frame;
  put_number(frame, static_cast<std::uint32_t>(kPrelude + headers.size() + payload.size() + kChecksum));
  put_number(frame, static_cast<std::uint32_t>(headers.size()));
  put_number(frame, crc(frame));
  frame += headers;
  frame += payload;
  put_number(frame, crc(frame));
  return frame;
}

}  // namespace assay
