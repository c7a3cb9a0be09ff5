#include "evaluations/guidelines/conversation_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/pages/html.h"
#include "report/pages/html_parts.h"

namespace assay::guidelines {
namespace {

constexpr const char* kFile = "conversations.html";
constexpr std::size_t kMostShown = 500;   // conversations on the page
constexpr std::size_t kMostColumns = 80;  // guidelines in the map
constexpr std::size_t kLongestText = 20'000;

constexpr const char* kStyle = R"(<style>
#conversations { display: flex; flex-direction: column; } #index { order: -1; }
.choice { display: inline; } .choice + label { display: inline; margin-right: 1rem; }
#only-wrong:checked ~ #conversations .conversation:not(.wrong), #only-wrong:checked ~ #conversations tbody tr:not(.wrong),
#only-missed:checked ~ #conversations .conversation:not(.missed), #only-missed:checked ~ #conversations tbody tr:not(.missed),
#only-open:checked ~ #conversations .conversation:not(.open), #only-open:checked ~ #conversations tbody tr:not(.open)
{ display: none; }
h1 { margin: 1.5rem 0 .5rem; } .conversation, #index { scroll-margin-top: 4rem; } .conversation { margin: 2rem 0; } .event { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem;
border-top: 1px solid #8884; padding: .4rem 0; } .who { font-size: .8rem; opacity: .7; } .said { white-space: pre-wrap;
overflow-wrap: anywhere; } .evidence .said { border-left: 3px solid #2a78d6; padding-left: .5rem; } .found { font-size: .85rem; }
.found p { margin: 0 0 .3rem; } .y { background: #2e9e6b33; } .n { background: #d1495b33; } .u { background: #edae4966; }
.s { opacity: .5; } table.map { border-collapse: collapse; font-size: .75rem; } table.map td, table.map th { border: 1px solid
#8884; padding: .1rem .35rem; text-align: center; } table.map th.row { text-align: left; } td.otherwise { outline: 2px solid
#d1495b; outline-offset: -2px; } .expected { font-weight: 600; }
</style>)";

std::string_view verdict_word(bool applied) {
  return applied ? "applied" : "not applied";
}

std::string mark(const Verdict& verdict) {
  if (!verdict.skipped.empty()) return "skipped: " + verdict.skipped;
  if (!verdict.applied) return "undetermined: " + verdict.undetermined;
  return std::string(verdict_word(*verdict.applied));
}

char letter(const Verdict& verdict) {
  if (!verdict.skipped.empty()) return 's';
  if (!verdict.applied) return 'u';
  return *verdict.applied ? 'y' : 'n';
}

std::string_view sign(char letter) {
  switch (letter) {
    case 'y':
      return "✓";
    case 'n':
      return "✗";
    case 'u':
      return "?";
    default:
      return "–";
  }
}

std::string event_words(const Json& event) {
  const Json* data = find_member(event, "data");
  if (text_at(event, "event_kind") == "message") return text_at(*data, "message");
  std::string words;
  for (const Json& call : list_at(*data, "tool_calls")) {
    words += fmt::format("{}{}({}) → {}", words.empty() ? "" : "\n", text_at(call, "tool_id"),
                         to_text(*find_member(call, "arguments")), to_text(*find_member(call, "result")));
  }
  return words;
}

std::string finding(const Verdict& verdict, const Segment& segment) {
  return fmt::format("<p class=\"{}\"><b>{}</b> {}: {}</p>", letter(verdict),
                     html::text(verdict.guideline, 200), html::text(segment.text, 500),
                     html::text(segment.rationale, 2'000));
}

// Which conversations are shown: the style does it, so that the page needs no script.
constexpr const char* kOpening =
    R"(<nav aria-label="Pages"><ul><li><a href="report.html">← Report</a></li></ul></nav>
<h1>Conversations</h1>
<input type="radio" class="choice" name="choice" id="all" checked><label for="all">all</label>
<input type="radio" class="choice" name="choice" id="only-wrong"><label for="only-wrong">judged otherwise than expected</label>
<input type="radio" class="choice" name="choice" id="only-missed"><label for="only-missed">something not applied</label>
<input type="radio" class="choice" name="choice" id="only-open"><label for="only-open">something undetermined</label>
<main id="conversations">
)";

std::optional<bool> expected_of(const Conversation& conversation, const Verdict& verdict) {
  const auto expected = conversation.expected.find(verdict.guideline);
  return expected == conversation.expected.end() ? std::nullopt : std::optional(expected->second);
}

bool is_wrong(const Verdict& verdict, const std::optional<bool>& expected) {
  return verdict.applied && expected && *verdict.applied != *expected;
}

}  // namespace

std::size_t ConversationPage::Row::count(char letter) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cells, [&](const auto& cell) { return cell.second.letter == letter; }));
}

std::size_t ConversationPage::Row::wrong() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cells, [](const auto& cell) { return cell.second.wrong; }));
}

ConversationPage::ConversationPage(OutputFiles& files) : files_(files) {
  files_.write(kFile, html_frame("Conversations").before);
  files_.write(kFile, kStyle);
  files_.write(kFile, kOpening);
}

ConversationPage::Row ConversationPage::row_of(const std::string& id, const Conversation& conversation,
                                               const std::vector<Verdict>& verdicts) {
  Row row{id, "", {}};
  for (const Verdict& verdict : verdicts)
    row.cells.emplace(verdict.guideline,
                      Cell{letter(verdict), is_wrong(verdict, expected_of(conversation, verdict))});
  if (row.wrong() > 0) row.classes += " wrong";
  if (row.count('n') > 0) row.classes += " missed";
  if (row.count('u') > 0) row.classes += " open";
  return row;
}

void ConversationPage::add(const std::string& id, const Conversation& conversation,
                           const std::vector<Verdict>& verdicts) {
  if (++conversations_ > kMostShown) return;
  any_expected_ = any_expected_ || !conversation.expected.empty();
  for (const Verdict& verdict : verdicts) {
    if (std::ranges::find(guidelines_, verdict.guideline) == guidelines_.end())
      guidelines_.push_back(verdict.guideline);
  }
  rows_.push_back(row_of(id, conversation, verdicts));

  std::string out = fmt::format(
      "<section class=\"conversation{}\" id=\"c{}\"><h2>{}</h2>\n<p><a href=\"#index\">↑ "
      "Index</a></p>\n<ul>\n",
      rows_.back().classes, conversations_, html::text(id, 200));
  for (const Verdict& verdict : verdicts) {
    const auto guideline = std::ranges::find(conversation.guidelines, verdict.guideline, &Guideline::id);
    out +=
        fmt::format("<li class=\"{}\"><b>{}</b> {} — {}", letter(verdict), html::text(verdict.guideline, 200),
                    guideline == conversation.guidelines.end() ? "" : html::text(guideline->action, 1'000),
                    html::text(mark(verdict), 500));
    if (const auto expected = expected_of(conversation, verdict))
      out += fmt::format("; <span class=\"expected\">expected: {}{}</span>", verdict_word(*expected),
                         is_wrong(verdict, expected) ? " ✗" : "");
    if (verdict.applied && verdict.votes.size() > 1)
      out += fmt::format(" ({:.0f} % of votes)", 100 * verdict.confidence);
    if (!verdict.missing.empty())
      out += fmt::format("; a {} part is missing: {}", html::text(verdict.missing, 20),
                         html::text(verdict.missing_rationale, 1'000));
    for (const Segment& segment : verdict.segments) {
      if (!segment.message_index) out += finding(verdict, segment);
    }
    out += "</li>\n";
  }
  out += "</ul>\n";
  for (std::size_t i = 0; i < conversation.events.size(); ++i) {
    std::string found;
    for (const Verdict& verdict : verdicts) {
      for (const Segment& segment : verdict.segments) {
        if (segment.message_index == static_cast<std::int64_t>(i)) found += finding(verdict, segment);
      }
    }
    const Json& event = conversation.events[i];
    out += fmt::format(
        "<div class=\"event{}\"><div><div class=\"who\">{} · {}</div><div class=\"said\" "
        "dir=\"auto\">{}</div></div>"
        "<div class=\"found\">{}</div></div>\n",
        found.empty() ? "" : " evidence", i, html::text(text_at(event, "event_source"), 50),
        html::text(event_words(event), kLongestText), found);
  }
  files_.write(kFile, out + "</section>\n");
}

std::string ConversationPage::index() const {
  std::string out =
      "<h2>Index</h2>\n<label class=\"filter\" hidden>Filter <input type=\"search\"></label>\n"
      "<div class=\"scroll\"><table class=\"sortable\"><thead><tr><th>conversation</th><th>applied</th>"
      "<th>not applied</th><th>undetermined</th>";
  if (any_expected_) out += "<th>other than expected</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    out += fmt::format("<tr class=\"{}\"><td><a href=\"#c{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td>",
                       row.classes, i + 1, html::text(row.id, 100), row.count('y'), row.count('n'),
                       row.count('u'));
    if (any_expected_) out += fmt::format("<td>{}</td>", row.wrong());
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

// A column per guideline; where there are too many, each row has its own cells with their guidelines' names.
std::string ConversationPage::map() const {
  const bool columns = guidelines_.size() <= kMostColumns;
  std::string out = "<h2>Conversations by guidelines</h2>\n<div class=\"scroll\"><table class=\"map\">";
  if (columns) {
    out += "<thead><tr><th></th>";
    for (const std::string& guideline : guidelines_)
      out += fmt::format("<th>{}</th>", html::text(guideline, 60));
    out += "</tr></thead>\n";
  }
  out += "<tbody>\n";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    out += fmt::format("<tr class=\"{}\"><th class=\"row\"><a href=\"#c{}\">{}</a></th>", rows_[i].classes,
                       i + 1, html::text(rows_[i].id, 60));
    for (const std::string& guideline : guidelines_) {
      const auto cell = rows_[i].cells.find(guideline);
      if (cell != rows_[i].cells.end()) {
        out += fmt::format("<td class=\"{}{}\" title=\"{}\">{}</td>", cell->second.letter,
                           cell->second.wrong ? " otherwise" : "", html::attribute(guideline),
                           sign(cell->second.letter));
      } else if (columns) {
        out += "<td></td>";
      }
    }
    out += "</tr>\n";
  }
  return out +
         "</tbody></table></div>\n<p>✓ applied, ✗ not applied, ? undetermined, – skipped; framed: other than "
         "expected</p>\n";
}

void ConversationPage::finish() {
  std::string out = "<section id=\"index\">\n";
  if (conversations_ > kMostShown)
    out += fmt::format("<p>The first {} of {} conversations; all are in results.jsonl.</p>\n", kMostShown,
                       conversations_);
  if (!rows_.empty()) out += index() + map();
  files_.write(kFile, out + "</section>\n</main>\n" + html_frame("Conversations").behind);
}

}  // namespace assay::guidelines
