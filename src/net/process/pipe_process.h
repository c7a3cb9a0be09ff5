// A child process that lives on and is talked to in lines, both ways: what is written goes to its stdin, each
// line of its stdout is handed on, the end of its stderr is kept for messages. Like every child it has its
// own process group, which is killed as a whole (SIGTERM, 2 s later SIGKILL), and never goes through a shell.
// It waits for nothing: deadlines belong to those who wait for a line.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "net/event_loop.h"
#include "net/process/child_environment.h"

namespace assay {

struct PipeProcessRequest {
  std::vector<std::string> argv{};                                 // argv[0] is looked up in PATH
  InheritedVariables inherited = InheritedVariables::all;          // of our own environment
  std::vector<std::pair<std::string, std::string>> environment{};  // added to that
  std::string working_directory{};                                 // empty: ours
  std::size_t max_line = std::size_t{16} << 20;                    // a longer line on stdout ends the process
  std::size_t max_unsent = std::size_t{64} << 20;                  // that it has not read yet
  // A line without its LF or CRLF; the view is valid during the call. A last line without an end is dropped:
  // it is what a crash has torn.
  std::function<void(std::string_view line)> on_line{};
  // Once, when the process is gone and every line has been handed on. Kind target: how it ended, or the
  // reason that it was stopped for.
  std::function<void(Error why)> on_end{};
};

class PipeProcess {
 public:
  // Error of kind target: which program, and why it cannot be started. Neither function is called before this
  // has returned; both may call anything here, and destroy the process.
  static Result<PipeProcess> start(EventLoop& loop, PipeProcessRequest request);
  PipeProcess(PipeProcess&&) noexcept = default;
  PipeProcess& operator=(PipeProcess&& other) noexcept;
  // Nobody listens any more: the group is asked to end and killed if it does not. The loop owns it meanwhile.
  ~PipeProcess();

  // Sends the line and a LF, when the process reads. Error of kind target if it is gone or has left more than
  // max_unsent unread; then nothing of the line is sent.
  Status write_line(std::string_view line);
  // Closes its stdin, which asks a server to leave; one that is still there 1 s later is stopped.
  void finish();
  // Asks the group to end and kills it if it does not; on_end gets `why`. No effect if it is ending already.
  void stop(Error why);

  // The last 4 KiB of what it wrote to stderr.
  std::string error_tail() const;
  // Whether it can still be written to: it neither is gone nor on its way.
  bool open() const;

 private:
  class Child;
  explicit PipeProcess(std::shared_ptr<Child> child);
  std::shared_ptr<Child> child_;
};

}  // namespace assay
