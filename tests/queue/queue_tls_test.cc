// TLS to the queue, with an authority and certificates of the test's own.
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "queue/work_queue.h"
#include "tests/core/mailbox.h"
#include "tests/queue/nats_server.h"

namespace assay {
namespace {

class Authority {
 public:
  Authority() {
    std::string pattern = std::filesystem::temp_directory_path() / ("assay-ca-" + std::string(6, 'X'));
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = pattern;
    must(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "
        "/CN=test-authority "
        "-keyout ca.key -out ca.pem");
  }
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;
  ~Authority() { std::filesystem::remove_all(directory_); }

  // NAME.pem and NAME.key, for that host.
  void sign(const std::string& name, const std::string& alternative) const {
    must(fmt::format(
        "printf 'subjectAltName=%s' '{1}' > {0}.ext && openssl req -newkey ec -pkeyopt "
        "ec_paramgen_curve:P-256 -nodes -subj /CN={0} -keyout {0}.key -out {0}.csr && openssl x509 "
        "-req -in {0}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile {0}.ext -out "
        "{0}.pem",
        name, alternative));
  }
  std::string file(const std::string& name) const { return directory_ + "/" + name; }

 private:
  void must(const std::string& command) const {
    const std::string line = fmt::format("cd {} && ({}) >openssl.log 2>&1", directory_, command);
    if (std::system(line.c_str()) != 0)
      throw std::runtime_error("openssl failed: " + read_file(file("openssl.log")).value_or(""));
  }
  std::string directory_;
};

class QueueTls : public testing::Test {
 protected:
  QueueTls() {
    authority_.sign("server", "IP:127.0.0.1");
    authority_.sign("elsewhere", "DNS:elsewhere.example");
    authority_.sign("client", "DNS:worker");
  }
  std::vector<std::string> options(const std::string& name) const {
    return {"--tls", "--tlscert", authority_.file(name + ".pem"), "--tlskey", authority_.file(name + ".key")};
  }
  std::string ca() const { return authority_.file("ca.pem"); }

  Authority authority_;
};

std::string tls_url(const NatsServer& server) {
  return fmt::format("tls://127.0.0.1:{}", server.port());
}

TEST_F(QueueTls, TrustsAPrivateAuthorityAndNobodyElse) {
  const NatsServer server(options("server"));
  const auto queue = WorkQueue::connect({.servers = tls_url(server), .ca_file = ca()});
  EXPECT_TRUE(queue) << queue.error().text();
  const auto unknown = WorkQueue::connect({.servers = tls_url(server)});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::tls) << unknown.error().text();
  EXPECT_TRUE(unknown.error().message.contains("certificate")) << unknown.error().message;
  // A CA asks for TLS, whatever the scheme says.
  EXPECT_TRUE(WorkQueue::connect({.servers = server.url(), .ca_file = ca()}));
}

TEST_F(QueueTls, RefusesACertificateOfAnotherHost) {
  const NatsServer server(options("elsewhere"));
  const auto queue = WorkQueue::connect({.servers = tls_url(server), .ca_file = ca()});
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().kind, ErrorKind::tls) << queue.error().text();
}

TEST_F(QueueTls, ShowsACertificateOfItsOwn) {
  auto strict = options("server");
  strict.insert(strict.end(), {"--tlsverify", "--tlscacert", ca()});
  const NatsServer server(strict);
  EXPECT_TRUE(WorkQueue::connect({.servers = tls_url(server),
                                  .ca_file = ca(),
                                  .certificate_file = authority_.file("client.pem"),
                                  .key_file = authority_.file("client.key")}));
  EXPECT_FALSE(WorkQueue::connect({.servers = tls_url(server), .ca_file = ca()}));
}

TEST_F(QueueTls, SaysThatAServerSpeaksNoTls) {
  const NatsServer server;
  const auto queue = WorkQueue::connect({.servers = tls_url(server), .ca_file = ca()});
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().kind, ErrorKind::tls) << queue.error().text();
}

}  // namespace
}  // namespace assay
