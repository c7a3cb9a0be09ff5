#include "evaluations/distribution/distribution_keys.h"

#include <utility>

namespace assay {

Keys queue_keys() {
  return {
      {.name = "queue",
       .help = "NATS servers with JetStream that carry cases to workers: nats://HOST:4222 or tls://…, "
               "several with "
               "commas between. `${NAME}` is filled from the environment.",
       .example = "nats://queue.example:4222",
       .decides = Decides::nothing,
       .fills = Fills::when_used},
      {.name = "queue_ca",
       .type = KeyType::path,
       .help = "Certificates of the authority that the queue's servers are trusted by (PEM).",
       .decides = Decides::nothing},
      {.name = "queue_cert",
       .type = KeyType::path,
       .help = "Certificate to show to the queue's servers (PEM).",
       .decides = Decides::nothing},
      {.name = "queue_key", .type = KeyType::path, .help = "Its key (PEM).", .decides = Decides::nothing},
      {.name = "queue_creds",
       .type = KeyType::path,
       .help = "Credentials of a NATS user (.creds).",
       .decides = Decides::nothing},
      {.name = "connect_within",
       .type = KeyType::duration,
       .help = "How long `store` and `queue` are waited for at the beginning, if they cannot be reached.",
       .default_value = "60s",
       .decides = Decides::nothing},
  };
}

Keys distribution_keys() {
  Keys keys = queue_keys();
  keys.push_back({.name = "queue_lease",
                  .type = KeyType::duration,
                  .help = "How long a worker may be silent until its cases are given to others.",
                  .default_value = "30s",
                  .decides = Decides::nothing});
  keys.push_back({.name = "replicas",
                  .type = KeyType::integer,
                  .help = "On how many of the queue's servers each case is kept.",
                  .default_value = 1,
                  .minimum = 1,
                  .maximum = 5,
                  .decides = Decides::nothing});
  return keys;
}

}  // namespace assay
