// The conversation of a model with its tools, turn by turn. After each turn the run file is kept, so that a
// kill loses nothing: what came after the last writing of the file is in the journal, and is asked for again
// under the same step only if nothing before it was changed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/schema/schema.h"
#include "core/task.h"
#include "engine/context.h"
#include "evaluations/benchmark/run_file.h"
#include "models/chat.h"

namespace assay::benchmark {

struct ToolLoop {
  std::string model;
  Sampling sampling;
  std::string system_prompt;  // "" if there is none
  std::string prompt;         // the first user message
  std::vector<std::string> expected_tool_calls;
  ToolSpecs tools;
  std::shared_ptr<ToolSession> session;  // what the tools keep for this conversation
  std::int64_t max_turns = 20;
  std::int64_t max_nudges = 3;
  std::optional<std::int64_t> token_limit;        // of an answer, as far as it is known
  std::string steps;                              // what the names of all steps begin with
  std::vector<std::string>* unoffered = nullptr;  // gets expected tools that nobody offers, if not null
};

// What the model is sent for a conversation: calls of one turn, and what was said with them, are one message
// of the assistant, followed by their results. Errors are nothing that it sees.
std::vector<Message> messages_of(const std::string& system_prompt, std::span<const Entry> conversation);

// Puts a reply behind the conversation. Ids of calls are made unique where the model's are not.
void add_reply(std::vector<Entry>& conversation, const ChatReply& reply);

// Writes the file down, and is done when it is durable. An error ends the conversation.
using Keep = std::function<Task<Status>(RunFile& file)>;

// From where `file` stands to the model's last word: runs the calls without result, asks, nudges. A last
// word that is cut off by the limit of tokens is marked so, and not answered by a nudge. A failure
// of the model becomes an error at the end of the conversation and is returned; a failing tool is told to the
// model. If the run is being wound down, the file stays as it is.
Task<Status> converse(const ToolLoop& loop, CaseContext& context, RunFile& file, Keep keep);

// "turn3/1f0c22d8a9b4": the name, and what tells requests apart that were made at the same place.
std::string step_name(const std::string& name, const Json& request);

}  // namespace assay::benchmark
