#include "core/visible.h"

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

bool acts(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || (c >= 0x200E && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

}  // namespace

std::string visible(std::string_view text, LineBreaks line_breaks) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!c.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (c.value == '\n') {
      out += line_breaks == LineBreaks::kept ? "\n" : "\\n";
    } else if (c.value == '\r') {
      out += "\\r";
    } else if (c.value == '\t') {
      out += line_breaks == LineBreaks::kept ? "\t" : "\\t";
    } else if (acts(c.value)) {
      out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(c.value));
    } else {
      out += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  return out;
}

}  // namespace assay
