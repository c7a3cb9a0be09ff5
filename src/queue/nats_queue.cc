// The queue on NATS JetStream: one stream for all runs, in which each run has a subject and a durable
// consumer that its workers pull from. The bound on what is taken is the consumer's, so it holds over all
// workers.
#include "queue/work_queue.h"

#ifndef ASSAY_NATS

namespace assay {

Result<std::unique_ptr<WorkQueue>> WorkQueue::connect(const QueueAddress& /*address*/) {
  return fail(ErrorKind::config,
              "this assay was built without NATS (libnats): build it where libnats-dev is installed");
}

}  // namespace assay

#else

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "queue/nats_connection.h"
#include "store/work_thread.h"

namespace assay {
namespace {

using Time = std::chrono::steady_clock::time_point;

constexpr const char* kStream = "ASSAY";
constexpr const char* kSubjects = "assay.cases.*";
constexpr std::int64_t kNanoseconds = 1'000'000;  // of a millisecond
constexpr std::int64_t kRemembered = std::int64_t{120} * 1000 * kNanoseconds;
// Work that comes when its question was given up lies here until the next one. So long it is good; after that
// it is left to whoever is given it next.
constexpr std::chrono::seconds kGoodFor(1);
// One request for work may ask for so much.
constexpr int kMostAtOnce = 512;
// So many publications may be without an answer; libnats waits for room beyond that.
constexpr std::int64_t kMostUnanswered = 4096;

std::string subject_of(const std::string& run) {
  return "assay.cases." + run;
}

// Of a message: what goes along with the body, subject and id.
constexpr std::int64_t kBesideTheBody = 1024;

bool is_missing(jsErrCode code) {
  return code == JSStreamNotFoundErr || code == JSConsumerNotFoundErr;
}

// What servers refuse that are well, and would refuse again.
bool is_refused(jsErrCode code) {
  constexpr std::array kRefusals{JSAccountResourcesExceededErr,
                                 JSClusterNoPeersErr,
                                 JSMaximumConsumersLimitErr,
                                 JSMaximumStreamsLimitErr,
                                 JSNoLimitsErr,
                                 JSNotEnabledErr,
                                 JSNotEnabledForAccountErr,
                                 JSStorageResourcesExceededErr,
                                 JSStreamInvalidConfig,
                                 JSStreamLimitsErr,
                                 JSStreamReplicasNotSupportedErr,
                                 JSStreamReplicasNotUpdatableErr,
                                 JSStreamSubjectOverlapErr};
  return std::ranges::find(kRefusals, code) != kRefusals.end();
}

// A server by itself belongs to no cluster that has a name.
bool stands_alone(const jsClusterInfo* cluster) {
  return cluster == nullptr || cluster->Name == nullptr || *cluster->Name == '\0';
}
// In a cluster a node may tell of what it kept and the others have lost: then nobody leads it.
bool is_led(const jsClusterInfo* cluster) {
  return stands_alone(cluster) || (cluster->Leader != nullptr && *cluster->Leader != '\0');
}

// Answers to publications, which come on a thread of libnats.
class Answers {
 public:
  static void came(jsCtx* /*stream*/, natsMsg* message, jsPubAck* /*ack*/, jsPubAckErr* failure, void* self) {
    auto& answers = *static_cast<Answers*>(self);
    failure == nullptr ? answers.add(NATS_OK, nullptr) : answers.add(failure->Err, failure->ErrText);
    ::natsMsg_Destroy(message);
  }

  void expect_none() {
    const std::lock_guard guard(mutex_);
    answers_ = 0;
    first_ = {};
  }
  struct Failure {
    natsStatus status = NATS_OK;
    std::string words = {};  // of the server; may be empty
  };
  // How the first of them failed that did.
  Failure wait_for(std::size_t count) {
    std::unique_lock guard(mutex_);
    const bool all = came_.wait_for(guard, std::chrono::milliseconds(2 * kServerPatience),
                                    [&] { return answers_ >= count; });
    return all ? first_ : Failure{NATS_TIMEOUT};
  }

 private:
  void add(natsStatus status, const char* words) {
    {
      const std::lock_guard guard(mutex_);
      ++answers_;
      if (first_.status == NATS_OK) first_ = {status, words == nullptr ? "" : words};
    }
    came_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::size_t answers_ = 0;
  Failure first_;
};

// libnats speaks of a message by way of the subscription that it came by, which so lives as long.
using SharedSubscription = std::shared_ptr<natsSubscription>;

class GivenMessage final : public GivenWork {
 public:
  GivenMessage(SharedSubscription came_by, NatsMessage message)
      : came_by_(std::move(came_by)), message_(std::move(message)) {}
  natsMsg* get() const { return message_.get(); }

 private:
  SharedSubscription came_by_;
  NatsMessage message_;
};

class NatsQueue final : public WorkQueue {
 public:
  NatsQueue(std::string where, NatsConnection connection)
      : where_(std::move(where)), connection_(std::move(connection)) {}

  Status begin() {
    jsOptions options;
    ::jsOptions_Init(&options);
    options.Wait = kServerPatience;
    options.PublishAsync.MaxPending = kMostUnanswered;
    options.PublishAsync.StallWait = kServerPatience;
    options.PublishAsync.AckHandler = Answers::came;
    options.PublishAsync.AckHandlerClosure = &answers_;
    jsCtx* made = nullptr;
    const natsStatus status = ::natsConnection_JetStream(&made, connection_.get(), &options);
    stream_.reset(made);
    return told(status, "cannot use JetStream");
  }

  Task<Status> open_lane(std::string run, LaneOptions options) override {
    return speaking_.run<Status>([this, run = std::move(run), options] { return make_lane(run, options); });
  }
  Task<Status> close_lane(std::string run) override {
    return speaking_.run<Status>([this, run = std::move(run)] { return remove_lane(run); });
  }
  Task<Status> start_over(std::string run, StartOver what) override {
    return speaking_.run<Status>([this, run = std::move(run), what] {
      jsErrCode code{};
      const natsStatus status = what == StartOver::lane
                                    ? ::js_DeleteConsumer(stream_.get(), kStream, run.c_str(), nullptr, &code)
                                    : ::js_DeleteStream(stream_.get(), kStream, nullptr, &code);
      return status == NATS_OK || is_missing(code) ? Status() : told(status, "cannot start over", code);
    });
  }
  Task<Result<std::optional<LaneDepth>>> depth(std::string run) override {
    return speaking_.run<Result<std::optional<LaneDepth>>>(
        [this, run = std::move(run)] { return look(run); });
  }
  std::size_t most_bytes() const override {
    const std::int64_t most = ::natsConnection_GetMaxPayload(connection_.get());
    return most <= 0 ? kMostWorkBytes
                     : std::min(kMostWorkBytes,
                                static_cast<std::size_t>(std::max<std::int64_t>(0, most - kBesideTheBody)));
  }
  Task<Status> publish(std::string run, std::vector<WorkItem> items) override {
    return speaking_.run<Status>(
        [this, run = std::move(run), items = std::move(items)] { return send(run, items); });
  }
  Task<Result<std::vector<Delivery>>> fetch(std::string run, int most,
                                            std::chrono::milliseconds wait) override {
    Puller& puller = puller_of(run);
    return puller.thread.run<Result<std::vector<Delivery>>>(
        [this, &puller, run = std::move(run), most, wait] { return pull(puller, run, most, wait); });
  }
  Task<Status> done(std::vector<WorkTicket> tickets) override {
    return speaking_.run<Status>([this, tickets = std::move(tickets)] {
      return answer_all(tickets, [](natsMsg* message) { return ::natsMsg_Ack(message, nullptr); });
    });
  }
  Task<Status> extend(std::vector<WorkTicket> tickets) override {
    return speaking_.run<Status>([this, tickets = std::move(tickets)] {
      return answer_all(tickets, [](natsMsg* message) { return ::natsMsg_InProgress(message, nullptr); });
    });
  }
  Task<Status> give_back(std::vector<WorkTicket> tickets, std::chrono::milliseconds after) override {
    return speaking_.run<Status>([this, tickets = std::move(tickets), after] {
      return answer_all(tickets, [after](natsMsg* message) {
        return ::natsMsg_NakWithDelay(message, after.count(), nullptr);
      });
    });
  }

 private:
  // Work is waited for on a thread of its own for each run.
  struct Puller {
    SharedSubscription subscription;
    Time asked{};       // the last question began
    WorkThread thread;  // last: it uses what is above
  };

  Status told(natsStatus status, std::string_view what, jsErrCode code = {}) const {
    if (status == NATS_OK) return {};
    Error error = queue_error(where_, what, status);
    if (is_refused(code)) error.kind = ErrorKind::config;
    if (status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS) error.kind = ErrorKind::timeout;
    // A server that forbids a question says so apart from it, and leaves it without an answer.
    const char* words = nullptr;
    if (status == NATS_TIMEOUT &&
        ::natsConnection_GetLastError(connection_.get(), &words) == NATS_NOT_PERMITTED) {
      error.kind = ErrorKind::auth;
      if (words != nullptr) error.message += fmt::format(" ({})", shorten(repair_utf8(words), 300));
    }
    return fail(std::move(error));
  }

  Puller& puller_of(const std::string& run) {
    const std::lock_guard guard(pullers_mutex_);
    auto& slot = pullers_[run];
    if (!slot) slot = std::make_unique<Puller>();
    return *slot;
  }

  Status make_stream(int replicas) {
    jsStreamConfig config;
    ::jsStreamConfig_Init(&config);
    const char* subjects[] = {kSubjects};
    config.Name = kStream;
    config.Description = "cases of distributed runs, on their way to the workers";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Retention = js_WorkQueuePolicy;
    config.Storage = js_FileStorage;
    config.Replicas = replicas;
    config.Duplicates = kRemembered;
    jsStreamInfo* found = nullptr;
    jsErrCode code{};
    natsStatus status = ::js_GetStreamInfo(&found, stream_.get(), kStream, nullptr, &code);
    const StreamInfo there(found);
    if (status == NATS_OK && is_led(there->Cluster)) {
      if (replicas > 1 && stands_alone(there->Cluster)) {
        return fail(
            ErrorKind::config,
            fmt::format("replicas: found {}, and the queue at {} is one server by itself: expected 1, or "
                        "the address of a cluster",
                        replicas, where_));
      }
      if (there->Config->Replicas >= replicas) return {};
      jsStreamInfo* updated = nullptr;
      status = ::js_UpdateStream(&updated, stream_.get(), &config, nullptr, &code);
      const StreamInfo owned(updated);
      return told(status, cannot_keep(replicas), code);
    }
    if (status == NATS_NO_RESPONDERS) {
      Error error = queue_error(where_, "JetStream is not there; begin nats-server with -js", status);
      error.kind = ErrorKind::config;
      return fail(std::move(error));
    }
    if (status != NATS_OK && !is_missing(code)) return told(status, "cannot look for the stream", code);
    jsStreamInfo* made = nullptr;
    status = ::js_AddStream(&made, stream_.get(), &config, nullptr, &code);
    const StreamInfo owned(made);
    // Another coordinator was quicker.
    if (code == JSStreamNameExistErr) return {};
    return told(status, cannot_keep(replicas), code);
  }

  static std::string cannot_keep(int replicas) {
    return replicas == 1 ? "cannot keep the work"
                         : fmt::format("cannot keep the work on {} servers (replicas)", replicas);
  }

  Status make_lane(const std::string& run, const LaneOptions& options) {
    if (auto made = make_stream(options.replicas); !made) return made;
    const std::string subject = subject_of(run);
    jsConsumerConfig config;
    ::jsConsumerConfig_Init(&config);
    config.Durable = run.c_str();
    config.FilterSubject = subject.c_str();
    config.AckPolicy = js_AckExplicit;
    config.AckWait = options.lease.count() * kNanoseconds;
    config.MaxAckPending = options.most_taken;
    config.MaxDeliver = -1;
    jsConsumerInfo* made = nullptr;
    jsErrCode code{};
    const natsStatus status = ::js_AddConsumer(&made, stream_.get(), kStream, &config, nullptr, &code);
    const ConsumerInfo owned(made);
    return told(status, "cannot make the run's consumer", code);
  }

  Status remove_lane(const std::string& run) {
    jsErrCode code{};
    natsStatus status = ::js_DeleteConsumer(stream_.get(), kStream, run.c_str(), nullptr, &code);
    if (status != NATS_OK && !is_missing(code)) return told(status, "cannot remove the run's consumer");
    const std::string subject = subject_of(run);
    jsOptions options;
    ::jsOptions_Init(&options);
    options.Stream.Purge.Subject = subject.c_str();
    status = ::js_PurgeStream(stream_.get(), kStream, &options, &code);
    if (status != NATS_OK && !is_missing(code)) return told(status, "cannot remove what is left of the run");
    return {};
  }

  Result<std::optional<LaneDepth>> look(const std::string& run) {
    jsConsumerInfo* found = nullptr;
    jsErrCode code{};
    const natsStatus status =
        ::js_GetConsumerInfo(&found, stream_.get(), kStream, run.c_str(), nullptr, &code);
    const ConsumerInfo info(found);
    if (status == NATS_OK && !is_led(info->Cluster))
      return fail(ErrorKind::timeout,
                  fmt::format("the queue at {}: no server of the cluster leads the run's consumer", where_));
    if (status == NATS_OK) return LaneDepth{static_cast<std::int64_t>(info->NumPending), info->NumAckPending};
    if (is_missing(code)) return std::nullopt;
    return fail(told(status, "cannot look at the run's consumer", code).error());
  }

  Status send(const std::string& run, std::span<const WorkItem> items) {
    const std::string subject = subject_of(run);
    answers_.expect_none();
    std::size_t sent = 0;
    for (const WorkItem& item : items) {
      jsPubOptions options;
      ::jsPubOptions_Init(&options);
      options.MsgId = item.id.c_str();
      options.MaxWait = kServerPatience;
      const natsStatus status = ::js_PublishAsync(stream_.get(), subject.c_str(), item.body.data(),
                                                  static_cast<int>(item.body.size()), &options);
      if (status != NATS_OK) {
        // Answers to what was sent before must not count for what is sent next.
        answers_.wait_for(sent);
        return status == NATS_MAX_PAYLOAD ? too_large(item) : told(status, "cannot publish");
      }
      ++sent;
    }
    const Answers::Failure failure = answers_.wait_for(sent);
    return told(failure.status,
                failure.words.empty()
                    ? "cannot publish"
                    : fmt::format("cannot publish ({})", shorten(repair_utf8(failure.words), 300)));
  }

  Status too_large(const WorkItem& item) const {
    return fail(
        ErrorKind::config,
        fmt::format("the queue at {} takes messages of {} bytes (max_payload of the server): found {} bytes, "
                    "what goes along not counted",
                    where_, ::natsConnection_GetMaxPayload(connection_.get()), item.body.size()));
  }

  Result<std::vector<Delivery>> pull(Puller& puller, const std::string& run, int most,
                                     std::chrono::milliseconds wait) {
    const Time now = std::chrono::steady_clock::now();
    const Time asked_before = std::exchange(puller.asked, now);
    if (now - asked_before > kGoodFor) puller.subscription.reset();
    if (!puller.subscription) {
      jsSubOptions options;
      ::jsSubOptions_Init(&options);
      options.Stream = kStream;
      options.Consumer = run.c_str();
      natsSubscription* made = nullptr;
      jsErrCode code{};
      const natsStatus status = ::js_PullSubscribe(&made, stream_.get(), subject_of(run).c_str(), nullptr,
                                                   nullptr, &options, &code);
      puller.subscription = NatsSubscription(made);
      if (status != NATS_OK) return fail(queue_error(where_, "cannot ask for work", status));
    }
    // What is here already was given after the question before, and comes first.
    std::uint64_t waiting_here = 0;
    ::natsSubscription_QueuedMsgs(puller.subscription.get(), &waiting_here);
    natsMsgList list{};
    jsErrCode code{};
    const natsStatus status = ::natsSubscription_Fetch(&list, puller.subscription.get(),
                                                       std::min(most, kMostAtOnce), wait.count(), &code);
    std::vector<Delivery> work;
    work.reserve(static_cast<std::size_t>(list.Count));
    for (int i = 0; i < list.Count; ++i) {
      work.push_back(delivery_of(puller.subscription, NatsMessage(std::exchange(list.Msgs[i], nullptr))));
      work.back().since = static_cast<std::uint64_t>(i) < waiting_here ? asked_before : now;
    }
    ::natsMsgList_Destroy(&list);
    if (status == NATS_OK || status == NATS_TIMEOUT) return work;
    return fail(queue_error(where_, "cannot ask for work", status));
  }

  static Delivery delivery_of(SharedSubscription came_by, NatsMessage message) {
    jsMsgMetaData* read = nullptr;
    ::natsMsg_GetMetaData(&read, message.get());
    const MessageFacts facts(read);
    std::string body(::natsMsg_GetData(message.get()),
                     static_cast<std::size_t>(::natsMsg_GetDataLength(message.get())));
    return {std::move(body), facts ? static_cast<std::int64_t>(facts->NumDelivered) : 1,
            std::make_shared<GivenMessage>(std::move(came_by), std::move(message))};
  }

  // Certain when the server has answered what was sent after them.
  template <class Answer>
  Status answer_all(std::span<const WorkTicket> tickets, Answer answer) {
    for (const WorkTicket& ticket : tickets) {
      if (const natsStatus status = answer(static_cast<const GivenMessage&>(*ticket).get());
          status != NATS_OK)
        return told(status, "cannot speak of work");
    }
    return told(::natsConnection_FlushTimeout(connection_.get(), kServerPatience), "cannot speak of work");
  }

  std::string where_;
  Answers answers_;  // before the connection, whose threads fill it
  NatsConnection connection_;
  JetStream stream_;
  std::mutex pullers_mutex_;
  std::map<std::string, std::unique_ptr<Puller>> pullers_;  // by run
  WorkThread speaking_;                                     // last: it uses what is above
};

}  // namespace

Result<std::unique_ptr<WorkQueue>> WorkQueue::connect(const QueueAddress& address) {
  auto connection = connect_to(address);
  if (!connection) return fail(std::move(connection.error()));
  auto queue = std::make_unique<NatsQueue>(address.shown(), std::move(*connection));
  if (auto begun = queue->begin(); !begun) return fail(std::move(begun.error()));
  return queue;
}

}  // namespace assay

#endif
