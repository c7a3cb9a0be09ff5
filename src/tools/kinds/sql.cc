// kind: sql. One statement that reads, put to a database of the user's; what it promises is in sql_query.h.
#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "core/config/variables.h"
#include "core/file.h"
#include "tools/kinds/kinds.h"
#include "tools/sql/sql_query.h"

namespace assay {
namespace {

// Rows alone where that is all there is to say.
Json rows_of(Json result) {
  JsonObject& object = result.as_object();
  if (object.contains("truncated"))
    return JsonObject{{"rows", std::move(object["rows"])}, {"truncated", std::move(object["truncated"])}};
  return std::move(object["rows"]);
}

class SqlAction final : public ToolAction {
 public:
  // Everything but the statement, which is the model's, and the timeout, which is the tool's.
  explicit SqlAction(SqlQuery query) : query_(std::move(query)) {}

  JsonObject identity() const override {
    JsonObject fields = to_json(query_).as_object();
    fields.erase("sql");
    return fields;
  }

  std::vector<std::string> variables() const override {
    return is_file() ? std::vector<std::string>() : environment_names(query_.database);
  }

  NamedTexts not_found() const override {
    const auto file = parse_database_url(query_.database);
    if (!is_file() || file_exists(file->location)) return {};
    return {{"database", "there is no file " + file->location}};
  }

  Task<Result<Json>> use(ToolMeans& means, ToolUse use) const override {
    SqlQuery query = query_;
    query.sql = text_at(use.arguments, kSqlArgument);
    query.max_bytes = std::min(query.max_bytes, kLargestResult - kRoomAroundRows);
    query.timeout = use.tool->timeout;
    auto result = co_await run_sql_query(means.loop, std::move(query), means.environment);
    if (!result) co_return result;
    co_return rows_of(std::move(*result));
  }

 private:
  static constexpr std::size_t kRoomAroundRows = 1024;  // for `truncated` and the brackets

  bool is_file() const { return parse_database_url(query_.database)->kind == DatabaseKind::sqlite; }

  SqlQuery query_;
};

Keys keys() {
  return {{.name = "database",
           .type = KeyType::database,
           .help = "the database; `${NAME}` in a URL is filled from the environment.",
           .required = true,
           .fills = Fills::when_used},
          {.name = "max_rows",
           .type = KeyType::integer,
           .help = "most rows of a result; by default 1000.",
           .minimum = 1,
           .maximum = 10'000'000},
          {.name = "max_bytes",
           .type = KeyType::integer,
           .help = "most bytes of a result; by default 1 MiB.",
           .minimum = 100,
           .maximum = std::size_t{1} << 30}};
}

// Whether a database URL has a password that is not a variable's.
bool holds_password(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  const auto literal = [](std::string_view text) { return !text.empty() && !text.starts_with("${"); };
  if (const std::size_t key = url.find("password="); key != std::string_view::npos)
    return literal(url.substr(key + std::string_view("password=").size()));
  const std::string_view user = url.substr(scheme + 3, url.find('@') - std::min(url.find('@'), scheme + 3));
  if (!url.contains('@')) return false;
  const std::size_t colon = user.find(':');
  return colon != std::string_view::npos && literal(user.substr(colon + 1));
}

ToolKind::Reading read(ToolDeclaration& declaration) {
  SqlQuery query;
  query.database = declaration.values().text("database");
  query.max_rows = declaration.size("max_rows", query.max_rows);
  query.max_bytes = declaration.size("max_bytes", query.max_bytes);
  if (auto url = parse_database_url(query.database); !url)
    declaration.complain("database: " + url.error().text());
  if (holds_password(query.database)) {
    declaration.complain_of_secret("database");
  }
  return {.parameters = one_text_argument(kSqlArgument, "One SQL statement that only reads."),
          .action = std::make_shared<SqlAction>(std::move(query))};
}

}  // namespace

constinit const ToolKind kSqlKind = {.name = "sql", .timeout = kSqlTimeout, .keys = keys, .read = read};

}  // namespace assay
