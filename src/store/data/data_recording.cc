// Results and failures on their way into the tables.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "store/data/data_writes.h"

namespace assay {
namespace {

SqlValue list_or_null(const PiecedTexts::Parts& parts) {
  return parts.list.empty() ? SqlValue() : SqlValue(std::string_view(parts.list));
}

std::string_view first_item(const FailureRecord& record) {
  return record.item_ids.empty() ? std::string_view() : std::string_view(record.item_ids.front());
}

}  // namespace

class DataWrites::SharedTextRows final : public SharedTextTable {
 public:
  explicit SharedTextRows(DataSql& statements) : statements_(statements) {}

  Result<std::optional<std::int64_t>> find(const Digest& hash) override {
    return statements_.number("SELECT number FROM shared_texts WHERE hash = ?",
                              {std::span<const unsigned char>(hash)});
  }
  Result<std::int64_t> add(const SharedText& text) override {
    auto number =
        given_number(statements_.number("INSERT INTO shared_texts(text, hash) VALUES(?, ?) RETURNING number",
                                        {text.text, std::span<const unsigned char>(text.hash)}));
    if (!number) return number;
    if (auto counted = statements_.run("INSERT INTO shared_uses(number, uses) VALUES(?, 0)", {*number});
        !counted) {
      return fail(std::move(counted.error()));
    }
    return number;
  }

 private:
  DataSql& statements_;
};

Result<PiecedTexts::Parts> DataWrites::parts_of(const std::string& json) {
  SharedTextRows table(statements_);
  auto parts = texts_.split(json, table);
  if (!parts) return parts;
  for (const PiecedTexts::Range& range : parts->shared) {
    if (auto counted =
            statements_.run("UPDATE shared_uses SET uses = uses + 1 WHERE number >= ? AND number < ?",
                            {range.first, range.first + range.count});
        !counted) {
      return fail(std::move(counted.error()));
    }
  }
  return parts;
}

// Verdicts come first and the record follows if one of them was new: what is known already leaves no trace.
class DataWrites::Recording {
 public:
  Recording(DataWrites& writes, const ResultRecord& record)
      : writes_(writes), statements_(writes.statements_), record_(record) {
    for (const StoredItem& item : record.items) items_.try_emplace(item.item_id, &item);
    for (const Versioned& each : record.perspectives) perspectives_.try_emplace(each.id, &each);
  }

  Result<ResultRecorded> record() {
    if (record_.verdicts.empty()) return fail(ErrorKind::data, "the result has no verdict");
    if (auto named = name_common(); !named) return fail(std::move(named.error()));
    for (const StoredVerdict& verdict : record_.verdicts) {
      if (auto added = add(verdict); !added) return fail(std::move(added.error()));
    }
    if (!conflicts_.empty()) return fail(conflict());
    if (added_ == 0) return ResultRecorded{*known_in_, true, 0, persona_version_};
    if (auto done = resolve_failures(); !done) return fail(std::move(done.error()));
    const auto parts = writes_.parts_of(record_.json);
    if (!parts) return fail(parts.error());
    if (auto done =
            statements_.run("INSERT INTO record_rows(record, recorded_ms, json, parts) VALUES(?, ?, ?, ?)",
                            {number_, recorded_ms_, parts->own, list_or_null(*parts)});
        !done) {
      return fail(std::move(done.error()));
    }
    writes_.given(Numbered::record, number_);
    return ResultRecorded{number_, false, added_, persona_version_};
  }

 private:
  // What tells one verdict from another.
  struct Key {
    std::int64_t item = 0;
    std::int64_t classification = 0;
    std::int64_t perspective = 0;
    std::int64_t perspective_version = 0;
    std::int64_t mode = 0;
  };

  Status name_common() {
    const auto number = writes_.next_number(Numbered::record);
    if (!number) return fail(number.error());
    number_ = *number;
    const auto result = writes_.next_number(Numbered::result);
    if (!result) return fail(result.error());
    next_result_ = *result;
    if (!record_.job_id.empty()) {
      const auto job = writes_.name_of(record_.job_id);
      if (!job) return fail(job.error());
      job_ = *job;
    }
    const auto agent = writes_.name_of(record_.agent);
    if (!agent) return fail(agent.error());
    agent_ = *agent;
    const auto persona = writes_.name_of(record_.persona.id);
    if (!persona) return fail(persona.error());
    persona_ = *persona;
    const auto version = writes_.version_of(Kind::persona, persona_, record_.persona.json);
    if (!version) return fail(version.error());
    persona_version_ = *version;
    return {};
  }

  Result<Key> key_of(const StoredVerdict& verdict, const StoredItem& item, const Versioned& perspective) {
    const auto row = writes_.row_of_item(item);
    if (!row) return fail(row.error());
    const auto classification = writes_.name_of(verdict.classification);
    if (!classification) return fail(classification.error());
    const auto name = writes_.name_of(perspective.id);
    if (!name) return fail(name.error());
    const auto version = writes_.version_of(Kind::perspective, *name, perspective.json);
    if (!version) return fail(version.error());
    const auto mode = writes_.name_of(verdict.mode);
    if (!mode) return fail(mode.error());
    return Key{*row, *classification, *name, *version, *mode};
  }

  Status add(const StoredVerdict& verdict) {
    const auto item = items_.find(verdict.item_id);
    if (item == items_.end()) return fail(undescribed("item", verdict.item_id));
    const auto perspective = perspectives_.find(verdict.perspective_id);
    if (perspective == perspectives_.end()) return fail(undescribed("perspective", verdict.perspective_id));
    const auto key = key_of(verdict, *item->second, *perspective->second);
    if (!key) return fail(key.error());
    const auto result = statements_.number(
        "INSERT INTO results(result, job, record, item, classification, persona, persona_version, "
        "perspective, "
        "perspective_version, agent, mode, context_id, published_ms, recorded_ms, likert, agreement, "
        "selection, "
        "value, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(item, classification, "
        "persona, "
        "persona_version, perspective, perspective_version, agent, mode, context_id) DO NOTHING RETURNING "
        "result",
        {next_result_, job_ ? SqlValue(*job_) : SqlValue(), number_, key->item, key->classification, persona_,
         persona_version_, key->perspective, key->perspective_version, agent_, key->mode, record_.context_id,
         item->second->published_ms, recorded_ms_, sql_value(verdict.likert), sql_value(verdict.agreement),
         sql_value(verdict.selection), sql_value(verdict.value), verdict.text});
    if (!result) return fail(result.error());
    if (!*result) return compare(*key, verdict, *item->second);
    writes_.given(Numbered::result, next_result_);
    ++added_;
    ++next_result_;
    return add_tags(**result, *item->second, *key);
  }

  // A verdict that is there already must be the same; what is new of its tags is added.
  Status compare(const Key& key, const StoredVerdict& verdict, const StoredItem& item) {
    std::int64_t result = 0;
    if (auto read = statements_.each(
            "SELECT record, likert IS NOT DISTINCT FROM ?10 AND agreement IS NOT DISTINCT FROM "
            "?11 AND selection IS NOT DISTINCT FROM ?12 AND value IS NOT DISTINCT FROM ?13 "
            "AND text = ?14, coalesce(CAST(likert AS TEXT), agreement), result FROM results WHERE item = ?1 "
            "AND "
            "classification = ?2 AND persona = "
            "?3 AND persona_version = ?4 AND perspective = ?5 AND perspective_version = ?6 "
            "AND agent = ?7 AND "
            "mode = ?8 AND context_id = ?9",
            {key.item, key.classification, persona_, persona_version_, key.perspective,
             key.perspective_version, agent_, key.mode, record_.context_id, sql_value(verdict.likert),
             sql_value(verdict.agreement), sql_value(verdict.selection), sql_value(verdict.value),
             verdict.text},
            [&](const SqlRow& row) {
              if (!known_in_) known_in_ = row.integer(0);
              result = row.integer(3);
              if (row.integer(1) == 0) note_conflict(verdict, row.text(2));
            });
        !read) {
      return read;
    }
    return add_tags(result, item, key);
  }

  void note_conflict(const StoredVerdict& verdict, std::string_view recorded) {
    const std::string found =
        verdict.likert ? std::to_string(*verdict.likert) : verdict.agreement.value_or("none");
    const std::string difference = found == recorded
                                       ? "the same verdict with another text, selection or value"
                                       : fmt::format("found {}, recorded is {}", found, recorded);
    conflicts_.push_back(fmt::format("item {}, classification {}, perspective {}: {}", verdict.item_id,
                                     verdict.classification, verdict.perspective_id, difference));
  }

  Error conflict() const {
    constexpr std::size_t kShown = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(conflicts_.size(), kShown); ++i)
      list += (i == 0 ? "" : "; ") + conflicts_[i];
    if (conflicts_.size() > kShown) list += fmt::format("; and {} more", conflicts_.size() - kShown);
    return {
        ErrorKind::changed,
        fmt::format("this is recorded with another verdict, which stays; a new judgement needs a context id "
                    "of its own ({})",
                    list),
        {}};
  }

  // What failed and has a result now is no failure any more: a request that was repeated, and everything that
  // the failed one was about if it was judged elsewhere.
  Status resolve_failures() {
    if (auto done = statements_.run("UPDATE failure_rows SET resolved_ms = ? WHERE context_id = ? AND agent "
                                    "= ? AND resolved_ms IS NULL",
                                    {recorded_ms_, record_.context_id, record_.agent});
        !done) {
      return done;
    }
    std::set<std::int64_t> touched;
    for (const StoredVerdict& verdict : record_.verdicts) {
      if (verdict.mode.empty()) continue;
      if (auto done = statements_.each(
              "UPDATE failure_parts SET judged = 1 WHERE judged = 0 AND item_id = ?1 AND perspective_id IN "
              "(?2, '') AND failure IN (SELECT failure FROM failure_rows WHERE agent = ?3 AND persona_id = "
              "?4 "
              "AND "
              "mode IN (?5, '')) RETURNING failure",
              {verdict.item_id, verdict.perspective_id, record_.agent, record_.persona.id, verdict.mode},
              [&](const SqlRow& row) { touched.insert(row.integer(0)); });
          !done) {
        return done;
      }
    }
    for (const std::int64_t failure : touched) {
      if (auto done = statements_.run("UPDATE failure_rows SET resolved_ms = ?2 WHERE failure = ?1 AND "
                                      "resolved_ms IS NULL AND NOT EXISTS "
                                      "(SELECT 1 FROM failure_parts p WHERE p.failure = ?1 AND p.judged = 0)",
                                      {failure, recorded_ms_});
          !done) {
        return done;
      }
    }
    return {};
  }

  Status add_tags(std::int64_t result, const StoredItem& item, const Key& key) {
    for (const std::string& text : item.tags) {
      const auto tag = writes_.name_of(text);
      if (!tag) return fail(tag.error());
      if (auto done = statements_.run(
              "INSERT INTO result_tags(tag, result, persona, mode, published_ms) VALUES(?, ?, ?, ?, ?) ON "
              "CONFLICT DO NOTHING",
              {*tag, result, persona_, key.mode, item.published_ms});
          !done) {
        return done;
      }
      if (auto done =
              statements_.run("INSERT INTO evaluated(tag, item, persona, mode, perspective, persona_version, "
                              "perspective_version) VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                              {*tag, key.item, persona_, key.mode, key.perspective, persona_version_,
                               key.perspective_version});
          !done) {
        return done;
      }
    }
    return {};
  }

  static Error undescribed(std::string_view what, std::string_view id) {
    return Error{ErrorKind::data,
                 fmt::format("a verdict names the {} \"{}\", which the result does not describe", what, id),
                 {}};
  }

  DataWrites& writes_;
  DataSql& statements_;
  const ResultRecord& record_;
  std::map<std::string_view, const StoredItem*> items_;
  std::map<std::string_view, const Versioned*> perspectives_;
  std::int64_t recorded_ms_ = now_ms();
  std::int64_t number_ = 0;
  std::int64_t next_result_ = 0;
  std::optional<std::int64_t> job_;
  std::int64_t agent_ = 0;
  std::int64_t persona_ = 0;
  std::int64_t persona_version_ = 0;
  std::int64_t added_ = 0;
  std::optional<std::int64_t> known_in_;  // the record of the first verdict that was there
  std::vector<std::string> conflicts_;
};

Result<ResultRecorded> DataWrites::add_result(const ResultRecord& record) {
  return Recording(*this, record).record();
}

Result<std::int64_t> DataWrites::add_failure(const FailureRecord& record) {
  const auto known = statements_.number(
      "SELECT failure FROM failure_rows WHERE context_id = ? AND agent = ? AND item_id = ? AND persona_id = "
      "? "
      "AND mode = ?",
      {record.context_id, record.agent, first_item(record), record.persona_id, record.mode});
  if (!known) return fail(known.error());
  const auto failure = *known ? Result<std::int64_t>(**known) : add_new_failure(record);
  if (!failure) return failure;
  if (auto added = add_parts(*failure, record); !added) return fail(std::move(added.error()));
  return failure;
}

Result<std::int64_t> DataWrites::add_new_failure(const FailureRecord& record) {
  const auto parts = parts_of(record.json);
  if (!parts) return fail(parts.error());
  const auto next = next_number(Numbered::failure);
  if (!next) return next;
  auto number = given_number(statements_.number(
      "INSERT INTO failure_rows(failure, recorded_ms, agent, context_id, persona_id, mode, item_id, json, "
      "parts, job) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING failure",
      {*next, now_ms(), record.agent, record.context_id, record.persona_id, record.mode, first_item(record),
       parts->own, list_or_null(*parts),
       record.job_id.empty() ? SqlValue() : SqlValue(std::string_view(record.job_id))}));
  if (number) given(Numbered::failure, *next);
  return number;
}

Status DataWrites::add_parts(std::int64_t failure, const FailureRecord& record) {
  std::vector<std::string_view> perspectives(record.perspectives.begin(), record.perspectives.end());
  if (perspectives.empty()) perspectives.emplace_back("");
  for (const std::string& item : record.item_ids) {
    for (const std::string_view perspective : perspectives) {
      if (auto added = statements_.run(
              "INSERT INTO failure_parts(failure, item_id, perspective_id) VALUES(?, ?, ?) ON CONFLICT DO "
              "NOTHING",
              {failure, item, perspective});
          !added) {
        return added;
      }
    }
  }
  return {};
}

}  // namespace assay
