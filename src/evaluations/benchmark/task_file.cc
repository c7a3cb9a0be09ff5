#include "evaluations/benchmark/task_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace assay::benchmark {
namespace {

constexpr std::size_t kMostBytes = 16'000'000;
constexpr std::size_t kMostVariations = 10'000;
constexpr std::size_t kMostWarnings = 200;
constexpr std::size_t kMostNamed = 5;  // variations in one warning
constexpr std::array<std::string_view, 3> kPrompts = {"promptql_prompt", "tool_calling_prompt",
                                                      "system_prompt"};

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

// Calls `found(begin, end)` for each "{…}" without a brace inside.
template <class Found>
void for_each_brace(std::string_view text, Found found) {
  std::size_t open = std::string_view::npos;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') open = at;
    if (text[at] != '}' || open == std::string_view::npos) continue;
    found(open, at + 1);
    open = std::string_view::npos;
  }
}

std::string_view inside(std::string_view text, std::size_t begin, std::size_t end) {
  return text.substr(begin + 1, end - begin - 2);
}

class TaskReader {
 public:
  TaskReader(ReadTask& read, const std::string& file) : read_(read), file_(file) {}

  void run() {
    const Json& root = read_.document.value;
    if (!root.is_object()) {
      return complain("", "",
                      fmt::format("found {}, expected keys with values",
                                  root.is_null() ? std::string("nothing") : excerpt(root)));
    }
    ResolvedConfig resolved = resolve_config(task_keys(), {file_, read_.document, {}});
    read_.problems = std::move(resolved.problems);
    const Config& config = resolved.config;
    TaskFile& task = read_.task;
    task.promptql_prompt = prompt(config, "promptql_prompt");
    task.tool_calling_prompt = prompt(config, "tool_calling_prompt");
    task.system_prompt = prompt(config, "system_prompt");
    if (!root.get_object().contains("promptql_prompt") &&
        !root.get_object().contains("tool_calling_prompt")) {
      complain("", "", "promptql_prompt or tool_calling_prompt is needed");
    }
    for (const std::string& name : config.texts("expected_tool_calls")) {
      if (std::ranges::find(task.expected_tool_calls, name) == task.expected_tool_calls.end())
        task.expected_tool_calls.push_back(name);
    }
    task.expected_promptql_artifact = config.text("expected_promptql_artifact");
    if (task.promptql_prompt && task.expected_promptql_artifact.empty()) {
      warn("/promptql_prompt", "expected_promptql_artifact",
           "missing; without it no answer of PromptQL can be found");
    }
    if (const Json* tools = config.find("tools")) task.tools = *tools;
    if (config.has("scorer")) task.scorer = read_scorer(read_.document, "/scorer", file_, read_.problems);
    read_variations(find_member(root, "variations"));
    check_placeholders();
    check_scorers();
  }

 private:
  std::optional<std::string> prompt(const Config& config, const std::string& key) {
    if (!config.has(key)) return std::nullopt;
    std::string text = config.text(key);
    if (trim(text).empty()) complain("/" + key, key, "the prompt is empty");
    return text;
  }

  void read_variations(const Json* list) {
    auto& variations = read_.task.variations;
    if (list == nullptr || list->is_null()) {
      variations.emplace_back();
      return;
    }
    const auto* items = list->if_array();
    if (items == nullptr || items->empty() || items->size() > kMostVariations) {
      return complain(
          "/variations", "variations",
          fmt::format("found {}, expected a list of 1 to {} variations",
                      items != nullptr && !items->empty() ? fmt::format("{}", items->size()) : excerpt(*list),
                      kMostVariations));
    }
    for (std::size_t i = 0; i < items->size(); ++i) variations.push_back(read_variation((*items)[i], i));
  }

  Variation read_variation(const Json& item, std::size_t index) {
    const std::string pointer = fmt::format("/variations/{}", index);
    const std::string key = fmt::format("variations[{}]", index);
    Variation variation;
    if (!item.is_object()) {
      complain(pointer, key, fmt::format("found {}, expected parameters with values", excerpt(item)));
      return variation;
    }
    for (const auto& [name, value] : item.get_object()) {
      if (name == "parameters") continue;
      if (name == "expected_output") {
        variation.expected_output = value;
        continue;
      }
      if (name == "name") variation.name = value.is_null() ? "" : text_or_json(value);
      add_parameter(variation, name, value, pointer, key);
    }
    const Json* parameters = find_member(item, "parameters");
    if (parameters == nullptr || parameters->is_null()) return variation;
    if (!parameters->is_object()) {
      complain(pointer + "/parameters", key + ".parameters",
               fmt::format("found {}, expected names with values", excerpt(*parameters)));
      return variation;
    }
    for (const auto& [name, value] : parameters->get_object())
      add_parameter(variation, name, value, pointer + "/parameters", key + ".parameters");
    return variation;
  }

  void add_parameter(Variation& variation, std::string_view name, const Json& value,
                     const std::string& pointer, const std::string& key) {
    if (value.is_null()) {
      return complain(fmt::format("{}/{}", pointer, name), fmt::format("{}.{}", key, name),
                      "found nothing, expected a value");
    }
    variation.parameters.insert_or_assign(std::string(name), text_or_json(value));
  }

  // What is asked for and what is given, held against each other.
  void check_placeholders() {
    const auto& variations = read_.task.variations;
    std::map<std::string, std::size_t> filled;  // by how many variations
    for (const Variation& variation : variations) {
      for (const auto& [name, value] : variation.parameters) ++filled[name];
    }
    std::set<std::string> used;
    for (const std::string_view key : kPrompts) {
      const Json* text = find_member(read_.document.value, key);
      if (text == nullptr || !text->is_string()) continue;
      for_each_brace(text->get_string(), [&](std::size_t begin, std::size_t end) {
        used.emplace(inside(text->get_string(), begin, end));
      });
      for (const std::string& name : placeholders(text->get_string())) {
        const auto count = filled.find(name);
        check_filled(name, count == filled.end() ? 0 : count->second, std::string(key));
      }
    }
    std::set<std::string> told;
    for (std::size_t i = 0; i < variations.size(); ++i) {
      for (const auto& [name, value] : variations[i].parameters) {
        // `name` is there for people even if no prompt uses it.
        if (name == "name" || used.contains(name) || !told.insert(name).second) continue;
        warn(fmt::format("/variations/{}", i), fmt::format("variations[{}].{}", i, name),
             fmt::format("no prompt uses the parameter; a prompt would say {{{}}}", name));
      }
    }
  }

  void check_filled(const std::string& name, std::size_t filled, const std::string& key) {
    const auto& variations = read_.task.variations;
    if (filled == variations.size() || read_.warnings.size() >= kMostWarnings) return;
    if (filled == 0) {
      return warn("/" + key, key,
                  fmt::format("no variation fills the placeholder {{{}}}; it stays as it is", name));
    }
    std::vector<std::size_t> lacking;
    for (std::size_t i = 0; i < variations.size() && lacking.size() < kMostNamed; ++i) {
      if (!variations[i].parameters.contains(name)) lacking.push_back(i);
    }
    const std::size_t count = variations.size() - filled;
    warn(fmt::format("/variations/{}", lacking.front()), key,
         fmt::format("the placeholder {{{}}} is not filled by {} of {} variations: {}{}", name, count,
                     variations.size(), fmt::join(lacking, ", "), lacking.size() < count ? ", …" : ""));
  }

  void check_scorers() {
    const auto& variations = read_.task.variations;
    for (std::size_t i = 0; i < variations.size(); ++i) {
      const auto scorer = read_.task.scorer ? read_.task.scorer : read_.task.scorer_for(variations[i]);
      const auto& expected = variations[i].expected_output;
      if (!scorer) continue;
      for (std::string& text : misfits(*scorer, expected ? &*expected : nullptr))
        warn(fmt::format("/variations/{}", i), fmt::format("variations[{}]", i), std::move(text));
    }
  }

  std::string place(std::string pointer) const {
    YamlPosition position = read_.document.position(pointer);
    while (position.line == 0 && !pointer.empty()) {
      pointer.resize(pointer.rfind('/'));
      position = read_.document.position(pointer);
    }
    if (position.line == 0) return file_;
    return fmt::format("{}, line {}, column {}", file_, position.line, position.column);
  }

  void complain(const std::string& pointer, std::string key, std::string text) {
    read_.problems.push_back({place(pointer), std::move(key), std::move(text)});
  }
  void warn(const std::string& pointer, std::string key, std::string text) {
    if (read_.warnings.size() < kMostWarnings)
      read_.warnings.push_back({place(pointer), std::move(key), std::move(text)});
  }

  ReadTask& read_;
  const std::string& file_;
};

}  // namespace

std::optional<Scorer> TaskFile::scorer_for(const Variation& variation) const {
  if (scorer && (variation.expected_output || !needs_expected(*scorer))) return scorer;
  if (!variation.expected_output) return std::nullopt;
  return default_scorer(*variation.expected_output);
}

Keys task_keys() {
  return {
      {.name = "promptql_prompt", .help = "what PromptQL is asked; {name} stands for a parameter"},
      {.name = "tool_calling_prompt", .help = "what a model with tools is asked"},
      {.name = "system_prompt", .help = "what the model with tools is told first"},
      {.name = "expected_tool_calls",
       .type = KeyType::text_list,
       .help = "tools that must be called; a model that answers without them is nudged"},
      {.name = "expected_promptql_artifact", .help = "the artifact whose data are PromptQL's answer"},
      {.name = "variations",
       .type = KeyType::any,
       .help = "a list; each with its parameters and its expected_output",
       .example = "[{parameters: {data: last 20}, expected_output: [{ticket_id: 123}]}]"},
      {.name = "scorer",
       .type = KeyType::any,
       .help = "how the answer is scored; default: by the form of expected_output",
       .example = "{name: ranking, key: ticket_id}"},
      {.name = "tools",
       .type = KeyType::any,
       .help = "what the model may call, beside the tools of the config"},
  };
}

Result<ReadTask> read_task(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) {
    return fail(Error{ErrorKind::data,
                      fmt::format("found {} bytes, expected at most {}", text.size(), kMostBytes),
                      {{"file", file}}});
  }
  auto document = parse_yaml(text);
  if (!document) return fail(std::move(document.error()).with("file", file));
  ReadTask read;
  read.document = std::move(*document);
  TaskReader(read, file).run();
  return read;
}

std::string fill(std::string_view prompt, const Parameters& parameters) {
  std::string filled;
  std::size_t from = 0;
  for_each_brace(prompt, [&](std::size_t begin, std::size_t end) {
    const auto parameter = parameters.find(std::string(inside(prompt, begin, end)));
    if (parameter == parameters.end()) return;
    filled.append(prompt.substr(from, begin - from)).append(parameter->second);
    from = end;
  });
  return filled.append(prompt.substr(from));
}

std::vector<std::string> placeholders(std::string_view prompt) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for_each_brace(prompt, [&](std::size_t begin, std::size_t end) {
    const std::string_view name = inside(prompt, begin, end);
    if (is_name(name) && seen.insert(name).second) names.emplace_back(name);
  });
  return names;
}

}  // namespace assay::benchmark
