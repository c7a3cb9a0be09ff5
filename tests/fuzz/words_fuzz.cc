// Short texts that people write into configs and servers into replies: times, durations, gates, conditions
// that stop a run, URLs. What is refused is refused in words; what is read is in its range and reads back the
// same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/time.h"
#include "evaluations/early_stop.h"
#include "net/http/url.h"
#include "report/gates.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto time = parse_iso_time(text);
  fuzz::require_words(time);
  if (time) fuzz::require(parse_iso_time(iso_time(*time)).has_value());
  const auto duration = parse_duration(text);
  fuzz::require_words(duration);
  if (duration) {
    fuzz::require(duration->count() >= 0);
    const auto again = parse_duration(duration_literal(*duration));
    fuzz::require(again.has_value());
  }
  const auto gate = parse_gate(text);
  fuzz::require_words(gate);
  if (gate) fuzz::require(!gate->name.empty());
  fuzz::require_words(parse_stop_condition(text));
  const auto url = parse_url(text);
  fuzz::require_words(url);
  if (url) {
    const auto again = parse_url(url->text());
    fuzz::require(again.has_value() && again->origin().name == url->origin().name);
    fuzz::require(authority_end(text) <= text.size());
  }
  return 0;
}
