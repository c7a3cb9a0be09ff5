#include <algorithm>
#include <cmath>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/visible.h"
#include "report/cases/case_view.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kCost = 9;
constexpr std::size_t kLatency = 9;
constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestScore = 6;

std::string latency_words(std::optional<double> milliseconds) {
  if (!milliseconds) return "";
  if (*milliseconds < 1000) return fmt::format("{:.0f} ms", *milliseconds);
  return fmt::format("{:.1f} s", *milliseconds / 1000);
}

std::size_t score_width(const std::string& figure) {
  return std::max(display_width(visible(figure)), kNarrowestScore);
}

std::string without_trail(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

bool CaseGlance::failed() const {
  return below || (outcome != "scored" && outcome != "skipped" && outcome != kUnderWay);
}

std::string_view CaseGlance::ended() const {
  return below && outcome == "scored" ? std::string_view("not passed") : std::string_view(outcome);
}

std::optional<double> CaseGlance::mean_score() const {
  double sum = 0;
  std::size_t n = 0;
  for (const auto& [name, value] : scores) {
    if (!value) continue;
    sum += *value;
    ++n;
  }
  if (n == 0) return std::nullopt;
  return sum / static_cast<double>(n);
}

Json to_json(const CaseGlance& one) {
  JsonObject scores;
  for (const auto& [name, value] : one.scores) scores[name] = value ? Json(*value) : Json(nullptr);
  JsonObject json{{"id", one.id},
                  {"outcome", one.outcome},
                  {"failed", one.failed()},
                  {"scores", std::move(scores)},
                  {"cost_usd", one.cost_usd ? Json(*one.cost_usd) : Json(nullptr)},
                  {"latency_ms", one.latency_ms ? Json(*one.latency_ms) : Json(nullptr)}};
  if (!one.error.empty()) json["error"] = one.error;
  if (!one.why.empty()) json["why"] = one.why;
  return json;
}

std::string CaseTable::add(CaseGlance row) {
  if (decided_) return line(row);
  held_.push_back(std::move(row));
  return held_.size() < kDeciding ? std::string() : flush();
}

std::string CaseTable::end() {
  return decided_ ? std::string() : flush();
}

std::string CaseTable::flush() {
  if (held_.empty()) return "";
  decide();
  std::string out = head();
  for (const CaseGlance& row : held_) out += line(row);
  held_.clear();
  return out;
}

// As many figures as fit, in the order in which they were met.
void CaseTable::decide() {
  decided_ = true;
  std::vector<std::string> figures;
  for (const CaseGlance& row : held_) {
    id_ = std::max(id_, display_width(visible(row.id)));
    outcome_ = std::max(outcome_, display_width(row.ended()));
    for (const auto& [name, value] : row.scores) {
      if (std::ranges::find(figures, name) == figures.end()) figures.push_back(name);
    }
  }
  id_ = std::min(id_, std::max<std::size_t>(style_.width / 3, 8));
  std::size_t used = id_ + kGap + outcome_ + kGap + kCost + kGap + kLatency;
  for (const std::string& figure : figures) {
    used += kGap + score_width(figure);
    if (used <= style_.width || figures_.empty()) {
      figures_.push_back(figure);
    } else {
      ++left_out_;
    }
  }
}

std::string CaseTable::head() const {
  std::string out = padded("id", id_, Align::left) + "  " + padded("outcome", outcome_, Align::left);
  for (const std::string& figure : figures_)
    out += "  " + padded(visible(figure), score_width(figure), Align::right);
  out += "  " + padded("cost", kCost, Align::right) + "  " + padded("latency", kLatency, Align::right);
  out = paint_.faint(out) + "\n";
  if (left_out_ > 0)
    out += paint_.faint(fmt::format(
               "({} for which there is no room: --format json has them)",
               counted_words(static_cast<std::int64_t>(left_out_), "more score", "more scores"))) +
           "\n";
  return out;
}

std::string CaseTable::line(const CaseGlance& row) const {
  std::string out = padded(cut_to_width(visible(row.id), id_), id_, Align::left) + "  ";
  const std::string outcome = padded(std::string(row.ended()), outcome_, Align::left);
  out += row.failed() ? paint_.bad(outcome) : outcome;
  for (const std::string& figure : figures_) {
    const auto found = std::ranges::find(row.scores, figure, [](const auto& score) { return score.first; });
    const std::string cell = found == row.scores.end() ? "" : number_or_none(found->second);
    out += "  " + padded(cell, score_width(figure), Align::right);
  }
  out += "  " + padded(row.cost_usd ? cost_words(row.cost_usd) : "", kCost, Align::right) + "  " +
         padded(latency_words(row.latency_ms), kLatency, Align::right);
  out = without_trail(std::move(out)) + "\n";
  const std::string& below = row.error.empty() ? row.why : row.error;
  if (!below.empty())
    out += paint_.faint("  " + cut_to_width(visible(below), style_.width > 2 ? style_.width - 2 : 0)) + "\n";
  return out;
}

}  // namespace assay
