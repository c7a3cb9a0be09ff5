#include "store/data/data_reads.h"

#include <utility>

#include <fmt/format.h>

#include "store/data/data_pages.h"

namespace assay {
namespace {

std::optional<std::string> text_or_none(const SqlRow& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return std::string(row.text(column));
}

}  // namespace

Result<StoredItem> DataReads::item_at(std::int64_t row) {
  StoredItem item;
  if (auto read = statements_.each("SELECT i.item_id, i.published_ms, c.json FROM items i JOIN item_contents "
                                   "c ON c.item = i.item WHERE "
                                   "i.item = ?",
                                   {row},
                                   [&](const SqlRow& found) {
                                     item.item_id = found.text(0);
                                     item.published_ms = found.integer(1);
                                     item.json = found.text(2);
                                   });
      !read) {
    return fail(std::move(read.error()));
  }
  if (auto read = statements_.each(
          "SELECT n.text FROM item_tags t JOIN names n ON n.name = t.tag WHERE t.item = ? ORDER BY n.text",
          {row}, [&](const SqlRow& found) { item.tags.emplace_back(found.text(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  return item;
}

Result<ItemPage> DataReads::items(const ItemQuery& query) {
  auto page = read_page(statements_, select_items(query, statements_.dialect()), &ItemPage::items,
                        [this](std::int64_t row) { return item_at(row); });
  if (!page || page->items.empty()) return page;
  auto last = place(page->items.back().item_id);
  if (!last) return fail(std::move(last.error()));
  page->last = std::move(*last);
  return page;
}

Result<ItemRows> DataReads::item_rows(const ItemQuery& query) {
  const auto snapshot = Snapshot::begin(statements_);
  if (!snapshot) return fail(snapshot.error());
  auto found = find_matches(statements_, select_items(query, statements_.dialect()));
  if (!found) return fail(std::move(found.error()));
  return ItemRows{std::move(found->rows), found->total};
}

Result<std::vector<StoredItem>> DataReads::items_of(std::span<const std::int64_t> rows) {
  const auto snapshot = Snapshot::begin(statements_);
  if (!snapshot) return fail(snapshot.error());
  std::vector<StoredItem> items;
  items.reserve(rows.size());
  for (const std::int64_t row : rows) {
    auto item = item_at(row);
    if (!item) return fail(std::move(item.error()));
    if (!item->item_id.empty()) items.push_back(std::move(*item));
  }
  return items;
}

Result<ItemPlace> DataReads::place(const std::string& item_id) {
  ItemPlace place;
  if (auto read =
          statements_.each("SELECT position, published_ms, item_id FROM items WHERE item_id = ?", {item_id},
                           [&](const SqlRow& found) {
                             place = {found.integer(0), found.integer(1), std::string(found.text(2))};
                           });
      !read) {
    return fail(std::move(read.error()));
  }
  return place;
}

Result<std::int64_t> DataReads::tagged(const std::string& tag) {
  const auto count =
      statements_.number(std::string("SELECT count(*) FROM item_tags WHERE tag = ") + kNameOf, {tag});
  if (!count) return fail(count.error());
  return count->value_or(0);
}

Result<std::int64_t> DataReads::members(const std::string& tag, int percent) {
  const auto count = statements_.number(
      std::string("SELECT count(*) FROM subset_members WHERE tag = ") + kNameOf + " AND percent = ?",
      {tag, std::int64_t{percent}});
  if (!count) return fail(count.error());
  return count->value_or(0);
}

Result<ResultRow> DataReads::result(std::int64_t row) {
  ResultRow result;
  if (auto read = statements_.each(
          "SELECT a.text, r.context_id, p.text, r.persona_version, r.perspective_version, i.item_id, c.text, "
          "v.text, m.text, r.likert, r.agreement, r.selection, r.value, r.text, r.recorded_ms, r.record, "
          "coalesce((SELECT j.text FROM names j WHERE j.name = r.job), '') FROM results r "
          "JOIN "
          "names a ON a.name = r.agent JOIN names p ON p.name = r.persona JOIN names c ON c.name = "
          "r.classification JOIN names v ON v.name = r.perspective JOIN names m ON m.name = r.mode JOIN "
          "items i "
          "ON i.item = r.item WHERE r.result = ?",
          {row},
          [&](const SqlRow& found) {
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
            result.record_id = found.integer(15);
            result.job_id = found.text(16);
          });
      !read) {
    return fail(std::move(read.error()));
  }
  result.result_id = row;
  if (auto read =
          statements_.each("SELECT n.text FROM result_tags t JOIN names n ON n.name = t.tag WHERE t.result = "
                           "? ORDER BY n.text",
                           {row}, [&](const SqlRow& found) { result.tags.emplace_back(found.text(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  return result;
}

Result<ResultPage> DataReads::results(const ResultQuery& query) {
  return read_page(statements_, select_results(query, statements_.dialect()), &ResultPage::rows,
                   [this](std::int64_t row) { return result(row); });
}

Result<FailurePage> DataReads::failures(const ResultQuery& query) {
  return read_page(
      statements_, select_failures(query), &FailurePage::rows,
      [this](std::int64_t row) -> Result<FailurePage::Row> {
        FailurePage::Row failure{row, 0, {}, "", ""};
        if (auto read = statements_.each(
                "SELECT recorded_ms, json, resolved_ms, coalesce(job, '') FROM failures WHERE failure = ?",
                {row},
                [&](const SqlRow& found) {
                  failure.recorded_ms = found.integer(0);
                  failure.json = found.text(1);
                  if (!found.is_null(2)) failure.resolved_ms = found.integer(2);
                  failure.job_id = found.text(3);
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
          [&](const SqlRow& found) {
            job = {.job_id = std::string(found.text(0)),
                   .mode = std::string(found.text(1)),
                   .status = std::string(found.text(2)),
                   .persona_id = std::string(found.text(3)),
                   .json = std::string(found.text(4)),
                   .created_ms = found.integer(5)};
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
  auto page = read_page(statements_, select_jobs(query), &JobPage::jobs,
                        [this](std::int64_t row) { return job_at(row); });
  if (!page || page->jobs.empty()) return page;
  const auto number = statements_.number("SELECT job FROM jobs WHERE job_id = ?", {page->jobs.back().job_id});
  if (!number) return fail(number.error());
  page->last = {page->jobs.back().created_ms, number->value_or(0)};
  return page;
}

Result<std::optional<std::string>> DataReads::job_file(const std::string& job_id, const std::string& name) {
  std::optional<std::string> file;
  if (auto read = statements_.each("SELECT text FROM job_files WHERE job_id = ? AND name = ?", {job_id, name},
                                   [&](const SqlRow& found) { file = std::string(found.text(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  return file;
}

Result<bool> DataReads::has_job_to_take() {
  const auto found = statements_.number(
      fmt::format("SELECT job FROM jobs WHERE status IN ('INITIATED', 'PROCESSING') AND (holder IS NULL OR "
                  "held_until_ms < {}) LIMIT 1",
                  statements_.dialect().now_ms));
  if (!found) return fail(found.error());
  return found->has_value();
}

}  // namespace assay
