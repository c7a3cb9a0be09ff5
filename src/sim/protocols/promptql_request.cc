// Which requests the simulated PromptQL service refuses, in the words and with the places of the framework
// that the real one is built on (FastAPI).
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/protocols/promptql.h"

namespace assay::sim {
namespace {

using Keys = std::span<const std::string_view>;

constexpr std::array<std::string_view, 10> kFirstKeys{
    "version",  "promptql_api_key", "llm",   "ai_primitives_llm", "ddn", "system_instructions", "artifacts",
    "timezone", "interactions",     "stream"};
constexpr std::array<std::string_view, 6> kSecondKeys{"version",  "ddn",          "artifacts",
                                                      "timezone", "interactions", "stream"};
constexpr std::array<std::string_view, 4> kModelKeys{"provider", "model", "base_url", "api_key"};
constexpr std::array<std::string_view, 3> kProviders{"hasura", "anthropic", "openai"};
constexpr std::array<std::string_view, 2> kFirstDdn{"url", "headers"};
constexpr std::array<std::string_view, 3> kSecondDdn{"build_id", "build_version", "headers"};
constexpr std::array<std::string_view, 4> kArtifactTypes{"text", "table", "visualization", "automation"};

enum class Must { be, may };

class Inspection {
 public:
  JsonArray problems_of(const Json& body) && {
    const JsonObject* root = object(body, {"body"});
    if (root != nullptr) inspect(*root);
    return std::move(problems_);
  }

 private:
  void problem(JsonArray place, std::string_view message, std::string_view type) {
    problems_.push_back(JsonObject{{"loc", std::move(place)}, {"msg", message}, {"type", type}});
  }

  static JsonArray below(JsonArray place, std::string_view step) {
    place.push_back(Json(boost::json::string(step)));
    return place;
  }

  // Null is as good as absent.
  const Json* member(const JsonObject& object, std::string_view key, const JsonArray& place, Must must) {
    const Json* found = object.if_contains(key);
    if (found != nullptr && !found->is_null()) return found;
    if (must == Must::be) problem(below(place, key), "Field required", "missing");
    return nullptr;
  }

  const JsonObject* object(const Json& value, const JsonArray& place) {
    if (!value.is_object()) problem(place, "Input should be a valid dictionary", "dict_type");
    return value.if_object();
  }

  std::string_view text(const JsonObject& around, std::string_view key, const JsonArray& place, Must must) {
    const Json* value = member(around, key, place, must);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get_string();
    problem(below(place, key), "Input should be a valid string", "string_type");
    return {};
  }

  const JsonArray* list(const JsonObject& around, std::string_view key, const JsonArray& place, Must must) {
    const Json* value = member(around, key, place, must);
    if (value != nullptr && !value->is_array()) {
      problem(below(place, key), "Input should be a valid list", "list_type");
    }
    return value == nullptr ? nullptr : value->if_array();
  }

  void one_of(const JsonObject& around, std::string_view key, const JsonArray& place, Keys allowed) {
    const std::size_t before = problems_.size();
    const std::string_view found = text(around, key, place, Must::be);
    if (problems_.size() > before || std::ranges::find(allowed, found) != allowed.end()) return;
    problem(below(place, key), fmt::format("Input should be '{}'", fmt::join(allowed, "' or '")),
            "literal_error");
  }

  void only(const JsonObject& around, Keys known, const JsonArray& place) {
    for (const auto& entry : around) {
      if (std::ranges::find(known, std::string_view(entry.key())) != known.end()) continue;
      problem(below(place, std::string_view(entry.key())), "Extra inputs are not permitted",
              "extra_forbidden");
    }
  }

  void inspect(const JsonObject& body) {
    constexpr std::array<std::string_view, 2> kVersions{"v1", "v2"};
    const JsonArray top{"body"};
    one_of(body, "version", top, kVersions);
    if (!problems_.empty()) return;  // which fields there are depends on it
    const bool first = text(body, "version", top, Must::be) == "v1";
    only(body, first ? Keys(kFirstKeys) : Keys(kSecondKeys), top);
    if (first) {
      text(body, "promptql_api_key", top, Must::may);
      text(body, "system_instructions", top, Must::may);
      for (const std::string_view key : {"llm", "ai_primitives_llm"}) inspect_model(body, key);
    }
    inspect_ddn(body, first);
    inspect_artifacts(body);
    if (const Json* zone = member(body, "timezone", top, Must::be)) {
      if (!zone->is_string()) {
        problem(below(top, "timezone"), "Input should be a valid string", "string_type");
      } else if (zone->get_string().empty()) {
        problem(below(top, "timezone"), "Value error, not the name of a time zone", "value_error");
      }
    }
    inspect_interactions(body);
    if (const Json* stream = member(body, "stream", top, Must::be)) {
      if (!stream->is_bool()) {
        problem(below(top, "stream"), "Input should be a valid boolean", "bool_type");
      } else if (stream->get_bool()) {
        problem(below(top, "stream"), "Value error, only stream: false is simulated", "value_error");
      }
    }
  }

  void inspect_model(const JsonObject& body, std::string_view key) {
    const Json* value = member(body, key, {"body"}, Must::may);
    const JsonArray place{"body", Json(boost::json::string(key))};
    const JsonObject* model = value == nullptr ? nullptr : object(*value, place);
    if (model == nullptr) return;
    only(*model, kModelKeys, place);
    one_of(*model, "provider", place, kProviders);
    text(*model, "model", place, Must::may);
    text(*model, "base_url", place, Must::may);
    const Json* provider = model->if_contains("provider");
    const bool own = provider != nullptr && *provider == "hasura";
    text(*model, "api_key", place, own ? Must::may : Must::be);
  }

  void inspect_ddn(const JsonObject& body, bool first) {
    const Json* value = member(body, "ddn", {"body"}, Must::be);
    const JsonArray place{"body", "ddn"};
    const JsonObject* ddn = value == nullptr ? nullptr : object(*value, place);
    if (ddn == nullptr) return;
    only(*ddn, first ? Keys(kFirstDdn) : Keys(kSecondDdn), place);
    if (first) {
      text(*ddn, "url", place, Must::be);
    } else {
      const bool id = !text(*ddn, "build_id", place, Must::may).empty();
      const bool version = !text(*ddn, "build_version", place, Must::may).empty();
      if (id && version) {
        problem(place, "Value error, only one of build_id and build_version can be given", "value_error");
      }
    }
    if (const Json* headers = member(*ddn, "headers", place, Must::may)) {
      const JsonArray inside = below(place, "headers");
      if (const JsonObject* named = object(*headers, inside)) {
        for (const auto& header : *named) text(*named, header.key(), inside, Must::be);
      }
    }
  }

  void inspect_artifacts(const JsonObject& body) {
    const JsonArray* artifacts = list(body, "artifacts", {"body"}, Must::may);
    if (artifacts == nullptr) return;
    for (std::size_t i = 0; i < artifacts->size(); ++i) {
      const JsonArray place{"body", "artifacts", i};
      const JsonObject* artifact = object((*artifacts)[i], place);
      if (artifact == nullptr) continue;
      text(*artifact, "identifier", place, Must::be);
      text(*artifact, "title", place, Must::be);
      one_of(*artifact, "artifact_type", place, kArtifactTypes);
      member(*artifact, "data", place, Must::be);
    }
  }

  void inspect_interactions(const JsonObject& body) {
    const JsonArray* interactions = list(body, "interactions", {"body"}, Must::be);
    if (interactions == nullptr) return;
    if (interactions->empty()) {
      problem({"body", "interactions"}, "List should have at least 1 item after validation", "too_short");
    }
    for (std::size_t i = 0; i < interactions->size(); ++i) {
      const JsonArray place{"body", "interactions", i};
      const JsonObject* interaction = object((*interactions)[i], place);
      if (interaction == nullptr) continue;
      if (const Json* message = member(*interaction, "user_message", place, Must::be)) {
        const JsonArray inside = below(place, "user_message");
        if (const JsonObject* user = object(*message, inside)) text(*user, "text", inside, Must::be);
      }
      list(*interaction, "assistant_actions", place, Must::may);
    }
  }

  JsonArray problems_;
};

}  // namespace

JsonArray promptql_problems(const Json& body) {
  return Inspection().problems_of(body);
}

}  // namespace assay::sim
