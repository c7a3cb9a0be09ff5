#include "evaluations/guidelines/judge.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::guidelines {
namespace {

constexpr const char* kPrompt = "guidelines/checks";

JudgeSettings with_temperatures(JudgeSettings judge) {
  judge.temperatures = {0.15, 0.3, 0.1};
  return judge;
}

std::string section(std::string_view title, std::string_view lead, const std::string& content) {
  return fmt::format("# {}\n{}{}{}", title, lead, lead.empty() ? "" : "\n", content);
}

std::string agent_section(const Conversation& conversation) {
  if (!conversation.agent_name && !conversation.agent_description) return "";
  std::string text;
  if (conversation.agent_name) text += "Name: " + *conversation.agent_name;
  if (conversation.agent_description)
    text += fmt::format("{}Description: {}", text.empty() ? "" : "\n", *conversation.agent_description);
  return section("The agent", "Whose conduct you judge:", block("agent", text));
}

// Each event as JSON on a line of its own, with its number.
std::string events_json(const std::vector<Json>& events, std::size_t first, std::size_t last) {
  std::string text = "[\n";
  for (std::size_t i = first; i < last; ++i) {
    JsonObject numbered{{"message_index", i}};
    for (const auto& [name, value] : events[i].get_object()) numbered[name] = value;
    text += fmt::format("  {}{}\n", to_text(numbered), i + 1 < last ? "," : "");
  }
  return text + "]";
}

std::string conversation_section(const Conversation& conversation, std::size_t last) {
  if (last == 0)
    return section("The conversation", "", "Nothing has been said yet: the conversation is empty.");
  return section("The conversation", "From its beginning, as JSON; message_index numbers the events:",
                 block("conversation", events_json(conversation.events, 0, last)));
}

// Numbered, each with its own lines folded, so that no text can pass for the next number.
std::string guideline_lines(std::span<const Guideline> chunk) {
  std::vector<std::string> lines;
  for (const Guideline& guideline : chunk) {
    std::string line;
    if (!guideline.condition.empty()) line += fmt::format("Condition: {}. ", guideline.condition);
    line += fmt::format("Action: {}", guideline.action);
    if (!guideline.description.empty()) line += fmt::format(" (Description: {})", guideline.description);
    lines.push_back(std::move(line));
  }
  return numbered(lines);
}

// A list of objects as JSON lines.
std::string entries(const Json& list) {
  std::string text;
  for (const Json& entry : list.get_array()) text += (text.empty() ? "" : "\n") + to_text(entry);
  return text;
}

}  // namespace

Judge::Judge(JudgeSettings judge, const PromptLibrary& prompts, std::vector<ConfigProblem>& problems)
    : step_(with_temperatures(std::move(judge)),
            {"checks", "Whether the agent has carried out each guideline.", prompts.schema(kPrompt)},
            problems, prompts.prompt(kPrompt, {"conversation", "guidelines"}, problems)) {}

ChatRequest Judge::request(const Conversation& conversation, std::span<const Guideline> chunk, int vote,
                           int votes) const {
  // Tool calls behind the last message belong to the turn that is going on.
  std::size_t said = conversation.events.size();
  while (said > 0 && text_at(conversation.events[said - 1], "event_kind") == "tool") --said;
  const std::string tools =
      said == conversation.events.size()
          ? std::string()
          : section("Tool calls of this turn", "Made since the last message:",
                    block("tool_calls", events_json(conversation.events, said, conversation.events.size())));
  ChatRequest request = step_.request(
      {{"agent", agent_section(conversation)},
       {"context_variables",
        conversation.context_variables.is_null()
            ? ""
            : section("Context variables", "What the agent knew:",
                      block("context_variables", entries(conversation.context_variables)))},
       {"glossary", conversation.glossary.is_null()
                        ? ""
                        : section("Glossary", "Terms of the agent's trade:",
                                  block("glossary", entries(conversation.glossary)))},
       {"customer", conversation.customer
                        ? section("The customer", "", block("customer", "Name: " + *conversation.customer))
                        : ""},
       {"conversation", conversation_section(conversation, said)},
       {"tools", tools},
       {"guidelines", section("The guidelines", "", block("guidelines", guideline_lines(chunk)))},
       {"count", std::to_string(chunk.size())}});
  // A section without content leaves no gap.
  for (Message& message : request.messages) {
    for (std::size_t gap = message.text.find("\n\n\n"); gap != std::string::npos;
         gap = message.text.find("\n\n\n"))
      message.text.erase(gap, 1);
  }
  if (votes > 1) request.sampling.seed = vote;
  return request;
}

Task<ChunkVotes> Judge::ask(CaseContext& context, std::string step, ChatRequest request, std::size_t asked,
                            std::size_t events) const {
  StructuredPolicy policy;
  policy.normalise = with_new_spelling;
  policy.check = [asked, events](const Json& answer) {
    std::vector<std::string> words;
    for (CheckDefect& defect : inconsistencies(answer, asked, events))
      words.push_back(std::move(defect.words));
    return words;
  };
  StructuredAnswer answer =
      co_await step_.ask(context, std::move(step), std::move(request), std::move(policy));

  ChunkVotes result;
  result.votes.resize(asked);
  // Of an answer that stayed bad, what is sound in it counts all the same.
  std::optional<Json> usable;
  if (answer.value) {
    usable = std::move(*answer.value);
  } else {
    result.error = answer.value.error();
    if (!answer.history.empty()) {
      auto last = parse_lenient_json(answer.history.back().text);
      if (last) {
        Json value = with_new_spelling(std::move(last->value));
        if (step_.schema().valid(value)) usable = std::move(value);
      }
    }
  }
  const std::vector<CheckDefect> defects =
      usable ? inconsistencies(*usable, asked, events) : std::vector<CheckDefect>{};
  for (std::size_t i = 0; i < asked; ++i) {
    Vote& vote = result.votes[i];
    const auto own = std::ranges::find(defects, std::to_string(i + 1), &CheckDefect::guideline_id);
    vote.why = own != defects.end() ? own->words : result.error ? result.error->text() : "no check";
  }
  if (usable) {
    for (Check& check : sound_checks(*usable, defects)) {
      const std::size_t place = static_cast<std::size_t>(std::stoul(check.guideline_id)) - 1;
      result.votes[place] = {std::move(check), ""};
    }
  }
  co_return result;
}

}  // namespace assay::guidelines
