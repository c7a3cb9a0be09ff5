#include "store/data/data_selection.h"

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

// % and _ are letters here.
void demand_search(Selection& asked, const SqlDialect& dialect, const std::string& item_id,
                   const std::string& search) {
  asked.pattern = std::make_unique<std::string>("%");
  for (const char c : search) {
    if (c == '%' || c == '_' || c == '\\') *asked.pattern += '\\';
    *asked.pattern += c;
  }
  *asked.pattern += '%';
  const auto like = [&](std::string_view text) { return fmt::format(fmt::runtime(dialect.like), text); };
  asked.where +=
      fmt::format(" AND EXISTS (SELECT 1 FROM item_contents c WHERE c.item = t.item AND ({} OR {} OR {}))",
                  like(item_id), like(dialect.item_title), like(dialect.item_text));
  for (int i = 0; i < 3; ++i) asked.values.emplace_back(std::string_view(*asked.pattern));
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
Selection select_items(const ItemQuery& query, const SqlDialect& dialect) {
  Selection asked;
  asked.row = "t.item";
  asked.offset = query.offset;
  asked.count = query.count;
  asked.totals = query.totals;
  std::string published = "t.published_ms";
  if (!query.subset_tag.empty()) {
    asked.from = fmt::format("subset_members t {} items i ON i.item = t.item", dialect.join_in_order);
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
    asked.order_join = fmt::format(" {} items i ON i.item = t.item", dialect.join_in_order);
    asked.demand_name("t.tag", query.tag);
  } else {
    asked.from = "items t";
    asked.where = "t.position IS NOT NULL";
  }
  const std::string item_id = asked.from == "items t" ? "t.item_id" : "i.item_id";
  asked.demand_time(published, {query.published_since_ms, query.published_until_ms});
  if (!query.exclude_tag.empty()) leave_out_evaluated(asked, query);
  if (!query.search.empty()) {
    asked.from += std::exchange(asked.order_join, {});  // knows the item's id
    demand_search(asked, dialect, item_id, query.search);
  }
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
Selection select_results(const ResultQuery& query, const SqlDialect& dialect) {
  Selection asked;
  asked.offset = query.offset;
  asked.count = query.count;
  asked.totals = query.totals;
  const bool by_tag = !query.tag.empty() && query.item_id.empty();
  const bool needs_results = !query.agent.empty() || !query.classification.empty() ||
                             !query.perspective_id.empty() || !query.job_id.empty() ||
                             !query.context_id.empty() || query.likert || !query.agreement.empty() ||
                             !query.value.empty() || query.recorded.limited();
  const std::string lead = by_tag ? "t." : "r.";
  asked.row = lead + "result";
  asked.order = lead + "result";
  if (by_tag) {
    asked.from = "result_tags t";
    if (needs_results)
      asked.from += fmt::format(" {} results r ON r.result = t.result", dialect.join_in_order);
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
  asked.demand_time(lead + "published_ms", {query.published_since_ms, query.published_until_ms});
  asked.demand_name("r.agent", query.agent);
  asked.demand_name("r.classification", query.classification);
  asked.demand_name("r.perspective", query.perspective_id);
  asked.demand_name("r.job", query.job_id);
  asked.demand_text("r.context_id", query.context_id);
  if (query.likert) asked.demand("r.likert = ?", std::int64_t{*query.likert});
  asked.demand_text("r.agreement", query.agreement);
  asked.demand_text("r.value", query.value);
  asked.demand_time("r.recorded_ms", query.recorded);
  asked.begin_behind(asked.row, query.after);
  return asked;
}

Selection select_failures(const ResultQuery& query) {
  Selection asked;
  asked.row = "f.failure";
  asked.from = "failure_rows f";
  asked.order = "f.failure";
  asked.offset = query.offset;
  asked.count = query.count;
  asked.totals = query.totals;
  if (!query.resolved) asked.where += " AND f.resolved_ms IS NULL";
  if (!query.item_id.empty()) {
    asked.demand("f.failure IN (SELECT failure FROM failure_parts WHERE item_id = ?)", query.item_id);
  }
  asked.demand_text("f.persona_id", query.persona_id);
  asked.demand_text("f.mode", query.mode);
  asked.demand_text("f.agent", query.agent);
  asked.demand_time(
      "coalesce((SELECT i.published_ms FROM items i WHERE i.item_id = f.item_id), f.recorded_ms)",
      {query.published_since_ms, query.published_until_ms});
  asked.demand_text("f.job", query.job_id);
  asked.demand_text("f.context_id", query.context_id);
  asked.demand_time("f.recorded_ms", query.recorded);
  asked.begin_behind(asked.row, query.after);
  return asked;
}

// What leads to few records finds them by their verdicts; else each record is asked for one that fits.
Selection select_records(const RecordQuery& query) {
  Selection asked;
  asked.row = "r.record";
  asked.from = "record_rows r";
  asked.order = "r.record";
  asked.offset = query.offset;
  asked.count = query.count;
  asked.demand_time("r.recorded_ms", query.recorded);
  asked.begin_behind(asked.row, query.after);
  const bool few = !query.item_id.empty() || !query.context_id.empty() || !query.job_id.empty();
  if (!few && query.tag.empty() && query.agent.empty() && query.persona_id.empty() && query.mode.empty())
    return asked;
  asked.where += few ? " AND r.record IN (SELECT v.record FROM results v WHERE true"
                     : " AND EXISTS (SELECT 1 FROM results v WHERE v.record = r.record";
  if (!query.item_id.empty())
    asked.demand("v.item = (SELECT item FROM items WHERE item_id = ?)", query.item_id);
  asked.demand_text("v.context_id", query.context_id);
  asked.demand_name("v.job", query.job_id);
  asked.demand_name("v.agent", query.agent);
  asked.demand_name("v.persona", query.persona_id);
  asked.demand_name("v.mode", query.mode);
  if (!query.tag.empty()) {
    asked.demand(std::string("EXISTS (SELECT 1 FROM result_tags t WHERE t.tag = ") + kNameOf +
                     " AND t.result = v.result)",
                 query.tag);
  }
  asked.where += ")";
  return asked;
}

// People say less than judges: their words lead to the results.
Selection select_feedback(const FeedbackQuery& query, const SqlDialect& dialect) {
  Selection asked;
  asked.row = "f.feedback";
  asked.from = "feedback f";
  asked.order = "f.feedback";
  asked.offset = query.offset;
  asked.count = query.count;
  asked.totals = query.totals;
  if (!query.item_id.empty() || !query.job_id.empty())
    asked.from += fmt::format(" {} results r ON r.result = f.result", dialect.join_in_order);
  if (query.result_id) asked.demand("f.result = ?", *query.result_id);
  asked.demand_text("f.person", query.person);
  if (!query.item_id.empty())
    asked.demand("r.item = (SELECT item FROM items WHERE item_id = ?)", query.item_id);
  asked.demand_name("r.job", query.job_id);
  asked.demand_time("f.recorded_ms", query.recorded);
  asked.begin_behind(asked.row, query.after);
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
  asked.demand_time("j.created_ms", query.created);
  if (query.after) {
    asked.behind = "(j.created_ms, j.job) < (?, ?)";
    asked.behind_values = {query.after->created_ms, query.after->number};
  }
  return asked;
}

}  // namespace assay
