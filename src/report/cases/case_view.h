// Cases of a run for a person at a terminal: a table of them, and one with everything that was asked and
// answered for it. Texts from data and models cannot move the cursor or change colours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "report/terminal.h"

namespace assay {

// A case that has answers and no outcome yet.
inline constexpr std::string_view kUnderWay = "under way";

// One line of the table.
struct CaseGlance {
  std::string id = {};
  std::string outcome = {};  // "scored", "judge_failed", …, or kUnderWay
  std::vector<std::pair<std::string, std::optional<double>>> scores = {};
  std::optional<double> cost_usd = {};
  std::optional<double> latency_ms = {};
  bool below = false;  // scored, and it does not pass what it had to
  std::string error = {};
  std::string why = {};   // it is among the worst, if it is
  std::string text = {};  // what it is about, shortened: its question, message, …
  // What it can be sorted into: labels, models, short fields of its data; {"area", "permits"}.
  std::vector<std::pair<std::string, std::string>> traits = {};

  // Not scored although it was tried, or not passed.
  bool failed() const;
  // How it ended, with what it had to pass: "scored", "not passed", "judge_failed".
  std::string_view ended() const;
  // Nothing without a score.
  std::optional<double> mean_score() const;
};

Json to_json(const CaseGlance& one);

// A table that is written while its rows come: the first of them decide the columns. Whatever add() and end()
// return is to be printed, in that order.
class CaseTable {
 public:
  explicit CaseTable(const TerminalStyle& style) : style_(style), paint_(style.colour) {}
  std::string add(CaseGlance row);
  std::string end();

 private:
  static constexpr std::size_t kDeciding = 100;

  void decide();
  std::string head() const;
  std::string line(const CaseGlance& row) const;
  std::string flush();

  TerminalStyle style_;
  Paint paint_;
  bool decided_ = false;
  std::vector<CaseGlance> held_;  // until the columns are decided
  std::size_t id_ = 2;            // widths
  std::size_t outcome_ = 7;
  std::vector<std::string> figures_;  // that have a column
  std::size_t left_out_ = 0;          // figures that have none
};

// One call to the outside world, as the journal holds it.
struct EffectView {
  std::string step = {};
  int attempt = 1;
  std::string kind = {};
  std::string model = {};
  Json request = {};
  Json reply = {};
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<double> cost_usd = {};
  double latency_ms = 0;
  int tries = 1;
  bool reused = false;
  std::string finished = {};
};

struct CaseView {
  std::string evaluation = {};
  std::string id = {};
  std::uint64_t line = 0;  // in the data; 0: unknown
  std::optional<JsonObject> input = {};
  std::vector<EffectView> effects = {};
  std::string outcome = {};             // as in the table
  JsonObject result = {};               // its line of results.jsonl; empty without an outcome
  std::vector<std::string> notes = {};  // what a reader should know of what is shown
};

std::string case_page(const CaseView& view, const TerminalStyle& style);
Json to_json(const CaseView& view);

// `answers` of a result, [{variant, repeat, output, metrics: [{name, score, passed, reason}]}], as columns
// beside each other as far as the width allows, those of one repeat in one row; "" if they are none.
std::string answers_side_by_side(const Json& answers, const TerminalStyle& style);

}  // namespace assay
