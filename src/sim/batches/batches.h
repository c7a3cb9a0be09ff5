// The batch endpoints of both protocols:
//
//   OpenAI     POST /v1/files, GET and DELETE /v1/files/ID, GET /v1/files/ID/content,
//              POST and GET /v1/batches, GET /v1/batches/ID, POST /v1/batches/ID/cancel
//   Anthropic  POST and GET /v1/messages/batches, GET and DELETE …/ID, GET …/ID/results, POST …/ID/cancel
//
// Each request of a batch is answered as a single one would be. A batch takes `batch_time`, and its requests
// have their turn one after the other in that time; some come back as errors or expired if the options say
// so. Thread-safe; all of it is in memory.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/http_server.h"
#include "sim/batches/batch.h"
#include "sim/protocols/delivery.h"
#include "sim/protocols/wire.h"
#include "sim/server.h"

namespace assay::sim {

using BatchReply = std::expected<std::string, WireError>;

class Batches {
 public:
  // Answers one request of a batch; called for each once, when the batch is made.
  using AnswerItem =
      std::function<ItemAnswer(Protocol protocol, std::string_view endpoint, const Json& body)>;
  Batches(const SimServerOptions& options, AnswerItem answer)
      : options_(options), answer_(std::move(answer)) {}

  struct Route {
    std::string_view name;  // in the statistics
    Protocol protocol = Protocol::openai;
    std::string_view allowed;  // methods, if this one is not among them; else empty
    std::string id = {};       // in the path
    int number = 0;            // in the table
  };
  // Nothing if the path is none of these.
  static std::optional<Route> find(std::string_view method, std::string_view path);
  BatchReply handle(const Route& route, const ServerRequest& request);
  void reset();

 private:
  struct File {
    std::string id;
    std::string name;
    std::string purpose;
    std::string content;
    WallTime created;
  };
  using Time = Batch::Time;

  // openai_batches.cc
  BatchReply upload(const ServerRequest& request);
  BatchReply create_openai(std::string_view body, Time now);
  BatchReply content(const std::string& id, Time now) const;
  BatchReply handle_openai(int route, const std::string& id, const ServerRequest& request, Time now);
  std::vector<BatchItem> openai_items(std::string_view input, std::string_view endpoint, JsonArray& problems);
  Json openai_json(const Batch& batch, Time now) const;
  // anthropic_batches.cc
  BatchReply create_anthropic(const ServerRequest& request, Time now);
  BatchReply handle_anthropic(int route, const std::string& id, const ServerRequest& request, Time now);
  Json anthropic_json(const Batch& batch, std::string_view host, Time now) const;

  BatchItem answered(std::string custom_id, Protocol protocol, std::string_view endpoint, const Json& body);
  std::string next_id(std::string_view prefix);
  Batch* batch_named(const std::string& id);
  // The newest first, from the one after `after`, at most `limit`; and whether there are more.
  struct Page {
    std::vector<const Batch*> batches;
    bool more = false;
  };
  Page page(std::string_view query, std::string_view prefix) const;

  const SimServerOptions options_;
  AnswerItem answer_;
  std::mutex mutex_;
  std::uint64_t ids_ = 0;
  std::uint64_t items_ = 0;
  std::vector<File> files_;
  std::vector<Batch> batches_;  // the oldest first
};

}  // namespace assay::sim
