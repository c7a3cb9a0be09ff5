// Files of batch results and states of batches, as any server may send them. The first byte chooses the
// provider.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/batch/batch_wire.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using fuzz::require;
  if (size == 0) return 0;
  const BatchWire& wire = data[0] % 2 == 0 ? kOpenAiBatches : kAnthropicBatches;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  BatchLines lines;
  const auto take = [&](std::string_view line) {
    if (const auto result = read_batch_result(wire, line)) {
      require(!result->name.empty());
      if (result->answer) require(result->answer->status >= 100 && result->answer->status <= 599);
    }
    if (const auto json = parse_json(line)) {
      const auto state = wire.state(*json);
      if (state) require(!state->id.empty() && state->total >= 0 && state->done >= 0);
    }
  };
  lines.feed(text.substr(0, text.size() / 2), take);
  lines.feed(text.substr(text.size() / 2), take);
  lines.finish(take);
  return 0;
}
