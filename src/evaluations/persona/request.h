// What is put to the judge: an item with its classifications, in the shape of the mode, as one persona sees
// it. Pure: from items, personas and perspectives to the request's JSON and to the list of what must be
// answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay::persona {

// mode1: one nested request for all perspectives, Likert. mode2: flat, one perspective, Likert. mode3: as
// mode2, agree or disagree.
enum class Mode { mode1, mode2, mode3 };
std::string_view to_string(Mode mode);
std::optional<Mode> mode_of(std::string_view text);
// The file of the schema that answers must fit.
std::string_view result_schema(Mode mode);

struct Perspective {
  std::string id;
  std::string name;
  std::string text;
};
// {id, name, text}, or the names that records use; problems in words.
Result<Perspective> read_perspective(const Json& json);
Json recorded_perspective(const Perspective& perspective);  // perspectiveId, perspectiveName, perspectiveText

// A persona as it was given, checked against its schema.
struct Persona {
  std::string id;
  std::string name;
  Json json;
};
Result<Persona> read_persona(const Json& json);

struct Classification {
  std::string id;
  std::string description;
  std::optional<std::string> value;  // what the system chose; absent: null
  std::vector<std::string> options;
};

struct Item {
  std::string id;
  std::int64_t time_ms = 0;
  std::string time;  // ISO 8601, UTC
  std::optional<std::string> title;
  std::optional<std::string> text;
  std::optional<std::string> source_type;
  std::optional<std::string> originator;
  std::optional<std::string> channel;
  std::vector<Classification> classifications;
  std::vector<std::string> tags;
};

// Names in snake_case become camelCase, at every level; values stay.
Json camel_case(const Json& json);
// Everything that is wrong with an item, in words with the pointer; it may be in snake_case.
std::vector<std::string> item_problems(const Json& json);
// Of an item without problems.
Item read_item(const Json& json);

// Time, title and text on lines of their own; what is not there has no line.
std::string content_of(const Item& item);

// The request as it is sent. Modes 2 and 3 look from one perspective: `perspectives` holds just that.
Json request_of(Mode mode, const Persona& persona, const std::vector<Perspective>& perspectives,
                const Item& item);

// One thing that must be answered.
struct Question {
  std::string item_id;
  std::string classification_id;
  std::string perspective_id;
  std::optional<std::string> selected;
  bool same_ids(const Question& other) const {
    return item_id == other.item_id && classification_id == other.classification_id &&
           perspective_id == other.perspective_id;
  }
};
std::vector<Question> questions_of(Mode mode, const Json& request);

}  // namespace assay::persona
