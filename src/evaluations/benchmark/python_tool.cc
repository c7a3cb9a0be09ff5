#include "evaluations/benchmark/python_tool.h"

#include <boost/json/object.hpp>

#include "tools/tool_config.h"

namespace assay::benchmark {

std::shared_ptr<const ToolSpec> default_python_tool() {
  static const std::shared_ptr<const ToolSpec> kTool =
      make_tool({{"name", kPythonTool}, {"kind", "python"}}).value();
  return kTool;
}

}  // namespace assay::benchmark
