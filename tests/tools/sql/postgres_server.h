// A PostgreSQL server of the test's own, on a Unix socket in a temporary directory: nothing of it is shared
// with a server of the machine or with another test. It ends with this object, or with the test program.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {

class PostgresServer {
 public:
  PostgresServer() : programs_(find_programs()) {
    std::string pattern = std::filesystem::temp_directory_path() / ("assay-pg-" + std::string(6, 'X'));
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = pattern;
    // The server refuses to run as root.
    if (::getuid() == 0) {
      const passwd* owner = ::getpwnam("postgres");
      if (owner == nullptr || ::chown(directory_.c_str(), owner->pw_uid, owner->pw_gid) != 0) {
        throw std::runtime_error("there is no user postgres to run the server as");
      }
      as_owner_ = {"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"};
    } else {
      as_owner_ = {"setpriv"};
    }
    try {
      must(run(owned({programs_ + "/initdb", "-D", data(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
                      "--locale=C.UTF-8", "--no-sync"})),
           "initdb");
      start();
    } catch (...) {
      stop();
      throw;
    }
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() { stop(); }

  // Runs the statements as the superuser; gives what they print, values separated by "|".
  std::string sql(const std::string& statements, const std::string& database = "postgres") const {
    must(run({programs_ + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", directory_, "-p",
              port_text(), "-U", "postgres", "-d", database, "-c", statements}),
         statements);
    return output();
  }
  // "postgres://USER@/DATABASE?host=…"
  std::string url(const std::string& user, const std::string& database) const {
    return fmt::format("postgres://{}@/{}?host={}{}", user, database, directory_,
                       port_ == 0 ? "" : fmt::format("&port={}", port_));
  }
  const std::string& directory() const { return directory_; }

  // Ends it as a power cut would (pg_ctl stop -m immediate), and begins it again.
  void crash() {
    ::kill(pid_, SIGQUIT);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void restart() {
    if (pid_ > 0) crash();
    start();
  }
  // From now on also on 127.0.0.1, where TLS is spoken; the port.
  int listen() {
    port_ = free_port();
    restart();
    return port_;
  }
  // A file of the server's own, which nobody else may read.
  std::string add_file(const std::string& name, const std::string& text) const {
    const std::string path = data() + "/" + name;
    must(write_file(path, text) ? 0 : 1, "write " + path);
    if (const passwd* owner = ::getpwnam("postgres"); ::getuid() == 0 && owner != nullptr)
      must(::chown(path.c_str(), owner->pw_uid, owner->pw_gid), "chown");
    must(::chmod(path.c_str(), 0600), "chmod");
    return path;
  }

 private:
  static int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(socket);
    if (!bound) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
  }
  std::string port_text() const { return std::to_string(port_ == 0 ? 5432 : port_); }

  static std::string find_programs() {
    std::string newest;
    std::error_code error;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", error)) {
      const std::string programs = version.path() / "bin";
      if (std::filesystem::exists(programs + "/initdb") && programs > newest) newest = programs;
    }
    if (newest.empty()) {
      throw std::runtime_error("no server in /usr/lib/postgresql: install the package postgresql");
    }
    return newest;
  }

  std::string data() const { return directory_ + "/data"; }
  std::string output_file() const { return directory_ + "/output"; }
  std::string output() const { return read_file(output_file()).value_or(""); }
  std::vector<std::string> owned(std::vector<std::string> command) const {
    command.insert(command.begin(), as_owner_.begin(), as_owner_.end());
    return command;
  }

  pid_t spawn(std::vector<std::string> command) const {
    std::vector<char*> arguments;
    for (auto& part : command) arguments.push_back(part.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, output_file().c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0644);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid = -1;
    const int code = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (code != 0) throw std::runtime_error("cannot start " + command[0]);
    return pid;
  }
  int run(std::vector<std::string> command) const {
    int status = -1;
    ::waitpid(spawn(std::move(command)), &status, 0);
    return status;
  }
  void must(int status, const std::string& what) const {
    if (status != 0) throw std::runtime_error(fmt::format("{} failed: {}", what, output()));
  }

  void start() {
    // The server is told to end (SIGQUIT) when this process dies, however it does.
    auto command = owned(
        {"--pdeathsig", "QUIT", programs_ + "/postgres", "-D", data(), "-k", directory_, "-p", port_text(),
         "-c", port_ == 0 ? "listen_addresses=" : "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c",
         "shared_buffers=16MB", "-c", "autovacuum=off", "-c", "logging_collector=off"});
    pid_ = spawn(std::move(command));
    for (int i = 0; i < 600; ++i) {
      if (run({programs_ + "/pg_isready", "-q", "-h", directory_, "-p", port_text()}) == 0) return;
      if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
        pid_ = -1;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    throw std::runtime_error("the server does not start: " + output());
  }

  void stop() {
    if (pid_ > 0) {
      ::kill(pid_, SIGQUIT);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
    std::error_code error;
    std::filesystem::remove_all(directory_, error);
  }

  std::string programs_;
  std::string directory_;
  std::vector<std::string> as_owner_;
  pid_t pid_ = -1;
  int port_ = 0;  // on 127.0.0.1; 0: on its socket alone
};

}  // namespace assay
