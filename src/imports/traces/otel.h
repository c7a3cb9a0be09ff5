// Traces of OpenTelemetry (OTLP as JSON) whose spans follow the conventions for generative AI (gen_ai.*):
// each trace that has at least one call of a model becomes a conversation. Spans of one trace may stand in
// any order and in several documents, so they are kept, cut down to what is read, until all are there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "imports/traces/conversation.h"

namespace assay {

class OtelTraces {
 public:
  // One document ({"resourceSpans": […]}). The error: it holds no spans.
  Status add(const Json& document);

  // Conversations in the order in which the traces began.
  std::vector<Conversation> conversations() const;
  std::size_t traces() const { return spans_.size(); }
  // Without a call of a model: nothing came of them.
  std::size_t without_model() const;

 private:
  struct Span {
    std::uint64_t start = 0;  // nanoseconds
    std::uint64_t end = 0;
    std::size_t number = 0;  // in its trace, as they came
    bool is_tool = false;
    bool is_model = false;
    bool failed = false;    // its status is an error
    JsonObject attributes;  // gen_ai.* only
    JsonArray events;       // {name, attributes}
  };

  void add_span(const Json& span);
  static Conversation conversation(const std::string& trace, std::vector<Span> spans);
  static void read_input(const Span& span, Conversation& out);
  static void read_output(const Span& span, Conversation& out);

  std::map<std::string, std::vector<Span>> spans_;  // by trace
};

}  // namespace assay
