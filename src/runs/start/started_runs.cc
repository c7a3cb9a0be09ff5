#include "runs/start/started_runs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <thread>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/ids.h"
#include "core/json/json.h"
#include "core/text.h"
#include "core/time.h"
#include "net/event_loop.h"
#include "net/process/own_program.h"
#include "net/process/subprocess.h"
#include "runs/list.h"
#include "runs/start/key_declarations.h"
#include "store/file_lock.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr auto kCheckTime = std::chrono::seconds(120);
constexpr auto kBeginTime = std::chrono::seconds(120);  // a run reads all of its data before it begins
constexpr auto kLook = std::chrono::milliseconds(20);
constexpr std::size_t kLongestWords = 8000;
constexpr int kRefused = 2;  // exit code: bad input, and nothing was sent

std::vector<std::pair<std::string, std::string>> plain_output() {
  return {{"NO_COLOR", "1"}};
}

// What the program printed, at a length that can be answered.
std::string words_in(const std::string& text) {
  return shorten(repair_utf8(trim(text)), kLongestWords);
}

bool run_is_there(const std::string& directory, pid_t /*pid*/) {
  return is_run_directory(directory);
}

// Whether somebody holds the run: going on begins with that.
bool run_is_held(const std::string& directory, pid_t pid) {
  struct stat lock{};
  if (::stat((directory + "/run.db.lock").c_str(), &lock) != 0) return false;
  const auto locks = read_file("/proc/locks");
  if (!locks) return false;
  // "3: FLOCK  ADVISORY  WRITE 4711 08:02:1311 0 EOF"
  const std::string inode = fmt::format(":{}", lock.st_ino);
  return std::ranges::any_of(split_lines(*locks), [&](std::string_view line) {
    std::vector<std::string_view> fields = split(line, ' ');
    std::erase(fields, std::string_view());
    return fields.size() > 5 && fields[1] == "FLOCK" && fields[4] == std::to_string(pid) &&
           fields[5].ends_with(inode);
  });
}

}  // namespace

Result<std::unique_ptr<StartedRuns>> StartedRuns::open(std::string results, std::string records) {
  if (auto made = make_directories(records); !made) return fail(std::move(made.error()));
  std::unique_ptr<StartedRuns> runs(new StartedRuns(std::move(results), std::move(records)));
  runs->forget_ended();
  return runs;
}

Result<CheckedConfig> StartedRuns::check(const std::string& config_file,
                                         const std::vector<FlagValue>& flags) const {
  ProcessRequest request;
  request.argv = {own_program(), "check", config_file};
  for (std::string& word : words_of(flags)) request.argv.push_back(std::move(word));
  request.environment = plain_output();
  request.timeout = kCheckTime;
  EventLoop loop;
  auto ended = loop.run_until_done(run_process(loop, std::move(request)));
  if (!ended) return fail(std::move(ended.error()));
  return CheckedConfig{ended->exit_code == 0, words_in(ended->error_output + ended->output)};
}

Result<std::string> StartedRuns::reserve_directory(std::string_view evaluation) const {
  const std::string parent = fmt::format("{}/{}", results_, evaluation);
  if (auto made = make_directories(parent); !made) return fail(std::move(made.error()));
  const std::string base = parent + "/" + directory_time(std::chrono::system_clock::now());
  for (int number = 1; number < 1000; ++number) {
    std::string candidate = number == 1 ? base : fmt::format("{}-{}", base, number);
    if (::mkdir(candidate.c_str(), 0777) == 0) return candidate;
    if (errno != EEXIST) return fail(file_error(candidate, "create", errno));
  }
  return fail(ErrorKind::io, "too many runs were started in this second");
}

Result<StartedRuns::Begun> StartedRuns::begin(std::vector<std::string> words, const std::string& directory,
                                              bool (*at_work)(const std::string&, pid_t)) {
  const std::string stem = fmt::format("{}/{}", records_, make_run_id(std::chrono::system_clock::now()));
  words.insert(words.begin(), "assay");
  auto process = start_detached({.program = own_program(),
                                 .argv = std::move(words),
                                 .environment = plain_output(),
                                 .output_file = stem + ".log"});
  if (!process) return fail(std::move(process.error()));
  const Record record{stem + ".json", directory, *process};
  // Before anybody is told: a run that is known can be stopped.
  if (auto written = write(record); !written) {
    interrupt_process(*process);
    return fail(std::move(written.error()));
  }
  const auto deadline = std::chrono::steady_clock::now() + kBeginTime;
  while (std::chrono::steady_clock::now() < deadline) {
    if (const auto code = ended_child(process->pid)) {
      const auto said = read_file(stem + ".log");
      ::unlink(record.file.c_str());
      ::unlink((stem + ".log").c_str());
      return Begun{code, said ? words_in(*said) : std::string()};
    }
    if (at_work(directory, process->pid)) break;
    std::this_thread::sleep_for(kLook);
  }
  const std::lock_guard guard(mutex_);
  children_.push_back(process->pid);
  return Begun{};
}

Result<std::string> StartedRuns::start(std::string_view evaluation, const std::string& config_file,
                                       const std::vector<FlagValue>& flags) {
  forget_ended();
  auto directory = reserve_directory(evaluation);
  if (!directory) return fail(std::move(directory.error()));
  std::vector<std::string> words = {"run", config_file};
  for (std::string& word : words_of(flags)) words.push_back(std::move(word));
  words.insert(words.end(), {"--output-dir=" + *directory, "--quiet"});
  auto begun = begin(std::move(words), *directory, run_is_there);
  if (begun && (!begun->exit_code || is_run_directory(*directory))) return directory;
  ::rmdir(directory->c_str());  // if nothing was written
  if (!begun) return fail(std::move(begun.error()));
  return fail(begun->exit_code == kRefused ? ErrorKind::config : ErrorKind::target,
              begun->said.empty() ? fmt::format("the run ended at once with exit code {}", *begun->exit_code)
                                  : begun->said);
}

std::string StartedRuns::coming_id(const std::string& directory) const {
  std::string id = fs::path(directory).lexically_relative(results_).string();
  std::ranges::replace(id, '/', ':');
  return id;
}

Status StartedRuns::resume(const std::string& directory) {
  forget_ended();
  auto begun = begin({"resume", directory, "--quiet"}, directory, run_is_held);
  if (!begun) return fail(std::move(begun.error()));
  if (begun->exit_code != kRefused) return {};
  return fail(ErrorKind::config, begun->said);
}

Status StartedRuns::stop(const std::string& directory) {
  for (const Record& record : records()) {
    if (record.directory == directory && interrupt_process(record.process)) return {};
  }
  return fail(ErrorKind::usage,
              "no process that was started here works on this run; stop it where it was started");
}

Status StartedRuns::write(const Record& record) const {
  return write_file(record.file, to_text(JsonObject{{"directory", record.directory},
                                                    {"pid", record.process.pid},
                                                    {"started", record.process.started},
                                                    {"boot", record.process.boot}}));
}

std::vector<StartedRuns::Record> StartedRuns::records() const {
  std::vector<Record> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(records_, error)) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_file(entry.path().string());
    const auto tree = text ? parse_json(*text) : fail(text.error());
    if (!tree) continue;
    const Json* pid = find_member(*tree, "pid");
    const Json* started = find_member(*tree, "started");
    if (pid == nullptr || started == nullptr) continue;
    found.push_back({entry.path().string(),
                     text_at(*tree, "directory"),
                     {static_cast<pid_t>(as_integer(*pid).value_or(-1)),
                      static_cast<std::uint64_t>(as_integer(*started).value_or(0)), text_at(*tree, "boot")}});
  }
  return found;
}

void StartedRuns::forget_ended() {
  const std::lock_guard guard(mutex_);
  std::erase_if(children_, [](pid_t child) { return ended_child(child).has_value(); });
  for (const Record& record : records()) {
    if (process_identity(record.process.pid) == record.process) continue;
    ::unlink(record.file.c_str());
    ::unlink((record.file.substr(0, record.file.size() - 5) + ".log").c_str());
  }
}

}  // namespace assay
