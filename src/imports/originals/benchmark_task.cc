#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/visible.h"
#include "imports/originals/originals.h"
#include "imports/promptfoo/reading.h"

namespace assay {
namespace {

using promptfoo::Node;
using promptfoo::Reading;

// Their prompts are format strings: braces of text are doubled. Ours fills declared parameters only.
std::string prompt_text(const Node& prompt) {
  std::string out;
  const std::string text = prompt.text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i] == text[i + 1] && (text[i] == '{' || text[i] == '}');
    out += text[i];
    if (doubled) ++i;
  }
  return out;
}

const std::string kTagNote =
    "an answer in a tag is not read here: ask for it in a ```json block, as the end of the prompt now does";

// The tool read the answer out of a tag; here it stands in a block.
std::string with_block(std::string prompt, const Node& tag, Reading& reading) {
  if (!tag.present()) return prompt;
  reading.note(tag, "result_tag_name", kTagNote);
  return fmt::format("{}\n\nGive the result as JSON in a ```json block at the end.\n", trim(prompt));
}

// The expected output: itself, or what stands in the file that is named.
Json expected_of(const Node& variation, Reading& reading) {
  if (const Node own = variation.member("expected_output"); own.present()) return own.value();
  const Node path = variation.member("ground_truth_path");
  if (!path.present()) return nullptr;
  const auto text = reading.files.read(path.text());
  if (!text) {
    reading.leave_out(path, "ground_truth_path", text.error().text());
    return nullptr;
  }
  if (auto tree = parse_json(trim(*text))) return std::move(*tree);
  return boost::json::string(trim(*text));
}

JsonArray variations_of(const Node& root, Reading& reading) {
  JsonArray list;
  for (const Node& variation : root.member("variations").items()) {
    if (!variation.member("parameters").present() && !variation.member("ground_truth_path").present()) {
      list.push_back(variation.value());  // as it is read here
      continue;
    }
    JsonObject one;
    if (variation.member("name").present()) one["name"] = variation.member("name").value();
    one["parameters"] =
        variation.member("parameters").is_object() ? variation.member("parameters").value() : JsonObject();
    if (Json expected = expected_of(variation, reading); !expected.is_null())
      one["expected_output"] = std::move(expected);
    if (const Node oracle = variation.member("oracle_data_file_paths"); oracle.present())
      reading.leave_out(oracle, "oracle_data_file_paths", "systems here fetch their data by tools");
    list.push_back(std::move(one));
  }
  // A prompt without parameters was a task of its own.
  if (!root.member("variations").present()) list.push_back(JsonObject{{"parameters", JsonObject()}});
  return list;
}

constexpr std::string_view kLeft[] = {"oracle_system_prompt", "oracle_prompt", "oracle_data_list"};

void take_prompts(const Node& root, JsonObject& task, Reading& reading) {
  // The newest shape has an object for each system, the older ones keys at the top.
  const Node promptql = root.member("promptql");
  const Node tools = root.member("tool_calling");
  const auto first = [](std::initializer_list<Node> nodes) {
    for (const Node& node : nodes) {
      if (node.present()) return node;
    }
    return Node();
  };
  if (const Node prompt = first({root.member("promptql_prompt"), promptql.member("retrieval_prompt")});
      prompt.present())
    task["promptql_prompt"] = prompt_text(prompt);
  if (const Node prompt = first(
          {root.member("tool_calling_prompt"), root.member("llm_prompt"), tools.member("retrieval_prompt")});
      prompt.present()) {
    const Node tag = first({root.member("result_tag_name"), tools.member("result_tag_name")});
    task["tool_calling_prompt"] = with_block(prompt_text(prompt), tag, reading);
  }
  if (const Node artifact =
          first({root.member("expected_promptql_artifact"), root.member("result_artifact_name"),
                 promptql.member("result_artifact_name")});
      artifact.present())
    task["expected_promptql_artifact"] = artifact.value();
  for (const Node& key : {root.member("result_artifact_key"), promptql.member("result_artifact_key")}) {
    if (key.present())
      reading.leave_out(
          key, "result_artifact_key",
          "the whole artifact is the answer: name the column in `scorer` ({name: ranking, key: …})");
  }
  for (const Node& node : {promptql.member("oracle_prompt"), tools.member("oracle_prompt")}) {
    if (node.present()) reading.leave_out(node, "oracle_prompt", "systems here fetch their data by tools");
  }
}

}  // namespace

Result<ImportedSuite> import_benchmark_task(const std::string& name, std::string_view text,
                                            const SuiteFiles& files) {
  auto root = promptfoo::read_document(name, text);
  if (!root) return fail(std::move(root.error()));
  Reading reading{files};
  JsonObject task;
  if (root->is_object()) take_prompts(*root, task, reading);
  const bool varies = root->is_object() && root->member("variations").present();
  if (task.empty() || (varies && !root->member("variations").is_list()))
    return fail(Error{ErrorKind::data,
                      "found no prompts for PromptQL or tool calling: is it a task of the benchmark?",
                      {{"file", name}}});
  JsonArray variations = variations_of(*root, reading);
  ImportedSuite suite;
  suite.cases = variations.size();
  for (const auto& [key, value] : root->members()) {
    if (key == "expected_tool_calls" || key == "scorer" || key == "tools" || key == "system_prompt") {
      task[key] = value.value();
    } else if (key == "repeat") {
      reading.note(value, "repeat", "it is in the config");
    } else if (promptfoo::among(key, kLeft)) {
      reading.leave_out(value, key, "systems here fetch their data by tools");
    }
  }
  task["variations"] = std::move(variations);
  JsonArray systems;
  if (task.contains("promptql_prompt")) systems.emplace_back("promptql");
  if (task.contains("tool_calling_prompt")) {
    systems.emplace_back("tool_calling");
    systems.emplace_back("tool_calling_python");
  }
  JsonObject config{{"evaluation", "benchmark"},
                    {"what", "imported from " + name},
                    {"input_dir", "tasks"},
                    {"system", std::move(systems)},
                    {"model", JsonArray{"claude"}}};
  if (task.contains("promptql_prompt")) config["promptql"] = JsonObject{{"version", "v2"}};
  if (const auto repeat = as_integer(root->member("repeat").value())) config["repeat"] = *repeat;
  if (!task.contains("tools"))
    reading.leave_out(
        *root, "tools",
        "the tool had its databases in its code: declare query_support_tickets and the like under "
        "`tools` (docs/tools.md)");
  suite.left_out = std::move(reading.left_out);
  suite.notes = std::move(reading.notes);
  const std::string made = fmt::format("# Made by `assay import benchmark {}`.\n", visible(name));
  suite.files = {{"assay.yaml", made + to_yaml(config)},
                 {fmt::format("tasks/{}.yaml", promptfoo::plain_name(promptfoo::stem_of_path(name), "task")),
                  made + to_yaml(task)}};
  return suite;
}

}  // namespace assay
