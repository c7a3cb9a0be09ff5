// The paths of the batch endpoints, and what their two protocols share.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim/protocols/delivery.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

// `ID` stands for a name in the path; the `/v1` before it may be left out.
struct BatchRoute {
  std::string_view method;
  std::string_view path;
  std::string_view name;  // in the statistics
  Protocol protocol;
  int number;
};
enum BatchRouteNumber {
  kUpload,
  kFile,
  kDeleteFile,
  kContent,
  kCreate,
  kList,
  kGet,
  kCancel,
  kResults,
  kDelete
};
inline constexpr std::array kBatchRoutes{
    BatchRoute{"POST", "/files", "POST /v1/files", Protocol::openai, kUpload},
    BatchRoute{"GET", "/files/ID", "GET /v1/files/ID", Protocol::openai, kFile},
    BatchRoute{"DELETE", "/files/ID", "DELETE /v1/files/ID", Protocol::openai, kDeleteFile},
    BatchRoute{"GET", "/files/ID/content", "GET /v1/files/ID/content", Protocol::openai, kContent},
    BatchRoute{"POST", "/batches", "POST /v1/batches", Protocol::openai, kCreate},
    BatchRoute{"GET", "/batches", "GET /v1/batches", Protocol::openai, kList},
    BatchRoute{"GET", "/batches/ID", "GET /v1/batches/ID", Protocol::openai, kGet},
    BatchRoute{"POST", "/batches/ID/cancel", "POST /v1/batches/ID/cancel", Protocol::openai, kCancel},
    BatchRoute{"POST", "/messages/batches", "POST /v1/messages/batches", Protocol::anthropic, kCreate},
    BatchRoute{"GET", "/messages/batches", "GET /v1/messages/batches", Protocol::anthropic, kList},
    BatchRoute{"GET", "/messages/batches/ID", "GET /v1/messages/batches/ID", Protocol::anthropic, kGet},
    BatchRoute{"DELETE", "/messages/batches/ID", "DELETE /v1/messages/batches/ID", Protocol::anthropic,
               kDelete},
    BatchRoute{"GET", "/messages/batches/ID/results", "GET /v1/messages/batches/ID/results",
               Protocol::anthropic, kResults},
    BatchRoute{"POST", "/messages/batches/ID/cancel", "POST /v1/messages/batches/ID/cancel",
               Protocol::anthropic, kCancel},
};

inline constexpr std::string_view kOpenAiBatchPrefix = "batch_";
inline constexpr std::string_view kAnthropicBatchPrefix = "msgbatch_";

}  // namespace assay::sim
