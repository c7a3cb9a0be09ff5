// Anthropic's message batches: POST /messages/batches with all requests, GET …/ID/results with all answers.
#include <fmt/format.h>

#include "core/text.h"
#include "models/batch/batch_wire.h"
#include "models/providers/provider.h"
#include "models/providers/wire_text.h"

namespace assay {
namespace {

constexpr std::string_view kPath = "/messages/batches";

std::string written(const BatchOrder& order, std::string_view /*endpoint*/) {
  std::string one = R"({"custom_id":)";
  append_json_string(one, order.name);
  one += R"(,"params":)";
  one += order.body;
  one += '}';
  return one;
}

std::string creation(std::string_view /*file_id*/, std::span<const std::string> written,
                     std::string_view /*mark*/, std::string_view /*endpoint*/) {
  std::string body = R"({"requests":[)";
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (i > 0) body += ',';
    body += written[i];
  }
  return body + "]}";
}

Result<BatchState> state(const Json& json) {
  BatchState state;
  state.id = text_of(json, "id");
  const std::string status = text_of(json, "processing_status");
  if (state.id.empty() || status.empty()) return fail(ErrorKind::parse, "it is no message batch");
  state.ended = status == "ended";
  for (const std::string_view count : {"succeeded", "errored", "canceled", "expired"})
    state.done += count_of(json, fmt::format("/request_counts/{}", count));
  state.total = state.done + count_of(json, "/request_counts/processing");
  // The address that it tells is another's word; this is where it is.
  if (state.ended) state.results.push_back(fmt::format("{}/{}/results", kPath, percent_encoded(state.id)));
  return state;
}

Result<BatchResult> result(const Json& line) {
  BatchResult result;
  result.name = text_of(line, "custom_id");
  const Json* outcome = find_member(line, "result");
  if (outcome == nullptr) return fail(ErrorKind::parse, "it has no result");
  const std::string type = text_of(*outcome, "type");
  const Json* message = find_member(*outcome, "message");
  if (type == "succeeded" && message != nullptr) {
    result.answer = BatchResult::Response{200, to_text(*message)};
  } else if (type == "errored") {
    const Json* error = find_member(*outcome, "error");
    const Json* inner = error == nullptr ? nullptr : find_member(*error, "error");
    const ErrorName* known = inner == nullptr ? nullptr : find_error(text_of(*inner, "type"));
    result.answer = BatchResult::Response{known == nullptr ? 500 : known->status,
                                          error == nullptr ? std::string() : to_text(*error)};
  } else if (type == "expired") {
    result.answer = std::unexpected(
        Error{ErrorKind::overloaded, "the batch expired before this request had its turn", {}});
  } else if (type == "canceled") {
    result.answer =
        std::unexpected(Error{ErrorKind::rejected, "the batch was cancelled at the provider", {}});
  } else {
    return fail(ErrorKind::parse, fmt::format("its result is \"{}\"", shorten(type, 60)));
  }
  return result;
}

}  // namespace

constinit const BatchWire kAnthropicBatches{.path = kPath,
                                            .endpoint = "/v1/messages",
                                            .most_requests = 100'000,
                                            .most_bytes = std::size_t{256} << 20,
                                            .written = written,
                                            .creation = creation,
                                            .state = state,
                                            .result = result,
                                            .after = "after_id"};

}  // namespace assay
