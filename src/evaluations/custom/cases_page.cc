#include "evaluations/custom/cases_page.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/pages/html.h"
#include "report/pages/html_parts.h"
#include "report/word_diff.h"

namespace assay::custom {
namespace {

constexpr std::size_t kLongestText = 8'000;
constexpr std::size_t kLongestReason = 1'000;

constexpr const char* kStyle = R"(<style>
.case { padding: .8rem 1rem; } .fields { font-size: .9rem; margin: .3rem 0; }
.fields b { font-weight: 600; } .sides { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(18rem, 1fr); gap: 1rem; overflow-x: auto; }
.side { min-width: 0; border-top: 3px solid #2a78d6; padding-top: .3rem; } .said { white-space: pre-wrap; overflow-wrap: anywhere; }
ins { background: #2e9e5b33; text-decoration: none; } del { background: #d1495b33; }
.marks { list-style: none; padding: 0; font-size: .85rem; } .marks li { overflow-wrap: anywhere; } .no { color: #b3202c; } .yes { color: #1a7f45; }
@media (prefers-color-scheme: dark) { .no { color: #ff8f97; } .yes { color: #6fd79b; } }
@media (max-width: 40rem) { .sides { grid-auto-flow: row; } }
</style>)";

std::string diff_html(std::string_view before, std::string_view after) {
  const WordDiff diff = word_diff(before, after);
  std::string out;
  if (!diff.taken_apart)
    out +=
        fmt::format("<p>More than {} words differ: they are not compared word by word.</p>", kMostDiffWords);
  for (const WordRun& run : diff.runs) {
    const std::string words = html::text(run.text, kLongestText);
    switch (run.kind) {
      case WordRun::Kind::both:
        out += words;
        break;
      case WordRun::Kind::added:
        out += fmt::format("<ins>{}</ins>", words);
        break;
      case WordRun::Kind::removed:
        out += fmt::format("<del>{}</del>", words);
        break;
    }
  }
  return out;
}

std::string mark_html(const Json& metric) {
  const Json* passed = find_member(metric, "passed");
  const auto verdict = passed != nullptr ? as_boolean(*passed) : std::nullopt;
  std::string words;
  if (const Json* score = find_member(metric, "score"))
    words = fmt::format("{:.4g}", as_number(*score).value_or(0));
  if (const std::string label = text_at(metric, "label"); !label.empty()) words = label;
  std::string reason = text_at(metric, "reason");
  for (const char* other : {"not_applicable", "error"}) {
    if (const std::string text = text_at(metric, other); !text.empty()) {
      words = other == std::string_view("error") ? "failed" : "–";
      reason = text;
    }
  }
  const char* style = !verdict ? "" : *verdict ? " class=\"yes\"" : " class=\"no\"";
  const char* sign = !verdict ? "" : *verdict ? "✓ " : "✗ ";
  return fmt::format("<li{}>{}<b>{}</b> {}<small> {}</small></li>\n", style, sign,
                     html::text(text_at(metric, "name"), 100), html::text(words, 100),
                     html::text(reason, kLongestReason));
}

std::string output_text(const Json& answer) {
  const Json* output = find_member(answer, "output");
  return output != nullptr ? text_or_json(*output) : std::string();
}

// Whether answers came out otherwise from variant to variant, or one does not pass.
bool is_telling(const CaseMarks& marks) {
  bool failing = false;
  bool answered = false;
  bool missing = false;
  for (const auto& answers : marks.answers) {
    for (const AnswerMarks& answer : answers) {
      (answer.answered ? answered : missing) = true;
      for (const auto* list : {&answer.marks, &answer.case_checks}) {
        for (const Mark& mark : *list)
          failing = failing || mark.state == Mark::State::failed || (mark.passed && !*mark.passed);
      }
    }
  }
  return failing || (answered && missing);
}

}  // namespace

std::string CasesPage::answer_html(const Json& answer, const Json* baseline) const {
  std::string title = text_at(answer, "variant");
  if (design_.repeats > 1) title += fmt::format(" · answer {}", text_or_json(*find_member(answer, "repeat")));
  std::string out = fmt::format("<div class=\"side\"><b>{}</b>", html::text(title, 200));
  if (find_member(answer, "output") == nullptr) {
    out += fmt::format("<p class=\"no\">no answer: {}</p></div>\n",
                       html::text(text_at(answer, "error"), kLongestReason));
    return out;
  }
  const std::string said = output_text(answer);
  out += fmt::format(
      "<div class=\"said\">{}</div><ul class=\"marks\">\n",
      baseline != nullptr ? diff_html(output_text(*baseline), said) : html::text(said, kLongestText));
  for (const Json& metric : list_at(answer, "metrics")) out += mark_html(metric);
  return out + "</ul></div>\n";
}

std::string CasesPage::card(const std::string& id, const JsonObject& fields, const JsonArray& answers) const {
  std::string out = fmt::format("<section class=\"case\"><h3>{}</h3>\n", html::text(id, 200));
  for (const auto& [name, value] : fields) {
    if (name == "id" || name == "output" || value.is_null()) continue;
    out += fmt::format("<div class=\"fields\"><b>{}</b> {}</div>\n", html::text(name, 100),
                       html::text(text_or_json(value), kLongestReason));
  }
  const std::string baseline_name = design_.baseline ? design_.variants[*design_.baseline] : std::string();
  out += "<div class=\"sides\">\n";
  for (const Json& answer : answers) {
    const Json* baseline = nullptr;
    for (const Json& other : answers) {
      const bool same_repeat = *find_member(other, "repeat") == *find_member(answer, "repeat");
      if (design_.baseline && same_repeat && text_at(other, "variant") == baseline_name &&
          text_at(answer, "variant") != baseline_name && find_member(other, "output") != nullptr)
        baseline = &other;
    }
    out += answer_html(answer, baseline);
  }
  return out + "</div></section>\n";
}

void CasesPage::add(const std::string& id, const JsonObject& fields, const JsonArray& answers,
                    const CaseMarks& marks) {
  ++cases_;
  auto& list = is_telling(marks) ? telling_ : others_;
  if (list.size() >= kMostCases || bytes_ > kMostBytes) return;
  list.push_back(card(id, fields, answers));
  bytes_ += list.back().size();
}

std::string CasesPage::html(const std::string& title) const {
  std::string body =
      fmt::format("{}<h1>{}</h1>\n<p><a href=\"report.html\">Report</a> · {} of {} cases", kStyle,
                  html::text(title.empty() ? "Cases" : title, 300), telling_.size() + others_.size(), cases_);
  if (design_.has_variants() && design_.baseline)
    body += fmt::format(" · <ins>added</ins> and <del>left out</del> against {}",
                        html::text(design_.variants[*design_.baseline], 100));
  body += "</p>\n";
  if (!telling_.empty()) body += "<h2>Something does not pass, or has no answer</h2>\n";
  for (const std::string& one : telling_) body += one;
  if (!others_.empty()) body += "<h2>Others</h2>\n";
  for (const std::string& one : others_) body += one;
  return html_page(title.empty() ? "Cases" : "Cases: " + title, body);
}

}  // namespace assay::custom
