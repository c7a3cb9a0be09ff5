#include "queue/nats_connection.h"

#ifdef ASSAY_NATS

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

using Options = std::unique_ptr<natsOptions, FreedBy<::natsOptions_Destroy>>;

// A server that has fallen silent is noticed after two of them.
constexpr std::int64_t kPing = 5'000;
constexpr std::int64_t kConnect = 5'000;
constexpr std::int64_t kReconnect = 250;

void keep_silent(natsConnection* /*connection*/, natsSubscription* /*subscription*/, natsStatus /*status*/,
                 void* /*unused*/) {}

std::vector<std::string> servers_of(const QueueAddress& address) {
  std::vector<std::string> servers;
  for (const std::string_view one : split(address.servers, ',')) {
    const std::string_view server = trim(one);
    if (!server.empty()) servers.emplace_back(server);
  }
  return servers;
}

// The last words of libnats on this thread, which name the cause ("certificate verify failed").
std::string last_words() {
  natsStatus status = NATS_OK;
  const char* words = ::nats_GetLastError(&status);
  return words == nullptr ? "" : words;
}

class Settings {
 public:
  explicit Settings(std::string where) : where_(std::move(where)) {
    natsOptions* made = nullptr;
    set(::natsOptions_Create(&made), "make room");
    options_.reset(made);
  }

  Status take(const QueueAddress& address) {
    natsOptions* const options = options_.get();
    const std::vector<std::string> servers = servers_of(address);
    if (servers.empty())
      return fail(ErrorKind::config,
                  "which queue? expected nats://HOST:PORT, or several with commas between");
    std::vector<const char*> urls;
    urls.reserve(servers.size());
    for (const std::string& server : servers) urls.push_back(server.c_str());
    set(::natsOptions_SetServers(options, urls.data(), static_cast<int>(urls.size())), "read the address");
    set(::natsOptions_SetName(options, "assay"), "name the connection");
    set(::natsOptions_SetTimeout(options, kConnect), "set the patience");
    set(::natsOptions_SetPingInterval(options, kPing), "set the patience");
    set(::natsOptions_SetMaxPingsOut(options, 2), "set the patience");
    set(::natsOptions_SetWriteDeadline(options, kServerPatience), "set the patience");
    set(::natsOptions_SetAllowReconnect(options, true), "allow reconnecting");
    set(::natsOptions_SetMaxReconnect(options, -1), "allow reconnecting");
    set(::natsOptions_SetReconnectWait(options, kReconnect), "allow reconnecting");
    set(::natsOptions_SetReconnectJitter(options, kReconnect, kReconnect), "allow reconnecting");
    set(::natsOptions_SetFailRequestsOnDisconnect(options, true), "fail early");
    set(::natsOptions_SetErrorHandler(options, keep_silent, nullptr), "stay silent");
    const bool secure =
        std::ranges::any_of(servers, [](const auto& url) { return url.starts_with("tls://"); });
    if (secure || !address.ca_file.empty() || !address.certificate_file.empty())
      set(::natsOptions_SetSecure(options, true), "use TLS");
    if (!address.ca_file.empty())
      set(::natsOptions_LoadCATrustedCertificates(options, address.ca_file.c_str()),
          "read " + address.ca_file);
    if (!address.certificate_file.empty()) {
      set(::natsOptions_LoadCertificatesChain(options, address.certificate_file.c_str(),
                                              address.key_file.c_str()),
          "read " + address.certificate_file + " and " + address.key_file);
    }
    if (!address.credentials_file.empty()) {
      set(::natsOptions_SetUserCredentialsFromFiles(options, address.credentials_file.c_str(), nullptr),
          "read " + address.credentials_file);
    }
    return std::move(status_);
  }

  natsOptions* get() const { return options_.get(); }

 private:
  // The first thing that goes wrong is the one that is told.
  void set(natsStatus status, const std::string& what) {
    if (status == NATS_OK || !status_) return;
    Error error = queue_error(where_, "cannot " + what, status);
    error.kind = ErrorKind::config;
    status_ = fail(std::move(error));
  }

  std::string where_;
  Options options_;
  Status status_;
};

ErrorKind kind_of(natsStatus status) {
  if (status == NATS_SSL_ERROR || status == NATS_SECURE_CONNECTION_WANTED ||
      status == NATS_SECURE_CONNECTION_REQUIRED)
    return ErrorKind::tls;
  return status == NATS_CONNECTION_AUTH_FAILED ? ErrorKind::auth : ErrorKind::network;
}

}  // namespace

Error queue_error(std::string_view where, std::string_view what, natsStatus status) {
  std::string message = fmt::format("the queue at {}: {}: {}", where, what, ::natsStatus_GetText(status));
  if (const std::string words = last_words(); !words.empty() && !message.contains(words))
    message += fmt::format(" ({})", shorten(trim(repair_utf8(words)), 300));
  return {kind_of(status), std::move(message), {}};
}

Result<NatsConnection> connect_to(const QueueAddress& address) {
  const std::string where = address.shown();
  Settings settings(where);
  if (auto taken = settings.take(address); !taken) return fail(std::move(taken.error()));
  natsConnection* made = nullptr;
  const natsStatus status = ::natsConnection_Connect(&made, settings.get());
  NatsConnection connection(made);
  if (status != NATS_OK) return fail(queue_error(where, "cannot connect", status));
  return connection;
}

}  // namespace assay

#endif
