// How many tokens a text will be, roughly: for the forecast of `assay check` and for limits before a call,
// never for what is charged. No tokenizer is built in, since each model has its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/chat.h"

namespace assay {

// About four ASCII characters a token; other alphabets two characters, CJK and the like one, emoji half of
// one. English prose and JSON come out within a quarter of what current tokenizers give. Never negative; 0
// only for "".
std::int64_t estimate_tokens(std::string_view text);

// Of the whole prompt: messages with what wires put around them, tools and the output schema.
std::int64_t estimate_prompt_tokens(const ChatRequest& request);

}  // namespace assay
