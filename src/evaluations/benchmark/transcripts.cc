#include "evaluations/benchmark/transcripts.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/json/json.h"
#include "core/text.h"
#include "report/pages/html.h"
#include "report/pages/html_parts.h"
#include "tools/kinds/kinds.h"
#include "tools/tool.h"

namespace assay::benchmark {
namespace {

constexpr const char* kFile = "transcripts.html";
constexpr std::size_t kMostShown = 400;  // runs on the page; the files hold them all
constexpr std::size_t kLongestText = 20'000;
constexpr std::size_t kLongestResult = 6'000;

constexpr const char* kStyle = R"(<style>
.sides { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(20rem, 1fr); gap: 1rem; overflow-x: auto; }
.side { min-width: 0; border-top: 3px solid #2a78d6; padding-top: .4rem; } .entry { border-top: 1px solid #8884; padding: .4rem 0; }
.who { font-size: .8rem; opacity: .7; } .said { white-space: pre-wrap; overflow-wrap: anywhere; } .entry pre, .entry code
{ white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; } .failed { border-left: 3px solid #d1495b; padding-left: .5rem; }
.score { font-size: 1.2rem; } .beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .5rem; }
.beside pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; } @media (max-width: 40rem) { .sides { grid-auto-flow: row; } }
</style>)";

std::string said(std::string_view who, std::string_view text) {
  return fmt::format("<div class=\"entry\"><div class=\"who\">{}</div><div class=\"said\">{}</div></div>\n",
                     who, html::text(text, kLongestText));
}

// A query or program is read as text, not as a JSON string.
std::string arguments(const Json& params) {
  for (const std::string_view name : {kSqlArgument, kPythonArgument}) {
    const auto* object = params.if_object();
    if (object == nullptr || object->size() != 1) continue;
    if (const auto text = find_text(params, name)) return *text;
  }
  return params.is_string() ? std::string(params.get_string()) : pretty_text(params);
}

std::string result_words(const Json& result) {
  const auto text = as_text(result);
  return text ? std::string(*text) : pretty_text(result);
}

// How many rows or what error, for the line that is always seen.
std::string result_in_short(const std::optional<Json>& result) {
  if (!result) return "no result yet";
  if (is_tool_error(*result)) return "failed";
  if (result->is_array()) return fmt::format("{} rows", result->get_array().size());
  const Json* code = find_member(*result, "exitCode");
  if (code != nullptr && code->is_number()) return "exit code " + to_text(*code);
  return "answered";
}

std::string call_entry(const CallRecord& call) {
  const bool failed = call.result && is_tool_error(*call.result);
  std::string out = fmt::format(
      "<div class=\"entry{}\"><div class=\"who\">tool call{}</div><details><summary><b>{}</b>: {}</summary>"
      "<pre>{}</pre>",
      failed ? " failed" : "", call.turn ? fmt::format(", turn {}", *call.turn) : "",
      html::text(call.name, 200), result_in_short(call.result),
      html::text(arguments(call.params), kLongestText));
  if (call.result)
    out += fmt::format("<pre>{}</pre>", html::text(result_words(*call.result), kLongestResult));
  return out + "</details></div>\n";
}

std::string entry_html(const Entry& entry) {
  switch (entry.kind) {
    case Entry::Kind::user_message:
      return said("user", entry.text);
    case Entry::Kind::assistant_message:
      return said("assistant", entry.text);
    case Entry::Kind::tool_call:
      return call_entry(entry.call);
    case Entry::Kind::error:
      return fmt::format("<div class=\"entry failed\"><div class=\"who\">error</div>{}</div>\n",
                         html::text(entry.text, kLongestText));
  }
  return "";
}

// The service's own steps: what it said, planned and ran.
std::string action_html(const Json& action) {
  std::string out;
  for (const auto& [key, who] :
       {std::pair<std::string_view, std::string_view>{"message", "assistant"}, {"plan", "plan"}}) {
    if (const auto text = find_text(action, key); text && !text->empty()) out += said(who, *text);
  }
  const auto code = find_text(action, "code");
  if (!code || code->empty()) return out;
  const auto error = find_text(action, "code_error");
  out += fmt::format(
      "<div class=\"entry{}\"><details><summary>program{}</summary><pre>{}</pre><pre>{}</pre>"
      "</details></div>\n",
      error ? " failed" : "", error ? ": failed" : "", html::text(*code, kLongestText),
      html::text(error.value_or(text_at(action, "code_output")), kLongestResult));
  return out;
}

// What was expected beside what was answered, open where they are not the same.
std::string answer_beside(const RunFile& run, RunVerdict verdict, const Json* expected) {
  const auto block = [](std::string_view who, const Json& value) {
    return fmt::format("<div><div class=\"who\">{}</div><pre>{}</pre></div>", who,
                       html::text(pretty_text(value), kLongestResult));
  };
  std::string out;
  if (!run.answer && !run.answer_error.empty())
    out += fmt::format("<p class=\"failed\">{}</p>\n", html::text(run.answer_error, 1000));
  if (!run.answer && expected == nullptr) return out;
  const bool open = verdict == RunVerdict::failed || verdict == RunVerdict::partly;
  out += fmt::format("<details{}><summary>{}</summary><div class=\"beside\">", open ? " open" : "",
                     expected == nullptr ? "answer" : "answer and what was expected");
  if (run.answer) out += block("answer", *run.answer);
  if (expected != nullptr) out += block("expected", *expected);
  return out + "</div></details>\n";
}

std::string side(const Transcript& transcript, const std::string& anchor, const Json* expected) {
  std::string out = fmt::format("<div class=\"side {}\" id=\"{}\"><h3>{}</h3>\n",
                                classes_of(transcript.marks), anchor, html::name(transcript.contender));
  if (!transcript.run) {
    return out + fmt::format("<p class=\"failed\">{} cannot be read.</p></div>\n",
                             html::text(transcript.file, 300));
  }
  const RunFile& run = *transcript.run;
  out += fmt::format(
      "<p><span class=\"score\">{}</span> {}{}{}{} · <a href=\"{}\">{}</a></p>\n",
      run.score ? fmt::format("{:.3f}, {}", *run.score, to_string(transcript.marks.verdict)) : "no score",
      run.scorer.empty() ? "" : fmt::format("by {} · ", html::text(run.scorer, 100)),
      html::text(transcript.outcome, 100),
      run.nudges > 0 ? fmt::format(" · {} {}", run.nudges, run.nudges == 1 ? "nudge" : "nudges") : "",
      run.seconds ? fmt::format(" · {:.1f} s", *run.seconds) : "",
      html::attribute(percent_encoded(transcript.file)), html::text(transcript.file, 300));
  if (!run.score_details.empty())
    out += fmt::format("<details><summary>score in detail</summary><pre>{}</pre></details>\n",
                       html::text(pretty_text(run.score_details), kLongestResult));
  if (!run.proposed.is_null()) {
    for (const Json& action : list_at(run.proposed, "assistant_actions")) out += action_html(action);
    out += said("user", "told to carry the plan out");
  }
  for (const Json& action : list_at(run.output, "assistant_actions")) out += action_html(action);
  if (run.error) out += entry_html(Entry::error(*run.error));
  bool first = true;
  for (const Entry& entry : run.conversation) {
    // What every run of the variation was asked is there to look up, not to scroll past.
    const bool question = std::exchange(first, false) && entry.kind == Entry::Kind::user_message;
    out += question ? fmt::format("<details><summary>prompt</summary>{}</details>\n", entry_html(entry))
                    : entry_html(entry);
  }
  return out + answer_beside(run, transcript.marks.verdict, expected) + "</div>\n";
}

}  // namespace

TranscriptPage::TranscriptPage(OutputFiles& files, TranscriptIndex index)
    : files_(files), index_(std::move(index)) {
  files_.write(kFile, html_frame("Transcripts").before);
  files_.write(kFile, kStyle);
  files_.write(kFile, index_.head());
}

void TranscriptPage::add(const std::string& title, const std::string& variation, const Json* expected,
                         std::vector<Transcript> side_by_side) {
  const bool fits = shown_ + side_by_side.size() <= kMostShown;
  std::string out = fmt::format("<section class=\"variation\"><h2>{}</h2>\n<div class=\"sides\">\n",
                                html::text(title, 500));
  for (Transcript& transcript : side_by_side) {
    const auto score = transcript.run ? transcript.run->score : std::nullopt;
    transcript.marks.verdict = verdict_of(score);
    const std::string anchor = fits ? fmt::format("run{}", ++shown_) : std::string();
    if (fits) out += side(transcript, anchor, expected);
    index_.add({transcript.marks, variation, transcript.file, transcript.outcome, score, anchor});
  }
  if (!fits) {
    left_out_ += side_by_side.size();
    return;
  }
  files_.write(kFile, out + "</div></section>\n");
}

void TranscriptPage::finish() {
  if (left_out_ > 0) files_.write(kFile, fmt::format("<p>{} more runs are in their files.</p>\n", left_out_));
  files_.write(kFile, index_.table());
  files_.write(kFile, html_frame("Transcripts").behind);
}

}  // namespace assay::benchmark
