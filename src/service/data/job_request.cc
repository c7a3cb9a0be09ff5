#include "service/data/job_request.h"

#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/schema/schema.h"
#include "core/text.h"
#include "evaluations/persona/persona.h"
#include "evaluations/persona/schemas.h"

namespace assay {
namespace {

constexpr const char* kBodySchema = R"({
  "type": "object",
  "properties": {
    "tag_source": {"type": ["string", "null"], "description": "Items that have this tag."},
    "all_items": {"type": "boolean", "description": "Instead of tag_source or subset_tag: every item there is."},
    "tags_dest": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1,
                  "description": "Tags of the results. The first one decides what exists already."},
    "model": {"type": "string", "minLength": 1, "description": "The judge: provider/name or a name of the config."},
    "openai_model": {"type": "string", "minLength": 1, "description": "Another name of `model`."},
    "persona": {"type": "object", "description": "A persona: id, name, definition."},
    "perspectives": {"type": "array", "items": {"type": "object"}, "minItems": 1,
                     "description": "Perspectives: id, name, text."},
    "params": {"type": ["object", "null"], "description": "temperature, top_p, max_tokens, seed."},
    "openai_params": {"type": ["object", "null"], "description": "Another name of `params`."},
    "exclude_existing": {"type": "boolean", "default": true,
      "description": "Leave out items that have a result under the first destination tag for this persona and mode."},
    "is_exclude_existing": {"type": "boolean", "description": "Another name of `exclude_existing`."},
    "subset_tag": {"type": ["string", "null"], "description": "Members of this subset only."},
    "subset_percent": {"type": ["integer", "null"], "minimum": 1, "maximum": 100,
                       "description": "Which subset of the tag."},
    "most_recent": {"type": "boolean", "description": "Newest publication first."},
    "is_most_recent": {"type": "boolean", "description": "Another name of `most_recent`."},
    "last_n_hours": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 10000000,
                     "description": "Items published in the last hours only."},
    "by_uuid": {"type": "boolean", "description": "In the order of item ids."},
    "items_to_process": {"type": ["integer", "null"], "description": "At most so many items; below 1: all."},
    "async": {"type": "boolean", "description": "As in the query."},
    "is_async": {"type": "boolean", "description": "Another name of `async`."},
    "dry_run": {"type": "boolean", "description": "As in the query."},
    "is_dry_run": {"type": "boolean", "description": "Another name of `dry_run`."}
  },
  "additionalProperties": false,
  "required": ["tags_dest", "persona", "perspectives"],
  "anyOf": [{"required": ["model"]}, {"required": ["openai_model"]}]
})";

// A stored status has more members than a request may have.
const Schema& body_schema(JobSource source) {
  static const Schema request = Schema::compile(job_request_schema()).value();
  static const Schema status = [] {
    Json open = job_request_schema();
    open.get_object().erase("additionalProperties");
    return Schema::compile(open).value();
  }();
  return source == JobSource::request ? request : status;
}

const Json* either(const Json& body, std::string_view name, std::string_view other) {
  const Json* value = find_member(body, name);
  if (value == nullptr || value->is_null()) value = find_member(body, other);
  return value != nullptr && value->is_null() ? nullptr : value;
}

bool boolean_at(const Json& body, std::string_view name, std::string_view other, bool otherwise) {
  const Json* value = either(body, name, other);
  return value != nullptr ? as_boolean(*value).value_or(otherwise) : otherwise;
}

void read_perspectives(const Json& body, persona::JobParameters& parameters,
                       std::vector<FieldError>& errors) {
  std::set<std::string> seen;
  const JsonArray& list = list_at(body, "perspectives");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string pointer = fmt::format("/perspectives/{}", i);
    auto perspective = persona::read_perspective(list[i]);
    if (!perspective) {
      errors.push_back({pointer, perspective.error().message});
      continue;
    }
    if (!seen.insert(perspective->id).second)
      errors.push_back({pointer, fmt::format("the id \"{}\" is there twice", perspective->id)});
    parameters.perspectives.push_back(std::move(*perspective));
  }
}

}  // namespace

Json job_request_schema() {
  return parse_json(kBodySchema).value();
}

std::optional<persona::JobParameters> read_job_parameters(const Json& body, std::string_view mode,
                                                          JobSource source, std::vector<FieldError>& errors) {
  const std::size_t before = errors.size();
  for (const SchemaDefect& defect : body_schema(source).validate(body))
    errors.push_back({defect.instance_pointer, defect.message});
  if (errors.size() > before) return std::nullopt;

  persona::JobParameters parameters;
  parameters.mode = persona::mode_of(mode).value_or(persona::Mode::mode2);
  parameters.tag_source = text_at(body, "tag_source");
  for (const Json& tag : list_at(body, "tags_dest"))
    parameters.tags_dest.emplace_back(as_text(tag).value_or(""));
  parameters.model = std::string(as_text(*either(body, "model", "openai_model")).value_or(""));
  const Json persona_json = persona::camel_case(*find_member(body, "persona"));
  for (const SchemaDefect& defect : persona::schema("persona.schema.json").validate(persona_json))
    errors.push_back({"/persona" + defect.instance_pointer, defect.message});
  if (auto read = persona::read_persona(persona_json)) parameters.personas.push_back(std::move(*read));
  read_perspectives(body, parameters, errors);
  if (const Json* params = either(body, "params", "openai_params")) {
    parameters.params = params->get_object();
    std::vector<std::string> problems;
    (void)persona::sampling_of(parameters.params, problems);
    for (std::string& problem : problems) errors.push_back({"/params", std::move(problem)});
  }
  parameters.exclude_existing = boolean_at(body, "exclude_existing", "is_exclude_existing", true);
  parameters.most_recent = boolean_at(body, "most_recent", "is_most_recent", false);
  parameters.by_uuid = boolean_at(body, "by_uuid", "by_uuid", false);
  parameters.async = boolean_at(body, "async", "is_async", false);
  parameters.dry_run = boolean_at(body, "dry_run", "is_dry_run", false);
  parameters.subset_tag = find_text(body, "subset_tag");
  if (const Json* percent = either(body, "subset_percent", "subset_percent"))
    parameters.subset_percent = static_cast<int>(as_integer(*percent).value_or(0));
  if (parameters.subset_tag.has_value() != parameters.subset_percent.has_value())
    errors.push_back({parameters.subset_tag ? "/subset_percent" : "/subset_tag",
                      "missing: subset_tag and subset_percent go together"});
  // Every item is asked about for money: that is said, not left out.
  const bool all_items = boolean_at(body, "all_items", "all_items", false);
  const bool narrowed = !parameters.tag_source.empty() || parameters.subset_tag.has_value();
  if (source == JobSource::request && narrowed == all_items) {
    errors.push_back(
        narrowed
            ? FieldError{"/all_items", "found together with tag_source or subset_tag, expected one of them"}
            : FieldError{"/tag_source",
                         "missing: the tag of the items to judge; all_items: true judges every item"});
  }
  if (const Json* hours = either(body, "last_n_hours", "last_n_hours"))
    parameters.last_n_hours = as_number(*hours);
  if (const Json* items = either(body, "items_to_process", "items_to_process"))
    parameters.items_to_process = as_integer(*items);
  if (errors.size() > before) return std::nullopt;
  return parameters;
}

}  // namespace assay
