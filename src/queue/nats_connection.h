// A connection to NATS servers, and what libnats gives as values that free themselves.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nats/nats.h>

#include "core/error.h"
#include "queue/work_queue.h"

namespace assay {

template <auto free>
struct FreedBy {
  template <class T>
  void operator()(T* value) const {
    free(value);
  }
};
using NatsConnection = std::unique_ptr<natsConnection, FreedBy<::natsConnection_Destroy>>;
using JetStream = std::unique_ptr<jsCtx, FreedBy<::jsCtx_Destroy>>;
using NatsSubscription = std::unique_ptr<natsSubscription, FreedBy<::natsSubscription_Destroy>>;
using NatsMessage = std::unique_ptr<natsMsg, FreedBy<::natsMsg_Destroy>>;
using StreamInfo = std::unique_ptr<jsStreamInfo, FreedBy<::jsStreamInfo_Destroy>>;
using ConsumerInfo = std::unique_ptr<jsConsumerInfo, FreedBy<::jsConsumerInfo_Destroy>>;
using MessageFacts = std::unique_ptr<jsMsgMetaData, FreedBy<::jsMsgMetaData_Destroy>>;

// How long a server may take to answer; in milliseconds, as libnats has it.
inline constexpr std::int64_t kServerPatience = 5'000;

// What went wrong, as an error of kind network: "the queue at nats://host:4222: no responders (while …)".
Error queue_error(std::string_view where, std::string_view what, natsStatus status);

// Connected to one of the servers; it looks for another whenever it loses one.
Result<NatsConnection> connect_to(const QueueAddress& address);

}  // namespace assay
