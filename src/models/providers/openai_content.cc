#include "models/providers/openai_content.h"

#include "models/providers/wire_text.h"

namespace assay {

Content content_of(const Json* content) {
  Content found;
  if (content == nullptr) return found;
  if (const auto text = as_text(*content)) {
    found.text = *text;
  } else if (content->is_array()) {
    for (const auto& part : content->get_array()) {
      const std::string type = text_of(part, "type");
      if (type == "refusal") {
        found.refusal += text_of(part, "refusal");
      } else if (type == "thinking") {
        const Json* inner = find_member(part, "thinking");
        if (inner != nullptr) found.thoughts += content_of(inner).text;
      } else if (type == "text" || type == "output_text" || type.empty()) {
        found.text += text_of(part, "text");
      }
    }
  }
  return found;
}

std::string thoughts_of(const Json& message) {
  for (const std::string_view key : {"reasoning_content", "reasoning"}) {
    if (std::string thoughts = text_of(message, key); !thoughts.empty()) return thoughts;
  }
  const Json* details = find_member(message, "reasoning_details");
  if (details == nullptr || !details->is_array()) return {};
  std::string thoughts;
  for (const Json& detail : details->get_array()) {
    thoughts += text_of(detail, "text");
    thoughts += text_of(detail, "summary");
  }
  return thoughts;
}

}  // namespace assay
