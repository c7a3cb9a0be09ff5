#include "runs/case_results.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/words.h"

namespace assay {
namespace {

enum Field : std::size_t { kId, kOutcome, kError, kLatency, kScores, kMetrics, kPassed, kAnswers };

std::string scores_words(const Json& scores) {
  std::string words;
  if (!scores.is_object()) return words;
  for (const auto& [name, value] : scores.get_object()) {
    words += fmt::format("{}{} {}", words.empty() ? "" : "\n", std::string_view(name),
                         number_or_none(as_number(value)));
  }
  return words;
}

// Where a metric has a threshold, its entry says whether the case passed.
std::vector<std::string> missed_thresholds(const Json& metrics) {
  std::vector<std::string> missed;
  if (!metrics.is_object()) return missed;
  for (const auto& [name, entry] : metrics.get_object()) {
    const Json* passed = find_member(entry, "passed");
    if (passed == nullptr || as_boolean(*passed).value_or(true)) continue;
    const auto number = [&](std::string_view member) {
      const Json* value = find_member(entry, member);
      return number_or_none(value == nullptr ? std::nullopt : as_number(*value));
    };
    missed.push_back(
        fmt::format("{} {}, threshold {}", std::string_view(name), number("mean"), number("threshold")));
  }
  return missed;
}

// Of a case whose answers do not all pass: what each of them fails, "new: says_it".
std::vector<std::string> failed_checks(const Json& answers) {
  std::vector<std::string> failed;
  if (!answers.is_array()) return failed;
  for (const Json& answer : answers.get_array()) {
    const std::string variant = text_at(answer, "variant");
    for (const Json& metric : list_at(answer, "metrics")) {
      const Json* passed = find_member(metric, "passed");
      if (passed == nullptr || as_boolean(*passed).value_or(true)) continue;
      std::string words =
          fmt::format("{}{}{}", variant, variant.empty() ? "" : ": ", text_at(metric, "name"));
      if (std::ranges::find(failed, words) == failed.end()) failed.push_back(std::move(words));
    }
  }
  return failed;
}

}  // namespace

CaseResultLines::CaseResultLines()
    : parser_({"id", "outcome", "error", "latency_ms", "scores", "metrics", "passed", "answers"}) {}

void CaseResultLines::take_parsed() {
  CaseResult one;
  one.id = parser_.field(kId).text;
  one.outcome = parser_.field(kOutcome).text;
  one.error = parser_.field(kError).text;
  if (parser_.field(kLatency).kind == FieldValue::Kind::number)
    one.seconds = parser_.field(kLatency).number / 1000;
  one.scores = scores_words(parser_.tree(kScores));
  one.below = missed_thresholds(parser_.tree(kMetrics));
  const FieldValue& passed = parser_.field(kPassed);
  if (passed.kind == FieldValue::Kind::boolean && !passed.boolean)
    std::ranges::move(failed_checks(parser_.tree(kAnswers)), std::back_inserter(one.below));
  results_.add(std::move(one));
}

Status CaseResultLines::add(std::string_view line) {
  if (auto parsed = parser_.parse_copy(line); !parsed) return parsed;
  take_parsed();
  return {};
}

Result<CaseResults> read_case_results(const std::string& directory) {
  const std::string file = directory + "/results.jsonl";
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  CaseResultLines lines;
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return lines.take();
    if (auto parsed = lines.parser_.parse(**line); !parsed)
      return fail(std::move(parsed.error()).with("file", file).with("line", std::to_string((*line)->number)));
    lines.take_parsed();
  }
}

}  // namespace assay
