#include "models/batch/batch_client.h"

#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/wire_text.h"

namespace assay {
namespace {

constexpr std::size_t kPage = 100;

ModelFailure unreadable(const Error& error) {
  return {Error{ErrorKind::network, "a reply on batches cannot be used: " + error.message, {}}, std::nullopt};
}

Result<BatchState> state_in(const BatchWire& wire, std::string_view body) {
  const auto json = parse_json(body);
  if (!json) return fail(json.error());
  return wire.state(*json);
}

// A form with one file and its purpose. No line of JSON begins with the boundary.
std::string form_of(std::string_view boundary, std::span<const std::string> written) {
  std::size_t bytes = 0;
  for (const std::string& one : written) bytes += one.size();
  std::string form;
  form.reserve(bytes + 512);
  form += fmt::format(
      "--{0}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--{0}\r\n"
      "Content-Disposition: form-data; name=\"file\"; filename=\"requests.jsonl\"\r\n"
      "Content-Type: application/jsonl\r\n\r\n",
      boundary);
  for (const std::string& one : written) form += one;
  form += fmt::format("\r\n--{}--\r\n", boundary);
  return form;
}

BatchTask<std::string> upload(BatchedModel& model, std::string mark, std::vector<std::string> written) {
  const std::string boundary = "assay-" + mark;
  auto response = co_await model.run({.method = "POST",
                                      .path = std::string(model.batches().files),
                                      .content_type = "multipart/form-data; boundary=" + boundary,
                                      .body = form_of(boundary, written)});
  if (!response) co_return std::unexpected(std::move(response.error()));
  const auto json = parse_json(response->body);
  std::string id = json ? text_of(*json, "id") : std::string();
  if (id.empty()) co_return std::unexpected(unreadable({ErrorKind::parse, "it is no file", {}}));
  co_return id;
}

}  // namespace

BatchTask<std::vector<BatchState>> list_batches(BatchedModel& model, std::string until, std::size_t most) {
  const BatchWire& wire = model.batches();
  std::vector<BatchState> states;
  std::string after;
  while (states.size() < most) {
    std::string path = fmt::format("{}?limit={}", wire.path, std::min(kPage, most));
    if (!after.empty()) path += fmt::format("&{}={}", wire.after, percent_encoded(after));
    auto response = co_await model.run({.path = std::move(path)});
    if (!response) co_return std::unexpected(std::move(response.error()));
    const auto json = parse_json(response->body);
    const Json* list = json ? find_member(*json, "data") : nullptr;
    if (list == nullptr || !list->is_array())
      co_return std::unexpected(unreadable({ErrorKind::parse, "it is no list of batches", {}}));
    for (const Json& one : list->get_array()) {
      auto state = wire.state(one);
      if (!state) continue;
      if (state->id == until) co_return states;
      if (states.size() < most) states.push_back(std::move(*state));
    }
    const Json* more = find_member(*json, "has_more");
    if (more == nullptr || !as_boolean(*more).value_or(false) || list->get_array().empty()) break;
    after = text_of(list->get_array().back(), "id");
    if (after.empty()) break;
  }
  co_return states;
}

BatchTask<BatchState> create_batch(BatchedModel& model, std::string mark, std::vector<BatchOrder> orders) {
  const BatchWire& wire = model.batches();
  std::vector<std::string> written;
  written.reserve(orders.size());
  for (const BatchOrder& order : orders) written.push_back(wire.written(order, wire.endpoint));
  orders.clear();
  std::string file;
  if (!wire.files.empty()) {
    auto uploaded = co_await upload(model, mark, std::move(written));
    if (!uploaded) co_return std::unexpected(std::move(uploaded.error()));
    file = std::move(*uploaded);
    written.clear();
  }
  auto response = co_await model.run({.method = "POST",
                                      .path = std::string(wire.path),
                                      .body = wire.creation(file, written, mark, wire.endpoint)});
  if (!response) co_return std::unexpected(std::move(response.error()));
  auto state = state_in(wire, response->body);
  if (!state) co_return std::unexpected(unreadable(state.error()));
  co_return std::move(*state);
}

BatchTask<BatchState> look_at_batch(BatchedModel& model, std::string id) {
  const BatchWire& wire = model.batches();
  auto response = co_await model.run({.path = fmt::format("{}/{}", wire.path, percent_encoded(id))});
  if (!response) co_return std::unexpected(std::move(response.error()));
  auto state = state_in(wire, response->body);
  if (!state) co_return std::unexpected(unreadable(state.error()));
  co_return std::move(*state);
}

BatchTask<bool> read_results(BatchedModel& model, std::string path, std::function<bool(BatchResult)> take) {
  const BatchWire& wire = model.batches();
  BatchLines lines;
  bool more = true;
  const auto line = [&](std::string_view text) {
    if (!more) return;
    if (auto result = read_batch_result(wire, text)) more = take(std::move(*result));
  };
  auto response = co_await model.run({.path = std::move(path), .on_data = [&](std::string_view piece) {
                                        lines.feed(piece, line);
                                        return more;
                                      }});
  if (!response) co_return std::unexpected(std::move(response.error()));
  lines.finish(line);
  co_return true;
}

}  // namespace assay
