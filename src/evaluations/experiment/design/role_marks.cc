#include "evaluations/experiment/design/role_marks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <re2/re2.h>

#include "core/text.h"
#include "evaluations/experiment/design/roomy_pattern.h"

namespace assay::experiment {
namespace {

// A mark that only comes together when another is taken out is found in the next pass.
constexpr int kMostPasses = 16;
constexpr std::ptrdiff_t kMostWords = 8;

constexpr std::size_t kFirstLines = 3;
constexpr std::size_t kMostFrontMatter = 20;  // lines

// Soft hyphen, zero-width spaces and joiners, direction marks, word joiner and its kin, byte order mark.
const std::string kUnseen = R"(\x{00AD}\x{180E}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2064}\x{FEFF})";
const std::string kGap = R"([\s\x{0085}\x{00A0}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{3000})" + kUnseen;
const std::string kSpace = kGap + "]*";
const std::string kSomeSpace = kGap + "]+";
const std::string kStress = R"([*_~\x{60}]{0,4})";
const std::string kOpen = R"((?:\\?[\[［【〔〖]|&#0*91;|&#x0*5b;|&lbrack;|&lsqb;))";
const std::string kClose = R"((?:\\?[\]］】〕〗]|&#0*93;|&#x0*5d;|&rbrack;|&rsqb;))";

// A word whose letters may have unseen characters between them.
std::string spelled(std::string_view word) {
  std::string pattern;
  for (const char letter : word) pattern += std::string(pattern.empty() ? "" : "[" + kUnseen + "]*") + letter;
  return pattern;
}

const std::string kRole =
    "(?:" + spelled("role") + "|" + spelled("persona") + ")[" + kUnseen + R"(]*(?:s|\(s\))?)";
const std::string kWord =
    R"((?:(?:my|your|our|selected|chosen|assigned|adopted|assumed|current|active|primary|secondary|main|)"
    R"(principal|professional|designated|suggested|recommended|expert|ai|assistant))" +
    kGap + "_-]+){0,2}" + kRole + "(?:" + kGap +
    R"(_-]+(?:selected|chosen|assigned|adopted|assumed|name|is|are|(?:#|no\.? ?)?\d{1,3}\.?)){0,2})";
const std::string kActing =
    "(?:" + spelled("acting") + "|speaking|answering|responding|writing)" + kSomeSpace + "as";
const std::string kBefore = kSpace + kStress + kSpace;
// In brackets a hyphen separates however it is spaced; elsewhere "role-based" is a word.
const std::string kSeparator = R"((?::|：|=|-|‐|‑|–|—|→|\|)+)";
const std::string kSpacedSeparator =
    "(?:" + kBefore + R"((?::|：|=|–|—|→|\|)+|)" + kSpace + kStress + kSomeSpace + "[-‐‑]+)";

// In each, the first group is the mark and the second the role.
struct Patterns {
  RoomyPattern worth_a_look{"(?i)" + kRole + "|" + kActing};
  // [Role: X]; the role may hold one pair of brackets of its own, and one line end.
  RE2 bracketed{"(?i)(" + kOpen + kBefore + "(?:" + kWord + "|" + kActing + ")" + kBefore + kSeparator +
                kSpace + R"(((?:[^\n\[\]［］【】〔〕〖〗]|\[[^\n\[\]]*\]){0,200}?)" +
                R"((?:\n[^\n\[\]［］【】〔〕〖〗]{1,100}?)?))" + kSpace + kClose + ")"};
  // [Role X], [Acting as a X]: without a separator only the capital letter tells it from [role models].
  RE2 unseparated{"(?i)(" + kOpen + kBefore + "(?:" + kWord + "|" + kActing + "(?:" + kSomeSpace +
                  "(?:an?|the))?)" + kStress + kSomeSpace +
                  R"(["“*_]{0,2}((?-i:\p{Lu})[^\n\[\]［］【】〔〕〖〗]{0,80}?))" + kSpace + kClose + ")"};
  // (Role: X), {Role: X}, <Role: X>
  RE2 other_brackets{R"((?i)([(（{<«“"])" + kBefore + kWord + kSpacedSeparator + kSpace +
                     R"(([^\n(){}<>«»“”"（）]{1,100}?)[)）}>»”"]))"};
  RE2 tag{"(?i)(<" + kRole + R"(>\s*([^<\n]{0,100}?)\s*</)" + kRole + ">)"};
  // **Role: X**, also in the middle of a line. What opens bold text has no space behind it.
  RE2 bold{R"((?i)((?:\*\*|__))" + kWord + kSpacedSeparator + kStress + R"(([^*_\n]{1,100})(?:\*\*|__)))"};
  // A whole line, decorated as models do; "[Role]: X" too. A row of a table is none.
  RE2 line{R"((?i)^([^\p{L}\p{N}\n|]{0,12}?)" + kWord + R"([\]］)）]?)" + kSpacedSeparator +
           R"(([^\n]{1,100}))$)"};
  // **Role: X** at the beginning of a line that goes on.
  RE2 bold_start{R"((?i)^((?:\*\*|__))" + kSpace + kWord + kSpacedSeparator + kStress +
                 R"(([^*_\n]{1,100})(?:\*\*|__)))"};
  // {"role": "X"} with nothing else in it, at the very beginning.
  RE2 json_start{"(?i)^" + kSpace + R"((\{\s*["'“]?)" + kRole +
                 R"(["'”]?\s*:\s*["'“]?([^\n{}"“”]{1,100}?)["'”]?\s*,?\s*\}))"};
  RE2 front_matter_line{R"((?i)^()["']?)" + kWord + R"(["']?\s*:([^\n]{1,100})$)"};
  RE2 sentence{
      R"((?i)^(?:it|its|this|these|that|those|they|he|she|we|you|i|there|to|which|what|how|why|if|when)\b)"};
  // "Years: 3": a line of a record.
  RE2 record_line{R"(^[^\p{L}\p{N}\n]*\p{L}[^\n:：.,]{0,24}[:：][*_]{0,2}\s*\S[^\n]{0,59}$)"};
  RE2 about_the_answer{
      R"((?i)^[^\p{L}\p{N}]*(?:tone|style|voice|audience|answer|response|reply|question|query|note)\b)"};
  RE2 content{R"([\p{L}\p{N}])"};
  RE2 unseen{"[" + kUnseen + "]+"};
  RE2 line_ends{R"(\s*\n\s*)"};
};

const Patterns& patterns() {
  static const Patterns made;
  return made;
}

struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string role;
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

bool blank(std::string_view text) {
  return std::ranges::all_of(text, is_space);
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

bool has_content(std::string_view text) {
  return RE2::PartialMatch(piece(text), patterns().content);
}

// The role without stress, quotes and space around it, on one line; a final full stop is not part of a name.
std::string plain_role(std::string_view as_written) {
  std::string written = without_unseen(as_written);
  RE2::GlobalReplace(&written, patterns().line_ends, " ");
  static constexpr std::array<std::string_view, 6> kAround = {"\"", "'", "“", "”", "\u00A0", "\u3000"};
  std::string_view role = written;
  for (bool shorter = true; shorter;) {
    const std::size_t before = role.size();
    role = trim(role);
    while (!role.empty() && std::string_view("*_`~\\").find(role.front()) != std::string_view::npos)
      role.remove_prefix(1);
    while (!role.empty() && std::string_view("*_`~\\.").find(role.back()) != std::string_view::npos)
      role.remove_suffix(1);
    for (const std::string_view mark : kAround) {
      if (role.starts_with(mark)) role.remove_prefix(mark.size());
      if (role.ends_with(mark)) role.remove_suffix(mark.size());
    }
    shorter = role.size() != before;
  }
  return std::string(role);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// The "#", ">" or "-" of a line that holds nothing but the mark belongs to it.
void widen_to_line(std::string_view text, std::size_t from, Mark& mark) {
  const std::string_view behind = text.substr(mark.end, text.find('\n', mark.end) - mark.end);
  if (!blank(behind)) return;
  std::size_t begin = mark.begin;
  while (begin > from && std::string_view("#>-+* \t").find(text[begin - 1]) != std::string_view::npos)
    --begin;
  if (begin != 0 && text[begin - 1] != '\n') return;
  while (begin < mark.begin && is_blank(text[begin])) ++begin;
  mark.begin = begin;
}

// Stress, quotes and brackets that stand around the mark on both sides belong to it.
void widen(std::string_view text, std::size_t from, Mark& mark) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kPairs = {{{"**", "**"},
                                                                                            {"__", "__"},
                                                                                            {"~~", "~~"},
                                                                                            {"*", "*"},
                                                                                            {"_", "_"},
                                                                                            {"`", "`"},
                                                                                            {"[", "]"},
                                                                                            {"(", ")"},
                                                                                            {"\"", "\""},
                                                                                            {"“", "”"},
                                                                                            {"<", ">"},
                                                                                            {"{", "}"}}};
  for (bool wider = true; wider;) {
    wider = false;
    for (const auto& [left, right] : kPairs) {
      if (!text.substr(from, mark.begin - from).ends_with(left) || !text.substr(mark.end).starts_with(right))
        continue;
      mark.begin -= left.size();
      mark.end += right.size();
      wider = true;
      break;
    }
  }
  widen_to_line(text, from, mark);
}

void drop_back(std::string& text, bool (*which)(char)) {
  while (!text.empty() && which(text.back())) text.pop_back();
}

std::size_t past(std::string_view text, std::size_t at, bool (*which)(char)) {
  while (at < text.size() && which(text[at])) ++at;
  return at;
}

// Behind a mark that opens the text: white space, and the dash of "[Role: X] - The answer".
std::size_t past_opening(std::string_view after) {
  static constexpr std::array<std::string_view, 5> kDashes = {"-", "–", "—", ":", "|"};
  const std::size_t begin = past(after, 0, is_space);
  if (after.substr(0, begin).find('\n') != std::string_view::npos) return begin;
  for (const std::string_view dash : kDashes) {
    const std::size_t behind = begin + dash.size();
    if (after.substr(begin).starts_with(dash) && past(after, behind, is_blank) > behind)
      return past(after, behind, is_blank);
  }
  return begin;
}

// Joins what stands before and behind a mark so that its place does not show: shortens `before` and returns
// how much of `after` goes.
std::size_t close_gap(std::string& before, std::string_view after) {
  if (blank(after)) {
    drop_back(before, is_space);
    return after.size();
  }
  if (blank(before)) {
    before.clear();
    return past_opening(after);
  }
  const std::size_t kept = before.size();
  std::string_view shorter = before;
  while (is_blank(shorter.back())) shorter.remove_suffix(1);
  const std::size_t behind = past(after, 0, is_blank);
  const bool at_line_start = shorter.ends_with('\n');
  const bool at_line_end = after[behind] == '\n' || after[behind] == '\r';
  if (at_line_start && at_line_end) {
    // The line goes; of blank lines on both sides one side stays.
    before.resize(shorter.size());
    std::size_t end = after.find('\n', behind) + 1;
    while (shorter.ends_with("\n\n") || shorter.ends_with("\n\r\n")) {
      const std::size_t next = after.find('\n', end);
      if (next == std::string_view::npos || !blank(after.substr(end, next - end))) break;
      end = next + 1;
    }
    return end;
  }
  if (at_line_end || std::string_view(".,;:!?").find(after[behind]) != std::string_view::npos) {
    if (!at_line_start) before.resize(shorter.size());
    return behind;
  }
  const bool opened = std::string_view("*_~`([").find(before.back()) != std::string_view::npos;
  return at_line_start || opened || shorter.size() != kept ? behind : 0;
}

std::optional<Mark> matched(const RE2& pattern, std::string_view text, std::size_t from) {
  re2::StringPiece parts[3];
  if (!pattern.Match(piece(text), from, text.size(), RE2::UNANCHORED, parts, 3)) return std::nullopt;
  Mark mark;
  mark.begin = static_cast<std::size_t>(parts[1].data() - text.data());
  mark.end = mark.begin + parts[1].size();
  mark.role = plain_role({parts[2].data(), parts[2].size()});
  return mark;
}

bool alone_or_at_an_end(std::string_view text, const Mark& mark) {
  if (blank(text.substr(0, mark.begin)) || blank(text.substr(mark.end))) return true;
  const std::size_t begin = text.rfind('\n', mark.begin) + 1;  // npos + 1 is 0
  const std::size_t end = std::min(text.find('\n', mark.end), text.size());
  return blank(text.substr(begin, mark.begin - begin)) && blank(text.substr(mark.end, end - mark.end));
}

// A sentence about roles is no mark: a name is short, and begins like one.
bool is_name(const std::string& role) {
  return std::ranges::count(role, ' ') < kMostWords && !RE2::PartialMatch(role, patterns().sentence);
}

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool code = false;  // in a fenced block, the fences included
};

std::string_view of(std::string_view text, const Line& line) {
  return text.substr(line.begin, line.end - line.begin);
}

bool is_fence(std::string_view line) {
  line = trim(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

// Those that are not blank, without white space around them.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  bool code = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trim(text.substr(begin, end - begin));
    if (!line.empty()) {
      const bool fence = is_fence(line);
      const auto at = static_cast<std::size_t>(line.data() - text.data());
      lines.push_back({at, at + line.size(), code || fence});
      if (fence) code = !code;
    }
    begin = end + 1;
  }
  return lines;
}

bool in_code(const std::vector<Line>& lines, std::size_t at) {
  const auto next = std::ranges::upper_bound(lines, at, {}, &Line::begin);
  return next != lines.begin() && std::prev(next)->code;
}

// Whether the lines around say that a line "Role: X" is one of a record that the answer shows, as in a CV.
bool in_a_record(std::string_view text, const std::vector<Line>& lines, std::size_t place) {
  for (std::size_t i = 0; i < place; ++i) {
    const std::string_view before = of(text, lines[i]);
    if (before.ends_with(':') || before.ends_with("：") || before.ends_with(":**")) return true;
  }
  const auto record = [&](std::size_t i) {
    return RE2::PartialMatch(piece(of(text, lines[i])), patterns().record_line) &&
           !RE2::PartialMatch(piece(of(text, lines[i])), patterns().about_the_answer);
  };
  return (place > 0 && record(place - 1)) || (place + 1 < lines.size() && record(place + 1));
}

std::optional<Mark> mark_on_line(std::string_view text, const std::vector<Line>& lines, std::size_t place) {
  const Line& at = lines[place];
  if (at.code) return std::nullopt;
  const std::string_view line = of(text, at);
  std::optional<Mark> mark;
  if (place == 0) mark = matched(patterns().bold_start, line, 0);
  if (mark) {
    mark->begin += at.begin;
    mark->end += at.begin;
  } else {
    mark = matched(patterns().line, line, 0);
    if (!mark || !is_name(mark->role)) return std::nullopt;
    mark->begin = at.begin;
    mark->end = at.end;
  }
  const bool at_an_end = place == 0 || place + 1 == lines.size();
  if (!at_an_end && in_a_record(text, lines, place)) return std::nullopt;
  // An answer that is nothing but this line is about a role.
  if (!has_content(text.substr(0, mark->begin)) && !has_content(text.substr(mark->end))) return std::nullopt;
  return mark;
}

// The first three lines that are not blank, and the last.
std::optional<Mark> find_line_mark(std::string_view text) {
  const std::vector<Line> lines = lines_of(text);
  for (std::size_t place = 0; place < std::min(lines.size(), kFirstLines); ++place) {
    if (auto mark = mark_on_line(text, lines, place)) return mark;
  }
  return lines.size() > kFirstLines ? mark_on_line(text, lines, lines.size() - 1) : std::nullopt;
}

// A line "role: X" between the two "---" that open a text; the whole block if it holds nothing else.
std::optional<Mark> find_front_matter(std::string_view text) {
  const std::vector<Line> lines = lines_of(text);
  if (lines.empty() || without_unseen(of(text, lines[0])) != "---") return std::nullopt;
  std::optional<Mark> found;
  for (std::size_t i = 1; i < std::min(lines.size(), kMostFrontMatter); ++i) {
    const std::string_view line = of(text, lines[i]);
    if (line == "---" || line == "...") {
      if (!found || !has_content(text.substr(lines[i].end))) return std::nullopt;
      if (i == 2) {
        found->begin = lines[0].begin;
        found->end = lines[i].end;
      }
      return found;
    }
    if (line.find(':') == std::string_view::npos && !line.starts_with('-')) return std::nullopt;
    if (found) continue;
    found = matched(patterns().front_matter_line, line, 0);
    if (found) {
      found->begin = lines[i].begin;
      found->end = lines[i].end;
    }
  }
  return std::nullopt;
}

std::optional<Mark> find_leading_json(std::string_view text) {
  auto mark = matched(patterns().json_start, text, 0);
  if (!mark || !has_content(text.substr(mark->end))) return std::nullopt;
  return mark;
}

// Whether a mark of this kind may stand where it was found. `wide` is the mark with what belongs to it.
bool may_stand(const RE2& kind, std::string_view text, const std::vector<Line>& lines, const Mark& wide) {
  if (&kind == &patterns().bracketed) return true;
  if (&kind == &patterns().bold)
    return is_name(wide.role) && !in_code(lines, wide.begin) &&
           (has_content(text.substr(0, wide.begin)) || has_content(text.substr(wide.end)));
  if (&kind == &patterns().unseparated && text.substr(wide.end).starts_with('(')) return false;  // a link
  return alone_or_at_an_end(text, wide);
}

// The next one of a kind, stress around it included.
std::optional<Mark> find_mark(const RE2& kind, std::string_view text, const std::vector<Line>& lines,
                              std::size_t from) {
  for (auto mark = matched(kind, text, from); mark; mark = matched(kind, text, mark->end)) {
    Mark wide = *mark;
    widen(text, from, wide);
    if (may_stand(kind, text, lines, wide)) return wide;
  }
  return std::nullopt;
}

void keep(std::vector<std::string>& roles, std::string role) {
  if (!role.empty() && std::ranges::find(roles, role) == roles.end()) roles.push_back(std::move(role));
}

// One pass over the text; whether any was found.
bool take_out(const RE2& kind, Unmarked& result) {
  const std::string_view text = result.text;
  std::string rest;
  std::size_t done = 0;
  const std::vector<Line> lines = lines_of(text);
  while (auto mark = find_mark(kind, text, lines, done)) {
    keep(result.roles, std::move(mark->role));
    rest += text.substr(done, mark->begin - done);
    done = mark->end + close_gap(rest, text.substr(mark->end));
  }
  if (done == 0) return false;
  rest += text.substr(done);
  result.text = std::move(rest);
  return true;
}

bool take_out(std::optional<Mark> mark, Unmarked& result) {
  if (!mark) return false;
  widen(result.text, 0, *mark);
  keep(result.roles, std::move(mark->role));
  const std::string after = result.text.substr(mark->end);
  result.text.resize(mark->begin);
  const std::size_t gone = close_gap(result.text, after);
  result.text += after.substr(gone);
  return true;
}

}  // namespace

std::string without_unseen(std::string_view text) {
  std::string seen(text);
  RE2::GlobalReplace(&seen, patterns().unseen, "");
  return seen;
}

Unmarked take_out_roles(std::string_view text) {
  Unmarked result{std::string(text), {}};
  const Patterns& kinds = patterns();
  if (!RE2::PartialMatch(result.text, kinds.worth_a_look)) return result;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool any =
        take_out(find_front_matter(result.text), result) || take_out(find_leading_json(result.text), result);
    for (const RE2* kind :
         {&kinds.bracketed, &kinds.unseparated, &kinds.other_brackets, &kinds.tag, &kinds.bold})
      any = take_out(*kind, result) || any;
    // What looks like a line may be the rest of a bracket, so these come last.
    if (!any && !take_out(find_line_mark(result.text), result)) break;
  }
  return result;
}

}  // namespace assay::experiment
