#include "store/data_writes.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "core/sha256.h"

namespace assay {
namespace {

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// A number that the statement must give, because it inserts or counts.
Result<std::int64_t> given(Result<std::optional<std::int64_t>> number) {
  if (!number) return fail(std::move(number.error()));
  if (!*number) return fail(ErrorKind::internal, "the store gave no number for what it has just written");
  return **number;
}

}  // namespace

Result<std::int64_t> DataWrites::name_of(const std::string& text) {
  constexpr std::size_t kKept = 10'000;
  if (const auto found = names_.find(text); found != names_.end()) return found->second;
  auto known = statements_.number("SELECT name FROM names WHERE text = ?", {text});
  if (!known) return fail(std::move(known.error()));
  if (!*known) {
    known = statements_.number("INSERT INTO names(text) VALUES(?) RETURNING name", {text});
  }
  const auto name = given(std::move(known));
  if (!name) return name;
  if (names_.size() >= kKept) names_.clear();
  names_.emplace(text, *name);
  return name;
}

Result<std::int64_t> DataWrites::version_of(Kind kind, std::int64_t id, const std::string& json) {
  const bool persona = kind == Kind::persona;
  const Digest hash = sha256(json);
  const std::span<const unsigned char> bytes(hash);
  auto known =
      statements_.number(persona ? "SELECT version FROM persona_versions WHERE id = ? AND hash = ?"
                                 : "SELECT version FROM perspective_versions WHERE id = ? AND hash = ?",
                         {id, bytes});
  if (!known) return fail(std::move(known.error()));
  if (*known) return **known;
  return given(statements_.number(
      persona
          ? "INSERT INTO persona_versions(id, version, hash, json) SELECT ?1, 1 + coalesce(max(version), 0), "
            "?2, ?3 FROM persona_versions WHERE id = ?1 RETURNING version"
          : "INSERT INTO perspective_versions(id, version, hash, json) SELECT ?1, 1 + "
            "coalesce(max(version), 0), ?2, ?3 FROM perspective_versions WHERE id = ?1 RETURNING version",
      {id, bytes, json}));
}

// The newest content counts, also where the time of publication is repeated.
Status DataWrites::update_item(std::int64_t row, const StoredItem& item) {
  if (auto done = statements_.run("UPDATE items SET published_ms = ?2 WHERE item = ?1 AND published_ms <> ?2",
                                  {row, item.published_ms});
      !done) {
    return done;
  }
  if (auto done =
          statements_.run("UPDATE item_tags SET published_ms = ?2 WHERE item = ?1 AND published_ms <> ?2",
                          {row, item.published_ms});
      !done) {
    return done;
  }
  return statements_.run("UPDATE item_contents SET json = ?2 WHERE item = ?1 AND json <> ?2",
                         {row, item.json});
}

Result<bool> DataWrites::add_item(const StoredItem& item) {
  const auto row = row_of_item(item);
  if (!row) return fail(row.error());
  auto position = statements_.number("SELECT position FROM items WHERE item = ?", {*row});
  if (!position) return fail(std::move(position.error()));
  const bool known = position->has_value();
  if (known) {
    if (auto done = update_item(*row, item); !done) return fail(std::move(done.error()));
  } else {
    position = statements_.number(
        "UPDATE items SET published_ms = ?2, position = (SELECT 1 + coalesce(max(position), 0) FROM items) "
        "WHERE item = ?1 RETURNING position",
        {*row, item.published_ms});
    if (!position) return fail(std::move(position.error()));
    if (auto done = statements_.run("INSERT INTO item_contents(item, json) VALUES(?, ?)", {*row, item.json});
        !done) {
      return fail(std::move(done.error()));
    }
  }
  const auto placed = given(std::move(position));
  if (!placed) return fail(placed.error());
  for (const std::string& text : item.tags) {
    const auto tag = name_of(text);
    if (!tag) return fail(tag.error());
    if (auto done = statements_.run("INSERT INTO item_tags(tag, position, item, published_ms) VALUES(?, ?, "
                                    "?, ?) ON CONFLICT DO NOTHING",
                                    {*tag, *placed, *row, item.published_ms});
        !done) {
      return fail(std::move(done.error()));
    }
  }
  return !known;
}

Result<ItemsAdded> DataWrites::add_items(const std::vector<StoredItem>& items) {
  ItemsAdded sum;
  for (const StoredItem& item : items) {
    auto added = add_item(item);
    if (!added) return fail(std::move(added.error()).with("item", item.item_id));
    ++(*added ? sum.added : sum.known);
  }
  return sum;
}

Result<std::int64_t> DataWrites::row_of_item(const StoredItem& item) {
  auto known = statements_.number("SELECT item FROM items WHERE item_id = ?", {item.item_id});
  if (!known) return fail(std::move(known.error()));
  if (*known) return **known;
  return given(statements_.number("INSERT INTO items(item_id, published_ms) VALUES(?, ?) RETURNING item",
                                  {item.item_id, item.published_ms}));
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
    if (added_ == 0) return ResultRecorded{*known_in_, true, 0, persona_version_};
    // A request that failed and then succeeded, as after a resume, is no failure any more.
    if (auto done = statements_.run("DELETE FROM failures WHERE context_id = ? AND agent = ?",
                                    {record_.context_id, record_.agent});
        !done) {
      return fail(std::move(done.error()));
    }
    if (auto done = statements_.run("INSERT INTO records(record, recorded_ms, json) VALUES(?, ?, ?)",
                                    {number_, recorded_ms_, record_.json});
        !done) {
      return fail(std::move(done.error()));
    }
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
    const auto number = given(statements_.number("SELECT 1 + coalesce(max(record), 0) FROM records"));
    if (!number) return fail(number.error());
    number_ = *number;
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
        "INSERT INTO results(record, item, classification, persona, persona_version, perspective, "
        "perspective_version, agent, mode, context_id, published_ms, recorded_ms, likert, agreement, "
        "selection, "
        "value, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(item, classification, persona, "
        "persona_version, perspective, perspective_version, agent, mode, context_id) DO NOTHING RETURNING "
        "result",
        {number_, key->item, key->classification, persona_, persona_version_, key->perspective,
         key->perspective_version, agent_, key->mode, record_.context_id, item->second->published_ms,
         recorded_ms_, sql_value(verdict.likert), sql_value(verdict.agreement), sql_value(verdict.selection),
         sql_value(verdict.value), verdict.text});
    if (!result) return fail(result.error());
    if (!*result) return known_in_ ? Status() : find_record(*key);
    ++added_;
    return add_tags(**result, *item->second, *key);
  }

  Status find_record(const Key& key) {
    const auto found = given(statements_.number(
        "SELECT record FROM results WHERE item = ? AND classification = ? AND persona = ? AND "
        "persona_version = ? "
        "AND perspective = ? AND perspective_version = ? AND agent = ? AND mode = ? AND context_id = ?",
        {key.item, key.classification, persona_, persona_version_, key.perspective, key.perspective_version,
         agent_, key.mode, record_.context_id}));
    if (!found) return fail(found.error());
    known_in_ = *found;
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
      if (auto done = statements_.run(
              "INSERT INTO evaluated(tag, item, persona, mode, perspective) VALUES(?, ?, ?, ?, ?) ON "
              "CONFLICT DO NOTHING",
              {*tag, key.item, persona_, key.mode, key.perspective});
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
  Statements& statements_;
  const ResultRecord& record_;
  std::map<std::string_view, const StoredItem*> items_;
  std::map<std::string_view, const Versioned*> perspectives_;
  std::int64_t recorded_ms_ = now_ms();
  std::int64_t number_ = 0;
  std::int64_t agent_ = 0;
  std::int64_t persona_ = 0;
  std::int64_t persona_version_ = 0;
  std::int64_t added_ = 0;
  std::optional<std::int64_t> known_in_;  // the record of the first verdict that was there
};

Result<ResultRecorded> DataWrites::add_result(const ResultRecord& record) {
  return Recording(*this, record).record();
}

Result<std::int64_t> DataWrites::add_failure(const FailureRecord& record) {
  return given(statements_.number(
      // The update changes nothing; it makes a known failure give its id.
      "INSERT INTO failures(recorded_ms, agent, context_id, persona_id, mode, item_id, json) "
      "VALUES(?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT(context_id, agent, item_id, persona_id, mode) DO UPDATE SET agent = agent RETURNING "
      "failure",
      {now_ms(), record.agent, record.context_id, record.persona_id, record.mode, record.item_id,
       record.json}));
}

// By item id, so that the same items give the same members in whatever order they came.
Status DataWrites::add_members(const SubsetPlan& plan, std::int64_t tag, std::int64_t missing) {
  struct Candidate {
    std::int64_t position;
    std::int64_t item;
  };
  std::vector<Candidate> candidates;
  if (auto read = statements_.each(
          "SELECT t.position, t.item FROM item_tags t CROSS JOIN items i ON i.item = t.item WHERE t.tag = ?1 "
          "AND "
          "NOT EXISTS (SELECT 1 FROM subset_members s WHERE s.tag = ?1 AND s.percent = ?2 AND s.position = "
          "t.position) ORDER BY i.item_id",
          {tag, std::int64_t{plan.percent}},
          [&](const Statement& row) { candidates.push_back({row.integer(0), row.integer(1)}); });
      !read) {
    return read;
  }
  Random random = Random::keyed(plan.seed, plan.tag, plan.percent);
  for (std::size_t drawn = 0; drawn < static_cast<std::size_t>(missing); ++drawn) {
    std::swap(candidates[drawn], candidates[drawn + random.below(candidates.size() - drawn)]);
    if (auto added = statements_.run(
            "INSERT INTO subset_members(tag, percent, position, item) VALUES(?, ?, ?, ?)",
            {tag, std::int64_t{plan.percent}, candidates[drawn].position, candidates[drawn].item});
        !added) {
      return added;
    }
  }
  return {};
}

Result<Subset> DataWrites::make_subset(const SubsetPlan& plan) {
  if (plan.percent < 1 || plan.percent > 100) {
    return fail(ErrorKind::data,
                fmt::format("found a subset of {} percent, expected 1 to 100", plan.percent));
  }
  const auto tag = name_of(plan.tag);
  if (!tag) return fail(tag.error());
  const std::int64_t percent = plan.percent;
  if (!plan.incremental) {
    if (auto done =
            statements_.run("DELETE FROM subset_members WHERE tag = ? AND percent = ?", {*tag, percent});
        !done) {
      return fail(std::move(done.error()));
    }
  }
  const auto of = given(statements_.number("SELECT count(*) FROM item_tags WHERE tag = ?", {*tag}));
  if (!of) return fail(of.error());
  const auto members = given(statements_.number(
      "SELECT count(*) FROM subset_members WHERE tag = ? AND percent = ?", {*tag, percent}));
  if (!members) return fail(members.error());
  const std::int64_t size = *of == 0 ? 0 : std::max<std::int64_t>(1, *of * percent / 100);
  if (size > *members) {
    if (auto drawn = add_members(plan, *tag, size - *members); !drawn) return fail(std::move(drawn.error()));
  }
  return Subset{std::max(size, *members), *of};
}

Status DataWrites::put_job(const StoredJob& job) {
  return statements_.run(
      "INSERT INTO jobs(job_id, created_ms, mode, status, persona_id, json) VALUES(?, ?, ?, ?, ?, ?) "
      "ON CONFLICT(job_id) DO UPDATE SET mode = excluded.mode, status = excluded.status, persona_id = "
      "excluded.persona_id, json = excluded.json",
      {job.job_id, job.created_ms, job.mode, job.status, job.persona_id, job.json});
}

Result<std::optional<std::int64_t>> DataWrites::add_feedback(const Feedback& feedback) {
  return statements_.number(
      "INSERT INTO feedback(result, person, likert, agreement, recorded_ms, json) SELECT result, ?2, ?3, ?4, "
      "?5, ?6 FROM results WHERE result = ?1 RETURNING feedback",
      {feedback.result_id, feedback.person, sql_value(feedback.likert), sql_value(feedback.agreement),
       now_ms(), feedback.json});
}

}  // namespace assay
