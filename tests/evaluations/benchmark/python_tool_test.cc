#include "evaluations/benchmark/python_tool.h"

#include <gtest/gtest.h>

#include "tools/kinds/kinds.h"

namespace assay::benchmark {
namespace {

TEST(DefaultPythonTool, IsSandboxed) {
  const auto tool = default_python_tool();
  EXPECT_EQ(tool->kind, &kPythonKind);
  EXPECT_EQ(tool->name, "execute_python_program");
  EXPECT_EQ(text_at(to_json(*tool), "sandbox"), "bubblewrap");
}

}  // namespace
}  // namespace assay::benchmark
