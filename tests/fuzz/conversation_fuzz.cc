// Conversations and the judge's checks on them: whatever JSON comes, every problem is told in valid text, and
// what is read without problem is whole.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/text.h"
#include "evaluations/guidelines/checks.h"
#include "evaluations/guidelines/conversation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = assay::parse_json({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  std::vector<std::string> problems;
  const auto conversation = assay::guidelines::read_conversation(*json, {}, {}, problems);
  for (const std::string& problem : problems) {
    if (problem.empty() || !assay::valid_utf8(problem)) std::abort();
  }
  if (problems.empty()) {
    for (const auto& guideline : conversation.guidelines) {
      if (guideline.id.empty() || guideline.action.empty()) std::abort();
    }
  }
  const assay::Json answer = assay::guidelines::with_new_spelling(*json);
  const auto defects = assay::guidelines::inconsistencies(answer, 3, 2);
  if (assay::guidelines::sound_checks(answer, defects).size() > 3) std::abort();
  return 0;
}
