// What one case came to: its line of results.jsonl, its scores, its rows of results.csv, and what makes it
// worth a look. An evaluation writes its own fields (Evaluation::line); who the case is, how it ended, error,
// usage and latency stand around them in every evaluation alike, in the order that readers expect:
//
//   id, line, cluster, outcome │ the evaluation's fields and scores, extra │ error, usage, latency_ms
//
// Built by appending, and used again for the next case: fast enough for millions of lines.
#pragma once

#include <cassert>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "core/json/json.h"
#include "engine/case.h"
#include "engine/finished_case.h"
#include "engine/outcome.h"
#include "evaluations/score.h"
#include "report/csv.h"
#include "report/summary.h"

namespace assay {

// What the evaluation's aggregate needs of a case beside the scores, in the evaluation's own type.
struct CaseFacts {
  virtual ~CaseFacts() = default;
};

class ResultLine {
 public:
  // --- by the evaluation ---
  void text(std::string_view name, std::string_view value) {
    key(name);
    append_json_string(text_, value);
  }
  void boolean(std::string_view name, bool value) {
    key(name);
    text_ += value ? "true" : "false";
  }
  void number(std::string_view name, double value) {
    key(name);
    text_ += number_text(value);
  }
  // A value that is JSON text already.
  void written(std::string_view name, std::string_view value) {
    key(name);
    text_ += value;
  }
  void json(std::string_view name, const Json& value) {
    key(name);
    text_ += to_text(value);
  }
  // Null where the case has none. The names must outlive the line.
  void scores(Scores list) {
    scores_.assign(list.begin(), list.end());
    key("scores");
    char before = '{';
    for (const Score& score : list) {
      text_ += before;
      before = ',';
      text_ += '"';
      text_ += score.figure;
      text_ += "\":";
      text_ += score.value ? number_text(*score.value) : "null";
    }
    text_ += list.empty() ? "{}" : "}";
  }
  // The same for a case that counts as one or zero.
  void score(std::string_view name, bool value) {
    text_ += ",\"scores\":{\"";
    text_ += name;
    text_ += value ? "\":1}" : "\":0}";
    scores_.assign(1, {name, value ? 1.0 : 0.0});
  }
  // Of the parts of the case. The figure's name must outlive the line.
  void parts(std::string_view figure, std::vector<PartScore> list) {
    JsonObject scores;
    for (const PartScore& one : list) scores.emplace(one.part, one.value ? Json(*one.value) : Json(nullptr));
    json("parts", JsonObject{{figure, std::move(scores)}});
    part_figure_ = figure;
    parts_ = std::move(list);
  }
  // The fields of the line that the evaluation does not know.
  void extras(const LineParser& line) {
    const std::size_t before = text_.size();
    text_ += ",\"extra\":";
    const std::size_t start = text_.size();
    line.append_extras(text_);
    if (text_.size() == start) text_.resize(before);
  }
  // The case has failed although its effects did not: its fields come after this.
  void failed(OutcomeKind outcome, std::string error) {
    outcome_ = outcome;
    error_ = std::move(error);
  }
  // In the place of what the engine counted.
  void usage(Json usage) { usage_ = std::move(usage); }
  // One row of results.csv; a case may have several, or none.
  template <class Cells>
  void row(const Cells& cells) {
    append_csv_row(rows_, cells);
  }
  void row(std::initializer_list<std::string_view> cells) { append_csv_row(rows_, cells); }
  // The case as input for `generate: false`: one line of generated.jsonl, without its end.
  void generated(std::string_view line) { generated_.assign(line); }
  // Worth a look the more, the lower `goodness` is; `make()` gives the NotableCase and is called only if it
  // is among the worst so far. Below 0 are failures, which come first.
  template <class Make>
  void notable(double goodness, const Make& make) {
    if (goodness < notable_below_) notable_.emplace_back(goodness, make());
  }
  // The evaluation's own facts on the case: the same object for every case, so each must be set anew.
  template <class Facts>
  Facts& facts() {
    if (facts_ == nullptr) facts_ = std::make_unique<Facts>();
    assert(dynamic_cast<Facts*>(facts_.get()) != nullptr);
    return static_cast<Facts&>(*facts_);
  }

  // --- by whoever reads it ---
  OutcomeKind outcome() const { return outcome_; }
  bool scored() const { return outcome_ == OutcomeKind::scored; }
  const std::string& error() const { return error_; }
  Scores scores() const { return scores_; }
  PartScores parts() const { return {part_figure_, parts_}; }
  bool has_facts() const { return facts_ != nullptr; }
  template <class Facts>
  const Facts& facts() const {
    assert(dynamic_cast<const Facts*>(facts_.get()) != nullptr);
    return static_cast<const Facts&>(*facts_);
  }

  // --- by the run ---
  // Before Evaluation::line. `finished` is null where nothing is asked outside.
  void begin(const FinishedCase* finished, double notable_below = std::numeric_limits<double>::infinity()) {
    text_.clear();
    rows_.clear();
    generated_.clear();
    notable_.clear();
    scores_.clear();
    parts_.clear();
    usage_.reset();
    notable_below_ = notable_below;
    outcome_ = finished != nullptr ? finished->outcome.kind : OutcomeKind::scored;
    error_ = finished != nullptr ? finished->outcome.error : std::string();
  }
  // The whole line with its end; valid until the next call.
  std::string_view whole(const Case& input, const FinishedCase* finished) {
    whole_.assign("{\"id\":");
    append_json_string(whole_, input.id);
    whole_ += ",\"line\":";
    append_integer(static_cast<std::int64_t>(input.line));
    if (!input.cluster.empty()) {
      whole_ += ",\"cluster\":";
      append_json_string(whole_, input.cluster);
    }
    whole_ += ",\"outcome\":\"";
    whole_ += to_string(outcome_);
    whole_ += '"';
    whole_ += text_;
    if (!error_.empty()) {
      whole_ += ",\"error\":";
      append_json_string(whole_, error_);
    }
    if (finished != nullptr) {
      whole_ += ",\"usage\":";
      whole_ += to_text(usage_ ? *usage_ : finished->usage);
      whole_ += ",\"latency_ms\":";
      whole_ += number_text(finished->latency_ms);
    }
    whole_ += "}\n";
    return whole_;
  }
  const std::string& rows() const { return rows_; }
  const std::string& generated() const { return generated_; }
  std::vector<std::pair<double, NotableCase>>& notable() { return notable_; }

 private:
  void key(std::string_view name) {
    text_ += ",\"";
    text_ += name;
    text_ += "\":";
  }
  void append_integer(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    whole_.append(digits, static_cast<std::size_t>(end - digits));
  }

  std::string text_;  // the evaluation's fields
  std::string whole_;
  std::string rows_;
  std::string generated_;
  std::string error_;
  OutcomeKind outcome_ = OutcomeKind::scored;
  std::optional<Json> usage_;
  std::vector<Score> scores_;
  std::string_view part_figure_;
  std::vector<PartScore> parts_;
  std::vector<std::pair<double, NotableCase>> notable_;
  double notable_below_ = std::numeric_limits<double>::infinity();
  std::unique_ptr<CaseFacts> facts_;
};

}  // namespace assay
