#include "runs/distributed/queue_settings.h"

#include <utility>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"

namespace assay {

void add_queue_secrets(std::string_view servers, Secrets& secrets) {
  for (const std::string_view one : split(servers, ',')) add_url_secrets(trim(one), secrets);
}

Result<QueueAddress> queue_address(const Config& config, std::string_view servers) {
  auto read = QueueAddress::read(servers);
  if (!read) return fail(std::move(read.error()).with("key", "queue"));
  QueueAddress address = std::move(*read);
  address.ca_file = config.text("queue_ca");
  address.certificate_file = config.text("queue_cert");
  address.key_file = config.text("queue_key");
  address.credentials_file = config.text("queue_creds");
  if (address.certificate_file.empty() != address.key_file.empty()) {
    return fail(Error{ErrorKind::config,
                      "a certificate goes with its key: give both queue_cert and queue_key",
                      {{"key", address.key_file.empty() ? "queue_key" : "queue_cert"}}});
  }
  return address;
}

}  // namespace assay
