#include "evaluations/persona/request.h"

#include <chrono>
#include <cmath>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "evaluations/persona/schemas.h"

namespace assay::persona {
namespace {

constexpr std::string_view kModes[] = {"mode1", "mode2", "mode3"};

std::vector<std::string> texts_at(const Json& json, std::string_view name) {
  std::vector<std::string> texts;
  for (const Json& text : list_at(json, name)) texts.emplace_back(as_text(text).value_or(""));
  return texts;
}

Json json_of(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

// Seconds since 1970 or ISO 8601.
Result<std::int64_t> time_ms(const Json& json) {
  if (const auto seconds = as_number(json)) {
    constexpr double kLargest = 1e11;  // the year 5138
    if (!(std::fabs(*seconds) < kLargest) || *seconds * 1000 < static_cast<double>(kFirstTimeMs))
      return fail(ErrorKind::data, fmt::format("found {}, expected seconds since 1970", excerpt(json)));
    return std::llround(*seconds * 1000);
  }
  const auto time = parse_iso_ms(as_text(json).value_or(""));
  if (!time) return fail(ErrorKind::data, fmt::format("found {}, expected ISO 8601", excerpt(json)));
  return *time;
}

std::string camel(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool joint =
        name[i] == '_' && !out.empty() && i + 1 < name.size() && name[i + 1] >= 'a' && name[i + 1] <= 'z';
    if (!joint) {
      out += name[i];
      continue;
    }
    ++i;
    out += static_cast<char>(name[i] - 'a' + 'A');
  }
  return out;
}

}  // namespace

std::string_view to_string(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

std::optional<Mode> mode_of(std::string_view text) {
  for (const Mode mode : {Mode::mode1, Mode::mode2, Mode::mode3}) {
    if (to_string(mode) == text) return mode;
  }
  return std::nullopt;
}

std::string_view result_schema(Mode mode) {
  switch (mode) {
    case Mode::mode1:
      return "classification-evaluation-result.mode1.schema.json";
    case Mode::mode2:
      return "classification-evaluation-result.mode2.schema.json";
    default:
      return "classification-evaluation-result.mode3.schema.json";
  }
}

Json camel_case(const Json& json) {
  if (const JsonArray* list = json.if_array()) {
    JsonArray out;
    for (const Json& value : *list) out.push_back(camel_case(value));
    return out;
  }
  if (const JsonObject* object = json.if_object()) {
    JsonObject out;
    for (const auto& [name, value] : *object) out.insert_or_assign(camel(name), camel_case(value));
    return out;
  }
  return json;
}

Result<Perspective> read_perspective(const Json& given) {
  const Json json = camel_case(given);
  Perspective perspective;
  std::vector<std::string> missing;
  const auto take = [&](std::string_view name, std::string_view recorded, std::string& into) {
    auto text = find_text(json, name);
    if (!text) text = find_text(json, recorded);
    if (!text || text->empty()) {
      missing.push_back(fmt::format("{}: missing, expected text", name));
      return;
    }
    into = std::move(*text);
  };
  take("id", "perspectiveId", perspective.id);
  take("name", "perspectiveName", perspective.name);
  take("text", "perspectiveText", perspective.text);
  if (!missing.empty()) return fail(ErrorKind::data, join(missing, "; "));
  return perspective;
}

Json recorded_perspective(const Perspective& perspective) {
  return JsonObject{{"perspectiveId", perspective.id},
                    {"perspectiveName", perspective.name},
                    {"perspectiveText", perspective.text}};
}

Result<Persona> read_persona(const Json& given) {
  Json json = camel_case(given);
  const std::vector<std::string> problems = schema_problems("persona.schema.json", json);
  if (!problems.empty()) return fail(ErrorKind::data, join(problems, "; "));
  return Persona{text_at(json, "id"), text_at(json, "name"), std::move(json)};
}

std::vector<std::string> item_problems(const Json& given) {
  const Json json = camel_case(given);
  std::vector<std::string> problems = schema_problems("evaluation-item.schema.json", json);
  if (const Json* time = find_member(json, "evaluateTime"); time != nullptr && problems.empty()) {
    if (auto read = time_ms(*time); !read) problems.push_back("/evaluateTime: " + read.error().message);
  }
  std::set<std::string> seen;
  for (const Json& classification : list_at(json, "evaluateClassifications")) {
    const std::string id = text_at(classification, "classificationName");
    if (!id.empty() && !seen.insert(id).second)
      problems.push_back(fmt::format("/evaluateClassifications: \"{}\" is there twice", id));
  }
  return problems;
}

Item read_item(const Json& given) {
  const Json json = camel_case(given);
  Item item;
  if (const Json* summary = find_member(json, "contentItemSummary")) item.id = text_at(*summary, "itemId");
  if (const Json* time = find_member(json, "evaluateTime")) item.time_ms = time_ms(*time).value_or(0);
  item.time = iso_time_of_ms(item.time_ms);
  item.title = find_text(json, "evaluateTitle");
  item.text = find_text(json, "evaluateText");
  item.source_type = find_text(json, "evaluateSourceType");
  item.originator = find_text(json, "evaluateSourceOriginator");
  item.channel = find_text(json, "evaluateSourceChannel");
  item.tags = texts_at(json, "tags");
  for (const Json& one : list_at(json, "evaluateClassifications")) {
    item.classifications.push_back({text_at(one, "classificationName"), text_at(one, "classificationDesc"),
                                    find_text(one, "classificationValue"),
                                    texts_at(one, "classificationOptions")});
  }
  return item;
}

std::string content_of(const Item& item) {
  std::string content = item.time;
  for (const auto* part : {&item.title, &item.text}) {
    if (*part && !(*part)->empty()) content += "\n" + **part;
  }
  return content;
}

Json request_of(Mode mode, const Persona& persona, const std::vector<Perspective>& perspectives,
                const Item& item) {
  JsonObject request{{"persona", persona.json}};
  JsonArray items;
  if (mode == Mode::mode1) {
    JsonArray angles;
    for (const Perspective& one : perspectives)
      angles.push_back(JsonObject{{"id", one.id}, {"name", one.name}, {"text", one.text}});
    request["perspectives"] = std::move(angles);
    JsonArray classifications;
    for (const Classification& one : item.classifications) {
      classifications.push_back(JsonObject{{"name", one.id},
                                           {"desc", one.description},
                                           {"selected", or_null(one.value)},
                                           {"available", json_of(one.options)}});
    }
    items.push_back(JsonObject{{"itemId", item.id},
                               {"sent", item.time},
                               {"title", item.title.value_or("")},
                               {"summary", item.text.value_or("")},
                               {"source", JsonObject{{"type", or_null(item.source_type)},
                                                     {"originator", or_null(item.originator)},
                                                     {"channel", or_null(item.channel)}}},
                               {"classifications", std::move(classifications)}});
  } else {
    const Perspective& angle = perspectives.front();
    request["perspective"] = angle.text;
    for (const Classification& one : item.classifications) {
      items.push_back(JsonObject{
          {"id", JsonObject{{"itemId", item.id}, {"perspectiveId", angle.id}, {"classificationId", one.id}}},
          {"content", content_of(item)},
          {"classification", JsonObject{{"description", one.description},
                                        {"classifiedAs", or_null(one.value)},
                                        {"fromAvailableClassifications", json_of(one.options)}}}});
    }
  }
  request["items"] = std::move(items);
  return request;
}

std::vector<Question> questions_of(Mode mode, const Json& request) {
  std::vector<Question> questions;
  for (const Json& item : list_at(request, "items")) {
    if (mode != Mode::mode1) {
      const Json* id = find_member(item, "id");
      const Json* classification = find_member(item, "classification");
      if (id == nullptr || classification == nullptr) continue;
      questions.push_back({text_at(*id, "itemId"), text_at(*id, "classificationId"),
                           text_at(*id, "perspectiveId"), find_text(*classification, "classifiedAs")});
      continue;
    }
    for (const Json& classification : list_at(item, "classifications")) {
      for (const Json& perspective : list_at(request, "perspectives")) {
        questions.push_back({text_at(item, "itemId"), text_at(classification, "name"),
                             text_at(perspective, "id"), find_text(classification, "selected")});
      }
    }
  }
  return questions;
}

}  // namespace assay::persona
