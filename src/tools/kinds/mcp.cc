// kind: mcp. A server of the Model Context Protocol, by `command` or by `url`, whose tools are offered under
// their own names. It is started when it is first needed. Each session has its own, unless it is declared
// `shared`; how it is kept alive stands in mcp_client.h.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/config/variables.h"
#include "core/files/find_program.h"
#include "tools/kinds/kinds.h"
#include "tools/mcp/mcp_client.h"

namespace assay {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

struct KeptClient final : ToolSession::Kept {
  KeptClient(ToolMeans& means, McpServer server)
      : client(means.loop, means.http, std::move(server), means.environment) {}
  Task<void> close() override { return client.close(); }

  McpClient client;
};

enum class Sharing { own, shared };

class McpAction final : public ToolAction {
 public:
  // `only`: which of its tools are offered; empty: all.
  McpAction(McpServer server, std::vector<std::string> only, Sharing sharing)
      : server_(std::move(server)), only_(std::move(only)), sharing_(sharing) {}

  JsonObject identity() const override {
    JsonObject identity{{"command", list_of(server_.command)},
                        {"environment", object_of(server_.environment)},
                        {"url", server_.url},
                        {"headers", object_of(server_.headers)},
                        {"only", list_of(only_)}};
    if (sharing_ == Sharing::shared) identity["shared"] = true;
    return identity;
  }

  bool has_own_process() const override { return sharing_ == Sharing::own && !server_.command.empty(); }

  std::vector<std::string> variables() const override {
    std::vector<std::string> names = environment_names(server_.environment);
    for (std::string& name : environment_names(server_.headers)) names.push_back(std::move(name));
    return names;
  }

  NamedTexts not_found() const override {
    if (server_.command.empty()) return {};
    auto found = check_command(server_.command, "");
    return found ? NamedTexts{} : NamedTexts{{"command", found.error().text()}};
  }

  Task<Result<Json>> use(ToolMeans& means, ToolUse use) const override {
    McpClient& server = client(means, *use.tool, use.session.get());
    auto result = co_await server.call_tool(use.name, std::move(use.arguments));
    if (!result) co_return fail(std::move(result.error()));
    std::string text = text_of(*result);
    if (result->is_error) co_return fail(ErrorKind::target, std::move(text));
    co_return Json(boost::json::string(text));
  }

  Task<Result<Json>> list(ToolMeans& means, std::shared_ptr<const ToolSpec> server,
                          std::shared_ptr<ToolSession> session) const override {
    auto tools = co_await client(means, *server, session.get()).list_tools();
    if (!tools) co_return fail(std::move(tools.error()));
    JsonArray list;
    std::vector<std::string> names;
    for (McpTool& tool : *tools) {
      names.push_back(tool.name);
      if (!only_.empty() && !contains(only_, tool.name)) continue;
      // Servers name older drafts there, which models refuse although nothing in the schema depends on it.
      tool.input_schema.erase("$schema");
      list.push_back(JsonObject{{"name", tool.name},
                                {"description", tool.description.empty() ? tool.title : tool.description},
                                {"inputSchema", std::move(tool.input_schema)}});
    }
    for (const std::string& wanted : only_) {
      if (contains(names, wanted)) continue;
      co_return fail(
          Error{ErrorKind::config,
                fmt::format("the server has no tool {}; it has {}", wanted, fmt::join(names, ", ")),
                {{"tools", server->name}}});
    }
    co_return Json(std::move(list));
  }

 private:
  McpClient& client(ToolMeans& means, const ToolSpec& tool, ToolSession* session) const {
    const auto make = [&] {
      McpServer server = server_;
      server.name = tool.name;
      server.call_timeout = tool.timeout;
      return std::make_unique<KeptClient>(means, std::move(server));
    };
    return means.kept_for(tool, sharing_ == Sharing::shared ? nullptr : session, make).client;
  }

  McpServer server_;
  std::vector<std::string> only_;
  Sharing sharing_;
};

Keys keys() {
  return {{.name = "command", .type = KeyType::command, .help = "the server."},
          environment_key(),
          {.name = "url", .help = "the server."},
          headers_key(),
          {.name = "only", .type = KeyType::text_list, .help = "which of the server's tools are offered."},
          {.name = "shared",
           .type = KeyType::boolean,
           .help = "one server for all runs; by default each run has its own."}};
}

ToolKind::Reading read(ToolDeclaration& declaration) {
  McpServer server;
  server.command = declaration.values().texts("command");
  server.environment = declaration.named_texts("environment");
  server.headers = declaration.named_texts("headers");
  const bool has_url = !declaration.values().text("url").empty();
  if (server.command.empty() != has_url)
    declaration.complain("kind mcp needs a command or a url, and not both");
  if (has_url) server.url = declaration.url();
  return {.parameters = nullptr,
          .action = std::make_shared<McpAction>(
              std::move(server), declaration.values().texts("only"),
              declaration.values().boolean("shared") ? Sharing::shared : Sharing::own)};
}

}  // namespace

constinit const ToolKind kMcpKind = {.name = "mcp",
                                     .runs = ToolKind::Runs::elsewhere,
                                     .offers = ToolKind::Offers::tools_of_its_own,
                                     .keys = keys,
                                     .read = read};

}  // namespace assay
