#include "sim/answers/example_answer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/words.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kMostRows = 200;
constexpr int kDeepest = 8;

Json text_json(std::string_view text) {
  return Json(boost::json::string(text));
}

bool same_name(std::string_view a, std::string_view b) {
  return equal_ignoring_ascii_case(spaced(a), spaced(b));
}

// "ticket_id" is the id of a table of tickets.
bool is_own_id(std::string_view field, std::string_view column, std::string_view table) {
  const std::string words = spaced(field);
  const std::size_t last = words.rfind(' ');
  if (last == std::string::npos || !equal_ignoring_ascii_case(words.substr(last + 1), column)) return false;
  return WordSet(words.substr(0, last)).shared_with(WordSet(spaced(table))) > 0;
}

std::string column_for(std::string_view field, const Table& table) {
  for (const std::string& column : table.columns) {
    if (same_name(field, column)) return column;
  }
  for (const std::string& column : table.columns) {
    if (is_own_id(field, column, table.name) || is_own_id(column, field, table.name)) return column;
  }
  return {};
}

// As the example has it: a text stays a text, a number a number.
Json in_form_of(const Json& example, const Json& value) {
  if (example.is_string() && value.is_number()) return text_json(to_text(value));
  if (example.is_number() && value.is_string()) {
    if (const auto number = numeric(value)) return *number;
  }
  return value;
}

const Table* fullest(std::span<const Table> tables, const JsonObject& fields) {
  const Table* best = nullptr;
  std::size_t most = 0;
  for (const Table& table : tables) {
    std::size_t score = 1;
    for (const auto& field : fields) score += column_for(field.key(), table).empty() ? 0 : 2;
    // The first field usually says what a row is about.
    if (!fields.empty() && !column_for(fields.begin()->key(), table).empty()) ++score;
    if (score >= most) most = score, best = &table;  // of equals the latest, which a program has worked on
  }
  return best;
}

class Filling {
 public:
  Filling(std::span<const Table> tables, std::string_view question, double noise)
      : tables_(tables), question_(question), noise_(noise), wish_(wish_of(question)) {}

  Json fill(const Json& example, const Chance& chance, int depth = 0) const {
    if (depth > kDeepest) return example;
    if (const JsonArray* list = example.if_array()) return fill_list(*list, chance, depth);
    if (const JsonObject* object = example.if_object()) {
      JsonObject out;
      for (const auto& field : *object) {
        const Chance own = chance.fork(field.key());
        out[field.key()] = field.value().is_structured() || field.value().is_number()
                               ? fill(field.value(), own, depth + 1)
                               : from_rows(field.key(), field.value(), own);
      }
      return out;
    }
    if (example.is_number()) return figure(example, chance);
    return example;
  }

 private:
  JsonArray fill_list(const JsonArray& list, const Chance& chance, int depth) const {
    if (list.empty()) return {};
    const JsonObject* fields = list[0].if_object();
    const Table* table = fullest(tables_, fields == nullptr ? JsonObject{} : *fields);
    if (fields == nullptr) return fill_values(list[0], table, chance, depth);
    JsonArray out;
    if (table == nullptr) {
      // Nothing was looked up: invented, as models do.
      const std::size_t count = chance.fork("count").between(1, 3);
      for (std::size_t i = 0; i < count; ++i)
        out.push_back(row_of(*fields, nullptr, nullptr, chance.fork(i)));
    } else {
      const std::size_t count = std::min({table->rows.size(), wish_.limit.value_or(kMostRows), kMostRows});
      for (std::size_t i = 0; i < count; ++i) {
        out.push_back(row_of(*fields, table, table->rows[i].if_object(), chance.fork(i)));
      }
    }
    const auto measure = std::ranges::find_if(
        *fields, [](const auto& field) { return field.value().is_number() && !is_id(field.key()); });
    if (measure != fields->end()) sort_by(out, measure->key());
    disturb(out, noise_, chance.fork("noise"));
    return out;
  }

  // ["123", "456"]: one value of each row.
  JsonArray fill_values(const Json& example, const Table* table, const Chance& chance, int depth) const {
    if (table == nullptr || example.is_structured()) return JsonArray{fill(example, chance, depth + 1)};
    const auto id = std::ranges::find_if(table->columns, is_id);
    const std::string& column = id == table->columns.end() ? table->columns.front() : *id;
    JsonArray out;
    for (const Json& row : table->rows) {
      if (out.size() >= wish_.limit.value_or(kMostRows)) break;
      if (const Json* value = find_member(row, column)) out.push_back(in_form_of(example, *value));
    }
    disturb(out, noise_, chance.fork("noise"));
    return out;
  }

  Json row_of(const JsonObject& fields, const Table* table, const JsonObject* row,
              const Chance& chance) const {
    JsonObject out;
    for (const auto& field : fields) {
      const Json* found = table == nullptr ? nullptr : value_of(field.key(), *table, *row);
      out[field.key()] =
          found != nullptr ? in_form_of(field.value(), *found) : invented(field.key(), field.value(), chance);
    }
    return out;
  }

  // Of the row itself, or of a row of another table that has the same value under the same name.
  const Json* value_of(std::string_view field, const Table& table, const JsonObject& row) const {
    if (const std::string column = column_for(field, table); !column.empty()) return row.if_contains(column);
    for (const Table& other : tables_) {
      const std::string column = column_for(field, other);
      if (&other == &table || column.empty()) continue;
      for (const std::string& key : other.columns) {
        const Json* mine = is_id(key) ? row.if_contains(key) : nullptr;
        if (mine == nullptr) continue;
        for (const Json& candidate : other.rows) {
          const Json* theirs = find_member(candidate, key);
          if (theirs != nullptr && *theirs == *mine) return find_member(candidate, column);
        }
      }
    }
    return nullptr;
  }

  static Json invented(std::string_view field, const Json& example, const Chance& chance) {
    Chance own = chance.fork(field);
    if (example.is_double()) return static_cast<double>(own.between(0, 1000)) / 10;
    if (example.is_number()) return static_cast<std::int64_t>(own.between(1, 100));
    if (example.is_bool()) return own.happens(0.5);
    if (example.is_string() && is_id(field)) return text_json(std::to_string(own.between(1, 999)));
    return example;
  }

  Json from_rows(std::string_view field, const Json& example, const Chance& chance) const {
    for (const Table& table : tables_) {
      const Json* found = value_of(field, table, table.rows[0].get_object());
      if (found != nullptr) return in_form_of(example, *found);
    }
    return invented(field, example, chance);
  }

  Json figure(const Json& example, const Chance& chance) const {
    if (tables_.empty()) return invented("", example, chance);
    const Wish::Figure kind =
        wish_.figure == Wish::Figure::none && example.is_double() ? Wish::Figure::mean : wish_.figure;
    const double number = figure_of(tables_.back(), kind == Wish::Figure::none ? Wish::Figure::count : kind,
                                    question_, chance.fork("figure"));
    const bool whole = !example.is_double() && number == std::floor(number) && std::abs(number) < 1e15;
    return whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
  }

  std::span<const Table> tables_;
  std::string_view question_;
  double noise_;
  Wish wish_;
};

}  // namespace

std::optional<Json> example_in(std::string_view text) {
  constexpr std::string_view kOpen = "```json";
  const std::size_t at = text.rfind(kOpen);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + kOpen.size());
  auto value = parse_lenient_json(trim(rest.substr(0, rest.find(kFence))));
  return value ? std::optional(std::move(value->value)) : std::nullopt;
}

std::string without_fences(std::string_view text) {
  std::string out;
  bool inside = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t next = std::min(text.find(kFence, at), text.size());
    if (!inside) out += text.substr(at, next - at);
    inside = !inside;
    at = next == text.size() ? next + 1 : next + kFence.size();
  }
  return out;
}

Json fill_example(const Json& example, std::span<const Table> tables, std::string_view question, double noise,
                  const Chance& chance) {
  return Filling(tables, question, noise).fill(example, chance);
}

std::string written_answer(const Json& value, Chance chance) {
  constexpr std::array<std::string_view, 3> kOpenings{
      "Here is the result:", "Based on the data:", "The answer, in the format that was asked for:"};
  std::string json(trim(pretty_text(value)));
  const std::size_t end = json.rfind('\n');
  const double carelessness = chance.fork("careless").unit();
  if (end != std::string::npos && carelessness < 0.12) {
    json.insert(end, ",");
  } else if (end != std::string::npos && carelessness < 0.2) {
    json.insert(json.find('\n'), "  // from the tools' results");
  }
  return fmt::format("{}\n\n```json\n{}\n```", chance.fork("opening").pick(kOpenings), json);
}

}  // namespace assay::sim
