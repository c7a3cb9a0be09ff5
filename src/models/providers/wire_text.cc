#include "models/providers/wire_text.h"

#include <algorithm>

#include "core/json/depth.h"
#include "core/text.h"

namespace assay {

void append_paragraph(std::string& to, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty()) to += "\n\n";
  to += text;
}

Json text_list(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const auto& text : texts) list.push_back(Json(text));
  return list;
}

std::string text_of(const Json& json, std::string_view key) {
  const Json* member = find_member(json, key);
  if (member == nullptr) return {};
  if (const auto text = as_text(*member)) return std::string(*text);
  if (const auto number = as_integer(*member)) return std::to_string(*number);
  return {};
}

std::int64_t count_of(const Json& json, std::string_view pointer) {
  const Json* found = find_pointer(json, pointer);
  if (found == nullptr) return 0;
  // Also of numbers that no 64 bits hold.
  if (as_number(*found).value_or(0) >= static_cast<double>(kMostTokens)) return kMostTokens;
  return capped_tokens(as_integer(*found).value_or(0));
}

void put_cached_tokens(Usage& usage, std::int64_t read, std::int64_t written) {
  usage.cached_tokens = std::min(read, usage.prompt_tokens);
  usage.cache_write_tokens = std::min(written, usage.prompt_tokens - usage.cached_tokens);
}

void put_thought_tokens(Usage& usage, std::int64_t thought, std::int64_t total) {
  const std::int64_t beside = total - usage.prompt_tokens - usage.completion_tokens;
  const bool from_cache = usage.cached_tokens > 0 || usage.cache_write_tokens > 0;
  if (thought == 0 && !from_cache && usage.prompt_tokens > 0) thought = std::max<std::int64_t>(beside, 0);
  if (beside >= thought) usage.completion_tokens = capped_tokens(usage.completion_tokens + thought);
  usage.reasoning_tokens = std::min(thought, usage.completion_tokens);
}

void set_arguments(ToolCall& call, const Json* arguments) {
  call.arguments = JsonObject{};
  if (arguments == nullptr || arguments->is_null()) return;
  const auto text = as_text(*arguments);
  if (!text) {
    call.arguments = within_depth(*arguments) ? *arguments : Json(nullptr);
    if (call.arguments.is_null()) call.arguments_text = to_text(*arguments);
    return;
  }
  if (trim(*text).empty()) return;  // how models call a tool that takes nothing
  // Arguments that nest too deeply are as good as arguments that are no JSON: told, not guessed.
  if (auto parsed = parse_json(*text); parsed && within_depth(*parsed)) {
    call.arguments = std::move(*parsed);
  } else {
    call.arguments = nullptr;
    call.arguments_text = *text;
  }
}

ToolPlan plan_tools(const ChatRequest& request, const WirePlan& plan) {
  ToolPlan tools;
  for (const auto& tool : request.tools) tools.own.push_back(&tool);
  tools.choice = request.tool_choice;
  if (request.tools.empty()) tools.choice = {};

  const bool must_call_own =
      tools.choice.mode == ToolChoice::Mode::any || tools.choice.mode == ToolChoice::Mode::named;
  // A reply that has to be a call of the request's own tools leaves no room for the answer.
  if (plan.way == StructuredWay::tools && !must_call_own) {
    tools.answer = output_tool_name(request);
    const bool may_call_own = !tools.own.empty() && tools.choice.mode == ToolChoice::Mode::automatic;
    if (may_call_own) {
      tools.choice = {ToolChoice::Mode::any, {}};
    } else {
      tools.own.clear();
      tools.choice = {ToolChoice::Mode::named, *tools.answer};
    }
  }
  if (!plan.capabilities.forced_tool) {
    // "None" can still be had: by not offering any.
    if (tools.choice.mode == ToolChoice::Mode::none) tools.own.clear();
    tools.choice = {};
  }
  return tools;
}

std::string instruction_of(const ChatRequest& request, const WirePlan& plan) {
  if (!plan.way) return {};
  if (*plan.way == StructuredWay::text) return schema_instruction(*request.output);
  if (*plan.way != StructuredWay::tools || plan.capabilities.forced_tool) return {};
  const ToolPlan tools = plan_tools(request, plan);
  return tools.answer ? tool_instruction(*tools.answer) : std::string();
}

std::string_view called_name(const ChatRequest& request, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    for (const ToolCall& call : request.messages[i].tool_calls) {
      if (call.id == request.messages[at].tool_call_id) return call.name;
    }
  }
  return {};
}

void keep_list(Message& message, std::string_view wire, const JsonArray& list) {
  Json kept = JsonObject{{wire, list}};
  if (within_depth(kept)) message.kept = std::move(kept);
}

const JsonArray* kept_list(const Message& message, std::string_view wire) {
  const Json* list = find_member(message.kept, wire);
  return list != nullptr ? list->if_array() : nullptr;
}

Sampling sampling_of(const ChatRequest& request, const ModelSpec& spec, const Capabilities& capabilities) {
  Sampling sampling = request.sampling;
  if (!sampling.temperature) sampling.temperature = spec.temperature;
  if (!sampling.max_tokens) sampling.max_tokens = spec.max_tokens;
  if (!sampling.top_p) sampling.top_p = spec.top_p;
  if (!sampling.seed) sampling.seed = spec.seed;
  if (sampling.stop.empty()) sampling.stop = spec.stop;
  if (!capabilities.temperature) sampling.temperature.reset();
  if (!capabilities.top_p) sampling.top_p.reset();
  if (!capabilities.temperature_with_top_p && sampling.temperature) sampling.top_p.reset();
  if (!capabilities.seed) sampling.seed.reset();
  if (!capabilities.stop) sampling.stop.clear();
  return sampling;
}

}  // namespace assay
