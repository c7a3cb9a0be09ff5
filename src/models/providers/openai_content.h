// What a message of chat completions says, in the forms that servers have for it. Shared by whole replies and
// streams.
#pragma once

#include <string>

#include "core/json/json.h"

namespace assay {

struct Content {
  std::string text = {};
  std::string refusal = {};
  std::string thoughts = {};
};

// `content`: null, a text, or a list of parts (text, refusal, Mistral's thinking).
Content content_of(const Json* content);

// What stands beside the content: servers of models that think aloud call it reasoning_content or reasoning,
// and some send both, or details in the place of either.
std::string thoughts_of(const Json& message);

}  // namespace assay
