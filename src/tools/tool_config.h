// `tools:` of a config or of a file of the user's: what the model may call. Made from the table of kinds, so
// that any evaluation can offer tools.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "tools/tool.h"

namespace assay {

// The key, for configs and for the reference page.
Key tools_key();

// The tools of a checked config; what the key cannot say (a key that the kind does not have or lacks, a
// schema that is none, a name twice) becomes a problem.
ToolSpecs read_tools(const Config& config, std::vector<ConfigProblem>& problems);

// The same for `tools` of another file, unchecked, whose paths belong to that file. Places are named.
ToolSpecs read_tools(const YamlDocument& document, const std::string& file,
                     std::vector<ConfigProblem>& problems);

// A single tool, for those that no user declares. Relative paths belong to the working directory. The error,
// of kind config, has every problem.
Result<std::shared_ptr<const ToolSpec>> make_tool(const JsonObject& declaration);

}  // namespace assay
