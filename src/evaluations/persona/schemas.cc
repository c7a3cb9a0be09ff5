#include "evaluations/persona/schemas.h"

#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "core/embedded.h"

namespace assay {
std::span<const EmbeddedText> embedded_schemas();
}

namespace assay::persona {
namespace {

struct Entry {
  Json document;
  Schema compiled;
};

// A schema of ours that does not compile is a bug, and the tests compile all of them.
std::map<std::string, Entry, std::less<>> compile_all() {
  Schema::Documents documents;
  std::map<std::string, Json> by_file;
  for (const EmbeddedText& text : embedded_schemas()) {
    auto document = parse_json(text.text);
    if (!document) throw std::logic_error(fmt::format("{}: {}", text.name, document.error().text()));
    const Json* id = find_member(*document, "$id");
    documents.emplace_back(id != nullptr ? as_text(*id).value_or("") : "", *document);
    by_file.emplace(text.name, std::move(*document));
  }
  std::map<std::string, Entry, std::less<>> compiled;
  for (auto& [file, document] : by_file) {
    auto made = Schema::compile(document, documents);
    if (!made) throw std::logic_error(fmt::format("{}: {}", file, made.error().text()));
    compiled.emplace(file, Entry{std::move(document), std::move(*made)});
  }
  return compiled;
}

const Entry& entry(std::string_view file) {
  static const auto all = compile_all();
  const auto found = all.find(file);
  if (found == all.end()) throw std::logic_error(fmt::format("there is no schema {}", file));
  return found->second;
}

// A reference is to a whole schema, by its $id, whose last part is its file.
void put_in_place(Json& node) {
  if (JsonArray* list = node.if_array()) {
    for (Json& item : *list) put_in_place(item);
    return;
  }
  JsonObject* object = node.if_object();
  if (object == nullptr) return;
  if (const Json* reference = object->if_contains("$ref"); reference != nullptr && reference->is_string()) {
    const std::string address(reference->get_string());
    node = entry(address.substr(address.rfind('/') + 1)).document;
    put_in_place(node);
    return;
  }
  object->erase("$id");
  object->erase("$schema");
  for (auto& member : *object) put_in_place(member.value());
}

}  // namespace

const Schema& schema(std::string_view file) {
  return entry(file).compiled;
}

const Json& schema_document(std::string_view file) {
  return entry(file).document;
}

Json whole_schema(std::string_view file) {
  Json whole = schema_document(file);
  put_in_place(whole);
  return whole;
}

std::vector<std::string> schema_problems(std::string_view file, const Json& value) {
  std::vector<std::string> problems;
  for (const SchemaDefect& defect : schema(file).validate(value)) {
    problems.push_back(defect.instance_pointer.empty()
                           ? defect.message
                           : fmt::format("{}: {}", defect.instance_pointer, defect.message));
  }
  return problems;
}

}  // namespace assay::persona
