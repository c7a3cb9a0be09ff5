// Uses tools, whatever their kind. What a kind keeps between uses (a server of the Model Context Protocol) is
// made when it is first needed and belongs to the session of the use (tool_session.h), or, without one, to
// the toolbox. Belongs to one event loop.
#pragma once

#include <memory>

#include "core/environment.h"
#include "core/error.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "tools/tool.h"
#include "tools/tool_kind.h"

namespace assay {

class Toolbox {
 public:
  Toolbox(EventLoop& loop, HttpClient& http, Environment environment);

  // The tools of a server: [{"name", "description", "inputSchema"}, …], those that the declaration offers. An
  // error names what it offers and the server lacks.
  Task<Result<Json>> list(std::shared_ptr<const ToolSpec> server,
                          std::shared_ptr<ToolSession> session = nullptr);

  // What the model gets to see: rows as a list of objects (with `truncated` beside them if there were more),
  // the program's or service's JSON (a service's text if it is none), a server's text, or of Python {stdout,
  // stderr, exitCode}. Never tries twice: a tool may have had an effect. A failure, a result of more than a
  // mebibyte too, is an error in words for the model.
  Task<Result<Json>> use(ToolUse use);

 private:
  ToolMeans means_;
};

}  // namespace assay
