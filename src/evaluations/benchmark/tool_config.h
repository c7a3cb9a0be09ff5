// `tools:` of a config or a task file: what the model may call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "tools/tool.h"

namespace assay::benchmark {

using ToolSpecs = std::vector<std::shared_ptr<const ToolSpec>>;

// The key, for the config and for the reference page.
Key tools_key();

// The tools of a checked config; what the declaration cannot say (a key that the kind does not have or
// lacks, a schema that is none, a name twice) becomes a problem.
ToolSpecs read_tools(const Config& config, std::vector<ConfigProblem>& problems);

// The same for `tools` of a task file, whose paths belong to that file. Places are named.
ToolSpecs read_task_tools(const YamlDocument& document, const std::string& file,
                          std::vector<ConfigProblem>& problems);

// What `tool_calling_python` adds where no tool of the kind is declared.
inline constexpr const char* kPythonTool = "execute_python_program";
std::shared_ptr<const ToolSpec> default_python_tool();

}  // namespace assay::benchmark
