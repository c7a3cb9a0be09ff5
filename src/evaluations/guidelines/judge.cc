#include "evaluations/guidelines/judge.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/guidelines/chunk_answer.h"

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

// "" if nothing is known of it.
std::string agent_words(const Conversation& conversation) {
  std::string text;
  if (conversation.agent_name) text += "Name: " + *conversation.agent_name;
  if (conversation.agent_description)
    text += fmt::format("{}Description: {}", text.empty() ? "" : "\n", *conversation.agent_description);
  return text;
}

std::string agent_section(const Conversation& conversation) {
  if (!conversation.agent_name && !conversation.agent_description) return "";
  return section("The agent", "Whose conduct you judge:", block("agent", agent_words(conversation)));
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

// A list of objects as JSON lines.
std::string entries(const Json& list) {
  std::string text;
  for (const Json& entry : list.get_array()) text += (text.empty() ? "" : "\n") + to_text(entry);
  return text;
}

// An event for a person: "user (Ana): Hello", or the tool calls as they are.
std::string event_words(const Json& event) {
  const Json& data = *find_member(event, "data");
  const std::string source = text_at(event, "event_source");
  const Json* message = find_member(data, "message");
  if (message == nullptr) return fmt::format("{}, tool calls: {}", source, to_text(data));
  const std::string participant = text_at(data, "participant");
  return fmt::format("{}{}: {}", source, participant.empty() ? "" : fmt::format(" ({})", participant),
                     text_or_json(*message));
}

}  // namespace

std::string words_for_judge(const Guideline& guideline) {
  std::string words;
  if (!guideline.condition.empty()) words += fmt::format("Condition: {}. ", guideline.condition);
  words += fmt::format("Action: {}", guideline.action);
  if (!guideline.description.empty()) words += fmt::format(" (Description: {})", guideline.description);
  return words;
}

// Each with its own lines folded, so that no text can pass for the next number.
std::string words_for_judge(std::span<const Guideline> guidelines) {
  std::vector<std::string> lines;
  for (const Guideline& guideline : guidelines) lines.push_back(words_for_judge(guideline));
  return numbered(lines);
}

JsonObject seen_by_judge(const Conversation& conversation) {
  JsonObject seen;
  if (const std::string agent = agent_words(conversation); !agent.empty()) seen.emplace("agent", agent);
  if (conversation.customer) seen.emplace("customer", *conversation.customer);
  const auto add_entries = [&seen](const char* name, const Json& list) {
    if (!list.is_null()) seen.emplace(name, entries(list));
  };
  add_entries("context_variables", conversation.context_variables);
  add_entries("glossary", conversation.glossary);
  JsonArray events;
  for (const Json& event : conversation.events) events.emplace_back(event_words(event));
  seen.emplace("events", std::move(events));
  return seen;
}

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
       {"guidelines", section("The guidelines", "", block("guidelines", words_for_judge(chunk)))},
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

Task<ChunkVotes> Judge::ask(CaseContext& context, std::string step, const Conversation& conversation,
                            std::span<const Guideline> chunk, int vote, int votes) const {
  ChunkAnswer given(chunk, conversation.events);
  StructuredPolicy policy;
  policy.normalise = [&given](Json answer) { return given.take(std::move(answer)); };
  policy.check = [&given](const Json&) { return given.defects(); };
  policy.asked_again = [&given] { return given.asked_again(); };
  const StructuredAnswer answer = co_await step_.ask(
      context, std::move(step), request(conversation, chunk, vote, votes), std::move(policy));
  ChunkVotes result;
  if (!answer.value) result.error = answer.value.error();
  result.votes = given.votes(result.error);
  co_return result;
}

}  // namespace assay::guidelines
