// What has been recorded, read back: items, records, contexts, feedback, tags, subsets and versions.
#include <utility>

#include <fmt/format.h>

#include "store/data/data_pages.h"
#include "store/data/data_reads.h"

namespace assay {
namespace {

// One more than a page was asked for: it tells whether something follows.
template <class Row>
void end_list(Listed<Row>& list, std::vector<std::int64_t>& numbers, std::int64_t count) {
  if (static_cast<std::int64_t>(list.rows.size()) <= count) return;
  list.rows.pop_back();
  numbers.pop_back();
  list.next = numbers.back();
}

}  // namespace

Result<std::vector<SubsetSize>> DataReads::subsets_where(const std::string& condition,
                                                         std::initializer_list<SqlValue> values) {
  std::vector<SubsetSize> list;
  const std::string sql = fmt::format(
      "SELECT n.text, m.percent, count(*), (SELECT count(*) FROM item_tags t WHERE t.tag = m.tag) FROM "
      "subset_members m JOIN names n ON n.name = m.tag {} GROUP BY m.tag, n.text, m.percent ORDER BY m.tag, "
      "m.percent",
      condition);
  if (auto read =
          statements_.each(sql, values,
                           [&](const SqlRow& row) {
                             list.push_back({std::string(row.text(0)), static_cast<int>(row.integer(1)),
                                             row.integer(2), row.integer(3)});
                           });
      !read) {
    return fail(std::move(read.error()));
  }
  return list;
}

Result<std::vector<SubsetSize>> DataReads::subsets() {
  return subsets_where("", {});
}

Result<std::optional<ItemView>> DataReads::item(const std::string& item_id) {
  const auto snapshot = Snapshot::begin(statements_);
  if (!snapshot) return fail(snapshot.error());
  const auto row = statements_.number(
      "SELECT item FROM items i WHERE item_id = ? AND (position IS NOT NULL OR EXISTS (SELECT 1 FROM results "
      "r WHERE r.item = i.item))",
      {item_id});
  if (!row) return fail(row.error());
  if (!*row) return std::nullopt;
  ItemView view;
  auto stored = item_at(**row);
  if (!stored) return fail(std::move(stored.error()));
  view.item = std::move(*stored);
  if (view.item.item_id.empty()) {  // without content
    const auto published = statements_.number("SELECT published_ms FROM items WHERE item_id = ?", {item_id});
    if (!published) return fail(published.error());
    view.item.item_id = item_id;
    view.item.published_ms = published->value_or(0);
  }
  auto subsets = subsets_where(
      "WHERE (m.tag, m.percent) IN (SELECT s.tag, s.percent FROM item_tags t JOIN subset_members s ON s.tag "
      "= "
      "t.tag AND s.position = t.position WHERE t.item = ?)",
      {**row});
  if (!subsets) return fail(std::move(subsets.error()));
  view.subsets = std::move(*subsets);
  return view;
}

Result<RecordRow> DataReads::record_at(std::int64_t row) {
  RecordRow record;
  record.record_id = row;
  if (auto read = statements_.each(
          "SELECT b.recorded_ms, a.text, r.context_id, p.text, r.persona_version, m.text, coalesce(j.text, "
          "''), (SELECT count(*) FROM results o WHERE o.record = r.record) FROM results r JOIN record_rows b "
          "ON b.record = r.record JOIN names a ON a.name = r.agent JOIN names p ON p.name = r.persona JOIN "
          "names m ON m.name = r.mode LEFT JOIN names j ON j.name = r.job WHERE r.record = ? ORDER BY "
          "r.result LIMIT 1",
          {row},
          [&](const SqlRow& found) {
            record.recorded_ms = found.integer(0);
            record.agent = found.text(1);
            record.context_id = found.text(2);
            record.persona_id = found.text(3);
            record.persona_version = found.integer(4);
            record.mode = found.text(5);
            record.job_id = found.text(6);
            record.verdicts = found.integer(7);
          });
      !read) {
    return fail(std::move(read.error()));
  }
  if (auto read = statements_.each(
          "SELECT i.item_id FROM results r JOIN items i ON i.item = r.item WHERE r.record = ? GROUP BY "
          "i.item_id ORDER BY min(r.result)",
          {row}, [&](const SqlRow& found) { record.item_ids.emplace_back(found.text(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  return record;
}

Result<RecordPage> DataReads::records(const RecordQuery& query) {
  return read_page(statements_, select_records(query), &RecordPage::rows,
                   [this](std::int64_t row) { return record_at(row); });
}

Result<std::optional<WholeRecord>> DataReads::record(std::int64_t record_id) {
  const auto snapshot = Snapshot::begin(statements_);
  if (!snapshot) return fail(snapshot.error());
  std::optional<WholeRecord> whole;
  if (auto read = statements_.each("SELECT json FROM records WHERE record = ?", {record_id},
                                   [&](const SqlRow& row) {
                                     whole.emplace();
                                     whole->json = row.text(0);
                                   });
      !read) {
    return fail(std::move(read.error()));
  }
  if (!whole) return std::nullopt;
  auto glance = record_at(record_id);
  if (!glance) return fail(std::move(glance.error()));
  whole->glance = std::move(*glance);
  return whole;
}

Result<ContextPage> DataReads::contexts(const ContextQuery& query) {
  ContextPage page;
  ContextPlace last;
  const ContextPlace first = query.after.value_or(ContextPlace{"", -1});
  if (auto read = statements_.each(
          "SELECT r.context_id, r.agent, n.text, min(r.recorded_ms), max(r.recorded_ms), count(DISTINCT "
          "r.record), count(*) FROM results r JOIN names n ON n.name = r.agent WHERE (r.context_id, r.agent) "
          "> (?, ?) GROUP BY r.context_id, r.agent, n.text ORDER BY r.context_id, r.agent LIMIT ?",
          {std::string_view(first.context_id), first.agent, query.count + 1},
          [&](const SqlRow& row) {
            if (static_cast<std::int64_t>(page.rows.size()) == query.count) {
              page.next = last;
              return;
            }
            last = {std::string(row.text(0)), row.integer(1)};
            page.rows.push_back({last.context_id, std::string(row.text(2)), row.integer(3), row.integer(4),
                                 row.integer(5), row.integer(6)});
          });
      !read) {
    return fail(std::move(read.error()));
  }
  return page;
}

Result<FeedbackRow> DataReads::feedback_at(std::int64_t row) {
  FeedbackRow feedback;
  feedback.feedback_id = row;
  if (auto read = statements_.each(
          "SELECT recorded_ms, result, person, likert, agreement, json FROM feedback WHERE feedback = ?",
          {row},
          [&](const SqlRow& found) {
            feedback.recorded_ms = found.integer(0);
            feedback.feedback.result_id = found.integer(1);
            feedback.feedback.person = found.text(2);
            if (!found.is_null(3)) feedback.feedback.likert = static_cast<int>(found.integer(3));
            if (!found.is_null(4)) feedback.feedback.agreement = std::string(found.text(4));
            feedback.feedback.json = found.text(5);
          });
      !read) {
    return fail(std::move(read.error()));
  }
  auto about = result(feedback.feedback.result_id);
  if (!about) return fail(std::move(about.error()));
  feedback.result = std::move(*about);
  return feedback;
}

Result<FeedbackPage> DataReads::feedback(const FeedbackQuery& query) {
  return read_page(statements_, select_feedback(query, statements_.dialect()), &FeedbackPage::rows,
                   [this](std::int64_t row) { return feedback_at(row); });
}

Result<Listed<TagSize>> DataReads::tags(const NameQuery& query) {
  Listed<TagSize> list;
  std::vector<std::int64_t> numbers;
  if (auto read = statements_.each(
          "SELECT n.name, n.text, (SELECT count(*) FROM item_tags t WHERE t.tag = n.name), (SELECT count(*) "
          "FROM result_tags t WHERE t.tag = n.name) FROM names n WHERE n.name > ? AND (EXISTS (SELECT 1 FROM "
          "item_tags t WHERE t.tag = n.name) OR EXISTS (SELECT 1 FROM result_tags t WHERE t.tag = n.name)) "
          "ORDER BY n.name LIMIT ?",
          {query.after, query.count + 1},
          [&](const SqlRow& row) {
            numbers.push_back(row.integer(0));
            list.rows.push_back({std::string(row.text(1)), row.integer(2), row.integer(3)});
          });
      !read) {
    return fail(std::move(read.error()));
  }
  end_list(list, numbers, query.count);
  return list;
}

Result<Listed<VersionedName>> DataReads::versioned(VersionedKind kind, const NameQuery& query) {
  Listed<VersionedName> list;
  std::vector<std::int64_t> numbers;
  const bool persona = kind == VersionedKind::persona;
  if (auto read = statements_.each(
          fmt::format(
              "SELECT n.name, n.text, (SELECT count(*) FROM {0}_versions v WHERE v.id = n.name), "
              "(SELECT count(*) FROM results r WHERE r.{0} = n.name) FROM names n WHERE n.name > ? AND "
              "EXISTS (SELECT 1 FROM {0}_versions v WHERE v.id = n.name) ORDER BY n.name LIMIT ?",
              persona ? "persona" : "perspective"),
          {query.after, query.count + 1},
          [&](const SqlRow& row) {
            numbers.push_back(row.integer(0));
            list.rows.push_back({std::string(row.text(1)), row.integer(2), row.integer(3)});
          });
      !read) {
    return fail(std::move(read.error()));
  }
  end_list(list, numbers, query.count);
  return list;
}

Result<std::vector<Version>> DataReads::versions(VersionedKind kind, const std::string& id) {
  std::vector<Version> list;
  const bool persona = kind == VersionedKind::persona;
  if (auto read = statements_.each(
          fmt::format("SELECT v.version, v.json, (SELECT count(*) FROM results r WHERE r.{0} = v.id AND "
                      "r.{0}_version = v.version) FROM {0}_versions v WHERE v.id = {1} ORDER BY v.version",
                      persona ? "persona" : "perspective", kNameOf),
          {id},
          [&](const SqlRow& row) {
            list.push_back({row.integer(0), std::string(row.text(1)), row.integer(2)});
          });
      !read) {
    return fail(std::move(read.error()));
  }
  return list;
}

}  // namespace assay
