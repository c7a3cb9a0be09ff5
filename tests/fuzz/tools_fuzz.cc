// Any bytes as the declaration of tools in a file of the user's: every problem is told in words, and a tool
// that is made has a name.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/fuzz/require.h"
#include "tools/tool_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const auto document = parse_yaml({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  std::vector<ConfigProblem> problems;
  const ToolSpecs tools = read_tools(*document, "tools.yaml", problems);
  for (const ConfigProblem& problem : problems) fuzz::require_words(problem.text);
  for (const auto& tool : tools) fuzz::require(!tool->name.empty());
  return 0;
}
