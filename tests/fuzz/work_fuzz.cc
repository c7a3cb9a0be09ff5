// What comes out of the queue and off the board, as anybody may have put it there: cases, and plans of runs.
// The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/distributed/case_message.h"
#include "runs/distributed/shared_plan.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using fuzz::require;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    if (const auto message = read_message(text)) {
      require(message->input.index >= 0);
      const auto again = read_message(message_text(*message));
      require(again && again->input.id == message->input.id &&
              again->input.payload == message->input.payload);
    }
  } else if (const auto plan = read_shared_plan(text)) {
    require(plan->config.is_object() && plan->lease.count() >= 100);
    for (const std::string& name : plan->prepared) require(!name.contains('/') && !name.starts_with('.'));
  }
  return 0;
}
