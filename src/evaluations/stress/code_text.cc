#include "evaluations/stress/code_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/json/json.h"
#include "core/text.h"

namespace assay::stress {
namespace {

constexpr auto kBegins = std::to_array<std::string_view>(
    {"def ",    "class ",     "import ",   "return ",     "function ", "const ",   "var ",    "let ",
     "fn ",     "func ",      "public ",   "private ",    "static ",   "#include", "#!",      "package ",
     "using ",  "namespace ", "template<", "elif ",       "try:",      "else:",    "if (",    "for (",
     "while (", "switch (",   "SELECT ",   "INSERT INTO", "UPDATE ",   "DELETE ",  "CREATE ", "ALTER ",
     "DROP ",   "WITH ",      "FROM ",     "select ",     "$ ",        "@",        "<",       "print ",
     "echo ",   "sudo ",      "//",        "/*",          "--"});
constexpr auto kHas = std::to_array<std::string_view>(
    {"```", "~~~", "()", "=>", "->", "==", "!=", ":=", "+=", "&&", "||", "::", "</", "/>", "\\begin{"});

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

// "total" of "total = 28", "print" of "print(28)", "price" of "price: 28"; "" if the line begins otherwise.
std::string_view name_before(std::string_view line, char sign) {
  std::size_t end = 0;
  while (end < line.size() && is_name(line[end])) ++end;
  std::size_t at = end;
  while (sign == '=' && at < line.size() && line[at] == ' ') ++at;
  return at < line.size() && line[at] == sign ? line.substr(0, end) : std::string_view();
}

bool is_code_line(std::string_view line) {
  if (line.empty()) return false;
  const auto begins = [&](std::string_view word) { return line.starts_with(word); };
  const auto has = [&](std::string_view sign) { return line.find(sign) != std::string_view::npos; };
  if (std::ranges::any_of(kBegins, begins) || std::ranges::any_of(kHas, has)) return true;
  if (std::string_view(";{}[").find(line.back()) != std::string_view::npos) return true;
  const bool is_call = !name_before(line, '(').empty() && line.back() == ')';
  return is_call || !name_before(line, '=').empty();
}

bool is_json(std::string_view text) {
  const bool may_be = text.starts_with('{') || text.starts_with('[') || text.starts_with('"');
  return may_be && parse_json(text).has_value();
}

}  // namespace

bool looks_like_code(std::string_view text) {
  text = trim(text);
  if (is_json(text)) return true;
  std::size_t lines = 0;
  std::size_t keys = 0;
  for (const std::string_view whole : split_lines(text)) {
    const std::string_view line = trim(whole);
    if (is_code_line(line)) return true;
    if (line.empty()) continue;
    ++lines;
    keys += name_before(line, ':').empty() ? 0 : 1;
  }
  return lines > 1 && keys == lines;
}

}  // namespace assay::stress
