#include "engine/effects/tool.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace assay {
Result<Terms> ToolEffect::terms(Outside& /*outside*/) const {
  return Terms{.request = canonical_text(to_json(use_)),
               .lane = fmt::format("tool {}", kind_word(*use_.tool)),
               .behind = Behind::system_under_test,
               .most_at_once = most_at_once(*use_.tool)};
}

Task<TryResult> ToolEffect::send(Outside& outside) {
  auto result = co_await outside.tools.use(use_);
  co_return Try{to_text(outside.secrets.hide_in(result ? *result : tool_error(result.error().message)))};
}

Result<Terms> ToolListEffect::terms(Outside& outside) const {
  return Terms{.request = canonical_text(to_json(*server_)),
               .lane = "tool mcp",
               .behind = Behind::system_under_test,
               .tries = outside.tries};
}

Task<TryResult> ToolListEffect::send(Outside& outside) {
  auto list = co_await outside.tools.list(server_, session_);
  if (!list) co_return std::unexpected(TryFailure{std::move(list.error())});
  co_return Try{to_text(outside.secrets.hide_in(*list))};
}

Task<Result<Json>> use_tool(CaseContext& context, std::string step, ToolUse use) {
  co_return co_await perform_json(context, std::move(step), std::make_shared<ToolEffect>(std::move(use)));
}

Task<Result<Json>> list_tools(CaseContext& context, std::string step, std::shared_ptr<const ToolSpec> server,
                              std::shared_ptr<ToolSession> session) {
  co_return co_await perform_json(context, std::move(step),
                                  std::make_shared<ToolListEffect>(std::move(server), std::move(session)));
}

}  // namespace assay
