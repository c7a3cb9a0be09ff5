#include "imports/datasets/records.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/json/depth.h"
#include "core/tables/csv.h"
#include "core/text.h"
#include "core/visible.h"
#include "core/yaml.h"

namespace assay::datasets {
namespace {

void add(Records& records, std::uint64_t line, std::uint64_t number, Json value) {
  Record record{line, number, {}};
  if (value.is_object() && within_depth(value)) {
    record.fields = std::move(value.get_object());
    records.list.push_back(std::move(record));
  } else {
    records.bad.push_back({records.place(record), "record", "it is no object, or nested too deep"});
  }
}

Result<Records> read_table(Records records, std::string_view text) {
  auto table = parse_csv(text);
  if (!table) return fail(std::move(table.error()).with("file", records.file));
  std::uint64_t number = 0;
  for (const CsvRow& row : table->rows) {
    Record record{row.line, ++number, {}};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i].empty()) record.fields.insert_or_assign(table->columns[i], row.cells[i]);
    }
    records.list.push_back(std::move(record));
  }
  return records;
}

void add_list(Records& records, const JsonArray& list) {
  std::uint64_t number = 0;
  for (const Json& item : list) add(records, 0, ++number, item);
}

// What stands behind a backslash at `at`; where it ends.
std::size_t python_escape(std::string_view text, std::size_t at, std::string& out) {
  constexpr std::pair<char, char> kSigns[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}};
  constexpr std::pair<char, std::size_t> kNumbers[] = {{'x', 2}, {'u', 4}, {'U', 8}};
  for (const auto& [letter, sign] : kSigns) {
    if (text[at] != letter) continue;
    out += sign;
    return at;
  }
  for (const auto& [letter, digits] : kNumbers) {
    const std::string_view number = text.substr(std::min(at + 1, text.size()), digits);
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), code, 16);
    if (text[at] != letter || number.size() != digits || error != std::errc() ||
        end != number.data() + number.size())
      continue;
    const bool is_character = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    append_utf8(out, is_character ? static_cast<char32_t>(code) : U'\uFFFD');
    return at + digits;
  }
  out += text[at];
  return at;
}

// A text in quotes of Python, from `at` behind its first quote; nothing if it is not closed.
std::optional<std::string> python_text(std::string_view text, std::size_t& at, char quote) {
  std::string out;
  for (; at < text.size(); ++at) {
    if (text[at] == quote) {
      ++at;
      return out;
    }
    if (text[at] == '\\' && at + 1 < text.size()) {
      at = python_escape(text, at + 1, out);
    } else {
      out += text[at];
    }
  }
  return std::nullopt;
}

// "['a', \"b\"]" as a data frame writes it.
std::optional<JsonArray> python_list(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  JsonArray list;
  std::size_t at = 0;
  const auto skip = [&] { at = std::min(text.find_first_not_of(" \n\t", at), text.size()); };
  for (skip(); at < text.size(); skip()) {
    const char quote = text[at];
    if (quote != '\'' && quote != '"') return std::nullopt;
    auto item = python_text(text, ++at, quote);
    if (!item) return std::nullopt;
    list.emplace_back(std::move(*item));
    skip();
    if (at < text.size() && text[at] == ',') ++at;
  }
  return list;
}

// The names that Python has for figures that JSON has none for, outside of texts, become null.
std::string with_nulls(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      out += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      for (const std::string_view name : {"NaN", "Infinity", "-Infinity"}) {
        if (!text.substr(i).starts_with(name)) continue;
        out += "null";
        i += name.size();
        break;
      }
      if (i == text.size()) break;
    }
    out += text[i];
  }
  return out;
}

// {"question": ["a", "b"], "answer": ["c", "d"]}, and {"question": {"0": "a", "1": "b"}, …}.
std::size_t rows_in_columns(const JsonObject& tree) {
  std::size_t rows = 0;
  for (const auto& [name, column] : tree) {
    const JsonArray* list = column.if_array();
    const JsonObject* frame = column.if_object();
    if (list == nullptr && (frame == nullptr || !frame->contains("0"))) return 0;
    const std::size_t size = list != nullptr ? list->size() : frame->size();
    if (size == 0 || (rows != 0 && size != rows)) return 0;
    rows = size;
  }
  return rows;
}

void add_columns(Records& records, const JsonObject& tree, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    JsonObject fields;
    for (const auto& [name, column] : tree) {
      const JsonArray* list = column.if_array();
      const Json* cell = list != nullptr ? &(*list)[row] : find_member(column, fmt::format("{}", row));
      if (cell != nullptr) fields[name] = *cell;
    }
    add(records, 0, row + 1, std::move(fields));
  }
}

}  // namespace

std::string Records::place(const Record& record) const {
  return record.line > 0 ? fmt::format("{}, line {}", file, record.line)
                         : fmt::format("{}, record {}", file, record.number);
}

Result<Json> python_json(std::string_view text) {
  auto tree = parse_json(text);
  if (tree || (!text.contains("NaN") && !text.contains("Infinity"))) return tree;
  auto again = parse_json(with_nulls(text));
  return again ? std::move(again) : std::move(tree);
}

Result<Records> read_records(const std::string& name, std::string_view text,
                             std::span<const std::string_view> lists) {
  Records records;
  records.file = name;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (name.ends_with(".csv")) return read_table(std::move(records), text);
  if (auto tree = python_json(text)) {
    if (const JsonArray* list = tree->if_array()) {
      add_list(records, *list);
      return records;
    }
    bool found = false;
    for (const std::string_view key : lists) {
      const Json* list = find_member(*tree, key);
      if (list == nullptr || !list->is_array()) continue;
      add_list(records, list->get_array());
      found = true;
    }
    const std::size_t rows = found || !tree->is_object() ? 0 : rows_in_columns(tree->get_object());
    if (rows > 0) add_columns(records, tree->get_object(), rows);
    if (!found && rows == 0) add(records, 0, 1, std::move(*tree));
    return records;
  }
  std::uint64_t line = 0;
  for (const std::string_view one : split(text, '\n')) {
    ++line;
    if (trim(one).empty()) continue;
    if (auto tree = python_json(trim(one))) {
      add(records, line, records.list.size() + 1, std::move(*tree));
    } else {
      records.bad.push_back({fmt::format("{}, line {}", name, line), "line", "it is not JSON"});
    }
  }
  if (records.list.empty())
    return fail(
        Error{ErrorKind::data,
              "found no record; expected JSON Lines, a JSON list, or a table in a file whose name ends in "
              ".csv",
              {{"file", name}}});
  return records;
}

const Json* first_of(const JsonObject& fields, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const Json* value = fields.if_contains(name);
    if (value != nullptr && !value->is_null()) return value;
  }
  return nullptr;
}

JsonArray texts_of(const Json& value, std::string_view separator) {
  if (const JsonArray* list = value.if_array()) {
    JsonArray texts;
    for (const Json& item : *list) texts.emplace_back(text_or_json(item));
    return texts;
  }
  const std::string text = text_or_json(value);
  const std::string_view trimmed = trim(text);
  if (trimmed.starts_with('[')) {
    if (auto tree = parse_json(trimmed); tree && tree->is_array()) return texts_of(*tree, separator);
    if (auto list = python_list(trimmed)) return std::move(*list);
  }
  if (separator.empty()) return JsonArray{text};
  JsonArray texts;
  for (const std::string_view part : split(text, separator.front())) {
    if (!trim(part).empty()) texts.emplace_back(std::string(trim(part)));
  }
  return texts;
}

Json unfolded(const Json& value) {
  const auto text = as_text(value);
  if (!text) return value;
  auto tree = parse_json(trim(*text));
  if (!tree || !(tree->is_object() || tree->is_array())) return value;
  return std::move(*tree);
}

ImportedFile cases_file(const std::vector<JsonObject>& cases) {
  std::string text;
  for (const JsonObject& one : cases) text += to_text(one) + "\n";
  return {"cases.jsonl", std::move(text)};
}

ImportedFile config_file(const JsonObject& config, std::string_view form, const std::string& name) {
  return {"assay.yaml", fmt::format("# Made by `assay import {} {}`. Next: assay check, assay run.\n{}", form,
                                    visible(name), to_yaml(config))};
}

}  // namespace assay::datasets
