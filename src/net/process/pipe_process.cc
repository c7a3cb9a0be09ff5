#include "net/process/pipe_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "net/process/child_process.h"
#include "net/process/spawn.h"

namespace assay {
namespace {

constexpr Duration kTimeToLeave = std::chrono::seconds(1);
// Between the end of its output and its exit, which says more.
constexpr Duration kGrace = std::chrono::seconds(1);
constexpr std::size_t kReadSize = std::size_t{64} << 10;
// At a time, lest a process that never stops writing hold up everything else.
constexpr int kReadsPerRound = 16;
// After its exit: a full pipe is less, but a grandchild may go on filling it.
constexpr int kLastReads = 64;
constexpr std::size_t kErrorTail = 4096;

std::string how_it_ended(const std::string& program, const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return fmt::format("{} ended with exit code {}", program, info.si_status);
  return fmt::format("{} was ended by signal {} ({})", program, info.si_status, ::strsignal(info.si_status));
}

}  // namespace

class PipeProcess::Child : public std::enable_shared_from_this<Child> {
 public:
  Child(EventLoop& loop, PipeProcessRequest request, SpawnedProcess process)
      : loop_(loop),
        request_(std::move(request)),
        process_(loop, process.pid),
        input_(std::move(process.input)),
        output_(std::move(process.output)),
        error_output_(std::move(process.error_output)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    cancel_timers();
    close_streams();
  }

  void run();
  Status write_line(std::string_view line);
  void finish();
  void stop(Error why);
  void abandon();
  const std::string& error_tail() const { return error_tail_; }
  bool open() const { return input_.open() && !finishing_; }

 private:
  void exited();
  void write_unsent();
  bool read_output();
  bool read_error_output();
  void hand_on_lines();
  void output_ended();
  void close_streams();
  void cancel_timers();

  EventLoop& loop_;
  PipeProcessRequest request_;
  ChildProcess process_;
  Descriptor input_;
  Descriptor output_;
  Descriptor error_output_;
  std::string unsent_;
  std::size_t sent_ = 0;  // of unsent_
  bool finishing_ = false;
  std::string lines_;         // from stdout, not handed on yet
  std::size_t searched_ = 0;  // of lines_: holds no LF
  std::string error_tail_;
  bool listened_to_ = true;
  std::optional<Error> why_;  // it was stopped
  EventLoop::TimerId leave_timer_ = 0;
  EventLoop::TimerId grace_timer_ = 0;
};

void PipeProcess::Child::run() {
  process_.watch_exit([this] { exited(); });
  loop_.watch(output_.get(), EPOLLIN, [this](std::uint32_t) {
    const auto alive = shared_from_this();
    for (int i = 0; i < kReadsPerRound && read_output(); ++i) {
    }
  });
  loop_.watch(error_output_.get(), EPOLLIN, [this](std::uint32_t) {
    for (int i = 0; i < kReadsPerRound && read_error_output(); ++i) {
    }
  });
  loop_.watch(input_.get(), 0, [this](std::uint32_t) {
    const auto alive = shared_from_this();
    write_unsent();
  });
}

void PipeProcess::Child::exited() {
  const auto alive = shared_from_this();
  for (int i = 0; i < kLastReads && read_error_output(); ++i) {
  }
  for (int i = 0; i < kLastReads && read_output(); ++i) {
  }
  cancel_timers();
  close_streams();
  const siginfo_t info = process_.kill_rest_and_reap();
  if (!std::exchange(listened_to_, false) || !request_.on_end) return;
  request_.on_end(why_ ? std::move(*why_)
                       : Error{ErrorKind::target, how_it_ended(request_.argv.front(), info), {}});
}

Status PipeProcess::Child::write_line(std::string_view line) {
  const std::string& program = request_.argv.front();
  if (!open()) return fail(ErrorKind::target, fmt::format("{} has ended", program));
  if (unsent_.size() - sent_ + line.size() >= request_.max_unsent) {
    return fail(ErrorKind::target, fmt::format("{} does not read: more than {} bytes wait for it", program,
                                               request_.max_unsent));
  }
  const bool idle = unsent_.empty();
  unsent_.append(line).push_back('\n');
  if (idle) write_unsent();
  return {};
}

void PipeProcess::Child::write_unsent() {
  while (input_.open() && sent_ < unsent_.size()) {
    const auto count = ::write(input_.get(), unsent_.data() + sent_, unsent_.size() - sent_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      // Keeps memory within twice what is unsent.
      if (sent_ > unsent_.size() / 2) unsent_.erase(0, std::exchange(sent_, 0));
      return loop_.set_events(input_.get(), EPOLLOUT);
    }
    if (count < 0) {
      // It has closed its stdin: of no use any more, but if it is about to exit, that says why.
      close_stream(loop_, input_);
      return output_ended();
    }
    sent_ += static_cast<std::size_t>(count);
  }
  unsent_.clear();
  sent_ = 0;
  if (!input_.open()) return;
  if (finishing_) return close_stream(loop_, input_);
  loop_.set_events(input_.get(), 0);
}

// Whether there may be more to read at once.
bool PipeProcess::Child::read_output() {
  if (!output_.open()) return false;
  char buffer[kReadSize];
  const auto count = ::read(output_.get(), buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return true;
  if (count < 0 && errno == EAGAIN) return false;
  if (count <= 0) {
    close_stream(loop_, output_);
    output_ended();
    return false;
  }
  lines_.append(buffer, static_cast<std::size_t>(count));
  hand_on_lines();
  return output_.open();
}

void PipeProcess::Child::hand_on_lines() {
  std::size_t start = 0;
  while (listened_to_ && !why_) {
    const std::size_t end = lines_.find('\n', searched_);
    const std::size_t size = (end == std::string::npos ? lines_.size() : end) - start;
    if (size > request_.max_line) {
      stop(Error{
          ErrorKind::target,
          fmt::format("{} wrote a line of more than {} bytes", request_.argv.front(), request_.max_line),
          {}});
      break;
    }
    if (end == std::string::npos) {
      searched_ = lines_.size();
      break;
    }
    std::string_view line = std::string_view(lines_).substr(start, size);
    if (line.ends_with('\r')) line.remove_suffix(1);
    start = end + 1;
    searched_ = start;
    if (request_.on_line) request_.on_line(line);
  }
  if (!listened_to_ || why_) {
    lines_.clear();
    searched_ = 0;
    return;
  }
  lines_.erase(0, start);
  searched_ -= start;
}

bool PipeProcess::Child::read_error_output() {
  if (!error_output_.open()) return false;
  char buffer[kReadSize];
  const auto count = ::read(error_output_.get(), buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return true;
  if (count < 0 && errno == EAGAIN) return false;
  if (count <= 0) {
    close_stream(loop_, error_output_);
    return false;
  }
  error_tail_.append(buffer, static_cast<std::size_t>(count));
  if (error_tail_.size() > kErrorTail) error_tail_.erase(0, error_tail_.size() - kErrorTail);
  return true;
}

void PipeProcess::Child::output_ended() {
  if (why_ || grace_timer_ != 0 || leave_timer_ != 0) return;
  grace_timer_ = loop_.call_after(kGrace, [this] {
    const auto alive = shared_from_this();
    grace_timer_ = 0;
    stop(Error{ErrorKind::target,
               fmt::format("{} has closed its standard input or output but runs on", request_.argv.front()),
               {}});
  });
}

void PipeProcess::Child::finish() {
  if (process_.reaped() || why_ || std::exchange(finishing_, true)) return;
  if (unsent_.empty()) close_stream(loop_, input_);
  leave_timer_ = loop_.call_after(kTimeToLeave, [this] {
    const auto alive = shared_from_this();
    leave_timer_ = 0;
    stop(Error{
        ErrorKind::target, fmt::format("{} did not end when its input did", request_.argv.front()), {}});
  });
}

void PipeProcess::Child::stop(Error why) {
  if (process_.reaped() || why_) return;
  why_ = std::move(why);
  close_stream(loop_, input_);
  close_stream(loop_, output_);
  process_.terminate();
}

void PipeProcess::Child::abandon() {
  listened_to_ = false;
  if (process_.reaped()) return;
  cancel_timers();
  close_streams();
  process_.watch_exit([owner = shared_from_this()] { owner->exited(); });
  process_.terminate(shared_from_this());
}

void PipeProcess::Child::close_streams() {
  for (Descriptor* stream : {&input_, &output_, &error_output_}) close_stream(loop_, *stream);
}

void PipeProcess::Child::cancel_timers() {
  for (EventLoop::TimerId* timer : {&leave_timer_, &grace_timer_}) {
    loop_.cancel(std::exchange(*timer, 0));
  }
}

PipeProcess::PipeProcess(std::shared_ptr<Child> child) : child_(std::move(child)) {}

PipeProcess& PipeProcess::operator=(PipeProcess&& other) noexcept {
  std::swap(child_, other.child_);
  return *this;
}

PipeProcess::~PipeProcess() {
  if (child_) child_->abandon();
}

Result<PipeProcess> PipeProcess::start(EventLoop& loop, PipeProcessRequest request) {
  auto process = spawn_process({.argv = request.argv,
                                .inherited = request.inherited,
                                .environment = request.environment,
                                .working_directory = request.working_directory});
  if (!process) return fail(std::move(process.error()));
  PipeProcess started(std::make_shared<Child>(loop, std::move(request), std::move(*process)));
  started.child_->run();
  return started;
}

Status PipeProcess::write_line(std::string_view line) {
  return child_->write_line(line);
}

void PipeProcess::finish() {
  child_->finish();
}

void PipeProcess::stop(Error why) {
  child_->stop(std::move(why));
}

std::string PipeProcess::error_tail() const {
  return child_->error_tail();
}

bool PipeProcess::open() const {
  return child_->open();
}

}  // namespace assay
