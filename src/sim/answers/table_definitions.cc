#include "sim/answers/table_definitions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostTables = 64;
constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kLongestList = 8000;
constexpr int kMostLooks = 2000;  // a text full of brackets is not worth a quadratic search

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

bool is_name(std::string_view word) {
  return !word.empty() && !(word[0] >= '0' && word[0] <= '9') && word[0] != '.' && !word.ends_with('.') &&
         std::ranges::all_of(word, is_name_character);
}

std::string_view without_quotes(std::string_view word) {
  constexpr std::string_view kQuotes = "\"'`[]*";
  while (!word.empty() && kQuotes.find(word.front()) != std::string_view::npos) word.remove_prefix(1);
  while (!word.empty() && kQuotes.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  return word;
}

// At commas outside of parentheses.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

// What stands between the parenthesis at `open` and its partner; nothing if there is none.
std::optional<std::string_view> inside(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size() && i - open < kLongestList; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return std::nullopt;
}

bool is_type(std::string_view word) {
  const std::string_view bare = word.substr(0, word.find('('));
  return is_one_of(bare, {"int",   "integer", "bigint", "smallint",  "serial",      "text",     "varchar",
                          "char",  "date",    "time",   "timestamp", "timestamptz", "numeric",  "decimal",
                          "real",  "float",   "double", "boolean",   "bool",        "uuid",     "json",
                          "jsonb", "blob",    "string", "number",    "datetime",    "character"});
}

enum class Form { statement, list };

// The column's name at the start of `item`; nothing if the item describes none.
std::optional<std::string_view> column_of(std::string_view item, Form form) {
  const std::size_t end = std::min(item.find_first_of(" \t\r\n:("), item.size());
  const std::string_view name = without_quotes(item.substr(0, end));
  if (!is_name(name)) return std::nullopt;
  if (form == Form::statement) {
    const bool constraint = is_one_of(name, {"primary", "foreign", "constraint", "unique", "check", "key"});
    return constraint ? std::nullopt : std::optional(name);
  }
  // In a list a second word must be a type, else it is prose.
  std::string_view rest = trim(item.substr(end));
  while (rest.starts_with(':') || rest.starts_with('(')) rest = trim(rest.substr(1));
  if (rest.empty()) return name;
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n)"));
  return is_type(word) ? std::optional(name) : std::nullopt;
}

class Reading {
 public:
  explicit Reading(std::string_view text) : text_(text), lower_(lower_ascii(text)) {}

  std::vector<TableDefinition> definitions() && {
    read_statements();
    read_calls();
    read_lines();
    return std::move(found_);
  }

 private:
  void add(std::string_view name, std::string_view list, Form form) {
    name = without_quotes(name);
    if (!is_name(name) || found_.size() >= kMostTables) return;
    TableDefinition table{std::string(name), {}};
    for (const std::string_view item : split_list(list)) {
      const auto column = column_of(item, form);
      if (!column && form == Form::list) return;
      if (column && table.columns.size() < kMostColumns) table.columns.emplace_back(*column);
    }
    if (table.columns.size() < (form == Form::list ? 2 : 1)) return;
    if (std::ranges::find(found_, table.name, &TableDefinition::name) == found_.end()) {
      found_.push_back(std::move(table));
    }
  }

  void read_statements() {
    constexpr std::string_view kStart = "create table";
    for (std::size_t at = lower_.find(kStart); at != std::string::npos && looks_left_-- > 0;
         at = lower_.find(kStart, at + 1)) {
      const std::size_t open = text_.find('(', at);
      if (open == std::string_view::npos) return;
      std::string_view name = trim(text_.substr(at + kStart.size(), open - at - kStart.size()));
      constexpr std::string_view kUnless = "if not exists";
      if (lower_ascii(name).starts_with(kUnless)) name = trim(name.substr(kUnless.size()));
      if (const auto list = inside(text_, open)) add(name, *list, Form::statement);
    }
  }

  void read_calls() {
    for (std::size_t open = text_.find('('); open != std::string_view::npos && looks_left_-- > 0;
         open = text_.find('(', open + 1)) {
      std::size_t end = open;
      if (end > 0 && text_[end - 1] == ' ') --end;
      std::size_t start = end;
      while (start > 0 && (is_name_character(text_[start - 1]) || text_[start - 1] == '"')) --start;
      const std::string_view name = without_quotes(text_.substr(start, end - start));
      if (is_type(name) ||
          is_one_of(name, {"in", "values", "key", "references", "unique", "check", "count", "and"})) {
        continue;
      }
      if (const auto list = inside(text_, open)) add(name, *list, Form::list);
    }
  }

  void read_lines() {
    std::string_view titled;  // of "Table: tickets"
    for (const std::string_view raw : split_lines(text_)) {
      std::string_view line = trim(raw);
      while (line.starts_with('-') || line.starts_with('*') || line.starts_with('#'))
        line = trim(line.substr(1));
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      const std::string_view head = without_quotes(trim(line.substr(0, colon)));
      std::string_view list = trim(line.substr(colon + 1));
      while (list.ends_with('.') || list.ends_with(';')) list.remove_suffix(1);
      if (equal_ignoring_ascii_case(head, "table")) {
        titled = list;
      } else if (is_one_of(head, {"columns", "fields"})) {
        add(titled, list, Form::list);
      } else if (head.size() > 6 && lower_ascii(head).starts_with("table ")) {
        add(trim(head.substr(6)), list, Form::list);
      } else {
        add(head, list, Form::list);
      }
    }
  }

  std::string_view text_;
  std::string lower_;
  int looks_left_ = kMostLooks;
  std::vector<TableDefinition> found_;
};

}  // namespace

std::vector<TableDefinition> definitions_in(std::string_view text) {
  return Reading(text).definitions();
}

}  // namespace assay::sim
