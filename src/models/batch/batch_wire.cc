#include "models/batch/batch_wire.h"

namespace assay {

Result<BatchResult> read_batch_result(const BatchWire& wire, std::string_view line) {
  auto json = parse_json(line);
  if (!json) return fail(std::move(json.error()));
  auto result = wire.result(*json);
  if (result && result->name.empty()) return fail(ErrorKind::parse, "it has no custom_id");
  return result;
}

}  // namespace assay
