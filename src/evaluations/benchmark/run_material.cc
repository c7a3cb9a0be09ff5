#include "evaluations/benchmark/run_material.h"

#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"
#include "evaluations/benchmark/run_file.h"
#include "evaluations/benchmark/standing.h"

namespace assay::benchmark {
namespace {

JsonObject message(std::string_view role, std::string_view text) {
  return JsonObject{{"role", role}, {"text", text}};
}

std::string words(const Json& value) {
  const auto text = as_text(value);
  return text ? std::string(*text) : to_text(value);
}

// What was called, and what that gave.
void add_call(const std::string& id, std::string_view name, const Json& arguments, const Json* result,
              JsonArray& messages) {
  JsonObject asked = message("assistant", "");
  asked["tool_calls"] = JsonArray{JsonObject{{"id", id}, {"name", name}, {"arguments", arguments}}};
  messages.push_back(std::move(asked));
  if (result == nullptr) return;
  JsonObject answered = message("tool", words(*result));
  answered["tool_call_id"] = id;
  messages.push_back(std::move(answered));
}

void add_entry(const Entry& entry, JsonArray& messages) {
  switch (entry.kind) {
    case Entry::Kind::user_message:
      return messages.push_back(message("user", entry.text));
    case Entry::Kind::assistant_message:
      return messages.push_back(message("assistant", entry.text));
    case Entry::Kind::tool_call:
      return add_call(entry.call.id, entry.call.name, entry.call.params,
                      entry.call.result ? &*entry.call.result : nullptr, messages);
    case Entry::Kind::error:
      return messages.push_back(message("error", entry.text));
  }
}

// The service's own steps: what it said, planned and ran.
void add_actions(const Json& reply, JsonArray& messages) {
  for (const Json& action : list_at(reply, "assistant_actions")) {
    for (const std::string_view part : {"message", "plan"}) {
      if (const std::string text = text_at(action, part); !text.empty())
        messages.push_back(message("assistant", text));
    }
    const std::string code = text_at(action, "code");
    if (code.empty()) continue;
    const std::string error = text_at(action, "code_error");
    const Json gave(boost::json::string(error.empty() ? text_at(action, "code_output") : error));
    add_call("code", "code", Json(boost::json::string(code)), &gave, messages);
  }
}

JsonArray conversation_of(const RunFile& file, const std::string& question) {
  JsonArray messages;
  for (const Entry& entry : file.conversation) add_entry(entry, messages);
  if (file.form == RunForm::conversation) return messages;
  messages.push_back(message("user", question));
  add_actions(file.proposed, messages);
  add_actions(file.output, messages);
  if (file.error) messages.push_back(message("error", *file.error));
  return messages;
}

}  // namespace

JsonObject run_material(const BenchmarkPlan& plan, const PlannedRun& run, const RunState& state) {
  const Variation& variation = plan.tasks[run.task].task.variations[run.variation];
  const std::string question = plan.prompt_of(run);
  JsonObject material{{"question", question}};
  if (variation.expected_output) material["expected_output"] = *variation.expected_output;
  if (!state.text) return material;
  const auto file = read_run_file(*state.text, form_of(run.system));
  if (!file) return material;
  if (JsonArray messages = conversation_of(*file, question); !messages.empty())
    material["conversation"] = std::move(messages);
  return material;
}

}  // namespace assay::benchmark
