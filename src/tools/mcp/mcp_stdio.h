// A server of the Model Context Protocol as a child process: one message a line, on its stdin and stdout.
// Several requests may be under way at once. Lines that are plainly no JSON (a banner) are skipped, up to
// 100; a message that is broken or larger than the cap ends the server. Errors quote the end of its stderr.
#pragma once

#include <memory>

#include "core/environment.h"
#include "core/error.h"
#include "core/secrets/secrets.h"
#include "net/event_loop.h"
#include "tools/mcp/mcp_transport.h"

namespace assay {

// Starts the program. Error of kind target: which one, and why it cannot be started; of kind auth: a variable
// that the server's environment names is not set in `environment`. `secrets`, which must outlive the
// transport, are hidden in all that it says of faults.
Result<std::shared_ptr<McpTransport>> start_mcp_program(EventLoop& loop, const McpServer& server,
                                                        const Environment& environment,
                                                        const Secrets& secrets);

}  // namespace assay
