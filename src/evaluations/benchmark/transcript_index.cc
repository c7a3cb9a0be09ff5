#include "evaluations/benchmark/transcript_index.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "report/pages/html_parts.h"

namespace assay::benchmark {
namespace {

constexpr std::size_t kMostRows = 5'000;
constexpr std::size_t kMostChoices = 60;  // of one kind; beyond, the table's search is the better way

// In the order of the enum.
constexpr std::array<std::string_view, 4> kVerdicts = {"passed", "partly", "failed", "unscored"};

constexpr const char* kStyle = R"(<style>
main { display: flex; flex-direction: column; } #index { order: -1; }
#index .scroll { max-height: 60vh; overflow: auto; } #index td { overflow-wrap: break-word; }
.choices { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; } .choices fieldset { border: 0; padding: 0; margin: 0; }
.choices legend { font-size: .8rem; opacity: .7; padding: 0; } .choices label { margin-right: .8rem; white-space: nowrap; }
)";

// One kind of choice: the buttons, and the rules that hide everything else while one is pressed.
struct Choices {
  std::string buttons;
  std::string rules;
};

Choices choices(char letter, std::string_view legend, const std::vector<std::string>& names) {
  if (names.size() < 2 || names.size() > kMostChoices) return {};
  Choices made;
  made.buttons = fmt::format(
      "<fieldset><legend>{0}</legend><label><input type=\"radio\" name=\"{1}\" checked> all</label>", legend,
      letter);
  for (std::size_t i = 0; i < names.size(); ++i) {
    made.buttons += fmt::format("<label><input type=\"radio\" name=\"{0}\" id=\"{0}-{1}\"> {2}</label>",
                                letter, i, html::text(names[i], 200));
    made.rules += fmt::format(
        "body:has(#{0}-{1}:checked) :is(.run:not(.{0}{1}), .variation:not(:has(.{0}{1}))) {{ display: none; "
        "}}\n",
        letter, i);
  }
  made.buttons += "</fieldset>";
  return made;
}

std::string name_at(const std::vector<std::string>& names, std::size_t index) {
  return index < names.size() ? html::name(names[index]) : std::string();
}

}  // namespace

std::string_view to_string(RunVerdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}

RunVerdict verdict_of(const std::optional<double>& score) {
  if (!score) return RunVerdict::unscored;
  if (*score >= 1) return RunVerdict::passed;
  return *score > 0 ? RunVerdict::partly : RunVerdict::failed;
}

std::string classes_of(const RunMarks& marks) {
  return fmt::format("run s{} m{} t{} v{}", marks.system, marks.model, marks.task,
                     static_cast<int>(marks.verdict));
}

TranscriptIndex::TranscriptIndex(std::vector<std::string> systems, std::vector<std::string> models,
                                 std::vector<std::string> tasks)
    : systems_(std::move(systems)), models_(std::move(models)), tasks_(std::move(tasks)) {}

std::string TranscriptIndex::head() const {
  const std::vector<std::string> verdicts(kVerdicts.begin(), kVerdicts.end());
  std::string buttons;
  std::string style = kStyle;
  for (const Choices& one : {choices('s', "system", systems_), choices('m', "model", models_),
                             choices('v', "verdict", verdicts), choices('t', "task", tasks_)}) {
    buttons += one.buttons;
    style += one.rules;
  }
  return fmt::format(
      "{}</style>\n<nav aria-label=\"Pages\"><ul><li><a href=\"report.html\">← Report</a></li>"
      "<li><a href=\"#index\">Index</a></li></ul></nav>\n<h1>Transcripts</h1>\n<div "
      "class=\"choices\">{}</div>\n"
      "<main>\n",
      style, buttons);
}

void TranscriptIndex::add(IndexedRun run) {
  if (runs_.size() == kMostRows) {
    ++left_out_;
    return;
  }
  runs_.push_back(std::move(run));
}

std::string TranscriptIndex::table() const {
  std::string out =
      "<section id=\"index\"><h2>Index</h2>\n"
      "<label class=\"filter\" hidden>Filter <input type=\"search\" placeholder=\"text in a row\" "
      "autocomplete=\"off\"></label>"
      "<div class=\"scroll\" role=\"region\" aria-label=\"Index\" tabindex=\"0\"><table class=\"sortable\">"
      "<thead><tr><th>task</th><th>variation</th><th>system</th><th>model</th><th class=\"number\">score</th>"
      "<th>verdict</th><th>outcome</th><th>file</th></tr></thead><tbody>\n";
  for (const IndexedRun& run : runs_) {
    const std::string task = name_at(tasks_, run.marks.task);
    out += fmt::format(
        "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td>"
        "<td>{}</td><td><a href=\"{}\" title=\"{}\">yaml</a></td></tr>\n",
        classes_of(run.marks),
        run.anchor.empty() ? task : fmt::format("<a href=\"#{}\">{}</a>", run.anchor, task),
        html::text(run.variation, 300), name_at(systems_, run.marks.system),
        name_at(models_, run.marks.model), run.score ? fmt::format("{:.3f}", *run.score) : std::string("n/a"),
        to_string(run.marks.verdict), html::text(run.outcome, 100),
        html::attribute(percent_encoded(run.file)), html::attribute(run.file));
  }
  out += "</tbody></table></div>\n";
  if (left_out_ > 0) out += fmt::format("<p>{} more runs are in their files.</p>\n", left_out_);
  return out + "</section>\n</main>\n";
}

}  // namespace assay::benchmark
