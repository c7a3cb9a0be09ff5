#include "net/http/ca_bundle.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay {
namespace {

namespace fs = std::filesystem;

void place(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << "-----BEGIN CERTIFICATE-----\n";
}

TEST(SystemCaFile, IsWhereLibcurlLooksOrWhereTheDistributionKeepsIt) {
  const std::string root = testing::TempDir() + "system_ca_file_" + std::to_string(::getpid());
  const std::string debian = "/etc/ssl/certs/ca-certificates.crt";
  EXPECT_EQ(system_ca_file(debian, root), debian) << "none is here: the error names the expected one";
  place(root + "/etc/pki/tls/certs/ca-bundle.crt");  // Fedora
  EXPECT_EQ(system_ca_file(debian, root), "/etc/pki/tls/certs/ca-bundle.crt");
  EXPECT_EQ(system_ca_file("", root), "/etc/pki/tls/certs/ca-bundle.crt");
  place(root + debian);
  EXPECT_EQ(system_ca_file(debian, root), debian);
  EXPECT_EQ(system_ca_file("/etc/pki/tls/certs/ca-bundle.crt", root), "/etc/pki/tls/certs/ca-bundle.crt");
  fs::remove_all(root);
}

}  // namespace
}  // namespace assay
