// The Python tool that the system `tool_calling_python` has without a declaration.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace assay::benchmark {

inline constexpr const char* kPythonTool = "execute_python_program";
// What the system gets where no tool of the kind is declared.
std::shared_ptr<const ToolSpec> default_python_tool();

}  // namespace assay::benchmark
