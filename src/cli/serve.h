// A service that runs until somebody stops it (Ctrl-C, SIGTERM), as `serve` and `view` do.
#pragma once

#include <functional>
#include <string>

#include "cli/command.h"
#include "service/service.h"

namespace assay {

// `listening` hears the address, "http://127.0.0.1:8080", as soon as it answers there.
int serve(ServiceOptions options, const Surroundings& surroundings,
          const std::function<void(const std::string& address)>& listening);

}  // namespace assay
