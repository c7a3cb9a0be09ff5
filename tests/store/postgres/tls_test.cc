// TLS to the store is libpq's, with its own words in the address.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "store/postgres/connection.h"
#include "tests/store/run_store_fixture.h"
#include "tests/tools/sql/postgres_server.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

// Certificates of this test's own making: two authorities, a server "localhost" and a client "worker" of the
// first.
class Certificates {
 public:
  explicit Certificates(const std::string& directory) : directory_(directory) {
    for (const char* authority : {"ca", "other"}) {
      run(fmt::format(
          "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={0} -keyout "
          "{0}.key -out {0}.crt",
          authority));
    }
    sign("server", "localhost");
    sign("client", "worker");
  }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

 private:
  void sign(const std::string& name, const std::string& subject) const {
    run(fmt::format(
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={1} -keyout {0}.key -out {0}.csr",
        name, subject));
    run(fmt::format("x509 -req -in {0}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out {0}.crt",
                    name));
  }
  void run(const std::string& arguments) const {
    const std::string command = fmt::format("cd '{}' && openssl {} 2>openssl.log", directory_, arguments);
    if (std::system(command.c_str()) != 0)
      throw std::runtime_error("openssl failed (is it installed?): " + arguments);
  }
  std::string directory_;
};

TEST(PostgresTls, IsVerifiedAsTheAddressSaysAndRefusedWithLibpqsReason) {
  const ScratchDirectory scratch("postgres_tls");
  const Certificates made(scratch.path());
  PostgresServer server;
  server.sql("CREATE ROLE worker LOGIN");
  server.add_file("server.crt", read_file(made.path("server.crt")).value());
  server.add_file("server.key", read_file(made.path("server.key")).value());
  server.add_file("root.crt", read_file(made.path("ca.crt")).value());
  server.add_file("pg_hba.conf", "local all all trust\nhostssl all worker 127.0.0.1/32 cert\n");
  server.sql("ALTER SYSTEM SET ssl = on");
  server.sql("ALTER SYSTEM SET ssl_ca_file = 'root.crt'");
  const int port = server.listen();
  const auto connect = [&](const std::string& authority, const std::string& more) {
    const auto address = StoreAddress::read(fmt::format(
        "postgres://worker@localhost:{}/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={}{}",
        port, made.path(authority), more));
    return postgres::Connection::open(address.value());
  };
  const std::string client =
      fmt::format("&sslcert={}&sslkey={}", made.path("client.crt"), made.path("client.key"));
  auto trusted = connect("ca.crt", client);
  ASSERT_TRUE(trusted.has_value()) << trusted.error().text();
  EXPECT_TRUE(trusted->query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")->flag(0, 0));
  const auto wrong = connect("other.crt", client);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().text(), HasSubstr("certificate verify failed"));
  const auto nobody = connect("ca.crt", "&sslcert=/none&sslkey=/none");
  ASSERT_FALSE(nobody.has_value());
  EXPECT_THAT(nobody.error().text(), HasSubstr("requires a valid client certificate"));
}

}  // namespace
}  // namespace assay
