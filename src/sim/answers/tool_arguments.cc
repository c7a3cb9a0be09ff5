#include "sim/answers/tool_arguments.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/words.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostRows = 20;     // that a program repeats
constexpr std::size_t kMostBytes = 6000;  // of those rows
constexpr std::size_t kUsualLimit = 50;
constexpr std::size_t kLongestColumns = 10;  // beyond, "*" is what one writes

constexpr std::array<std::string_view, 12> kStates{"open",   "closed",    "resolved", "pending",
                                                   "active", "inactive",  "failed",   "paid",
                                                   "unpaid", "cancelled", "new",      "done"};

const JsonObject* properties_of(const Tool& tool) {
  const Json* properties = find_member(tool.parameters, "properties");
  return properties == nullptr ? nullptr : properties->if_object();
}

bool takes_text(const Json& schema) {
  const Json* type = find_member(schema, "type");
  return type == nullptr || *type == "string";
}

std::string limit_clause(const Wish& wish, std::size_t otherwise) {
  const std::size_t limit = wish.limit.value_or(otherwise);
  return limit == 0 ? "" : fmt::format(" LIMIT {}", limit);
}

// " WHERE status = 'open'" where such a column is visible and the question has the word.
std::string condition(const TableDefinition& table, std::string_view question) {
  const auto column = std::ranges::find_if(table.columns, [](const std::string& name) {
    return is_one_of(name, {"status", "state", "ticket_status"});
  });
  if (column == table.columns.end()) return "";
  const auto* state =
      std::ranges::find_if(kStates, [&](std::string_view word) { return says(question, word); });
  return state == kStates.end() ? "" : fmt::format(" WHERE {} = '{}'", *column, *state);
}

// As text between r''' and ''', or as a quoted text where that would end too early.
std::string python_text(const std::string& json) {
  if (json.find("'''") == std::string::npos && !json.ends_with('\'') && !json.ends_with('\\')) {
    return "r'''" + json + "'''";
  }
  std::string quoted;
  append_json_string(quoted, json);
  return quoted;
}

}  // namespace

Language language_of(const Tool& tool, std::string_view argument) {
  const std::string about = spaced(tool.name) + " " + tool.description;
  if (is_one_of(argument, {"sql", "sql_query", "sqlQuery"})) return Language::sql;
  if (is_one_of(argument, {"query", "statement"}) && mentions(about, {"sql", "database", "table"})) {
    return Language::sql;
  }
  if (contains_text(argument, "python")) return Language::python;
  if (is_one_of(argument, {"code", "program", "script", "source"}) && contains_text(about, "python")) {
    return Language::python;
  }
  return Language::none;
}

std::string argument_for(const Tool& tool, Language language) {
  const JsonObject* properties = properties_of(tool);
  if (properties == nullptr) return {};
  for (const auto& member : *properties) {
    if (takes_text(member.value()) && language_of(tool, member.key()) == language)
      return std::string(member.key());
  }
  return {};
}

std::optional<TableDefinition> table_for(const Tool& tool, const Writing& writing) {
  std::string described = tool.description;
  if (const JsonObject* properties = properties_of(tool)) {
    for (const auto& member : *properties) described += "\n" + text_at(member.value(), "description");
  }
  auto known = definitions_in(described);
  if (known.empty()) known = definitions_in(writing.visible);
  const WordSet tool_words(spaced(tool.name));
  const WordSet question(writing.question);
  std::optional<TableDefinition> best;
  std::size_t most = 0;
  for (TableDefinition& table : known) {
    std::string columns;
    for (const std::string& column : table.columns) columns += spaced(column) + " ";
    const WordSet name(spaced(table.name));
    const std::size_t score = 6 * name.shared_with(tool_words) + 4 * name.shared_with(question) +
                              WordSet(columns).shared_with(question) + 1;
    if (score > most) most = score, best = std::move(table);
  }
  return best;
}

std::string write_sql(const Tool& tool, const Writing& writing, Chance chance) {
  const auto table = table_for(tool, writing);
  if (!table) {
    const bool sqlite = contains_text(tool.description, "sqlite") || contains_text(writing.visible, "sqlite");
    // The other catalogue is what one tries after an error.
    return sqlite != writing.simple ? "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
                                    : "SELECT table_name, column_name FROM information_schema.columns";
  }
  const Wish wish = wish_of(writing.question);
  if (writing.simple) return fmt::format("SELECT * FROM {}{}", table->name, limit_clause(wish, kUsualLimit));
  const bool all = table->columns.size() > kLongestColumns || chance.fork("columns").happens(0.6);
  std::string sql = fmt::format("SELECT {} FROM {}", all ? "*" : join(table->columns, ", "), table->name);
  sql += condition(*table, writing.question);
  // "The last 20 tickets" does not mean the last 20 users.
  if (WordSet(spaced(table->name)).shared_with(WordSet(writing.question)) == 0) return sql;
  const auto date = std::ranges::find_if(table->columns, is_date_name);
  if (wish.newest && date != table->columns.end()) sql += fmt::format(" ORDER BY {} DESC", *date);
  return sql + limit_clause(wish, 0);
}

std::string write_python(const Writing& writing, Chance chance) {
  JsonArray rows;
  std::string column;
  if (writing.data != nullptr) {
    column = order_column(*writing.data, writing.question, chance.fork("order"));
    for (const Json& row : writing.data->rows) {
      if (rows.size() >= kMostRows) break;
      rows.push_back(row);
      if (to_text(rows).size() > kMostBytes) {
        rows.pop_back();
        break;
      }
    }
  }
  std::string program = fmt::format("import json\n\nrows = json.loads({})\n", python_text(to_text(rows)));
  if (!column.empty()) {
    std::string key;
    append_json_string(key, column);
    program += fmt::format(
        "\n\ndef number(value):\n    try:\n        return float(value)\n    except (TypeError, ValueError):\n"
        "        return 0.0\n\n\nrows.sort(key=lambda row: number(row.get({})), reverse=True)\n",
        key);
  }
  const Wish wish = wish_of(writing.question);
  return program + (wish.limit ? fmt::format("print(json.dumps(rows[:{}]))\n", *wish.limit)
                               : "print(json.dumps(rows))\n");
}

}  // namespace assay::sim
