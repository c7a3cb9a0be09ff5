#include "tools/tool_kind.h"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"

namespace assay {

std::string ToolMeans::identity_of(const ToolSpec& tool) {
  return fmt::format("{} {}", tool.timeout.count(), canonical_text(to_json(tool)));
}

Task<Result<Json>> ToolAction::list(ToolMeans& /*means*/, std::shared_ptr<const ToolSpec> server,
                                    std::shared_ptr<ToolSession> /*session*/) const {
  co_return fail(ErrorKind::internal, fmt::format("a tool of kind {} is no server", kind_word(*server)));
}

std::size_t ToolDeclaration::size(std::string_view key, std::size_t fallback) const {
  const auto value = values_.integer(key);
  return value ? static_cast<std::size_t>(*value) : fallback;
}

void ToolDeclaration::complain_of_secret(std::string_view key) {
  complain(
      fmt::format("{}: a secret in a declaration ends up in the files of the run; write ${{NAME}} in its "
                  "place and put it into that environment variable",
                  key));
}

NamedTexts ToolDeclaration::named_texts(std::string_view key) {
  NamedTexts texts;
  const Json* value = values_.find(key);
  if (value == nullptr) return texts;
  if (!value->is_object()) {
    complain(fmt::format("{}: found {}, expected names with texts", key, excerpt(*value)));
    return texts;
  }
  for (const auto& [name, item] : value->get_object()) {
    texts.emplace_back(name, text_or_json(item));
    if (has_secrets(JsonObject{{key, JsonObject{{name, item}}}}))
      complain_of_secret(fmt::format("{}.{}", key, std::string_view(name)));
  }
  return texts;
}

std::string ToolDeclaration::url() {
  std::string url = values_.text("url");
  const bool http = url.starts_with("http://") || url.starts_with("https://");
  if (values_.has("url") && !http)
    complain(
        fmt::format("url: found {}, expected http://… or https://…", shorten(url_without_secrets(url), 80)));
  if (has_secrets(JsonObject{{"url", url}})) complain_of_secret("url");
  return url;
}

Json ToolDeclaration::parameters() {
  const Json* given = values_.find("parameters");
  if (given == nullptr) return JsonObject{{"type", "object"}, {"properties", JsonObject{}}};
  if (!given->is_object())
    complain(fmt::format("parameters: found {}, expected a JSON schema", excerpt(*given)));
  return *given;
}

Key environment_key() {
  return {.name = "environment",
          .type = KeyType::any,
          .help =
              "variables of the program beside a harmless few of ours; `${NAME}` is filled from the "
              "environment.",
          .fills = Fills::when_used};
}

Key headers_key() {
  return {.name = "headers",
          .type = KeyType::any,
          .help = "headers; `${NAME}` is filled from the environment and kept secret.",
          .fills = Fills::when_used};
}

Key parameters_key() {
  return {.name = "parameters",
          .type = KeyType::any,
          .help = "JSON schema of the arguments; a call that does not fit is not run."};
}

Key sandbox_key(std::string help) {
  return {.name = "sandbox", .help = std::move(help), .choices = {"bubblewrap", "none"}};
}

Key readable_key() {
  return {.name = "readable",
          .type = KeyType::path_list,
          .help = "further paths that the sandbox shows, read-only."};
}

JsonArray list_of(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

JsonObject object_of(const NamedTexts& texts) {
  JsonObject object;
  for (const auto& [name, value] : texts) object.insert_or_assign(name, value);
  return object;
}

Json one_text_argument(std::string_view name, std::string_view description) {
  JsonObject argument{{"type", "string"}, {"description", description}};
  return JsonObject{{"type", "object"},
                    {"properties", JsonObject{{name, std::move(argument)}}},
                    {"required", JsonArray{boost::json::string(name)}},
                    {"additionalProperties", false}};
}

}  // namespace assay
