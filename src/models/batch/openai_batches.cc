// OpenAI's batches: POST /files with the requests, one a line, then POST /batches; the answers are in one
// file, what failed in another.
#include <fmt/format.h>

#include "core/text.h"
#include "models/batch/batch_wire.h"
#include "models/providers/wire_text.h"

namespace assay {
namespace {

constexpr std::string_view kMark = "assay";  // in the metadata

std::string written(const BatchOrder& order, std::string_view endpoint) {
  std::string line = R"({"custom_id":)";
  append_json_string(line, order.name);
  line += fmt::format(R"(,"method":"POST","url":"{}","body":)", endpoint);
  line += order.body;
  line += "}\n";
  return line;
}

std::string creation(std::string_view file_id, std::span<const std::string> /*written*/,
                     std::string_view mark, std::string_view endpoint) {
  return to_text(JsonObject{{"input_file_id", file_id},
                            {"endpoint", endpoint},
                            {"completion_window", "24h"},
                            {"metadata", JsonObject{{kMark, mark}}}});
}

// A batch whose input was not taken. Too much at once passes with time.
Error why_failed(const Json& json) {
  std::string words;
  ErrorKind kind = ErrorKind::rejected;
  if (const Json* list = find_pointer(json, "/errors/data"); list != nullptr && list->is_array()) {
    constexpr std::size_t kShown = 3;
    for (const Json& one : list->get_array()) {
      if (text_of(one, "code") == "token_limit_exceeded") kind = ErrorKind::rate_limited;
      if (&one - list->get_array().data() >= static_cast<std::ptrdiff_t>(kShown)) continue;
      if (!words.empty()) words += "; ";
      words += shorten(text_of(one, "message"), 300);
    }
  }
  return {kind, fmt::format("the batch was not taken{}{}", words.empty() ? "" : ": ", words), {}};
}

Result<BatchState> state(const Json& json) {
  BatchState state;
  state.id = text_of(json, "id");
  const std::string status = text_of(json, "status");
  if (state.id.empty() || status.empty()) return fail(ErrorKind::parse, "it is no batch");
  state.ended = status == "completed" || status == "expired" || status == "cancelled" || status == "failed";
  state.total = count_of(json, "/request_counts/total");
  state.done = count_of(json, "/request_counts/completed") + count_of(json, "/request_counts/failed");
  if (const Json* metadata = find_member(json, "metadata")) state.mark = text_of(*metadata, kMark);
  if (status == "failed") state.failure = why_failed(json);
  for (const std::string_view file : {"output_file_id", "error_file_id"}) {
    if (const std::string id = text_of(json, file); !id.empty())
      state.results.push_back(fmt::format("/files/{}/content", percent_encoded(id)));
  }
  return state;
}

Result<BatchResult> result(const Json& line) {
  BatchResult result;
  result.name = text_of(line, "custom_id");
  const Json* response = find_member(line, "response");
  if (response != nullptr && response->is_object()) {
    const Json* body = find_member(*response, "body");
    const std::int64_t status = count_of(*response, "/status_code");
    if (body == nullptr || status < 100 || status > 599)
      return fail(ErrorKind::parse, "it has no status and body");
    result.answer = BatchResult::Response{static_cast<int>(status), to_text(*body)};
    return result;
  }
  const Json* error = find_member(line, "error");
  if (error == nullptr || !error->is_object())
    return fail(ErrorKind::parse, "it has neither a response nor an error");
  const std::string code = text_of(*error, "code");
  const std::string said = shorten(text_of(*error, "message"), 300);
  if (code == "batch_cancelled") {
    result.answer =
        std::unexpected(Error{ErrorKind::rejected, "the batch was cancelled at the provider", {}});
  } else if (code == "batch_expired") {
    result.answer = std::unexpected(
        Error{ErrorKind::overloaded, "the batch expired before this request had its turn", {}});
  } else {
    result.answer = std::unexpected(
        Error{ErrorKind::overloaded, fmt::format("the request failed in its batch: {} {}", code, said), {}});
  }
  return result;
}

// One API for all of OpenAI's endpoints: a batch is for one of them.
constexpr BatchWire batches_for(std::string_view endpoint) {
  return {.path = "/batches",
          .endpoint = endpoint,
          .files = "/files",
          .most_requests = 50'000,
          .most_bytes = std::size_t{200} << 20,
          .written = written,
          .creation = creation,
          .state = state,
          .result = result,
          .after = "after",
          .marks = true};
}

}  // namespace

constinit const BatchWire kOpenAiBatches = batches_for("/v1/chat/completions");
constinit const BatchWire kOpenAiResponsesBatches = batches_for("/v1/responses");

}  // namespace assay
