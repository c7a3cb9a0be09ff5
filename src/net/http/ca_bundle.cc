#include "net/http/ca_bundle.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

constexpr const char* kSystemFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, Red Hat
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // newer ones
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/var/lib/ca-certificates/ca-bundle.pem",             // newer ones
    "/etc/ssl/certs/ca-bundle.crt",                       // NixOS
    "/etc/ssl/cert.pem",                                  // Alpine without its package of certificates
};

struct Source {
  std::string path;
  std::string named_by;  // empty: nobody, it is the system's own
};

Source base_source(const std::string& system_file) {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* value = std::getenv(name);
    if (value && *value) return {value, name};
  }
  return {system_file, {}};
}

Result<std::string> read_source(const Source& source) {
  auto text = read_file(source.path, kMostBytes);
  if (!text) {
    return fail(ErrorKind::tls, fmt::format("cannot read the CA certificates that {} names: {}",
                                            source.named_by, text.error().text()));
  }
  if (text->find("-----BEGIN") == std::string::npos) {
    return fail(ErrorKind::tls,
                fmt::format("{}, which {} names, holds no PEM certificates", source.path, source.named_by));
  }
  return text;
}

Result<int> anonymous_file(std::string_view content) {
  const int descriptor = ::memfd_create("assay-ca", MFD_CLOEXEC);
  while (descriptor >= 0 && !content.empty()) {
    const auto written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      ::close(descriptor);
      return fail(ErrorKind::io, fmt::format("cannot keep CA certificates in memory: {}", ::strerror(code)));
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (descriptor < 0) {
    return fail(ErrorKind::io, fmt::format("cannot keep CA certificates in memory: {}", ::strerror(errno)));
  }
  return descriptor;
}

}  // namespace

std::string system_ca_file(const std::string& built_in, const std::string& root) {
  if (!built_in.empty() && file_exists(root + built_in)) return built_in;
  for (const char* path : kSystemFiles) {
    if (file_exists(root + path)) return path;
  }
  return built_in;
}

Result<CaBundle> CaBundle::make(const std::string& extra_file, const std::string& system_file) {
  const Source base = base_source(system_file);
  std::string joined;
  if (!base.named_by.empty()) {
    auto text = read_source(base);
    if (!text) return fail(std::move(text.error()));
    joined = std::move(*text);
  } else if (!extra_file.empty()) {
    // A system without certificates is one where the user's file is all there is.
    joined = read_file(base.path, kMostBytes).value_or(std::string());
  }
  if (extra_file.empty()) return CaBundle(base.path, -1);

  auto extra = read_source({extra_file, "ca_file"});
  if (!extra) return fail(std::move(extra.error()));
  joined += '\n';
  joined += *extra;
  const auto descriptor = anonymous_file(joined);
  if (!descriptor) return fail(descriptor.error());
  return CaBundle(fmt::format("/proc/self/fd/{}", *descriptor), *descriptor);
}

CaBundle::~CaBundle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace assay
