#include "evaluations/experiment/role_marks.h"

#include <algorithm>
#include <array>
#include <optional>

#include <re2/re2.h>

#include "core/text.h"

namespace assay::experiment {
namespace {

// A mark that only comes together when another is taken out is found in the next pass.
constexpr int kMostPasses = 16;
constexpr std::ptrdiff_t kMostWords = 8;

const std::string kSpace = R"([ \t\x{00A0}\x{2000}-\x{200B}\x{202F}\x{3000}]*)";
const std::string kStress = R"([*_~\x{60}]{0,4})";
const std::string kWord =
    R"((?:(?:my|your|selected|chosen|assigned|adopted|assumed|current|active)[ \t\x{00A0}_-]+)?)"
    R"((?:role|persona)(?:[ \t\x{00A0}_-]+(?:selected|chosen|assigned|adopted|assumed|name))?)";
const std::string kSeparator = R"((?::|：|=|-|‐|‑|–|—|→|\|)+)";
const std::string kNamed = kSpace + kStress + kSpace + kWord + kSpace + kStress + kSpace + kSeparator;

// In each, the first group is the mark and the second the role.
struct Patterns {
  RE2 worth_a_look{"(?i)role|persona"};
  // [Role: X]; the role may hold one pair of brackets of its own.
  RE2 bracketed{R"((?i)(\\?[\[［【〔〖])" + kNamed +
                R"(\s*((?:[^\n\[\]［］【】〔〕〖〗]|\[[^\n\[\]]*\]){0,200}?)\\?[\]］】〕〗]))"};
  // (Role: X), {Role: X}, <Role: X>
  RE2 other_brackets{R"((?i)([(（{<«“"])" + kNamed + kSpace + R"(([^\n(){}<>«»“”"（）]{1,100}?)[)）}>»”"]))"};
  RE2 tag{R"((?i)(<(?:role|persona)>\s*([^<\n]{0,100}?)\s*</(?:role|persona)>))"};
  // A whole line, decorated as models do; "[Role]: X" too.
  RE2 line{R"((?i)^([^\p{L}\p{N}\n]{0,12}?)" + kWord + R"([\]］)）]?)" + kSpace + kStress + kSpace +
           kSeparator + R"(([^\n]{1,100}))$)"};
  // **Role: X** at the beginning of a line that goes on.
  RE2 bold_start{R"((?i)^((?:\*\*|__))" + kSpace + kWord + kSpace + kStress + kSpace + kSeparator + kStress +
                 R"(([^*_\n]{1,100})(?:\*\*|__)))"};
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

// The role without stress, quotes and space around it; a final full stop is not part of a name.
std::string plain_role(std::string_view written) {
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
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
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
  const re2::StringPiece whole(text.data(), text.size());
  if (!pattern.Match(whole, from, text.size(), RE2::UNANCHORED, parts, 3)) return std::nullopt;
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

// The first or the last line that is not blank.
std::optional<Mark> mark_on_line(std::string_view text, bool first) {
  const std::string_view content = trim(text);
  if (content.empty()) return std::nullopt;
  const std::size_t at = static_cast<std::size_t>(content.data() - text.data());
  std::size_t begin = at;
  std::size_t end = at + content.size();
  if (first) {
    end = std::min(text.find('\n', at), end);
  } else {
    begin = std::max(text.rfind('\n', end - 1) + 1, at);
  }
  const std::string_view line = text.substr(begin, end - begin);
  if (first) {
    if (auto mark = matched(patterns().bold_start, line, 0))
      return Mark{begin + mark->begin, begin + mark->end, mark->role};
  }
  auto mark = matched(patterns().line, line, 0);
  // A sentence about roles is no mark: a name is short.
  if (!mark || std::ranges::count(mark->role, ' ') >= kMostWords) return std::nullopt;
  return Mark{begin, end, mark->role};
}

// The next one of a kind, stress around it included.
std::optional<Mark> find_mark(const RE2& kind, std::string_view text, std::size_t from) {
  for (auto mark = matched(kind, text, from); mark; mark = matched(kind, text, mark->end)) {
    Mark wide = *mark;
    widen(text, from, wide);
    if (&kind == &patterns().bracketed || alone_or_at_an_end(text, wide)) return wide;
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
  while (auto mark = find_mark(kind, text, done)) {
    keep(result.roles, std::move(mark->role));
    rest += text.substr(done, mark->begin - done);
    done = mark->end + close_gap(rest, text.substr(mark->end));
  }
  if (done == 0) return false;
  rest += text.substr(done);
  result.text = std::move(rest);
  return true;
}

bool take_out_line(bool first, Unmarked& result) {
  auto mark = mark_on_line(result.text, first);
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

Unmarked take_out_roles(std::string_view text) {
  Unmarked result{std::string(text), {}};
  const Patterns& kinds = patterns();
  if (!RE2::PartialMatch(result.text, kinds.worth_a_look)) return result;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool any = false;
    for (const RE2* kind : {&kinds.bracketed, &kinds.other_brackets, &kinds.tag})
      any = take_out(*kind, result) || any;
    // What looks like a line may be the rest of a bracket, so these come last.
    if (!any) any = take_out_line(true, result) || take_out_line(false, result);
    if (!any) break;
  }
  return result;
}

}  // namespace assay::experiment
