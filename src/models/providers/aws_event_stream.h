// AWS's binary event stream (application/vnd.amazon.eventstream): frames with headers, a payload and two
// checksums. Read into the events that streams of replies are made of, and written, for the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "net/http/sse.h"

namespace assay {

class AwsEventStreamParser {
 public:
  // Calls `take` for each frame that is complete: its event is the kind of event or of exception
  // ("contentBlockDelta", "throttlingException"), its data the payload. A frame that is none, or whose
  // checksum does not fit, becomes an event with data that is no JSON, and nothing is read after it.
  void feed(std::string_view bytes, const std::function<void(const ServerSentEvent&)>& take);

 private:
  std::string pending_;
  bool broken_ = false;
};

// One frame with an event of that kind.
std::string aws_event_frame(std::string_view kind, std::string_view payload);

}  // namespace assay
