// Anthropic's message batches: a list of requests becomes a batch, whose results are read as lines once it
// has ended.
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/batches/batches.h"
#include "sim/batches/routes.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostRequests = 100'000;
constexpr std::size_t kLongestName = 64;

WireError wrong(std::string message) {
  return {400, std::move(message), "", "", ""};
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// In no order that means anything, as the service has it: the last first.
std::string results_of(const Batch& batch, Batch::Time now) {
  std::string out;
  const std::size_t had = batch.done(now);
  for (std::size_t i = batch.items().size(); i-- > 0;) {
    const BatchItem& item = batch.items()[i];
    out += '{';
    append_quoted(out, "custom_id", item.custom_id);
    if (i >= had) {
      out += R"(,"result":{"type":"canceled"}})";
    } else if (item.expired) {
      out += R"(,"result":{"type":"expired"}})";
    } else if (item.answer.status == 200) {
      out += fmt::format(R"(,"result":{{"type":"succeeded","message":{}}}}})", item.answer.body);
    } else {
      out += fmt::format(R"(,"result":{{"type":"errored","error":{}}}}})", item.answer.body);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

BatchReply Batches::create_anthropic(const ServerRequest& request, Time now) {
  const auto body = parse_json(request.body);
  const Json* list = body ? find_member(*body, "requests") : nullptr;
  if (list == nullptr || !list->is_array()) return std::unexpected(wrong("requests: Field required"));
  for (const auto& member : body->get_object()) {
    if (member.key() != "requests")
      return std::unexpected(
          wrong(fmt::format("{}: Extra inputs are not permitted", std::string_view(member.key()))));
  }
  const JsonArray& requests = list->get_array();
  if (requests.empty()) return std::unexpected(wrong("requests: List should have at least 1 item"));
  if (requests.size() > kMostRequests)
    return std::unexpected(wrong("requests: List should have at most 100000 items"));
  std::set<std::string> names;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string name = text_at(requests[i], "custom_id");
    const Json* params = find_member(requests[i], "params");
    if (!is_name(name))
      return std::unexpected(wrong(
          fmt::format("requests.{}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'", i)));
    if (!names.insert(name).second)
      return std::unexpected(wrong(fmt::format("requests.{}.custom_id: duplicate custom_id {}", i, name)));
    if (params == nullptr || !params->is_object())
      return std::unexpected(wrong(fmt::format("requests.{}.params: Field required", i)));
  }
  std::vector<BatchItem> items;
  items.reserve(requests.size());
  for (const Json& one : requests)
    items.push_back(
        answered(text_at(one, "custom_id"), Protocol::anthropic, "/v1/messages", one.at("params")));
  batches_.emplace_back(next_id(kAnthropicBatchPrefix), std::move(items), options_.batch_time, now);
  return to_text(anthropic_json(batches_.back(), request.host, now));
}

Json Batches::anthropic_json(const Batch& batch, std::string_view host, Time now) const {
  const BatchCounts counts = batch.counts(now);
  const bool ended = batch.ended(now);
  // Nothing is counted as done before all of it is.
  const auto count = [&](std::size_t number) { return ended ? number : 0; };
  return JsonObject{
      {"id", batch.id()},
      {"type", "message_batch"},
      {"processing_status", ended ? "ended" : "in_progress"},
      {"request_counts", JsonObject{{"processing", ended ? 0 : counts.all()},
                                    {"succeeded", count(counts.succeeded)},
                                    {"errored", count(counts.errored)},
                                    {"canceled", count(counts.cancelled)},
                                    {"expired", count(counts.expired)}}},
      {"created_at", iso_time(batch.created())},
      {"expires_at", iso_time(batch.created() + std::chrono::hours(24))},
      {"ended_at", ended ? Json(iso_time(std::chrono::system_clock::now())) : Json(nullptr)},
      {"cancel_initiated_at", batch.cancelled() ? Json(iso_time(batch.created())) : Json(nullptr)},
      {"archived_at", nullptr},
      {"results_url", ended ? Json(fmt::format("http://{}/v1/messages/batches/{}/results", host, batch.id()))
                            : Json(nullptr)}};
}

BatchReply Batches::handle_anthropic(int route, const std::string& id, const ServerRequest& request,
                                     Time now) {
  if (request.headers.find("anthropic-version") == nullptr)
    return std::unexpected(wrong("anthropic-version: header is required"));
  if (route == kCreate) return create_anthropic(request, now);
  if (route == kList) {
    const Page found = page(request.query, kAnthropicBatchPrefix);
    JsonArray list;
    for (const Batch* batch : found.batches) list.push_back(anthropic_json(*batch, request.host, now));
    JsonObject json{{"has_more", found.more}};
    json["first_id"] = list.empty() ? Json(nullptr) : list.front().at("id");
    json["last_id"] = list.empty() ? Json(nullptr) : list.back().at("id");
    json["data"] = std::move(list);
    return to_text(json);
  }
  Batch* batch = batch_named(id);
  if (batch == nullptr)
    return std::unexpected(
        WireError{404, fmt::format("Message batch {} not found.", shorten(id, 100)), "", "", ""});
  if (route == kResults) {
    if (!batch->ended(now))
      return std::unexpected(WireError{404, "The batch has not ended yet.", "", "", ""});
    return results_of(*batch, now);
  }
  if (route == kDelete) {
    if (!batch->ended(now)) return std::unexpected(wrong("A batch that is in progress cannot be deleted."));
    std::erase_if(batches_, [&](const Batch& one) { return one.id() == id; });
    return to_text(JsonObject{{"id", id}, {"type", "message_batch_deleted"}});
  }
  if (route == kCancel) batch->cancel(now);
  return to_text(anthropic_json(*batch, request.host, now));
}

}  // namespace assay::sim
