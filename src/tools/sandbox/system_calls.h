// Which system calls a program in the sandbox may make: a list of what ordinary programs need, and nothing
// else. The kernel is the one wall around a namespace sandbox, so what of it can be reached is kept small: no
// keyrings, no io_uring, no BPF, no tracing, no namespaces, no mounts, no sockets but local ones (AF_UNIX).
// What is not on the list fails with EPERM.
#pragma once

#include <string>

#include "core/error.h"

namespace assay {

// The filter as a BPF program, as the kernel takes it, for this machine's own architecture; calls by another
// one (32-bit) end the process. Error of kind config: libseccomp does not know this machine.
Result<std::string> system_call_filter();

}  // namespace assay
