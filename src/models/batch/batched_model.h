// A model whose requests may be handed in together (batch_wire.h). It writes a request and reads its answer
// as ever; between the two, somebody else carries it.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/task.h"
#include "models/batch/batch_wire.h"
#include "models/model.h"
#include "net/http/http_client.h"

namespace assay {

class BatchedModel;

// Brings the body of a request to the model's server and the server's answer back. A failure is one of the
// way, not of the server's words.
using Carry = std::function<Task<Result<HttpResponse>>(BatchedModel& model, std::string body)>;

class BatchedModel {
 public:
  virtual ~BatchedModel() = default;
  virtual const BatchWire& batches() const = 0;
  // As ChatModel::complete, carried by somebody else. `request` and `carry` must outlive the task.
  virtual Task<std::expected<ChatReply, ModelFailure>> complete_by(const ChatRequest& request,
                                                                   const Carry& carry) = 0;
  // One exchange with the model's server at `path` below its base URL, with the model's key. Any status but
  // 2xx is a failure.
  struct Errand {
    std::string method = "GET";
    std::string path = {};
    std::string content_type = "application/json";
    std::string body = {};
    std::function<bool(std::string_view)> on_data = {};  // HttpRequest::on_data
  };
  virtual Task<std::expected<HttpResponse, ModelFailure>> run(Errand errand) = 0;
};

}  // namespace assay
