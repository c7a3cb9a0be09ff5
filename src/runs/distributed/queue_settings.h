// The queue that a config names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/config.h"
#include "core/error.h"
#include "core/secrets/secrets.h"
#include "queue/work_queue.h"

namespace assay {

// `servers` is what its key `queue` says, with the variables of the environment in it. Kind config if
// that is no address, or something is missing.
Result<QueueAddress> queue_address(const Config& config, std::string_view servers);
// The passwords of all servers.
void add_queue_secrets(std::string_view servers, Secrets& secrets);

}  // namespace assay
