#include "store/data/data_writes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "core/sha256.h"

namespace assay {
namespace {

// In the order of DataWrites::Numbered.
struct NumberedRows {
  std::string_view kind;
  std::string_view column;
  std::string_view table;
};
constexpr NumberedRows kNumberedRows[] = {{"record", "record", "record_rows"},
                                          {"result", "result", "results"},
                                          {"failure", "failure", "failure_rows"},
                                          {"feedback", "feedback", "feedback"},
                                          {"position", "position", "items"}};

// Within bounds: what was forgotten is asked for again.
void remember(std::unordered_map<std::string, std::int64_t>& known, const std::string& name,
              std::int64_t number) {
  constexpr std::size_t kKept = 10'000;
  if (known.size() >= kKept) known.clear();
  known.emplace(name, number);
}

}  // namespace

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Result<std::int64_t> given_number(Result<std::optional<std::int64_t>> number) {
  if (!number) return fail(std::move(number.error()));
  if (!*number) return fail(ErrorKind::internal, "the store gave no number for what it has just written");
  return **number;
}

Result<std::int64_t> DataWrites::next_number(Numbered what) {
  if (const auto& known = next_numbers_[static_cast<std::size_t>(what)]) return *known;
  const auto& [kind, column, table] = kNumberedRows[static_cast<std::size_t>(what)];
  return given_number(statements_.number(
      fmt::format("SELECT 1 + coalesce(max(number), 0) FROM (SELECT max({}) AS number FROM {} UNION ALL "
                  "SELECT number FROM last_numbers WHERE kind = ?) AS given",
                  column, table),
      {kind}));
}

Status DataWrites::keep_last_number(Numbered what) {
  const auto next = next_number(what);
  if (!next) return fail(next.error());
  return statements_.run(
      "INSERT INTO last_numbers(kind, number) VALUES(?, ?) ON CONFLICT(kind) DO UPDATE SET number = "
      "excluded.number",
      {kNumberedRows[static_cast<std::size_t>(what)].kind, *next - 1});
}

Result<std::int64_t> DataWrites::name_of(const std::string& text) {
  if (const auto found = names_.find(text); found != names_.end()) return found->second;
  auto known = statements_.number("SELECT name FROM names WHERE text = ?", {text});
  if (!known) return fail(std::move(known.error()));
  if (!*known) {
    known = statements_.number("INSERT INTO names(text) VALUES(?) RETURNING name", {text});
  }
  const auto name = given_number(std::move(known));
  if (!name) return name;
  remember(names_, text, *name);
  return name;
}

Result<std::int64_t> DataWrites::version_of(Kind kind, std::int64_t id, const std::string& json) {
  const bool persona = kind == Kind::persona;
  const Digest hash = sha256(json);
  const std::span<const unsigned char> bytes(hash);
  const std::string key = fmt::format("{} {} {}", persona ? 'p' : 'v', id, hex(hash));
  if (const auto found = versions_.find(key); found != versions_.end()) return found->second;
  auto known =
      statements_.number(persona ? "SELECT version FROM persona_versions WHERE id = ? AND hash = ?"
                                 : "SELECT version FROM perspective_versions WHERE id = ? AND hash = ?",
                         {id, bytes});
  if (!known) return fail(std::move(known.error()));
  if (*known) {
    remember(versions_, key, **known);
    return **known;
  }
  const auto version = given_number(statements_.number(
      persona
          ? "INSERT INTO persona_versions(id, version, hash, json) SELECT ?1, 1 + coalesce(max(version), 0), "
            "?2, ?3 FROM persona_versions WHERE id = ?1 RETURNING version"
          : "INSERT INTO perspective_versions(id, version, hash, json) SELECT ?1, 1 + "
            "coalesce(max(version), 0), ?2, ?3 FROM perspective_versions WHERE id = ?1 RETURNING version",
      {id, bytes, json}));
  if (version) remember(versions_, key, *version);
  return version;
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
    const auto next = next_number(Numbered::position);
    if (!next) return fail(next.error());
    position = statements_.number(
        "UPDATE items SET published_ms = ?2, position = ?3 WHERE item = ?1 RETURNING position",
        {*row, item.published_ms, *next});
    if (!position) return fail(std::move(position.error()));
    given(Numbered::position, *next);
    if (auto done = statements_.run("INSERT INTO item_contents(item, json) VALUES(?, ?)", {*row, item.json});
        !done) {
      return fail(std::move(done.error()));
    }
  }
  const auto placed = given_number(std::move(position));
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
  if (const auto found = items_.find(item.item_id); found != items_.end()) return found->second;
  auto known = statements_.number("SELECT item FROM items WHERE item_id = ?", {item.item_id});
  if (!known) return fail(std::move(known.error()));
  if (!*known) {
    known = statements_.number("INSERT INTO items(item_id, published_ms) VALUES(?, ?) RETURNING item",
                               {item.item_id, item.published_ms});
  }
  const auto row = given_number(std::move(known));
  if (row) remember(items_, item.item_id, *row);
  return row;
}

// By item id, so that the same items give the same members in whatever order they came.
Status DataWrites::add_members(const SubsetPlan& plan, std::int64_t tag, std::int64_t missing) {
  struct Candidate {
    std::int64_t position;
    std::int64_t item;
  };
  std::vector<Candidate> candidates;
  if (auto read = statements_.each(
          fmt::format("SELECT t.position, t.item FROM item_tags t {} items i ON i.item = t.item WHERE t.tag "
                      "= ?1 AND NOT EXISTS (SELECT 1 FROM subset_members s WHERE s.tag = ?1 AND s.percent = "
                      "?2 AND s.position = "
                      "t.position) ORDER BY i.item_id",
                      statements_.dialect().join_in_order),
          {tag, std::int64_t{plan.percent}},
          [&](const SqlRow& row) { candidates.push_back({row.integer(0), row.integer(1)}); });
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
  const auto of = given_number(statements_.number("SELECT count(*) FROM item_tags WHERE tag = ?", {*tag}));
  if (!of) return fail(of.error());
  const auto members = given_number(statements_.number(
      "SELECT count(*) FROM subset_members WHERE tag = ? AND percent = ?", {*tag, percent}));
  if (!members) return fail(members.error());
  const std::int64_t size = *of == 0 ? 0 : std::max<std::int64_t>(1, *of * percent / 100);
  if (size > *members) {
    if (auto drawn = add_members(plan, *tag, size - *members); !drawn) return fail(std::move(drawn.error()));
  }
  return Subset{std::max(size, *members), *of};
}

Result<std::optional<std::int64_t>> DataWrites::add_feedback(const Feedback& feedback) {
  const auto next = next_number(Numbered::feedback);
  if (!next) return fail(next.error());
  auto added = statements_.number(
      "INSERT INTO feedback(feedback, result, person, likert, agreement, recorded_ms, json) SELECT ?7, "
      "result, ?2, ?3, ?4, ?5, ?6 FROM results WHERE result = ?1 RETURNING feedback",
      {feedback.result_id, feedback.person, sql_value(feedback.likert), sql_value(feedback.agreement),
       now_ms(), feedback.json, *next});
  if (added && *added) given(Numbered::feedback, *next);
  return added;
}

}  // namespace assay
