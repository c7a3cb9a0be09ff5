// Starting a child process: pipes, process group, environment, directory. What becomes of it is
// subprocess.h's.
#pragma once

#include <utility>

#include <sys/types.h>
#include <unistd.h>

#include "core/error.h"
#include "net/process/subprocess.h"

namespace assay {

// A file descriptor with an owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

struct SpawnedProcess {
  pid_t pid = -1;  // also the number of its process group
  // Our ends of its standard streams: non-blocking, closed on exec.
  Descriptor input;
  Descriptor output;
  Descriptor error_output;
};

// Error of kind target: which program, and why it cannot be started.
Result<SpawnedProcess> spawn_process(const ProcessRequest& request);

}  // namespace assay
