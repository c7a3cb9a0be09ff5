#include "tools/sandbox/python_sandbox.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

Result<Json> run(PythonCall call, const Environment& environment = process_environment()) {
  EventLoop loop;
  return loop.run_until_done(run_python(loop, std::move(call), environment));
}

struct Ended {
  std::string output;
  std::string error_output;
  std::int64_t exit_code = -1;
};

Ended ended(PythonCall call) {
  const auto result = run(std::move(call));
  EXPECT_TRUE(result.has_value()) << result.error().text();
  if (!result) return {};
  return {text_at(*result, "stdout"), text_at(*result, "stderr"),
          as_integer(result->at("exitCode")).value_or(-1)};
}

PythonCall program(std::string text) {
  PythonCall call;
  call.program = std::move(text);
  return call;
}

// Where no sandbox can be made, the truth to check is that every program is refused.
bool works_here() {
  static const auto kEmpty = run(program(""));
  if (kEmpty) return true;
  std::cerr << "only the refusal is checked: " << kEmpty.error().text() << '\n';
  const auto refused = run(program("print(1)"));
  EXPECT_FALSE(refused.has_value());
  if (!refused) {
    EXPECT_EQ(refused.error().kind, ErrorKind::config);
    EXPECT_THAT(refused.error().text(),
                AllOf(HasSubstr("no sandbox can be made here"), HasSubstr("sandbox: none")));
  }
  return false;
}

// A directory that the user nobody can read, too.
class Directory {
 public:
  Directory() {
    std::string pattern = std::filesystem::temp_directory_path() / ("assay-sandbox-" + std::string(6, 'X'));
    path_ = ::mkdtemp(pattern.data());
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

  void add_program(const std::string& name, const std::string& script) const {
    std::ofstream(path_ + "/" + name) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path_ + "/" + name, std::filesystem::perms(0755));
  }
  // PATH is this directory and those of the system's own programs.
  Environment first_in_path() const {
    return [path = path_ + ":/usr/bin:/bin"](std::string_view name) -> std::optional<std::string> {
      return name == "PATH" ? std::optional(path) : std::nullopt;
    };
  }
  Environment only_in_path() const {
    return [path = path_](std::string_view name) -> std::optional<std::string> {
      return name == "PATH" ? std::optional(path) : std::nullopt;
    };
  }

 private:
  std::string path_;
};

// A program that tries each of `attempts`, one expression a line, and prints what the system did not refuse.
std::string trying(const std::string& attempts) {
  return "import os, socket, sys\nfor attempt in '''" + attempts +
         "'''.strip().splitlines():\n"
         "    try:\n"
         "        print('DONE', attempt, eval(attempt))\n"
         "    except OSError as error:\n"
         "        print('failed', attempt, repr(error), file=sys.stderr)\n";
}

TEST(PythonSandbox, GivesWhatTheProgramPrintsAndItsExitCode) {
  if (!works_here()) return;
  const auto result =
      run(program("import sys, json\nprint('Grüße', 2**70)\nprint('no', file=sys.stderr)\nsys.exit(3)"));
  ASSERT_TRUE(result.has_value()) << result.error().text();
  EXPECT_EQ(to_text(*result), R"({"stdout":"Grüße 1180591620717411303424\n","stderr":"no\n","exitCode":3})");

  const auto broken = ended(program("x = 1\nraise ValueError('broken')"));
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.error_output,
              AllOf(HasSubstr("/program.py\", line 2"), HasSubstr("ValueError: broken")));
  EXPECT_THAT(ended(program("def")).error_output, HasSubstr("SyntaxError"));
  EXPECT_EQ(ended(program("import sys\nprint(repr(sys.stdin.read()))")).output, "''\n");
  EXPECT_EQ(ended(program("import os\nos.write(1, b'a\\xffb')")).output,
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(ended(program("")).exit_code, 0);
  EXPECT_EQ(ended(program("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")).exit_code, 128 + 11);
}

TEST(PythonSandbox, HasNoNetwork) {
  if (!works_here()) return;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 5), 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);

  // An abstract socket is in no file system; it belongs to the network.
  const int abstract = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string name = fmt::format("assay-test-{}", ::getpid());
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  name.copy(local.sun_path + 1, name.size());
  ASSERT_EQ(::bind(abstract, reinterpret_cast<sockaddr*>(&local),
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())),
            0);
  ASSERT_EQ(::listen(abstract, 5), 0);

  const auto tried =
      ended(program(trying(fmt::format("socket.create_connection(('127.0.0.1', {0}), 2)\n"
                                       "socket.create_connection(('1.1.1.1', 53), 2)\n"
                                       "socket.getaddrinfo('deb.debian.org', 80)\n"
                                       "socket.socket(socket.AF_UNIX).connect('\\\\0{1}')\n"
                                       "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
                                       "open('/sys/class/net/eth0/address').read()\n",
                                       ntohs(address.sin_port), name))));
  EXPECT_EQ(tried.output, "") << tried.error_output;
  EXPECT_EQ(tried.exit_code, 0) << tried.error_output;
  EXPECT_EQ(
      ended(program("print([line.split(':')[0].strip() for line in open('/proc/net/dev')][2:])")).output,
      "['lo']\n");
  ::close(listener);
  ::close(abstract);
}

TEST(PythonSandbox, WritesNothingOfTheHost) {
  if (!works_here()) return;
  const Directory host;
  std::ofstream(host.path() + "/kept.txt") << "kept";
  std::filesystem::permissions(host.path(), std::filesystem::perms(0777));
  std::filesystem::permissions(host.path() + "/kept.txt", std::filesystem::perms(0666));
  const std::string mark = fmt::format("assay-left-{}", ::getpid());
  auto call = program(trying(fmt::format(
      "open('/{0}', 'w')\nopen('/usr/{0}', 'w')\nopen('/etc/{0}', 'w')\nopen('/dev/{0}', "
      "'w')\nopen('/var/tmp/{0}', 'w')\n"
      "open('/proc/sys/kernel/hostname', 'w').write('x')\nopen('{1}/{0}', 'w')\nopen('{1}/kept.txt', 'w')\n"
      "os.remove('{1}/kept.txt')\nos.remove('/usr/bin/env')\nos.chmod('/usr/bin/env', "
      "0o777)\nos.mkdir('/{0}')\n"
      "os.chmod('/program.py', 0o777)\nopen('/program.py', 'w')\n",
      mark, host.path())));
  call.readable = {host.path()};
  const auto tried = ended(call);
  EXPECT_EQ(tried.output, "") << tried.error_output;
  EXPECT_EQ(tried.exit_code, 0) << tried.error_output;
  EXPECT_EQ(read_file(host.path() + "/kept.txt").value(), "kept");

  EXPECT_EQ(ended(program("import os\nprint(os.statvfs('/usr').f_flag & os.ST_RDONLY)")).output, "1\n");

  // What it may write is its own, and gone afterwards.
  const std::string write =
      fmt::format("open('{0}', 'a').write('mine')\nprint(open('/tmp/{0}').read())", mark);
  EXPECT_EQ(ended(program(write)).output, "mine\n");
  EXPECT_EQ(ended(program(write)).output, "mine\n");
  EXPECT_FALSE(file_exists("/tmp/" + mark));
}

TEST(PythonSandbox, ReadsNoSecretsOfTheHost) {
  if (!works_here()) return;
  const Directory host;
  std::ofstream(host.path() + "/secret.txt") << "s3cret";
  ::setenv("ASSAY_TEST_SECRET", "s3cret", 1);
  const auto tried = ended(program(trying(fmt::format(
      "open('/etc/shadow').read()\nopen('/etc/passwd').read()\nos.listdir('/home')\nos.listdir('/root')\n"
      "os.listdir('/var')\nos.listdir('/run')\nos.listdir('{1}')\nopen('{0}/secret.txt').read()\n"
      "open('/proc/{2}/environ').read()\nopen('/dev/mem')\n",
      host.path(), host.path(), ::getpid()))));
  EXPECT_EQ(tried.output, "") << tried.error_output;
  EXPECT_EQ(tried.exit_code, 0) << tried.error_output;

  const auto seen = ended(program(R"(
import glob, os
print(sorted(os.environ))
print(sorted(os.listdir('/')), os.listdir('/tmp'))
for path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):
    try: print(open(path).read())
    except OSError: pass
print(len(glob.glob('/proc/[0-9]*')), 'processes')
print([line for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapBnd', 'NoNewPrivs'))])
)"));
  ::unsetenv("ASSAY_TEST_SECRET");
  EXPECT_THAT(seen.output, Not(HasSubstr("s3cret")));
  EXPECT_THAT(seen.output, HasSubstr("['HOME', 'LANG', 'OMP_NUM_THREADS', 'PATH', 'PWD', 'TMPDIR']\n"));
  EXPECT_THAT(
      seen.output,
      HasSubstr("['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'program.py', 'sbin', 'tmp', 'usr'] []\n"));
  EXPECT_THAT(seen.output, HasSubstr("\n2 processes\n"));
  EXPECT_THAT(
      seen.output,
      HasSubstr(R"(['CapEff:\t0000000000000000\n', 'CapBnd:\t0000000000000000\n', 'NoNewPrivs:\t1\n'])"));
}

TEST(PythonSandbox, ShowsWhatItIsToldToShow) {
  if (!works_here()) return;
  const Directory host;
  std::ofstream(host.path() + "/data.txt") << "for the model";
  auto call = program(fmt::format("print(open('{}/data.txt').read())", host.path()));
  call.readable = {host.path()};
  EXPECT_EQ(ended(call).output, "for the model\n");
  for (const std::string wrong : {"/", "", "data", "/usr/../root", "//"}) {
    call.readable = {wrong};
    const auto result = run(call);
    ASSERT_FALSE(result.has_value()) << wrong;
    EXPECT_EQ(result.error().kind, ErrorKind::config);
  }
  call.readable = {"/no/such/place"};
  EXPECT_THAT(run(call).error().text(), HasSubstr("/no/such/place"));
}

TEST(PythonSandbox, ContainsAForkBomb) {
  if (!works_here()) return;
  auto call = program(R"(
import os, time
made = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as error:
    print(made, type(error).__name__)
)");
  call.limits.max_processes = 8;  // the program itself and seven more
  const auto bomb = ended(call);
  EXPECT_EQ(bomb.output, "7 BlockingIOError\n") << bomb.error_output;

  // One whose every child goes on forking ends at the deadline.
  auto wild = program("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass");
  wild.limits.timeout = 1s;
  const auto stopped = run(wild);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::timeout);
}

TEST(PythonSandbox, ContainsAMemoryBomb) {
  if (!works_here()) return;
  auto call = program("parts = []\nwhile True: parts.append(bytearray(10 * 1024 * 1024))");
  call.limits.memory = std::size_t{256} << 20;
  const auto bomb = ended(call);
  EXPECT_EQ(bomb.exit_code, 1);
  EXPECT_THAT(bomb.error_output, HasSubstr("MemoryError"));

  // Files in /tmp and /dev/shm are memory, too.
  for (const std::string place : {"/tmp", "/dev/shm"}) {
    auto files = program(fmt::format(R"(
total = 0
try:
    for i in range(1000):
        with open('{}/%d' % i, 'wb') as file:
            total += file.write(bytes(1024 * 1024))
except OSError as error:
    print(total // 1024 // 1024, error.strerror)
)",
                                     place));
    files.limits.files = std::size_t{8} << 20;
    EXPECT_THAT(ended(files).output, AnyOf("7 No space left on device\n", "8 No space left on device\n"));
  }
}

TEST(PythonSandbox, EndsAnEndlessLoopByProcessorTimeAndByTheClock) {
  if (!works_here()) return;
  auto busy = program("while True: pass");
  busy.limits.cpu = 1s;
  const auto loop = ended(busy);
  EXPECT_EQ(loop.exit_code, 128 + 24);  // SIGXCPU
  EXPECT_THAT(loop.error_output, HasSubstr("more than 1 s of processor time"));

  auto idle = program(
      "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)");
  idle.limits.timeout = 300ms;
  const auto result = run(idle);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::timeout);
  EXPECT_EQ(result.error().text(), "the program did not end within 300 ms");
}

TEST(PythonSandbox, StopsAProgramThatPrintsAGigabyte) {
  if (!works_here()) return;
  for (const std::string stream : {"stdout", "stderr"}) {
    auto call =
        program(fmt::format("import sys\nfor i in range(1024): sys.{}.write('x' * 1024 * 1024)", stream));
    const auto result = run(call);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::target);
    EXPECT_THAT(result.error().text(),
                HasSubstr("the program wrote more than 1048576 bytes to its standard"));
  }
}

bool runs_on_the_host(const std::string& argument) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.starts_with("sleep") && line.contains(argument)) return true;
  }
  return false;
}

TEST(PythonSandbox, LeavesNoProcessBehind) {
  if (!works_here()) return;
  const std::string seconds = fmt::format("9{}", ::getpid());
  const auto left = ended(program(fmt::format(
      "import subprocess\nsubprocess.Popen(['sleep', '{}'], start_new_session=True)\nprint('away')",
      seconds)));
  EXPECT_EQ(left.output, "away\n");
  const auto start = Clock::now();
  while (runs_on_the_host(seconds) && Clock::now() - start < 5s) std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(runs_on_the_host(seconds));
}

TEST(PythonSandbox, MakesNoNewUserNamespaces) {
  if (!works_here()) return;
  EXPECT_EQ(ended(program("import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))")).output, "-1\n");
}

TEST(PythonSandbox, IsRefusedWithoutBubblewrap) {
  const Directory empty;
  const auto result = run(program("print(1)"), empty.only_in_path());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::config);
  EXPECT_EQ(result.error().text(),
            "no sandbox can be made here: there is no bwrap in PATH; install the package "
            "bubblewrap. `sandbox: none` would run programs without any protection");
}

TEST(PythonSandbox, IsRefusedInBubblewrapsWordsWhereItCannotWork) {
  const Directory fake;
  fake.add_program("bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
  const auto result = run(program("print(1)"), fake.first_in_path());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::config);
  EXPECT_THAT(result.error().text(),
              AllOf(HasSubstr("bwrap: setting up uid map: Permission denied"), HasSubstr("user namespaces")));

  fake.add_program("bwrap", "exit 0\n");  // no word, no mark: no sandbox
  EXPECT_THAT(run(program("print(1)"), fake.first_in_path()).error().text(),
              HasSubstr("it ended without a word"));
}

TEST(PythonSandbox, IsRefusedWhereTheKernelForbidsNamespaces) {
  if (!works_here()) return;
  // A sandbox in which no more user namespaces can be made.
  const Directory fake;
  fake.add_program("bwrap", "real=$(PATH=$(echo '" + std::string(std::getenv("PATH")) +
                                "') command -v bwrap)\nexec \"$real\" --unshare-user --disable-userns "
                                "--dev-bind / / \"$real\" \"$@\"\n");
  const auto result = run(program("print(1)"), fake.first_in_path());
  ASSERT_FALSE(result.has_value()) << to_text(*result);
  EXPECT_THAT(result.error().text(), AllOf(HasSubstr("bwrap: "), HasSubstr("user.max_user_namespaces")));
}

TEST(PythonSandbox, IsRefusedWithoutTheInterpreter) {
  if (!works_here()) return;
  auto call = program("print(1)");
  call.python = "/opt/no/python";
  const auto result = run(call);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().text(), HasSubstr("there is no Python interpreter /opt/no/python"));
}

TEST(PythonSandbox, TakesProgramsUpToALength) {
  EXPECT_THAT(run(program(std::string((1 << 20) + 1, '#'))).error().text(), HasSubstr("at most 1048576"));
  if (!works_here()) return;
  EXPECT_EQ(ended(program(std::string((1 << 20) - 9, '#') + "\nprint(1)")).output, "1\n");
}

TEST(PythonSandbox, NoneRunsOnlyWhenAskedForWithACleanEnvironmentAndLimits) {
  EXPECT_EQ(PythonCall{}.sandbox, Sandbox::bubblewrap);
  ::setenv("ASSAY_TEST_SECRET", "s3cret", 1);
  auto call = program("import os\nprint(os.environ.get('ASSAY_TEST_SECRET'), os.getcwd(), os.listdir())");
  call.sandbox = Sandbox::none;
  const auto seen = ended(call);
  ::unsetenv("ASSAY_TEST_SECRET");
  EXPECT_THAT(seen.output,
              AllOf(HasSubstr("None "), HasSubstr("assay-python-"), HasSubstr("['program.py']")));
  const auto directory = seen.output.substr(5, seen.output.find(' ', 5) - 5);
  EXPECT_FALSE(directory_exists(directory)) << directory;

  call.program = "x = bytearray(2 << 30)";
  EXPECT_THAT(ended(call).error_output, HasSubstr("MemoryError"));
  call.program = "while True: pass";
  call.limits.timeout = 300ms;
  EXPECT_EQ(run(call).error().kind, ErrorKind::timeout);
  call.python = "/opt/no/python";
  EXPECT_THAT(run(call).error().text(), HasSubstr("there is no Python interpreter"));
}

TEST(PythonSandbox, IsJournaledWithoutItsLimits) {
  auto call = program("print(1)");
  call.readable = {"/data"};
  EXPECT_EQ(
      to_text(to_json(call)),
      R"json({"program":"print(1)","sandbox":"bubblewrap","python":"python3","readable":["/data"]})json");
}

}  // namespace
}  // namespace assay
