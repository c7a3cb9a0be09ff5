// Using a tool on behalf of a model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "tools/tool.h"

namespace assay {

class ToolEffect final : public Effect {
 public:
  explicit ToolEffect(ToolUse use) : use_(std::move(use)) {}
  std::string_view kind() const override { return "tool"; }
  Result<Terms> terms(Outside& outside) const override;
  Task<TryResult> send(Outside& outside) override;
  const ToolUse& use() const { return use_; }

 private:
  ToolUse use_;
};

class ToolListEffect final : public Effect {
 public:
  ToolListEffect(std::shared_ptr<const ToolSpec> server, std::shared_ptr<ToolSession> session)
      : server_(std::move(server)), session_(std::move(session)) {}
  std::string_view kind() const override { return kToolList; }
  Result<Terms> terms(Outside& outside) const override;
  Task<TryResult> send(Outside& outside) override;
  const std::shared_ptr<const ToolSpec>& server() const { return server_; }

 private:
  std::shared_ptr<const ToolSpec> server_;
  std::shared_ptr<ToolSession> session_;
};

// A tool is used once, never tried again; that it failed is a result too (tool_error). An error means that
// the run is being wound down.
Task<Result<Json>> use_tool(CaseContext& context, std::string step, ToolUse use);
// The tools that a server offers: see Toolbox::list.
Task<Result<Json>> list_tools(CaseContext& context, std::string step, std::shared_ptr<const ToolSpec> server,
                              std::shared_ptr<ToolSession> session);

}  // namespace assay
