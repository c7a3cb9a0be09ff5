// A NATS server with JetStream of the test's own, on a free port of the loopback, which it keeps when it is
// begun again. It ends with this object, or with the test program.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json/json.h"

namespace assay {

class NatsServer {
 public:
  enum class JetStream { on, off };
  explicit NatsServer(std::vector<std::string> more = {}, JetStream jetstream = JetStream::on)
      : more_(std::move(more)) {
    if (jetstream == JetStream::on) more_.emplace_back("-js");
    std::string pattern = std::filesystem::temp_directory_path() / ("assay-nats-" + std::string(6, 'X'));
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = pattern;
    begin();
  }
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;
  ~NatsServer() {
    kill();
    std::error_code error;
    std::filesystem::remove_all(directory_, error);
  }

  std::string url() const { return fmt::format("nats://127.0.0.1:{}", port_); }
  int port() const { return port_; }
  const std::string& directory() const { return directory_; }

  // As a power cut would.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void signal(int number) const { ::kill(pid_, number); }
  void forget() const { std::filesystem::remove_all(directory_ + "/store"); }
  void begin() {
    const std::string ports = directory_ + "/ports";
    std::filesystem::remove_all(ports);
    std::filesystem::create_directory(ports);
    std::vector<std::string> command{"setpriv",
                                     "--pdeathsig",
                                     "KILL",
                                     "nats-server",
                                     "-a",
                                     "127.0.0.1",
                                     "-p",
                                     port_ == 0 ? "-1" : std::to_string(port_),
                                     "-sd",
                                     directory_ + "/store",
                                     "-l",
                                     directory_ + "/log",
                                     "--ports_file_dir",
                                     ports};
    command.insert(command.end(), more_.begin(), more_.end());
    std::vector<char*> arguments;
    for (auto& part : command) arguments.push_back(part.data());
    arguments.push_back(nullptr);
    if (::posix_spawnp(&pid_, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
      throw std::runtime_error("cannot start nats-server: install the package nats-server");
    for (int i = 0; i < 200; ++i) {
      for (const auto& file : std::filesystem::directory_iterator(ports)) {
        const auto told = parse_json(read_file(file.path()).value_or(""));
        const Json* urls = told ? find_member(*told, "nats") : nullptr;
        if (urls == nullptr || !urls->is_array() || urls->get_array().empty()) continue;
        const std::string url(urls->get_array().front().get_string());
        port_ = std::stoi(url.substr(url.rfind(':') + 1));
        return;
      }
      if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
        pid_ = -1;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    throw std::runtime_error("nats-server does not start (package nats-server): " +
                             read_file(directory_ + "/log").value_or(""));
  }

 private:
  std::vector<std::string> more_;
  std::string directory_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace assay
