#include "evaluations/persona/job_status.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"
#include "evaluations/persona/records.h"

namespace assay::persona {
namespace {

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(boost::json::string(text));
}

}  // namespace

JsonObject to_json(const JobStatus& status, const JobParameters& parameters) {
  JsonArray tags;
  for (const std::string& tag : parameters.tags_dest) tags.emplace_back(tag);
  JsonArray personas;
  std::vector<std::string> ids;
  std::vector<std::string> names;
  for (const Persona& persona : parameters.personas) {
    personas.push_back(persona.json);
    ids.push_back(persona.id);
    names.push_back(persona.name);
  }
  JsonArray perspectives;
  for (const Perspective& one : parameters.perspectives)
    perspectives.push_back(JsonObject{{"id", one.id}, {"name", one.name}, {"text", one.text}});
  const bool excludes = parameters.exclude_existing && !parameters.tags_dest.empty();
  return JsonObject{
      {"job_id", status.job_id},
      {"status", status.status},
      {"message", status.message},
      {"processed_items", status.processed_items},
      {"processed_requests", status.processed_requests},
      {"failed_requests", status.failed_requests},
      {"skipped_items", status.skipped_items},
      {"remaining", status.remaining},
      {"init_remaining", status.init_remaining},
      {"items_to_process", value_or_null(parameters.items_to_process)},
      {"usage", usage_json(status.usage)},
      {"mode", to_string(parameters.mode)},
      {"tag_source", text_or_null(parameters.tag_source)},
      {"tags_dest", std::move(tags)},
      {"is_exclude_existing", parameters.exclude_existing},
      {"exclude_tag", excludes ? Json(boost::json::string(parameters.tags_dest.front())) : Json(nullptr)},
      {"openai_model", parameters.model},
      {"params", parameters.params},
      {"persona", personas.size() == 1 ? personas.front() : Json(personas)},
      {"persona_id", join(ids, ",")},
      {"persona_name", join(names, ", ")},
      {"perspectives", std::move(perspectives)},
      {"subset_tag", or_null(parameters.subset_tag)},
      {"subset_percent", value_or_null(parameters.subset_percent)},
      {"is_most_recent", parameters.most_recent},
      {"last_n_hours", value_or_null(parameters.last_n_hours)},
      {"by_uuid", parameters.by_uuid},
      {"is_async", parameters.async},
      {"is_dry_run", parameters.dry_run},
      {"is_error", status.is_error},
      {"finish_reason", text_or_null(status.finish_reason)},
      {"stop_reason", text_or_null(status.stop_reason)},
      {"error", text_or_null(status.error)}};
}

}  // namespace assay::persona
