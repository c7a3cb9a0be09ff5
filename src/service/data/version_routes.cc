// Personas and perspectives, whose content may change: each content is a version, and has verdicts of its
// own.
#include <utility>

#include <fmt/format.h>

#include "service/data/data_routes.h"
#include "service/data/data_schemas.h"
#include "service/data/lists.h"

namespace assay {
namespace {

// What personas and perspectives have alike, in the words of each.
struct VersionedWords {
  VersionedKind kind;
  const char* list;         // of the answer, and the path
  const char* one;          // the same of one
  const char* id;           // member of the answer
  char cursor;              // of the list
  const char* summary;      // of the list
  std::string (*schema)();  // of what a version says
};
constexpr VersionedWords kVersioned[] = {
    {VersionedKind::persona, "personas", "persona", "personaId", 'p',
     "Personas that have judged, with how many versions and verdicts.", persona_schema},
    {VersionedKind::perspective, "perspectives", "perspective", "perspectiveId", 'w',
     "Perspectives that were judged from, with how many versions and verdicts.", perspective_schema}};

void list_versioned(DataStore& store, const ExchangePointer& exchange, const VersionedWords& words) {
  const NameQuery query = name_query(*exchange, words.cursor);
  if (exchange->refused()) return;
  const auto page = store.versioned(words.kind, query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray list;
  for (const VersionedName& one : page->rows)
    list.push_back(JsonObject{{words.id, one.id}, {"versions", one.versions}, {"verdicts", one.verdicts}});
  exchange->send(200,
                 JsonObject{{words.list, std::move(list)}, {"next", next_name(page->next, words.cursor)}});
}

void get_versions(DataStore& store, const ExchangePointer& exchange, const VersionedWords& words) {
  const std::string id = needed_id(*exchange);
  if (exchange->refused()) return;
  const auto versions = store.versions(words.kind, id);
  if (!versions) return exchange->send_failure(versions.error());
  if (versions->empty()) return exchange->send_error(404, fmt::format("there is no such {}", words.one));
  JsonArray list;
  for (const Version& one : *versions) {
    auto content = parse_json(one.json);
    list.push_back(JsonObject{{"version", one.version},
                              {"verdicts", one.verdicts},
                              {words.one, content ? std::move(*content) : Json(nullptr)}});
  }
  exchange->send(200, JsonObject{{words.id, id}, {"versions", std::move(list)}});
}

}  // namespace

std::vector<Route> version_routes(DataStore& store) {
  std::vector<Route> routes;
  for (const VersionedWords& words : kVersioned) {
    const std::string entry =
        to_text(object_schema({{words.id, kText}, {"versions", kWhole}, {"verdicts", kWhole}}));
    routes.push_back({.method = "GET",
                      .path = fmt::format("{}/{}", kDataBase, words.list),
                      .role = TokenRole::read,
                      .summary = words.summary,
                      .query = short_list_parameters(),
                      .answer = short_list_schema(words.list, entry),
                      .handle = [&store, &words](const ExchangePointer& exchange, const Json&) {
                        list_versioned(store, exchange, words);
                      }});
    const std::string version =
        to_text(object_schema({{"version", kWhole}, {"verdicts", kWhole}, {words.one, words.schema()}}));
    routes.push_back({.method = "GET",
                      .path = fmt::format("{}/{}", kDataBase, words.one),
                      .role = TokenRole::read,
                      .summary = fmt::format("One {} with the content of each version.", words.one),
                      .query = {id_parameter()},
                      .answer = object_schema({{words.id, kText}, {"versions", list_of(version)}}),
                      .statuses = {200, 400, 404},
                      .handle = [&store, &words](const ExchangePointer& exchange, const Json&) {
                        get_versions(store, exchange, words);
                      }});
  }
  return routes;
}

}  // namespace assay
