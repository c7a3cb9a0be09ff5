#include "imports/promptfoo/providers.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "imports/promptfoo/model_settings.h"
#include "imports/promptfoo/template.h"

namespace assay::promptfoo {
namespace {

constexpr std::size_t kMostProviders = 1000;  // files of providers may name files

constexpr auto kKnownEndpointSettings = std::to_array<std::string_view>(
    {"url", "method", "headers", "body", "transformResponse", "responseParser"});

std::optional<Provider> left_out(const Node& at, const std::string& id, const std::string& why,
                                 Reading& reading) {
  reading.leave_out(at, "provider " + id, why);
  return std::nullopt;
}

// A text body that is JSON around its templates, as a tree, so that what is filled in is written as JSON has
// it;
// `{{prompt | dump}}` is a text of its own there. Any other body stays as it is.
Json body_of(const Node& body) {
  const auto pattern = body.is_text() ? parse_template(body.text()) : fail(ErrorKind::data, "");
  if (!pattern) return body.value();
  std::string text;
  for (const TemplatePart& part : pattern->parts) {
    if (part.kind == TemplatePart::Kind::literal) {
      text += part.text;
      continue;
    }
    const std::string_view expression = part.text;
    const std::size_t filter = expression.find('|');
    const std::string_view filters =
        filter == std::string_view::npos ? "" : trim(expression.substr(filter + 1));
    const bool dumped = filters == "dump" || filters == "tojson" || filters == "dump | safe";
    text += dumped ? fmt::format("\"{{{{{}}}}}\"", trim(expression.substr(0, filter)))
                   : fmt::format("{{{{{}}}}}", expression);
  }
  auto tree = parse_json(text);
  if (!tree || !tree->is_structured()) return body.value();
  return std::move(*tree);
}

std::optional<Provider> http_provider(const std::string& id, const Node& config, const Node& at,
                                      Reading& reading) {
  const std::string url = config.member("url").is_text() ? config.text_of("url") : id;
  if (config.member("request").present())
    return left_out(at, id, "a raw HTTP request is not read; write url, method, headers and body", reading);
  const std::string address = with_environment(url);
  if (!address.starts_with("http://") && !address.starts_with("https://") && !address.starts_with("${"))
    return left_out(at, id, "it has no url", reading);
  JsonObject http = {{"url", url}};
  const std::string method = upper_ascii(config.text_of("method"));
  if (!method.empty()) http["method"] = method;
  if (config.member("headers").is_object())
    http["headers"] = headers_of(config.member("headers"), "provider " + id, reading);
  if (config.member("body").present()) http["body"] = body_of(config.member("body"));
  Provider out;
  out.kind = Provider::Kind::http;
  const Node transform = config.member("transformResponse").present() ? config.member("transformResponse")
                                                                      : config.member("responseParser");
  if (transform.present() && transform.text() != "text") {
    const auto pointer = pointer_of_path(transform.text());
    if (!pointer)
      return left_out(
          transform, id,
          "its transformResponse is a program; name the place as a JSON pointer: map: {output: /…}", reading);
    out.output_pointer = *pointer;
  }
  for (const auto& [setting, value] : config.members()) {
    if (!among(setting, kKnownEndpointSettings))
      reading.leave_out(value, fmt::format("{} of provider {}", setting, id),
                        "an endpoint has no such setting here");
  }
  out.settings = std::move(http);
  return out;
}

// The schema of a reply that must be JSON; null if there is none. It may stand in a file.
Json reply_schema(Node format, Reading& reading) {
  if (const std::string path = file_of(format.text()); !path.empty()) {
    const auto content = reading.files.read(path);
    const auto document = content ? read_document(path, *content) : fail(content.error());
    if (!document) {
      reading.leave_out(format, path, document.error().text());
      return nullptr;
    }
    format = *document;
  }
  const Node inner = format.member("json_schema").is_object() ? format.member("json_schema") : format;
  return inner.member("schema").is_object() ? inner.member("schema").value() : nullptr;
}

std::optional<Provider> command_provider(const std::string& id, const Node& at, Reading& reading) {
  JsonArray words;
  const std::string_view line = trim(std::string_view(id).substr(5));
  if (line.find_first_of("\"'\\|<>&;$`") != std::string_view::npos)
    return left_out(at, id, "a line for a shell; put it into a script and name that", reading);
  for (const std::string_view word : split(line, ' ')) {
    if (!word.empty()) words.emplace_back(std::string(word));
  }
  if (words.empty()) return left_out(at, id, "it names no program", reading);
  reading.note(at, "provider " + id,
               "the program is given the prompt as its last argument, without promptfoo's options and "
               "context behind it");
  Provider out;
  out.kind = Provider::Kind::command;
  out.settings = std::move(words);
  return out;
}

}  // namespace

std::optional<std::string> pointer_of_path(std::string_view expression) {
  std::string_view rest = trim(expression);
  for (const std::string_view head : {"(json) =>", "json =>", "return "}) {
    if (rest.starts_with(head)) rest = trim(rest.substr(head.size()));
  }
  if (rest.ends_with(';')) rest = trim(rest.substr(0, rest.size() - 1));
  if (!rest.starts_with("json")) return std::nullopt;
  rest.remove_prefix(4);
  std::string pointer;
  while (!rest.empty()) {
    if (rest.starts_with("?.")) rest.remove_prefix(rest.starts_with("?.[") ? 2 : 1);
    if (rest.front() == '.') {
      std::size_t end = 1;
      while (end < rest.size() && is_name(rest.substr(end, 1))) ++end;
      if (end == 1) return std::nullopt;
      pointer += "/" + std::string(rest.substr(1, end - 1));
      rest.remove_prefix(end);
    } else if (rest.front() == '[') {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos || close < 2) return std::nullopt;
      std::string_view key = rest.substr(1, close - 1);
      if (key.size() > 2 && (key.front() == '"' || key.front() == '\'')) key = key.substr(1, key.size() - 2);
      if (!is_name(key)) return std::nullopt;
      pointer += "/" + std::string(key);
      rest.remove_prefix(close + 1);
    } else {
      return std::nullopt;
    }
  }
  return pointer;
}

std::optional<OutputPart> part_of_output(std::string_view transform) {
  constexpr std::string_view kReturn = "return ";
  constexpr std::string_view kParsed = "JSON.parse(output)";
  constexpr std::string_view kOutput = "output";
  std::string_view rest = trim(transform);
  if (rest.starts_with(kReturn)) rest = trim(rest.substr(kReturn.size()));
  const bool parsed = rest.starts_with(kParsed);
  if (!parsed && !rest.starts_with(kOutput)) return std::nullopt;
  rest.remove_prefix(parsed ? kParsed.size() : kOutput.size());
  auto pointer = pointer_of_path(fmt::format("json{}", rest));
  if (!pointer) return std::nullopt;
  return OutputPart{std::move(*pointer), parsed};
}

std::optional<Provider> read_provider(const Node& provider, Reading& reading) {
  Node config;
  std::string id = provider.text();
  if (provider.is_object()) {
    id = provider.text_of("id");
    config = provider.member("config");
    // The short form: {"openai:gpt-4o": {config…}}.
    const auto members = provider.members();
    if (id.empty() && members.size() == 1) {
      id = members.front().first;
      config = members.front().second.member("config").present() ? members.front().second.member("config")
                                                                 : members.front().second;
    }
  }
  std::optional<Provider> out;
  if (id.empty()) {
    return left_out(provider, "without an id", "it cannot be told what is asked", reading);
  } else if (id == "echo") {
    out.emplace().kind = Provider::Kind::echo;
  } else if (id.starts_with("exec:")) {
    out = command_provider(id, provider, reading);
  } else if (id == "http" || id == "https" || id.starts_with("http://") || id.starts_with("https://")) {
    out = http_provider(id, config, provider, reading);
  } else if (!file_of(id).empty() || id.starts_with("python:") || id.starts_with("javascript:")) {
    return left_out(provider, id,
                    "a provider that is a program of promptfoo's; call your own as `command`, which gets the "
                    "case as JSON on stdin",
                    reading);
  } else {
    auto settings = model_settings(id, config, provider, reading);
    if (!settings) return std::nullopt;
    out.emplace().settings = std::move(*settings);
    out->schema = reply_schema(config.member("response_format"), reading);
  }
  if (!out) return out;
  if (provider.member("transform").present())
    reading.leave_out(provider.member("transform"), "transform of provider " + id,
                      "outputs are looked at as they came; a JSON pointer in `of` takes a part");
  out->id = id;
  out->label = provider.text_of("label");
  out->at = provider;
  for (const Node& prompt : provider.member("prompts").items()) out->prompts.push_back(prompt.text());
  return out;
}

std::vector<Provider> read_providers(const Node& providers, Reading& reading) {
  std::vector<Node> entries = providers.items();
  if (providers.is_text() || providers.is_object()) entries = {providers};
  std::vector<Provider> out;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries.size() && i < kMostProviders; ++i) {
    const Node entry = entries[i];
    // A file with one provider or several.
    const std::string path = file_of(entry.text());
    const std::string end = extension_of(path);
    if (end == ".yaml" || end == ".yml" || end == ".json") {
      const auto content = reading.files.read(path);
      const auto document = content ? read_document(path, *content) : fail(content.error());
      if (!document) {
        reading.leave_out(entry, "provider " + path, document.error().text());
      } else if (document->is_list()) {
        for (const Node& one : document->items()) entries.push_back(one);
      } else {
        entries.push_back(*document);
      }
      continue;
    }
    auto provider = read_provider(entry, reading);
    if (!provider) continue;
    const std::string name_of_model = text_at(provider->settings, "name");
    const std::string wanted = !provider->label.empty() ? provider->label
                               : !name_of_model.empty() ? name_of_model
                                                        : provider->id;
    provider->name = unique_name(plain_name(wanted, fmt::format("provider_{}", out.size() + 1)), names);
    out.push_back(std::move(*provider));
  }
  return out;
}

}  // namespace assay::promptfoo
