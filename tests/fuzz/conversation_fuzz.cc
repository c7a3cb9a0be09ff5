// Conversations and the judge's checks on them: whatever JSON comes, every problem is told in valid text, and
// what is read without problem is whole.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/text.h"
#include "evaluations/guidelines/chunk_answer.h"
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
  using assay::guidelines::Guideline;
  constexpr auto kMedium = assay::guidelines::Criticality::medium;
  const std::vector<Guideline> chunk = {{"a", "", "x", "", kMedium, false},
                                        {"b", "", "y", "", kMedium, false}};
  const std::vector<assay::Json> events = {assay::parse_json(R"({"event_kind":"tool"})").value()};
  assay::guidelines::ChunkAnswer given(chunk, events);
  (void)given.take(*json);
  (void)given.take(*json);
  for (const std::string& defect : given.defects()) {
    if (defect.empty() || !assay::valid_utf8(defect)) std::abort();
  }
  if (given.votes({}).size() != chunk.size() || given.asked_again().empty()) std::abort();
  return 0;
}
