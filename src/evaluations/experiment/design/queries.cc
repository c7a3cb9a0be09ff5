#include "evaluations/experiment/design/queries.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/tables/record_reader.h"
#include "core/text.h"
#include "core/yaml.h"

namespace assay::experiment {
namespace {

constexpr std::array<std::string_view, 6> kFields = {"id",         "text", "query",
                                                     "query_type", "role", "ambiguous"};

class Reading {
 public:
  explicit Reading(QueryList& list) : list_(list) {}

  void add(const Json& json, std::uint64_t line) {
    const std::int64_t index = list_.total++;
    line_ = line;
    good_ = true;
    Query query;
    if (const auto text = as_text(json)) {
      query.text = *text;
    } else if (json.is_object()) {
      read(json.get_object(), query);
    } else {
      wrong("", fmt::format("found {}, expected an object with `text`, or a text", kind_word(json)));
    }
    if (query.id.empty()) query.id = fmt::format("query_{}", index + 1);
    if (good_ && trim(query.text).empty()) wrong("text", "found nothing, expected the question");
    if (good_ && !ids_.insert(query.id).second)
      wrong("id", fmt::format("found \"{}\", which an earlier query has", query.id));
    if (good_) {
      list_.entries.push_back({index, line, std::move(query)});
    } else {
      ++list_.invalid;
    }
  }

  void not_json(const std::string& why, std::uint64_t line) {
    line_ = line;
    ++list_.total;
    ++list_.invalid;
    wrong("", why);
  }

 private:
  void read(const JsonObject& object, Query& query) {
    for (const auto& [key, value] : object) {
      const std::string name(key);
      if (name == "ambiguous") {
        const auto yes = as_boolean(value);
        if (!yes && !value.is_null())
          wrong(name, fmt::format("found {}, expected true or false", excerpt(value)));
        query.ambiguous = yes.value_or(false);
      } else if (name == "id") {
        if (value.is_int64() || value.is_uint64()) {
          query.id = to_text(value);
        } else {
          read_text(name, value, query.id);
        }
      } else if (name == "text" || name == "query") {
        read_text(name, value, query.text);
      } else if (name == "query_type") {
        read_text(name, value, query.query_type);
      } else if (name == "role") {
        read_text(name, value, query.role);
      } else if (const auto guess = nearest(name, kFields)) {
        list_.problems.push_back(
            {"warning", where(),
             fmt::format("field {}: not known and not used; did you mean `{}`?", name, *guess)});
      }
    }
  }

  void read_text(const std::string& name, const Json& value, std::string& into) {
    if (value.is_null()) return;
    const auto text = as_text(value);
    if (!text) return wrong(name, fmt::format("found {}, expected text", excerpt(value)));
    into = *text;
  }

  std::string where() const { return fmt::format("{}, line {}", list_.path, line_); }
  void wrong(const std::string& field, const std::string& text) {
    good_ = false;
    list_.problems.push_back(
        {"error", where(), field.empty() ? text : fmt::format("field {}: {}", field, text)});
  }

  QueryList& list_;
  std::uint64_t line_ = 0;
  bool good_ = true;
  std::set<std::string> ids_;
};

Json to_json(const Query& query) {
  return JsonObject{{"id", query.id},
                    {"text", query.text},
                    {"query_type", query.query_type},
                    {"role", query.role},
                    {"ambiguous", query.ambiguous}};
}

Query query_from(const Json& json) {
  const Json* ambiguous = find_member(json, "ambiguous");
  return {text_at(json, "id"), text_at(json, "text"), text_at(json, "query_type"), text_at(json, "role"),
          ambiguous != nullptr && as_boolean(*ambiguous).value_or(false)};
}

class QuerySource final : public CaseSource {
 public:
  explicit QuerySource(const QueryList& list) : list_(list), problems_(list.problems) {}

  Result<bool> next() override {
    if (next_ >= list_.entries.size()) return false;
    show(next_++);
    return true;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, {}}; }
  Status go_to(const CasePlace& place) override {
    const auto found = std::ranges::find(list_.entries, place.index, &QueryEntry::index);
    if (found == list_.entries.end()) return fail(ErrorKind::data, "there is no such query any more");
    show(static_cast<std::size_t>(found - list_.entries.begin()));
    return {};
  }
  std::vector<Problem> take_problems() override { return std::exchange(problems_, {}); }
  std::int64_t lines() const override { return list_.total; }
  std::int64_t invalid() const override { return list_.invalid; }

 private:
  void show(std::size_t at) {
    const QueryEntry& entry = list_.entries[at];
    current_ = {.index = entry.index,
                .line = entry.line,
                .id = entry.query.id,
                .payload = to_text(to_json(entry.query)),
                .part = at};
  }

  const QueryList& list_;
  std::vector<Problem> problems_;
  std::size_t next_ = 0;
  Case current_;
};

WantedFields wanted_fields() {
  WantedFields wanted;
  for (const std::string_view name : kFields) wanted.by_name.emplace(name, WantedField{.optional = true});
  wanted.by_name["ambiguous"].kind = ValueKind::boolean;
  return wanted;
}

Result<QueryList> read_records(const DataFile& data) {
  auto reader = RecordReader::open(data.path, data.format);
  if (!reader) return fail(std::move(reader.error()));
  const WantedFields wanted = wanted_fields();
  const RecordOrigin origin = reader->is_table() ? RecordOrigin::row : RecordOrigin::json;
  QueryList list;
  list.path = data.path;
  Reading reading(list);
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return list;
    auto json = parse_json((*line)->text);
    if (!reader->problems().empty()) {
      reading.not_json(join(reader->problems(), "; "), (*line)->number);
    } else if (!json) {
      reading.not_json(not_json_words(**line, json.error()), (*line)->number);
    } else if (!json->is_object()) {
      reading.add(*json, (*line)->number);
    } else if (auto query = data.fields.rewrite(json->get_object(), origin, wanted)) {
      reading.add(std::move(*query), (*line)->number);
    } else {
      reading.not_json(join(query.error(), "; "), (*line)->number);
    }
  }
}

}  // namespace

Result<QueryList> parse_queries(const std::string& text, const std::string& path) {
  QueryList list;
  list.path = path;
  Reading reading(list);
  if (path.ends_with(".jsonl")) {
    std::uint64_t number = 0;
    for (const std::string_view line : split_lines(text)) {
      ++number;
      if (trim(line).empty()) continue;
      auto json = parse_json(line);
      if (json) {
        reading.add(*json, number);
      } else {
        reading.not_json(not_json_words({.text = line, .number = number}, json.error()), number);
      }
    }
    return list;
  }
  auto document = parse_yaml(text);
  if (!document) return fail(std::move(document.error()).with("file", path));
  const Json* queries = find_member(document->value, "queries");
  const std::string base = queries != nullptr ? "/queries" : "";
  const JsonArray* entries = (queries != nullptr ? *queries : document->value).if_array();
  if (entries == nullptr) {
    return fail(Error{ErrorKind::data,
                      fmt::format("found {}, expected a list of queries", kind_word(document->value)),
                      {{"file", path}}});
  }
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const int line = document->position(fmt::format("{}/{}", base, i)).line;
    reading.add((*entries)[i], static_cast<std::uint64_t>(std::max(line, 0)));
  }
  return list;
}

Result<QueryList> read_queries(const DataFile& data) {
  const RecordFormat named = format_of_name(data.path);
  const bool records = data.format || !data.fields.empty() || named == RecordFormat::csv ||
                       named == RecordFormat::tsv || lower_ascii(data.path).ends_with(".gz");
  if (records) return read_records(data);
  auto text = read_file(data.path);
  if (!text) return fail(std::move(text.error()));
  return parse_queries(*text, data.path);
}

std::string queries_text(const QueryList& list) {
  JsonArray entries;
  for (const QueryEntry& entry : list.entries)
    entries.push_back(
        JsonObject{{"index", entry.index}, {"line", entry.line}, {"query", to_json(entry.query)}});
  JsonArray problems;
  for (const Problem& problem : list.problems)
    problems.push_back(JsonArray{Json(problem.severity), Json(problem.where), Json(problem.text)});
  return to_text(JsonObject{{"entries", std::move(entries)},
                            {"problems", std::move(problems)},
                            {"total", list.total},
                            {"invalid", list.invalid}});
}

QueryList queries_in(const std::string& text, const std::string& path) {
  QueryList list;
  list.path = path;
  const auto tree = parse_json(text);
  if (!tree) return list;
  const auto number = [](const Json& of, std::string_view name) {
    const Json* value = find_member(of, name);
    return value != nullptr ? as_integer(*value).value_or(0) : 0;
  };
  for (const Json& entry : list_at(*tree, "entries")) {
    const Json* query = find_member(entry, "query");
    if (query == nullptr) continue;
    list.entries.push_back(
        {number(entry, "index"), static_cast<std::uint64_t>(number(entry, "line")), query_from(*query)});
  }
  for (const Json& problem : list_at(*tree, "problems")) {
    const JsonArray* parts = problem.if_array();
    if (parts == nullptr || parts->size() != 3) continue;
    const auto part = [&](std::size_t i) { return std::string(as_text((*parts)[i]).value_or("")); };
    list.problems.push_back({part(0), part(1), part(2)});
  }
  list.total = number(*tree, "total");
  list.invalid = number(*tree, "invalid");
  return list;
}

std::unique_ptr<CaseSource> open_queries(const QueryList& list) {
  return std::make_unique<QuerySource>(list);
}

Query query_of(const Case& input) {
  return query_from(*CaseTree(input));
}

}  // namespace assay::experiment
