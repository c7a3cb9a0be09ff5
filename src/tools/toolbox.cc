#include "tools/toolbox.h"

#include <utility>

#include <fmt/format.h>

#include "core/json/depth.h"

namespace assay {

Toolbox::Toolbox(EventLoop& loop, HttpClient& http, Environment environment)
    : means_(loop, http, std::move(environment)) {}

Task<Result<Json>> Toolbox::list(std::shared_ptr<const ToolSpec> server,
                                 std::shared_ptr<ToolSession> session) {
  const ToolAction& action = *server->action;
  return action.list(means_, std::move(server), std::move(session));
}

Task<Result<Json>> Toolbox::use(ToolUse use) {
  const ToolAction& action = *use.tool->action;
  auto result = co_await action.use(means_, std::move(use));
  if (!result) co_return result;
  if (const std::size_t size = to_text(*result).size(); size > kLargestResult) {
    co_return fail(
        ErrorKind::target,
        fmt::format("the result has {} bytes, and at most {} are given; ask for less", size, kLargestResult));
  }
  if (!within_depth(*result)) {
    co_return fail(
        ErrorKind::target,
        fmt::format("the result is nested more than {} levels deep; ask for less", kDeepestForeign));
  }
  co_return result;
}

}  // namespace assay
