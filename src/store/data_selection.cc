#include "store/data_selection.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

// Keeps to one version of what `name` names: that with this content, whatever its number.
void demand_content(Selection& asked, const char* column, const char* table, const std::string& name,
                    const std::string& json) {
  asked.where += fmt::format(" AND {} = (SELECT v.version FROM {} v WHERE v.id = {} AND v.hash = ?)", column,
                             table, kNameOf);
  asked.values.emplace_back(name);
  asked.hashes.push_back(sha256(json));
  asked.values.emplace_back(std::span<const unsigned char>(asked.hashes.back()));
}

// Leaves out items that have results already. The item is found first, then the few personas and modes that
// have judged it. With perspectives it is left out only if each of them has a result.
void leave_out_evaluated(Selection& asked, const ItemQuery& query) {
  const std::size_t needed = std::max<std::size_t>(1, query.perspectives.size());
  asked.hashes.reserve(2 * needed);  // the values look at them
  asked.where += " AND NOT (true";
  for (std::size_t i = 0; i < needed; ++i) {
    asked.where +=
        std::string(" AND EXISTS (SELECT 1 FROM evaluated e WHERE e.item = t.item AND e.tag = ") + kNameOf;
    asked.values.emplace_back(query.exclude_tag);
    asked.demand_name("e.persona", query.persona_id);
    if (!query.persona_json.empty())
      demand_content(asked, "e.persona_version", "persona_versions", query.persona_id, query.persona_json);
    if (query.persona_version) asked.demand("e.persona_version = ?", *query.persona_version);
    asked.demand_name("e.mode", query.mode);
    if (i < query.perspectives.size()) {
      const Versioned& one = query.perspectives[i];
      asked.demand_name("e.perspective", one.id);
      if (!one.json.empty())
        demand_content(asked, "e.perspective_version", "perspective_versions", one.id, one.json);
    }
    asked.where += ")";
  }
  asked.where += ")";
}

// The page begins behind a place.
void begin_behind(Selection& asked, const ItemQuery& query, const std::string& published,
                  const std::string& item_id) {
  const ItemPlace& place = *query.after;
  if (query.order == ItemQuery::Order::stored) {
    asked.behind = "t.position > ?";
    asked.behind_values = {place.position};
    return;
  }
  asked.from += std::exchange(asked.order_join, {});  // counting needs it as well
  if (query.order == ItemQuery::Order::newest) {
    asked.behind = fmt::format("({0} < ? OR ({0} = ? AND {1} > ?))", published, item_id);
    asked.behind_values = {place.published_ms, place.published_ms, std::string_view(place.item_id)};
  } else {
    asked.behind = item_id + " > ?";
    asked.behind_values = {std::string_view(place.item_id)};
  }
}

}  // namespace

// Starts at the narrowest list: the subset, the tag, all items. All three know item and position.
Selection select_items(const ItemQuery& query) {
  Selection asked;
  asked.row = "t.item";
  asked.offset = query.offset;
  asked.count = query.count;
  std::string published = "t.published_ms";
  if (!query.subset_tag.empty()) {
    asked.from = "subset_members t CROSS JOIN items i ON i.item = t.item";
    published = "i.published_ms";
    asked.demand_name("t.tag", query.subset_tag);
    asked.demand("t.percent = ?", std::int64_t{query.subset_percent});
    if (!query.tag.empty() && query.tag != query.subset_tag) {
      asked.demand(std::string("EXISTS (SELECT 1 FROM item_tags g WHERE g.tag = ") + kNameOf +
                       " AND g.position = t.position)",
                   query.tag);
    }
  } else if (!query.tag.empty()) {
    asked.from = "item_tags t";
    asked.order_join = " CROSS JOIN items i ON i.item = t.item";
    asked.demand_name("t.tag", query.tag);
  } else {
    asked.from = "items t";
    asked.where = "t.position IS NOT NULL";
  }
  if (query.published_since_ms) asked.demand(published + " >= ?", *query.published_since_ms);
  if (!query.exclude_tag.empty()) leave_out_evaluated(asked, query);
  const std::string item_id = asked.from == "items t" ? "t.item_id" : "i.item_id";
  switch (query.order) {
    case ItemQuery::Order::stored:
      asked.order_join.clear();
      asked.order = "t.position";
      break;
    case ItemQuery::Order::newest:
      asked.order = published + " DESC, " + item_id;
      break;
    case ItemQuery::Order::item_id:
      asked.order = item_id;
      break;
  }
  if (query.after) begin_behind(asked, query, published, item_id);
  return asked;
}

// An item has few results, a tag may have all of them: the item leads if it is known.
Selection select_results(const ResultQuery& query) {
  Selection asked;
  asked.offset = query.offset;
  asked.count = query.count;
  const bool by_tag = !query.tag.empty() && query.item_id.empty();
  const bool needs_results =
      !query.agent.empty() || !query.classification.empty() || !query.perspective_id.empty();
  const std::string lead = by_tag ? "t." : "r.";
  asked.row = lead + "result";
  asked.order = lead + "result";
  if (by_tag) {
    asked.from =
        needs_results ? "result_tags t CROSS JOIN results r ON r.result = t.result" : "result_tags t";
    asked.demand_name("t.tag", query.tag);
  } else {
    asked.from = "results r";
    if (!query.item_id.empty()) {
      asked.demand("r.item = (SELECT item FROM items WHERE item_id = ?)", query.item_id);
    }
    if (!query.tag.empty()) {
      asked.demand(std::string("EXISTS (SELECT 1 FROM result_tags t WHERE t.tag = ") + kNameOf +
                       " AND t.result = r.result)",
                   query.tag);
    }
  }
  asked.demand_name(lead + "persona", query.persona_id);
  asked.demand_name(lead + "mode", query.mode);
  if (query.published_since_ms) asked.demand(lead + "published_ms >= ?", *query.published_since_ms);
  asked.demand_name("r.agent", query.agent);
  asked.demand_name("r.classification", query.classification);
  asked.demand_name("r.perspective", query.perspective_id);
  return asked;
}

Selection select_failures(const ResultQuery& query) {
  Selection asked;
  asked.row = "f.failure";
  asked.from = "failure_rows f";
  asked.order = "f.failure";
  asked.offset = query.offset;
  asked.count = query.count;
  if (!query.resolved) asked.where += " AND f.resolved_ms IS NULL";
  if (!query.item_id.empty()) {
    asked.demand("f.failure IN (SELECT failure FROM failure_parts WHERE item_id = ?)", query.item_id);
  }
  asked.demand_text("f.persona_id", query.persona_id);
  asked.demand_text("f.mode", query.mode);
  asked.demand_text("f.agent", query.agent);
  if (query.published_since_ms) {
    asked.demand(
        "coalesce((SELECT i.published_ms FROM items i WHERE i.item_id = f.item_id), f.recorded_ms) >= ?",
        *query.published_since_ms);
  }
  return asked;
}

Selection select_jobs(const JobQuery& query) {
  Selection asked;
  asked.row = "j.job";
  asked.from = "jobs j";
  asked.order = "j.created_ms DESC, j.job DESC";
  asked.offset = query.offset;
  asked.count = query.count;
  asked.demand_text("j.mode", query.mode);
  asked.demand_text("j.status", query.status);
  asked.demand_text("j.persona_id", query.persona_id);
  return asked;
}

}  // namespace assay
