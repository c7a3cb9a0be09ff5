// A run with everything a report can show, and one made of hostile texts.
#pragma once

#include <string>
#include <vector>

#include "report/gates.h"
#include "report/summary.h"
#include "stats/intervals/proportion.h"

namespace assay {

inline Metric metric(std::string name, Estimate estimate, Metric::Form form = Metric::Form::share,
                     bool headline = false) {
  Metric one;
  one.name = std::move(name);
  one.estimate = std::move(estimate);
  one.form = form;
  one.headline = headline;
  return one;
}

inline ReportInput sample_report() {
  ReportInput input;
  Summary& summary = input.summary;
  summary.assay = "0.1.0";
  summary.evaluation = "question_router";
  summary.what = "September prompt";
  summary.run_id = "20260901T083000Z-5f3a9c1e";
  summary.started = "2026-09-01T08:30:00.000Z";
  summary.finished = "2026-09-01T08:32:10.000Z";
  summary.about = {{"target", "python3 route.py"}, {"data", "questions.jsonl (8 cases)"}};
  summary.simulated = {"sim/judge", "sim/router"};
  summary.conclusions = {"The router confuses visa with tax.", "All else is well."};
  summary.cases = {8, 5, 2, 1};
  summary.metrics.push_back(metric("accuracy", wilson(3, 5), Metric::Form::share, true));
  summary.metrics.back().estimate.missing = {{"judge_failed", 2}};
  summary.metrics.back().estimate.bounds = Interval{3.0 / 7, 5.0 / 7};
  summary.metrics.push_back(metric("precision", undefined_figure("no case was classified as positive")));
  summary.metrics.push_back(metric("precision.tax", wilson(1, 2)));
  summary.metrics.push_back(metric("miscategorised", plain_figure(2, 5), Metric::Form::count));
  summary.tables.push_back({"confusion_matrix",
                            "Expected against actual",
                            {"tax", "visa"},
                            {{Json(3), Json(0)}, {Json(2), Json(0)}},
                            true,
                            "expected",
                            "actual"});
  summary.tables.push_back({"labels",
                            "Per label",
                            {"label", "precision"},
                            {{Json("tax"), Json(0.5)}, {Json("visa"), Json(nullptr)}},
                            false,
                            "",
                            ""});
  summary.usage = {10, 12'345, 678, 0, 0, 0.0421, 0, 3, 1};
  for (const char* gate : {"accuracy >= 0.5", "precision >= 0.8", "errored == 0"}) {
    summary.gates.push_back(evaluate_gate(parse_gate(gate).value(), summary).value());
  }
  input.notable = {{"q-17", "visa instead of tax", {{"question", "Where do I pay?"}, {"answer", ""}}}};
  input.problems = {{"error", "q-3", "the judge gave no usable answer"},
                    {"error", "q-3", "the circuit opened"},
                    {"warning", "line 7", "a repeated key"}};
  input.problem_count = 40;
  input.command = "assay run router.yaml";
  input.config_yaml = "evaluation: question_router\n";
  return input;
}

inline const std::string kHostile =
    "</title></script></pre><script>alert(1)</script><img src=x onerror=alert(2)>\" onmouseover=\"alert(3)' "
    "x='|`*_["
    "link](javascript:alert(4)) @octocat \xE2\x80\xAE\x01\x1b[31m\xff\n]]>--> &amp; {{ \xEF\xBF\xBF";

// The same shape, with the hostile text wherever a text can come from outside.
inline ReportInput hostile_report() {
  ReportInput input = sample_report();
  Summary& summary = input.summary;
  for (std::string* text : {&summary.assay, &summary.evaluation, &summary.what, &summary.run_id,
                            &summary.started, &summary.finished, &input.command, &input.config_yaml}) {
    *text = kHostile;
  }
  for (auto& [what, words] : summary.about) what = words = kHostile;
  for (std::string& name : summary.simulated) name = kHostile;
  for (std::string& sentence : summary.conclusions) sentence = kHostile;
  for (Metric& one : summary.metrics) {
    one.name += "." + kHostile;
    one.estimate.method = kHostile;
    one.estimate.undefined = kHostile;
    one.estimate.missing = {{kHostile, 1}};
  }
  for (Table& table : summary.tables) {
    table.name += kHostile;
    table.title = table.row_title = table.column_title = kHostile;
    for (std::string& column : table.columns) column = kHostile;
  }
  summary.tables[1].rows[0][0] = Json(boost::json::string(kHostile));
  for (GateResult& gate : summary.gates) gate.gate = gate.note = kHostile;
  summary.gates[0].passed = false;
  input.notable = {{kHostile, kHostile, {{kHostile, kHostile}}}};
  input.problems = {{"error", kHostile, kHostile}, {kHostile, kHostile, kHostile}};
  return input;
}

}  // namespace assay
