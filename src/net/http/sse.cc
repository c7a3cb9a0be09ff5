#include "net/http/sse.h"

#include <utility>

namespace assay {

void ServerSentEventParser::feed(std::string_view chunk, const std::function<void(ServerSentEvent)>& emit) {
  while (!chunk.empty()) {
    if (std::exchange(after_cr_, false) && chunk.front() == '\n') {
      chunk.remove_prefix(1);
      continue;
    }
    const auto end = chunk.find_first_of("\r\n");
    if (end == std::string_view::npos) {
      line_ += chunk;
      return;
    }
    after_cr_ = chunk[end] == '\r';
    if (line_.empty()) {
      take_line(chunk.substr(0, end), emit);
    } else {
      line_ += chunk.substr(0, end);
      take_line(line_, emit);
      line_.clear();
    }
    chunk.remove_prefix(end + 1);
  }
}

void ServerSentEventParser::take_line(std::string_view line,
                                      const std::function<void(ServerSentEvent)>& emit) {
  if (std::exchange(at_start_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.empty()) {
    ServerSentEvent done{.event = std::exchange(event_, {}), .data = std::exchange(data_, {})};
    if (!std::exchange(has_data_, false)) return;
    if (done.event.empty()) done.event = "message";
    emit(std::move(done));
    return;
  }
  const auto colon = line.find(':');
  const auto field = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
  } else if (field == "event") {
    event_ = value;
  }
}

}  // namespace assay
