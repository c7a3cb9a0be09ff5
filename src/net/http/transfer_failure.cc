#include "net/http/transfer_failure.h"

#include <cerrno>
#include <cstring>

#include <curl/curl.h>
#include <fmt/format.h>

namespace assay {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

Error make(ErrorKind kind, std::string message) {
  return Error{kind, std::move(message), {}};
}

bool is_connection_loss(int system_error) {
  return system_error == ECONNRESET || system_error == EPIPE || system_error == ETIMEDOUT ||
         system_error == ECONNABORTED;
}

Error explain_handshake(const TransferFailure& failure) {
  // A connection that breaks during the handshake is reported with the same code as a handshake that cannot
  // work.
  if (is_connection_loss(failure.system_error) || failure.detail.contains("SSL_ERROR_SYSCALL") ||
      failure.detail.contains("unexpected eof")) {
    return make(ErrorKind::network,
                fmt::format("{} closed the connection during the TLS handshake", failure.origin));
  }
  if (failure.detail.contains("wrong version number") || failure.detail.contains("packet length too long")) {
    return make(
        ErrorKind::tls,
        fmt::format("TLS handshake with {} failed: the server does not speak TLS on this port. Is the "
                    "address meant to be http:// ?",
                    failure.origin));
  }
  return make(ErrorKind::tls,
              fmt::format("TLS handshake with {} failed: {}", failure.origin, failure.detail));
}

Error explain_connect(const TransferFailure& failure) {
  switch (failure.system_error) {
    case ECONNREFUSED:
      return make(ErrorKind::network, fmt::format("connection refused by {}: is a server running there, and "
                                                  "is the port right?",
                                                  failure.origin));
    case 0:
      return make(ErrorKind::network, fmt::format("cannot connect to {}", failure.origin));
    default:
      return make(ErrorKind::network,
                  fmt::format("cannot connect to {}: {}", failure.origin, ::strerror(failure.system_error)));
  }
}

Error explain_loss(const TransferFailure& failure) {
  // "CONNECT tunnel failed, response 407": before TLS with the server itself.
  if (failure.detail.contains("CONNECT")) {
    const bool wants_password = failure.detail.contains("407");
    return make(wants_password ? ErrorKind::auth : ErrorKind::network,
                fmt::format("the proxy did not connect us to {}: {}", failure.origin,
                            wants_password ? "it wants a user name and password" : failure.detail));
  }
  const std::string reason =
      failure.system_error != 0 ? fmt::format(" ({})", ::strerror(failure.system_error)) : std::string();
  return make(ErrorKind::network,
              failure.replying
                  ? fmt::format("{} closed the connection in the middle of its reply, after {} bytes{}",
                                failure.origin, failure.received, reason)
                  : fmt::format("the connection to {} broke before a reply came{}", failure.origin, reason));
}

}  // namespace

Error explain(const TransferFailure& failure) {
  switch (failure.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return make(ErrorKind::network, fmt::format("cannot resolve host {}: is the name right, and is there a "
                                                  "network?",
                                                  failure.host));
    case CURLE_COULDNT_RESOLVE_PROXY:
      return make(ErrorKind::network,
                  "cannot resolve the proxy: look at http_proxy, https_proxy, all_proxy or the proxy key");
    case CURLE_PROXY:
      return make(ErrorKind::network, fmt::format("the proxy did not connect us to {}", failure.origin));
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
      return explain_connect(failure);
    case CURLE_OPERATION_TIMEDOUT:
      return make(ErrorKind::timeout, fmt::format("cannot connect to {}: no connection after {} (connect "
                                                  "timeout)",
                                                  failure.origin, in_words(failure.connect_timeout)));

    case CURLE_SSL_CONNECT_ERROR:
      return explain_handshake(failure);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return make(ErrorKind::tls,
                  fmt::format("the certificate of {} is not trusted: {}. For a private CA, give its "
                              "certificate (PEM) with the key http.ca_file or the variable SSL_CERT_FILE",
                              failure.origin, failure.detail));
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
      return make(ErrorKind::tls,
                  "cannot load the CA certificates: look at the file that the key http.ca_file, "
                  "CURL_CA_BUNDLE or SSL_CERT_FILE names");
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_CLIENTCERT:
      return make(ErrorKind::tls, fmt::format("TLS with {} failed: {}", failure.origin, failure.detail));

    case CURLE_GOT_NOTHING:
      return make(ErrorKind::network,
                  fmt::format("{} closed the connection without a reply", failure.origin));
    // These two come when libcurl would send the request again on a new connection and we do not let it.
    case CURLE_ABORTED_BY_CALLBACK:
    case CURLE_SEND_FAIL_REWIND:
      return make(ErrorKind::network,
                  fmt::format("{} closed a kept connection without a reply", failure.origin));
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_SSL_SHUTDOWN_FAILED:
      return explain_loss(failure);
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return make(ErrorKind::network,
                  fmt::format("{} broke off the HTTP/2 exchange: {}", failure.origin, failure.detail));
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return make(ErrorKind::network, fmt::format("{} did not answer in HTTP", failure.origin));
    case CURLE_BAD_CONTENT_ENCODING:
      return make(ErrorKind::network,
                  fmt::format("the reply of {} is damaged: it cannot be decompressed", failure.origin));

    case CURLE_URL_MALFORMAT:
      return make(ErrorKind::rejected, fmt::format("the URL for {} is not valid", failure.origin));
    case CURLE_OUT_OF_MEMORY:
      return make(ErrorKind::internal, "out of memory in an HTTP transfer");
    default:
      break;
  }
  return make(ErrorKind::network,
              fmt::format("the exchange with {} failed: {} (libcurl {})", failure.origin,
                          curl_easy_strerror(static_cast<CURLcode>(failure.code)), failure.code));
}

std::string in_words(std::chrono::nanoseconds duration) {
  const auto ms = duration_cast<milliseconds>(duration).count();
  if (ms < 1000) return fmt::format("{} ms", ms);
  return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000)
                        : fmt::format("{:.1f} s", static_cast<double>(ms) / 1000.0);
}

}  // namespace assay
