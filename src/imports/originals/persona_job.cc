#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "imports/datasets/records.h"
#include "imports/originals/originals.h"
#include "imports/promptfoo/reading.h"

namespace assay {
namespace {

using promptfoo::Node;
using promptfoo::Reading;

// Keys of a job that say which stored items it takes; here the file of items says that.
constexpr std::string_view kChoosing[] = {"tag_source",     "exclude_existing", "subset_tag",
                                          "subset_percent", "is_most_recent",   "most_recent",
                                          "last_n_hours",   "by_uuid",          "items_to_process"};
constexpr std::string_view kIgnored[] = {"async", "dry_run", "lightweight_mode", "agent", "client_id"};

// `{id, name, text}`, also under the names that records have.
JsonArray perspectives_of(const Node& list) {
  JsonArray out;
  for (const Node& one : list.items()) {
    JsonObject perspective;
    for (const std::string_view key : {"id", "name", "text"}) {
      std::string other =
          fmt::format("perspective{}{}", static_cast<char>(key[0] - 'a' + 'A'), key.substr(1));
      const Node value = one.member(key).present() ? one.member(key) : one.member(other);
      if (value.present()) perspective[key] = value.value();
    }
    if (!perspective.contains("name") && perspective.contains("id")) perspective["name"] = perspective["id"];
    out.push_back(std::move(perspective));
  }
  return out;
}

// An item of an evaluation request as a stored one.
JsonObject item_of(const Node& item, Reading& reading) {
  if (item.member("contentItemSummary").present()) return item.value().get_object();
  JsonObject out;
  const auto id = item.member("id").present() ? item.member("id") : item.member("itemId");
  out["contentItemSummary"] = JsonObject{{"itemId", text_or_json(id.value())}};
  const std::pair<std::string_view, std::string_view> names[] = {{"sent", "evaluateTime"},
                                                                 {"title", "evaluateTitle"},
                                                                 {"content", "evaluateText"},
                                                                 {"text", "evaluateText"}};
  for (const auto& [theirs, ours] : names) {
    if (const Node value = item.member(theirs); value.present()) out[ours] = value.value();
  }
  JsonArray classifications;
  for (const Node& one : item.member("classifications").items()) {
    JsonObject classification;
    const std::pair<std::string_view, std::string_view> keys[] = {{"id", "classificationName"},
                                                                  {"name", "classificationName"},
                                                                  {"desc", "classificationDesc"},
                                                                  {"selected", "classificationValue"},
                                                                  {"available", "classificationOptions"}};
    for (const auto& [theirs, ours] : keys) {
      if (const Node value = one.member(theirs); value.present() && !classification.contains(ours))
        classification[ours] = value.value();
    }
    classifications.push_back(std::move(classification));
  }
  if (!out.contains("evaluateTime")) {
    out["evaluateTime"] = 0;
    reading.note(item, "sent", "an item without a time has 1970-01-01");
  }
  if (classifications.empty()) reading.leave_out(item, "item", "it has no classifications to agree with");
  out["evaluateClassifications"] = std::move(classifications);
  return out;
}

}  // namespace

Result<ImportedSuite> import_persona_job(const std::string& name, std::string_view text) {
  auto root = promptfoo::read_document(name, text);
  if (!root) return fail(std::move(root.error()));
  const Node persona = root->is_object() ? root->member("persona") : Node();
  if (!persona.is_object())
    return fail(Error{ErrorKind::data,
                      "found no persona: is it the body of process-evals, or an evaluation request?",
                      {{"file", name}}});
  const SuiteFiles none;
  Reading reading{none};
  JsonObject config{{"evaluation", "persona"},
                    {"what", "imported from " + name},
                    {"items", "items.jsonl"},
                    {"persona", JsonArray{"persona.json"}}};
  config["mode"] = root->member("mode").is_text() ? root->member("mode").text() : "mode2";
  if (!root->member("mode").is_text())
    reading.note(*root, "mode", "it stood in the address of the request: mode2 is set, see that it is right");
  config["perspectives"] = perspectives_of(root->member("perspectives"));
  const std::string model = root->member("model").text();
  config["model"] = model.empty()                          ? "openai/gpt-4o"
                    : model.find('/') == std::string::npos ? "openai/" + model
                                                           : model;
  std::vector<JsonObject> items;
  for (const auto& [key, value] : root->members()) {
    if (key == "tags_dest") {
      config[key] = value.value();
    } else if (key == "openai_params" || key == "params") {
      config["params"] = value.value();
    } else if (key == "items") {
      for (const Node& item : value.items()) items.push_back(item_of(item, reading));
    } else if (promptfoo::among(key, kChoosing)) {
      reading.leave_out(value, key,
                        "items come from a file here: fetch-evaluation-items gives those of the service, "
                        "or let the job run on `assay serve`, which takes this key");
    } else if (key != "persona" && key != "perspectives" && key != "model" && key != "mode" &&
               !promptfoo::among(key, kIgnored)) {
      reading.leave_out(value, key, "there is no such key");
    }
  }
  if (items.empty())
    reading.leave_out(*root, "items",
                      "there are none in it: write items.jsonl, a line an item, before assay check");
  ImportedSuite suite;
  suite.cases = items.size();
  suite.left_out = std::move(reading.left_out);
  suite.notes = std::move(reading.notes);
  suite.files = {datasets::config_file(config, "persona", name),
                 {"persona.json", pretty_text(persona.value())}};
  if (!items.empty()) {
    ImportedFile file = datasets::cases_file(items);
    file.path = "items.jsonl";
    suite.files.push_back(std::move(file));
  }
  return suite;
}

}  // namespace assay
