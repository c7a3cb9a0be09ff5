#include "evaluations/persona/request_texts.h"

#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::persona {
namespace {

// "name: text" lines of an object and of those inside it.
void add_lines(const Json& object, std::string& lines) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.get_object()) {
    if (value.is_null() || name == "classifications") continue;
    if (value.is_object()) {
      add_lines(value, lines);
      continue;
    }
    lines += fmt::format("{}{}: {}", lines.empty() ? "" : "\n", std::string_view(name), text_or_json(value));
  }
}

std::string lines_of(const Json& object) {
  std::string lines;
  add_lines(object, lines);
  return lines;
}

// A classification under whichever names the mode has for its parts.
struct Shown {
  std::string id;
  std::string description;
  const Json* chosen;
  const JsonArray& options;
};

std::vector<Shown> classifications_of(const Json& request) {
  std::vector<Shown> found;
  for (const Json& item : list_at(request, "items")) {
    for (const Json& one : list_at(item, "classifications")) {
      found.push_back({text_at(one, "name"), text_at(one, "desc"), find_member(one, "selected"),
                       list_at(one, "available")});
    }
    const Json* flat = find_member(item, "classification");
    const Json* id = find_member(item, "id");
    if (flat == nullptr || id == nullptr) continue;
    found.push_back({text_at(*id, "classificationId"), text_at(*flat, "description"),
                     find_member(*flat, "classifiedAs"), list_at(*flat, "fromAvailableClassifications")});
  }
  return found;
}

RequestTexts texts_of(const Json& request, std::optional<std::string_view> perspective_id,
                      std::optional<std::string_view> classification_id) {
  RequestTexts texts;
  if (const Json* persona = find_member(request, "persona"))
    texts.emplace_back("persona", lines_of(*persona));
  std::string angles = text_at(request, "perspective");
  for (const Json& one : list_at(request, "perspectives")) {
    if (!perspective_id || text_at(one, "id") == *perspective_id)
      angles += (angles.empty() ? "" : "\n\n") + text_at(one, "text");
  }
  texts.emplace_back("perspective", std::move(angles));
  if (const JsonArray& items = list_at(request, "items"); !items.empty()) {
    const std::string content = text_at(items.front(), "content");
    texts.emplace_back("item", content.empty() ? lines_of(items.front()) : content);
  }
  for (const Shown& one : classifications_of(request)) {
    if (classification_id && one.id != *classification_id) continue;
    std::vector<std::string> options;
    for (const Json& option : one.options) options.push_back(text_or_json(option));
    texts.emplace_back("classification", one.description);
    texts.emplace_back("values to choose from", join(options, ", "));
    texts.emplace_back("chosen by the software", one.chosen == nullptr || one.chosen->is_null()
                                                     ? std::string("none of them")
                                                     : text_or_json(*one.chosen));
  }
  return texts;
}

}  // namespace

RequestTexts question_texts(const Json& request, std::string_view perspective_id,
                            std::string_view classification_id) {
  return texts_of(request, perspective_id, classification_id);
}

RequestTexts request_texts(const Json& request) {
  return texts_of(request, std::nullopt, std::nullopt);
}

}  // namespace assay::persona
