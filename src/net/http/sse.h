// Server-sent events, parsed incrementally from the chunks of a body, whatever their boundaries. Follows the
// event stream format of the HTML standard: an event ends with an empty line, and what has no such end when
// the body ends is no event. The fields id and retry are skipped, since nothing here reconnects.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay {

struct ServerSentEvent {
  std::string event{};  // "message" if the stream names none
  std::string data{};   // lines joined with \n
  bool operator==(const ServerSentEvent&) const = default;
};

class ServerSentEventParser {
 public:
  // Calls `emit` for each event completed by this chunk. LF, CRLF and CR end lines; comments are skipped; a
  // leading BOM is dropped.
  void feed(std::string_view chunk, const std::function<void(ServerSentEvent)>& emit);

 private:
  void take_line(std::string_view line, const std::function<void(ServerSentEvent)>& emit);

  std::string line_;  // begun by earlier chunks
  std::string event_;
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool at_start_ = true;
};

}  // namespace assay
