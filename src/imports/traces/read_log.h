// A log file as cases, streamed: JSON Lines a line at a time, or one JSON document that is a list. Lines that
// cannot be taken are told with their numbers, all of them; the others are cases.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

enum class LogForm { openai, anthropic, otel };

struct BadEntry {
  std::uint64_t number = 0;  // of the line, or of the entry of a list; of OTLP, of the trace
  std::string why;
};

struct LogRead {
  std::uint64_t cases = 0;
  std::uint64_t traces_without_model = 0;  // of OTLP
  std::vector<BadEntry> bad;
};

// Each case goes to `keep` as it is read (of OTLP once the file has ended), under an id of its own. An error
// if the file cannot be read.
Result<LogRead> read_log(const std::string& path, LogForm form,
                         const std::function<void(const JsonObject&)>& keep);

}  // namespace assay
