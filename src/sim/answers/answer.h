// The simulated model: one reply to one request, decided by nothing but the seed and the request. It stands
// in for a mediocre real model in tests, demos and benchmarks, and sees only what a real one would see.
//
//   output schema, or a tool that must be called: a valid instance, filled by the rules of judge.h
//   tools, free to use: calls the tool whose name and description share most words with the user's text, more
//     often the more they share; once results have come back it answers. Where the user names tools, shows an
//     example of output, or a tool takes SQL or Python: tool_user.h
//   a JSON schema inside the prompt's text ("answer with JSON that fits …"), or a form in words ({reason:
//   string,
//     pass: boolean}): such JSON, at times inside a fence
//   otherwise: a few sentences from the words of the prompt, or from its <context>
//
// Where no valid instance is found the reply's text says so in plain words. Stop sequences end a text, and
// max_tokens cuts it (FinishReason::length).
// Usage: a token is four bytes, begun ones counted; each message, tool and schema costs four tokens more;
// nothing is ever cached.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/chat.h"
#include "sim/answers/instance.h"
#include "sim/weaknesses.h"

namespace assay {

struct SimOptions {
  std::uint64_t seed = 0;
  double noise = 0.08;   // share of decisions that are wrong
  Weaknesses weak = {};  // as a judge
  // Shared between calls so that a schema is compiled once; may be null.
  std::shared_ptr<sim::InstanceMakers> makers = nullptr;
};

namespace sim {

// What every answer names as its model, whatever it was asked for: "sim/judge". Whoever keeps an answer can
// tell by it that no real model gave it, also when it came over HTTP.
std::string answering_name(std::string_view asked);

// Thread-safe.
ChatReply answer(const ChatRequest& request, const SimOptions& options);

// What decides an answer: everything that a model sees, and the sampling parameters but for max_tokens, so
// that a cut answer is the beginning of the whole one. "sim/judge" and "judge" are the same model.
std::uint64_t hash_request(const ChatRequest& request);

std::int64_t prompt_tokens(const ChatRequest& request);
std::int64_t completion_tokens(const Message& message);
// Cuts the reply to `tokens` as a real server does: text or the arguments of a call end in the middle.
void cut_reply(ChatReply& reply, std::int64_t tokens);

}  // namespace sim
}  // namespace assay
