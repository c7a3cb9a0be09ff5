// A server of the Model Context Protocol over streamable HTTP: each message is a POST, whose reply is one
// JSON body or a stream of events that ends with the reply. The session that the server names in
// Mcp-Session-Id goes along with every message; a server that has forgotten it makes the transport `expired`
// (404) or `lost` (400). No stream is opened for what a server might say on its own. Redirections are not
// followed, since they would carry keys elsewhere. Errors never quote a header or the path.
#pragma once

#include <memory>

#include "core/environment.h"
#include "core/secrets/secrets.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "tools/mcp/mcp_transport.h"

namespace assay {

// Sends nothing yet. `http`, `loop` and `secrets`, which are hidden in all that it says of faults, must
// outlive it.
std::shared_ptr<McpTransport> connect_mcp_http(EventLoop& loop, HttpClient& http, const McpServer& server,
                                               Environment environment, const Secrets& secrets);

}  // namespace assay
