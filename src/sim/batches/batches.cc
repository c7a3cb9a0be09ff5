#include "sim/batches/batches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/batches/routes.h"
#include "sim/chance.h"

namespace assay::sim {
namespace {

// The value of `name` in a query; none of them holds what must be encoded.
std::string_view in_query(std::string_view query, std::string_view name) {
  for (const std::string_view part : split(query, '&')) {
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=')
      return part.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

std::optional<Batches::Route> Batches::find(std::string_view method, std::string_view path) {
  if (path.starts_with("/v1/")) path.remove_prefix(3);
  Route found;
  bool any = false;
  for (const BatchRoute& route : kBatchRoutes) {
    const std::size_t place = route.path.find("/ID");
    const std::string_view before = route.path.substr(0, place);
    const std::string_view after = place == std::string_view::npos ? "" : route.path.substr(place + 3);
    if (!path.starts_with(before) || !path.ends_with(after)) continue;
    std::string_view id = path.substr(before.size());
    if (place == std::string_view::npos) {
      if (!id.empty()) continue;
    } else {
      if (id.size() < after.size() + 2 || !id.starts_with('/')) continue;
      id = id.substr(1, id.size() - after.size() - 1);
      if (id.contains('/')) continue;
    }
    any = true;
    found.protocol = route.protocol;
    found.allowed = route.method;
    if (route.method != method) continue;
    return Route{route.name, route.protocol, "", std::string(id), route.number};
  }
  if (!any) return std::nullopt;
  found.name = "other";
  return found;
}

BatchReply Batches::handle(const Route& route, const ServerRequest& request) {
  const std::lock_guard guard(mutex_);
  const Time now = std::chrono::steady_clock::now();
  return route.protocol == Protocol::openai ? handle_openai(route.number, route.id, request, now)
                                            : handle_anthropic(route.number, route.id, request, now);
}

void Batches::reset() {
  const std::lock_guard guard(mutex_);
  files_.clear();
  batches_.clear();
}

BatchItem Batches::answered(std::string custom_id, Protocol protocol, std::string_view endpoint,
                            const Json& body) {
  Chance chance = Chance(options_.seed).fork("batch").fork(items_++);
  const double drawn = chance.unit();
  BatchItem item{.custom_id = std::move(custom_id)};
  if (drawn < options_.rate_batch_expired) {
    item.expired = true;
  } else if (drawn < options_.rate_batch_expired + options_.rate_batch_errored) {
    const WireError error{500, "The server had an error while processing this request.", "", "", ""};
    item.answer = {500, error_body(protocol, error, "req_" + id_text(items_))};
  } else {
    item.answer = answer_(protocol, endpoint, body);
  }
  return item;
}

std::string Batches::next_id(std::string_view prefix) {
  return fmt::format("{}{}", prefix, id_text(hash_bytes(prefix, options_.seed) + ++ids_));
}

Batch* Batches::batch_named(const std::string& id) {
  const auto found = std::ranges::find(batches_, id, &Batch::id);
  return found == batches_.end() ? nullptr : &*found;
}

Batches::Page Batches::page(std::string_view query, std::string_view prefix) const {
  constexpr std::size_t kMost = 100;
  std::size_t limit = 20;
  const std::string_view asked = in_query(query, "limit");
  std::from_chars(asked.data(), asked.data() + asked.size(), limit);
  limit = std::clamp<std::size_t>(limit, 1, kMost);
  // Both protocols call the older ones those after it.
  const std::string_view after = in_query(query, prefix == kOpenAiBatchPrefix ? "after" : "after_id");
  Page page;
  bool begun = after.empty();
  for (auto batch = batches_.rbegin(); batch != batches_.rend(); ++batch) {
    if (!batch->id().starts_with(prefix)) continue;
    if (begun && page.batches.size() == limit) {
      page.more = true;
      break;
    }
    if (begun) page.batches.push_back(&*batch);
    if (batch->id() == after) begun = true;
  }
  return page;
}

}  // namespace assay::sim
