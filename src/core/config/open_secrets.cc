// Arguments of a program stand in the list of processes, where every user of the machine reads them.
#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/config/config.h"
#include "core/config/variables.h"
#include "core/secrets/literal_secrets.h"

namespace assay {
namespace {

bool is_open(const Key& key) {
  return key.type == KeyType::command || key.fills == Fills::openly;
}

// Variables of the texts that have a telling name, each once.
std::vector<std::string> telling_names(const Json& value) {
  std::vector<std::string> names;
  const JsonArray texts = value.is_array() ? value.get_array() : JsonArray{value};
  for (const Json& text : texts) {
    for (std::string& name : variables_in(as_text(text).value_or(""))) {
      if (names_secret(name) && std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
    }
  }
  return names;
}

void look(const Keys& keys, const JsonObject& written, const std::string& path, const ConfigSource& source,
          std::vector<ConfigProblem>& problems) {
  for (const Key& key : keys) {
    const Json* value = written.if_contains(key.name);
    if (value == nullptr) continue;
    const std::string here = path.empty() ? key.name : fmt::format("{}.{}", path, key.name);
    if (is_open(key)) {
      for (const std::string& name : telling_names(*value)) {
        problems.push_back(
            {place_of(source, here), here,
             fmt::format("found ${{{}}}, which would stand in the list of processes for every user of the "
                         "machine to read; give it to the program by its environment (`env`, of a tool "
                         "`environment`)",
                         name)});
      }
    } else if (const JsonObject* object = value->if_object()) {
      if (key.type == KeyType::object) look(key.keys, *object, here, source, problems);
      if (key.type != KeyType::object_map) continue;
      for (const auto& [name, item] : *object) {
        if (item.is_object())
          look(key.keys, item.get_object(), fmt::format("{}.{}", here, std::string_view(name)), source,
               problems);
      }
    } else if (const JsonArray* list = value->if_array();
               list != nullptr && key.type == KeyType::object_list) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        if ((*list)[i].is_object())
          look(key.keys, (*list)[i].get_object(), fmt::format("{}[{}]", here, i), source, problems);
      }
    }
  }
}

}  // namespace

std::vector<ConfigProblem> open_secrets(const Keys& keys, const ConfigSource& source,
                                        const JsonObject& written) {
  std::vector<ConfigProblem> problems;
  look(keys, written, "", source, problems);
  return problems;
}

}  // namespace assay
