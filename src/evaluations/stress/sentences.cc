// What a stress test found, in sentences: what moves the judge first, then what it overlooks, what it
// notices, what was not seen to move it as far as so many cases allow, and how much it wavers by itself.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/stress/figures.h"
#include "report/words.h"

namespace assay::stress {
namespace {

std::string what_of(std::string_view change) {
  if (change == SwayRow::kSeats) return "the order of the two answers";
  const Change* known = find_change(change);
  return known == nullptr ? std::string(change) : std::string(known->what);
}

std::string signed_number(double value) {
  return fmt::format("{:+.2f}", value == 0 ? 0.0 : value);
}

// "+0.31 (0.18 to 0.44)"
std::string shift_words(const Estimate& shift) {
  if (!shift.value) return "";
  std::string words = signed_number(*shift.value);
  if (shift.ci)
    words += fmt::format(" ({} to {})", signed_number(shift.ci->low), signed_number(shift.ci->high));
  return words;
}

// Whether the score got better by it; nothing where it went both ways.
std::optional<bool> raised(const SwayRow& row) {
  const Estimate& shift = row.sway.shift;
  if (!shift.value || !shift.ci || (shift.ci->low <= 0 && shift.ci->high >= 0)) return std::nullopt;
  return (*shift.value > 0) != row.figure->lower_is_better;
}

std::string seat_sentence(const SwayRow& row) {
  return fmt::format(
      "The judge prefers the answer that it sees {}: {} turned with the seats in {} of {}; sitting "
      "first "
      "is worth {}.",
      row.sway.shift.value.value_or(0) >= 0 ? "first" : "last", row.figure->metric,
      count_words(row.sway.moved.count.value_or(0)), counted_words(row.sway.n, "pair", "pairs"),
      shift_words(row.sway.shift));
}

// What is said of a judge that is moved like this.
std::string finding(const SwayRow& row) {
  const Change* change = find_change(row.change);
  const auto up = raised(row);
  if (!up) return fmt::format("is moved both ways by {}", what_of(row.change));
  return std::string(*up ? change->raised : change->lowered);
}

// "faithfulness moved in 14 of 20 cases, +0.31 (+0.18 to +0.44) on average, and in 1 when judged again
// unchanged"
std::string moved_words(const SwayRow& row) {
  return fmt::format("{} moved in {} of {}, {} on average, and in {} when judged again unchanged",
                     row.figure->metric, count_words(row.sway.moved.count.value_or(0)),
                     counted_words(row.sway.n, "case", "cases"), shift_words(row.sway.shift),
                     count_words(row.sway.own));
}

// A sentence for each finding, with all metrics that show it; the most telling first.
void add_swayed(const StressResult& result, std::vector<std::string>& out) {
  std::vector<std::pair<std::string, std::string>> findings;
  for (const SwayRow& row : result.swayed) {
    if (!row.swayed()) continue;
    if (row.seats()) {
      out.push_back(seat_sentence(row));
      continue;
    }
    const std::string found = finding(row);
    const auto at = std::ranges::find(findings, found, &std::pair<std::string, std::string>::first);
    if (at == findings.end()) {
      findings.emplace_back(found, moved_words(row));
    } else {
      at->second += "; " + moved_words(row);
    }
  }
  for (const auto& [found, where] : findings) out.push_back(fmt::format("The judge {}: {}.", found, where));
}

// "3 of 19 (5.5% – 37.6%)"
std::string share_of(const Notice& notice) {
  std::string words =
      fmt::format("{} of {}", count_words(notice.noticed.count.value_or(0)), count_words(notice.n));
  if (notice.noticed.ci) words += fmt::format(" ({})", range_words(*notice.noticed.ci, Metric::Form::share));
  return words;
}

// One sentence for all faults with this verdict.
void add_notices(const StressResult& result, Notice::Verdict verdict, std::string_view before,
                 std::vector<std::string>& out) {
  std::vector<std::string> parts;
  for (const NoticeRow& row : result.noticed) {
    if (row.notice.n == 0 || row.notice.verdict != verdict) continue;
    parts.push_back(
        fmt::format("{} in {}: {}", what_of(row.change), row.figure->metric, share_of(row.notice)));
  }
  if (!parts.empty()) out.push_back(fmt::format("{} {}.", before, join(parts, "; ")));
}

// Faults that were planted where the score had no room to fall.
void add_too_low(const StressResult& result, std::vector<std::string>& out) {
  std::vector<std::string> parts;
  for (const NoticeRow& row : result.noticed) {
    if (row.notice.n == 0)
      parts.push_back(fmt::format("{} in {} ({})", what_of(row.change), row.figure->metric,
                                  counted_words(row.notice.left_out, "case", "cases")));
  }
  if (!parts.empty())
    out.push_back(
        fmt::format("Nothing can be said where no score was good enough to fall: {}.", join(parts, "; ")));
}

// A clean bill, as far as anything was compared.
void add_unmoved(const StressResult& result, std::vector<std::string>& out) {
  if (!result.tried_any(Matter::must_not) && result.swayed.empty()) {
    out.emplace_back("Nothing that must not matter was tried.");
    return;
  }
  std::int64_t cases = 0;
  for (const SwayRow& row : result.swayed) cases = std::max(cases, row.sway.n);
  out.push_back(cases == 0 ? "No case has all the judgements that are compared: nothing can be said of what "
                             "must not matter."
                           : fmt::format("In {} nothing that must not matter was seen to move the judge.",
                                         counted_words(cases, "case", "cases")));
}

// What a metric that counts statements marks down because it is one.
void add_counted(const StressResult& result, std::vector<std::string>& out) {
  std::vector<std::string> parts;
  for (const SwayRow& row : result.swayed) {
    if (row.as_it_must())
      parts.push_back(
          fmt::format("{} in {} {}", what_of(row.change), row.figure->metric, shift_words(row.sway.shift)));
  }
  if (!parts.empty()) {
    out.push_back(
        fmt::format("No weakness: what was added is a statement that nothing bears out, and costs the score "
                    "as it must: {}.",
                    join(parts, "; ")));
  }
}

// By metric: what was not seen to move it, and how large a mean move so many cases could have hidden. Where
// most scores were the best there is, nothing could have raised them.
void add_steady(const StressResult& result, std::vector<std::string>& out) {
  struct Steady {
    std::string metric;
    std::vector<std::string> whats = {};
    std::int64_t could_rise = 0;
    std::int64_t of = 0;
  };
  std::vector<Steady> by_metric;
  for (const SwayRow& row : result.swayed) {
    if (row.moves() || !row.sway.shift.ci) continue;
    const double most = std::max(std::fabs(row.sway.shift.ci->low), std::fabs(row.sway.shift.ci->high));
    auto at = std::ranges::find(by_metric, row.figure->metric, &Steady::metric);
    if (at == by_metric.end()) at = by_metric.insert(by_metric.end(), {.metric = row.figure->metric});
    at->whats.push_back(fmt::format("{} ({:.2f})", what_of(row.change), std::ceil(most * 100) / 100));
    if (!row.seats() && row.sway.n > at->of) {
      at->could_rise = row.could_rise;
      at->of = row.sway.n;
    }
  }
  for (const Steady& steady : by_metric) {
    const std::string room = steady.of == 0
                                 ? std::string()
                                 : fmt::format(" ({} of {} could rise)", count_words(steady.could_rise),
                                               counted_words(steady.of, "case", "cases"));
    out.push_back(fmt::format("Not seen to move {}{}, with the mean move that can be ruled out beyond: {}.",
                              steady.metric, room, join(steady.whats, ", ")));
  }
}

void add_own(const StressResult& result, std::vector<std::string>& out) {
  std::vector<std::string> parts;
  for (const auto& [figure, share] : result.own) {
    if (share.n > 0)
      parts.push_back(fmt::format("{} in {} of {}", figure->metric, count_words(share.count.value_or(0)),
                                  count_words(share.n)));
  }
  if (!parts.empty())
    out.push_back(fmt::format("Asked twice about the same text, the judge moved {}.", join(parts, ", ")));
}

void add_not_tried(const StressResult& result, std::vector<std::string>& out) {
  std::vector<std::string> none;
  for (const Change& change : changes()) {
    const auto tried = result.tried.find(std::string(change.name));
    if (tried != result.tried.end() && tried->second == 0) none.emplace_back(change.what);
  }
  if (!none.empty())
    out.push_back(fmt::format("Not tried, or not possible in any case: {}.", join(none, ", ")));
}

}  // namespace

std::vector<std::string> sentences(const StressResult& result) {
  std::vector<std::string> out;
  if (result.cases == 0) return {"No line of the data says what was changed in it: nothing can be compared."};
  if (result.all_failed()) {
    return {fmt::format("Of {} all failed: nothing can be said of the judge.",
                        counted_words(result.judgements, "judgement", "judgements"))};
  }
  add_swayed(result, out);
  add_notices(result, Notice::Verdict::overlooked, "The judge overlooks", out);
  if (std::ranges::none_of(result.swayed, &SwayRow::swayed)) add_unmoved(result, out);
  add_notices(result, Notice::Verdict::noticed, "The judge notices", out);
  add_counted(result, out);
  add_notices(result, Notice::Verdict::open, "Open, with so few cases or so mixed a picture:", out);
  add_too_low(result, out);
  add_steady(result, out);
  add_own(result, out);
  add_not_tried(result, out);
  return out;
}

}  // namespace assay::stress
