#include "engine/batch_journal.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "core/json/json.h"
#include "core/sha256.h"
#include "core/time.h"

namespace assay {
namespace {

constexpr std::string_view kStep = "batch/";
constexpr int kIntended = 1;  // attempts of the step
constexpr int kMade = 2;

EffectRow row_of(const std::string& mark, int attempt, JsonObject request, const JsonObject& reply) {
  EffectRow row;
  row.key = {kRunItself, fmt::format("{}{}", kStep, mark), attempt};
  row.kind = "batch";
  row.request = canonical_text(std::move(request));
  row.request_hash = sha256(row.request);
  row.reply = to_text(reply);
  row.cost_picousd = 0;
  row.finished = iso_time(std::chrono::system_clock::now());
  return row;
}

}  // namespace

Task<Status> BatchJournal::intend(BatchIntent intent) {
  JsonArray items;
  for (const std::string& item : intent.items) items.emplace_back(item);
  auto put =
      co_await store_.put(row_of(intent.mark, kIntended, {{"mark", intent.mark}, {"newest", intent.newest}},
                                 {{"newest", intent.newest}, {"items", std::move(items)}}));
  co_return put ? Status() : fail(std::move(put.error()));
}

Task<Status> BatchJournal::made(std::string mark, std::string id) {
  auto put = co_await store_.put(row_of(mark, kMade, {{"mark", mark}}, {{"id", id}}));
  co_return put ? Status() : fail(std::move(put.error()));
}

Task<Result<std::vector<KeptBatch>>> BatchJournal::kept() {
  auto rows = co_await store_.effects_of(kRunItself, Requests::left_out);
  if (!rows) co_return fail(std::move(rows.error()));
  std::vector<KeptBatch> batches;
  for (const EffectRow& row : *rows) {
    if (!row.key.step.starts_with(kStep)) continue;
    auto reply = parse_json(row.reply);
    if (!reply) co_return fail(std::move(reply.error()).with("step", row.key.step));
    const std::string mark = row.key.step.substr(kStep.size());
    if (row.key.attempt == kIntended) {
      BatchIntent intent{mark, text_at(*reply, "newest"), {}};
      for (const Json& item : list_at(*reply, "items")) intent.items.emplace_back(as_text(item).value_or(""));
      batches.push_back({std::move(intent)});
    } else {
      const auto intended =
          std::ranges::find_if(batches, [&](const KeptBatch& batch) { return batch.intent.mark == mark; });
      if (intended != batches.end()) intended->id = text_at(*reply, "id");
    }
  }
  co_return batches;
}

}  // namespace assay
