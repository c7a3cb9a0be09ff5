// Texts that are compiled into the binary (prompts, page, completions), so that no file beside it is needed.
#pragma once

#include <span>
#include <string_view>

namespace assay {

struct EmbeddedText {
  std::string_view name;  // path below the folder it was embedded from, e.g. "rag/coherence.txt"
  std::string_view text;
};

}  // namespace assay
