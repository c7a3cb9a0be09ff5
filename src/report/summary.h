// What a run came to: the content of summary.json, and what every report is made from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "core/problem.h"
#include "report/plots/plot.h"
#include "stats/estimate.h"

namespace assay {

struct Metric {
  std::string
      name;  // lower-case with underscores, parts after a dot: "precision.political", "coherence.mean"
  Estimate estimate;
  // How people should read it.
  enum class Form { number, share, count } form = Form::number;
  enum class Better { higher, lower, neither } better = Better::higher;
  bool headline = false;  // shown large at the top of a report
  // The scale that it is drawn on, where the form does not say it: 1 to 5 for ratings. Filled by the run for
  // means over cases, by their declared range.
  std::optional<Interval> range = {};
  std::optional<double> reference = {};  // what it is read against: 0 for a difference, 0.5 for a win rate
};

struct Table {
  std::string name;   // "confusion_matrix"
  std::string title;  // for people
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;  // numbers, texts, null
  // A square matrix of counts: `columns` are the labels, and JSON has {"labels", "rows"} instead of
  // {"columns", "rows"}. Rows are `row_title`, columns `column_title`.
  bool matrix = false;
  std::string row_title;
  std::string column_title;
};

struct GateResult {
  std::string gate;  // as written
  bool passed = false;
  std::optional<double> value;  // absent if the metric is undefined; such a gate fails
  std::string note;             // why it failed when that is not plain from the value
};

struct CaseCounts {
  std::int64_t total = 0;
  std::int64_t evaluated = 0;
  std::int64_t errored = 0;
  std::int64_t invalid = 0;
  std::int64_t skipped = 0;  // left out by design: the run stopped early
  std::int64_t open = 0;     // without outcome, since the run is not finished
};

// What became of one condition of `stop_when`.
struct StopVerdict {
  enum class Answer { open, yes, no };
  std::string condition;  // as written
  Answer answer = Answer::open;
  std::int64_t after = 0;  // how many cases settled it
};

// A run that was allowed to stop early.
struct StoppingReport {
  bool stopped = false;  // before all cases were done
  std::int64_t taken = 0;
  std::int64_t of = 0;
  double saved_requests = 0;        // at the rate of the cases that were taken
  std::optional<double> saved_usd;  // the same; absent if a price is unknown
  std::vector<StopVerdict> conditions;
};

// Labelled cases that every run has judged beside its own; what the judge said of them is in anchors.jsonl.
struct AnchorsReport {
  std::string file;  // as the config names it
  std::string hash;  // SHA-256 of it, hex
  std::string figure;
  Interval range{0, 1};  // of the figure
  std::int64_t cases = 0;
  std::int64_t judged = 0;
};

struct UsageTotals {
  std::int64_t requests = 0;  // sent in this and earlier sittings of the run
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<double> cost_usd;  // absent if any answer's price is unknown
  std::int64_t cached =
      0;  // answers taken from an earlier run (--reuse) or the cache instead of being asked again
  std::int64_t retries = 0;  // of the requests: tries of one call beyond its first
  std::int64_t repairs = 0;  // calls that asked again for an answer that could not be used
};

// A case worth a reader's look: failed or lowest scored.
struct NotableCase {
  std::string id;
  std::string why;  // "coherence 0.25", "judge gave no usable answer"
  std::vector<std::pair<std::string, std::string>>
      fields;  // what to show, in order: question, expected, actual, reason
};

struct Summary {
  std::string assay;  // version
  std::string evaluation;
  std::string what;  // free text of the config
  std::string run_id;
  std::string started;  // ISO 8601, UTC
  std::string finished;
  std::optional<double> worked_seconds;        // of all sittings together; absent if unknown
  std::map<std::string, std::string> prompts;  // fingerprints of the texts in force, by name
  // What was evaluated, by what, on what, as a reader asks for it: {"target", "http://…"}, {"judge", "…"},
  // {"data", "…"}. Stands at the top of every report.
  std::vector<std::pair<std::string, std::string>> about;
  std::vector<std::string>
      simulated;  // models of the simulator that gave answers; no figure speaks of a real one
  // The deciding sentences, most important first: the same on the screen, in every report and on the page.
  std::vector<std::string> conclusions;
  CaseCounts cases;
  std::vector<Metric> metrics;
  std::vector<Table> tables;
  UsageTotals usage;
  std::vector<GateResult> gates;
  std::optional<StoppingReport> stopping;  // if the config has `stop_when`
  std::optional<AnchorsReport> anchors;    // if the config has `anchors`
  // Drawn in the report and written to plots/; no part of summary.json, which they follow from or add to.
  std::vector<Plot> plots;
};

// Every case of a run, or the first of them, for a report that shows them itself.
struct ShownCases {
  std::string lines;       // of results.jsonl, as script_data() has them
  std::int64_t count = 0;  // of them
  std::string page;        // the file beside the report that has them instead; empty: the report has them
  bool all = true;         // none is left out
};

// Everything a report shows beyond the summary.
struct ReportInput {
  Summary summary;
  std::vector<NotableCase> notable;
  ShownCases cases;
  std::vector<Problem> problems;   // the first few hundred
  std::int64_t problem_count = 0;  // all of them
  std::string config_yaml;         // the resolved config, for "how to reproduce"
  std::string command;             // the command that repeats the run
  std::vector<std::string> pages;  // further pages beside the report: "transcripts.html"
};

Json to_json(const Estimate& estimate);
Json to_json(const Summary& summary);
Result<Summary> summary_from_json(const Json& json);

}  // namespace assay
