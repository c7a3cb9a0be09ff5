// The kinds of tools there are. A new one is a file beside this one that defines its row, and its name twice
// below: declared, and in its place on the reference page.
#pragma once

#include <array>
#include <string_view>

#include "tools/tool_kind.h"

namespace assay {

extern const ToolKind kSqlKind;      // a query that only reads
extern const ToolKind kCommandKind;  // a program of the user's
extern const ToolKind kHttpKind;     // a service of the user's
extern const ToolKind kMcpKind;      // a server of the Model Context Protocol, with its tools
extern const ToolKind kPythonKind;   // a program that the model writes

inline constexpr std::array kToolKinds = {&kSqlKind, &kCommandKind, &kHttpKind, &kMcpKind, &kPythonKind};

// The argument that holds the query or the program: what is worth showing of a call.
inline constexpr std::string_view kSqlArgument = "sql";
inline constexpr std::string_view kPythonArgument = "pythonCode";

}  // namespace assay
