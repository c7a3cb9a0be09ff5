// The tests talk to servers on this machine, whatever proxy or certificates the user's environment names.
#include <cstdlib>

#include <gtest/gtest.h>

namespace assay {
namespace {

class PlainEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    for (const auto* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
                             "NO_PROXY", "SSL_CERT_FILE", "CURL_CA_BUNDLE"}) {
      ::unsetenv(name);
    }
  }
};

[[maybe_unused]] const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new PlainEnvironment);

}  // namespace
}  // namespace assay
