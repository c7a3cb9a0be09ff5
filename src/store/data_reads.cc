#include "store/data_reads.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr const char* kName = "(SELECT name FROM names WHERE text = ?)";

// Which rows are asked for, as SQL: the values stand in the order of their question marks. CROSS JOIN keeps
// SQLite from turning a join around, so each form has the plan that it was written for.
struct Selection {
  std::string row;         // the number to be given
  std::string from;        // where conditions can be decided
  std::string order_join;  // what only the order needs
  std::string where = "true";
  std::string order;
  std::vector<SqlValue> values;
  std::int64_t offset = 0;
  std::int64_t count = 0;

  void demand(const std::string& condition, SqlValue value) {
    where += " AND " + condition;
    values.push_back(value);
  }
  // Empty: no demand.
  void demand_text(const std::string& column, const std::string& text) {
    if (!text.empty()) demand(column + " = ?", text);
  }
  void demand_name(const std::string& column, const std::string& text) {
    if (!text.empty()) demand(column + " = " + kName, text);
  }
};

struct Matches {
  std::vector<std::int64_t> rows;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
};

// Everything read while it lives is from one state of the database.
class Snapshot {
 public:
  static Result<Snapshot> begin(Statements& statements) {
    if (auto begun = statements.run("BEGIN"); !begun) return fail(std::move(begun.error()));
    return Snapshot(statements);
  }
  Snapshot(Snapshot&& other) noexcept : statements_(std::exchange(other.statements_, nullptr)) {}
  Snapshot& operator=(Snapshot&& other) = delete;
  ~Snapshot() {
    if (statements_ != nullptr) (void)statements_->run("COMMIT");
  }

 private:
  explicit Snapshot(Statements& statements) : statements_(&statements) {}
  Statements* statements_;
};

Result<Matches> find_matches(Statements& statements, const Selection& asked) {
  const bool all = asked.count < 1;
  const std::int64_t offset = std::max<std::int64_t>(0, asked.offset);
  Matches found;
  std::vector<SqlValue> values = asked.values;
  values.emplace_back(all ? std::int64_t{-1} : asked.count);
  values.emplace_back(offset);
  if (auto read =
          statements.each("SELECT " + asked.row + " FROM " + asked.from + asked.order_join + " WHERE " +
                              asked.where + " ORDER BY " + asked.order + " LIMIT ? OFFSET ?",
                          values, [&](const Statement& row) { found.rows.push_back(row.integer(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  const auto here = static_cast<std::int64_t>(found.rows.size());
  const bool last_page = all || here < asked.count;
  if (last_page && (here > 0 || offset == 0)) {  // the end was seen: counting would cost and say the same
    found.total = offset + here;
    return found;
  }
  const auto total =
      statements.number("SELECT count(*) FROM " + asked.from + " WHERE " + asked.where, asked.values);
  if (!total) return fail(total.error());
  found.total = total->value_or(0);
  found.remaining = std::max<std::int64_t>(0, found.total - offset - here);
  return found;
}

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
      asked.demand(std::string("EXISTS (SELECT 1 FROM item_tags g WHERE g.tag = ") + kName +
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
  if (!query.exclude_tag.empty()) {
    // The item is found first, then the few personas and modes that have judged it. With perspectives it is
    // left out only if each of them has a result.
    const std::size_t needed = std::max<std::size_t>(1, query.perspectives.size());
    asked.where += " AND NOT (true";
    for (std::size_t i = 0; i < needed; ++i) {
      asked.where +=
          std::string(" AND EXISTS (SELECT 1 FROM evaluated e WHERE e.item = t.item AND e.tag = ") + kName;
      asked.values.emplace_back(query.exclude_tag);
      asked.demand_name("e.persona", query.persona_id);
      asked.demand_name("e.mode", query.mode);
      if (i < query.perspectives.size()) asked.demand_name("e.perspective", query.perspectives[i]);
      asked.where += ")";
    }
    asked.where += ")";
  }
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
      asked.demand(std::string("EXISTS (SELECT 1 FROM result_tags t WHERE t.tag = ") + kName +
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
  asked.from = "failures f";
  asked.order = "f.failure";
  asked.offset = query.offset;
  asked.count = query.count;
  asked.demand_text("f.item_id", query.item_id);
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

std::optional<std::string> text_or_none(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return std::string(row.text(column));
}

// The page of what was asked for; `read_row` turns a number into what is given out.
template <class Page, class Rows, class ReadRow>
Result<Page> read_page(Statements& statements, const Selection& asked, Rows Page::* rows,
                       const ReadRow& read_row) {
  const auto snapshot = Snapshot::begin(statements);
  if (!snapshot) return fail(snapshot.error());
  const auto found = find_matches(statements, asked);
  if (!found) return fail(found.error());
  Page page;
  page.total = found->total;
  page.remaining = found->remaining;
  (page.*rows).reserve(found->rows.size());
  for (const std::int64_t number : found->rows) {
    auto row = read_row(number);
    if (!row) return fail(std::move(row.error()));
    (page.*rows).push_back(std::move(*row));
  }
  return page;
}

}  // namespace

Result<StoredItem> DataReads::item(std::int64_t row) {
  StoredItem item;
  if (auto read = statements_.each("SELECT i.item_id, i.published_ms, c.json FROM items i JOIN item_contents "
                                   "c ON c.item = i.item WHERE "
                                   "i.item = ?",
                                   {row},
                                   [&](const Statement& found) {
                                     item.item_id = found.text(0);
                                     item.published_ms = found.integer(1);
                                     item.json = found.text(2);
                                   });
      !read) {
    return fail(std::move(read.error()));
  }
  if (auto read = statements_.each(
          "SELECT n.text FROM item_tags t JOIN names n ON n.name = t.tag WHERE t.item = ? ORDER BY n.text",
          {row}, [&](const Statement& found) { item.tags.emplace_back(found.text(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  return item;
}

Result<ItemPage> DataReads::items(const ItemQuery& query) {
  return read_page(statements_, select_items(query), &ItemPage::items,
                   [this](std::int64_t row) { return item(row); });
}

Result<ResultRow> DataReads::result(std::int64_t row) {
  ResultRow result;
  if (auto read = statements_.each(
          "SELECT a.text, r.context_id, p.text, r.persona_version, r.perspective_version, i.item_id, c.text, "
          "v.text, m.text, r.likert, r.agreement, r.selection, r.value, r.text, r.recorded_ms FROM results r "
          "JOIN "
          "names a ON a.name = r.agent JOIN names p ON p.name = r.persona JOIN names c ON c.name = "
          "r.classification JOIN names v ON v.name = r.perspective JOIN names m ON m.name = r.mode JOIN "
          "items i "
          "ON i.item = r.item WHERE r.result = ?",
          {row},
          [&](const Statement& found) {
            result.agent = found.text(0);
            result.context_id = found.text(1);
            result.persona_id = found.text(2);
            result.persona_version = found.integer(3);
            result.perspective_version = found.integer(4);
            StoredVerdict& verdict = result.verdict;
            verdict.item_id = found.text(5);
            verdict.classification = found.text(6);
            verdict.perspective_id = found.text(7);
            verdict.mode = found.text(8);
            if (!found.is_null(9)) verdict.likert = static_cast<int>(found.integer(9));
            verdict.agreement = text_or_none(found, 10);
            verdict.selection = text_or_none(found, 11);
            verdict.value = text_or_none(found, 12);
            verdict.text = found.text(13);
            result.recorded_ms = found.integer(14);
          });
      !read) {
    return fail(std::move(read.error()));
  }
  result.result_id = row;
  if (auto read =
          statements_.each("SELECT n.text FROM result_tags t JOIN names n ON n.name = t.tag WHERE t.result = "
                           "? ORDER BY n.text",
                           {row}, [&](const Statement& found) { result.tags.emplace_back(found.text(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  return result;
}

Result<ResultPage> DataReads::results(const ResultQuery& query) {
  return read_page(statements_, select_results(query), &ResultPage::rows,
                   [this](std::int64_t row) { return result(row); });
}

Result<FailurePage> DataReads::failures(const ResultQuery& query) {
  return read_page(
      statements_, select_failures(query), &FailurePage::rows,
      [this](std::int64_t row) -> Result<FailurePage::Row> {
        FailurePage::Row failure{row, 0, ""};
        if (auto read = statements_.each("SELECT recorded_ms, json FROM failures WHERE failure = ?", {row},
                                         [&](const Statement& found) {
                                           failure.recorded_ms = found.integer(0);
                                           failure.json = found.text(1);
                                         });
            !read) {
          return fail(std::move(read.error()));
        }
        return failure;
      });
}

Result<StoredJob> DataReads::job_at(std::int64_t row) {
  StoredJob job;
  if (auto read = statements_.each(
          "SELECT job_id, mode, status, persona_id, json, created_ms FROM jobs WHERE job = ?", {row},
          [&](const Statement& found) {
            job = {std::string(found.text(0)), std::string(found.text(1)), std::string(found.text(2)),
                   std::string(found.text(3)), std::string(found.text(4)), found.integer(5)};
          });
      !read) {
    return fail(std::move(read.error()));
  }
  return job;
}

Result<std::optional<StoredJob>> DataReads::job(const std::string& job_id) {
  const auto row = statements_.number("SELECT job FROM jobs WHERE job_id = ?", {job_id});
  if (!row) return fail(row.error());
  if (!*row) return std::nullopt;
  auto found = job_at(**row);
  if (!found) return fail(std::move(found.error()));
  return std::move(*found);
}

Result<JobPage> DataReads::jobs(const JobQuery& query) {
  return read_page(statements_, select_jobs(query), &JobPage::jobs,
                   [this](std::int64_t row) { return job_at(row); });
}

}  // namespace assay
