// The ways to structured output that every provider shares: which one is taken, what the prompt says in those
// ways that need words, and how a reply's text becomes the JSON whichever way it came.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/capabilities.h"
#include "models/chat.h"

namespace assay {

struct Wire;

// How one request is put on the wire.
struct WirePlan {
  Capabilities capabilities;
  std::optional<StructuredWay> way;  // none: the request asks for plain text
  bool strict = false;               // the schema can be enforced to the letter, and the server does so
  bool stream = false;
  std::vector<std::string> cut_at = {};  // stop sequences that could not be sent
  // to_text(without_annotations(schema)), if somebody has it; it must outlive the plan.
  const std::string* schema_text = nullptr;
};

// `pinned` is ModelSpec::structured. Else the way that the output prefers, and behind it the first of the
// wire's, that the model takes and that can carry the schema.
StructuredWay choose_way(const Wire& wire, std::string_view pinned, const OutputSchema& output,
                         const Capabilities& capabilities, const SchemaRefusals& refused);

// OutputSchema::name as wires take it (letters, digits, _ and -, at most 64).
std::string output_name(const OutputSchema& output);
// The same for the tool that carries the answer: never the name of one of the request's own tools.
std::string output_tool_name(const ChatRequest& request);

// What the prompt says where the schema itself cannot be sent.
std::string schema_instruction(const OutputSchema& output);
// What the prompt says where the model cannot be made to call the tool.
std::string tool_instruction(std::string_view tool_name);

// Puts the JSON into message.text (out of the tool call, fences or the text around it; what was written is
// kept in raw_text), and cuts at stop sequences that could not be sent.
void settle_reply(ChatReply& reply, const ChatRequest& request, const WirePlan& plan);

}  // namespace assay
