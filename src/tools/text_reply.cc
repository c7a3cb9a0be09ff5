#include "tools/text_reply.h"

#include "core/text.h"

namespace assay {

bool is_text_reply(TextReply wanted, std::string_view reply, const Result<Json>& parsed) {
  if (wanted == TextReply::refused) return false;
  if (wanted == TextReply::taken) return !parsed;
  if (parsed) return wanted == TextReply::answer && (parsed->is_number() || parsed->is_bool());
  const std::string_view text = trim(reply);
  return !text.empty() && !text.starts_with('{');
}

std::string_view without_line_end(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace assay
