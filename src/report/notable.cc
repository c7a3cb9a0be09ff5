#include "report/notable.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"

namespace assay {

Json to_json(const std::vector<NotableCase>& cases) {
  JsonArray list;
  for (const NotableCase& one : cases) {
    JsonArray fields;
    for (const auto& [name, text] : one.fields)
      fields.push_back(JsonObject{{"name", repair_utf8(name)}, {"text", repair_utf8(text)}});
    list.push_back(JsonObject{
        {"id", repair_utf8(one.id)}, {"why", repair_utf8(one.why)}, {"fields", std::move(fields)}});
  }
  return list;
}

Result<std::vector<NotableCase>> notable_from_json(const Json& json) {
  const JsonArray* list = json.if_array();
  if (list == nullptr) return fail(ErrorKind::data, "expected a list of cases");
  std::vector<NotableCase> cases;
  for (const Json& entry : *list) {
    NotableCase& one = cases.emplace_back();
    one.id = text_at(entry, "id");
    one.why = text_at(entry, "why");
    const Json* fields = find_member(entry, "fields");
    if (fields == nullptr || !fields->is_array()) continue;
    for (const Json& field : fields->get_array())
      one.fields.emplace_back(text_at(field, "name"), text_at(field, "text"));
  }
  return cases;
}

}  // namespace assay
