#include "report/junit.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "report/words.h"

namespace assay {
namespace {

bool allowed_in_xml(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
         c >= 0x10000;
}

double elapsed_seconds(const Summary& summary) {
  const auto started = parse_iso_time(summary.started);
  const auto finished = parse_iso_time(summary.finished);
  if (!started || !finished || *finished < *started) return 0;
  return std::chrono::duration<double>(*finished - *started).count();
}

// JUnit's schema wants the time without a zone.
std::string timestamp(const Summary& summary) {
  const auto started = parse_iso_time(summary.started);
  if (!started) return "";
  return fmt::format(" timestamp=\"{}\"", iso_time(*started).substr(0, 19));
}

void append_gates(const Summary& summary, std::string& out) {
  const auto failed = std::ranges::count(summary.gates, false, &GateResult::passed);
  out += fmt::format(
      "  <testsuite name=\"{}.gates\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" "
      "time=\"0\"{}>\n",
      xml_escape(summary.evaluation), summary.gates.size(), failed, timestamp(summary));
  for (const GateResult& gate : summary.gates) {
    out += fmt::format("    <testcase classname=\"{}.gates\" name=\"{}\" time=\"0\"",
                       xml_escape(summary.evaluation), xml_escape(gate.gate));
    if (gate.passed) {
      out += "/>\n";
      continue;
    }
    const std::string found =
        gate.value ? fmt::format("the value is {}", number_text(*gate.value)) : gate.note;
    out += fmt::format(
        ">\n      <failure type=\"gate\" message=\"{}\">{}</failure>\n    </testcase>\n", xml_escape(found),
        xml_escape(fmt::format("{}: {}{}", gate.gate, found,
                               gate.value && !gate.note.empty() ? " (" + gate.note + ")" : "")));
  }
  out += "  </testsuite>\n";
}

struct ErroredCase {
  std::string where;
  std::vector<std::string> texts;
};

// One entry per case, in the order of first mention.
std::vector<ErroredCase> errored_cases(const std::vector<Problem>& problems) {
  std::vector<ErroredCase> cases;
  std::map<std::string, std::size_t> index;
  for (const Problem& problem : problems) {
    if (problem.severity != "error") continue;
    const auto [entry, added] = index.emplace(problem.where, cases.size());
    if (added) cases.push_back({problem.where, {}});
    cases[entry->second].texts.push_back(problem.text);
  }
  return cases;
}

void append_cases(const ReportInput& input, const std::vector<ErroredCase>& errored, std::int64_t unlisted,
                  std::string& out) {
  const std::string name = xml_escape(input.summary.evaluation) + ".cases";
  const std::size_t count = errored.size() + (unlisted > 0 ? 1 : 0);
  out += fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"0\" errors=\"{}\" skipped=\"0\" time=\"{:.3f}\"{}>\n",
      name, count, count, elapsed_seconds(input.summary), timestamp(input.summary));
  const auto test_case = [&](std::string_view id, const std::string& message, const std::string& text) {
    out += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"0\">\n      <error type=\"error\" "
        "message=\"{}\">{}</error>\n"
        "    </testcase>\n",
        name, xml_escape(id), xml_escape(message), xml_escape(text));
  };
  for (const ErroredCase& one : errored) {
    test_case(one.where.empty() ? "run" : one.where, one.texts.front(), join(one.texts, "\n"));
  }
  if (unlisted > 0) {
    const std::string words =
        counted_words(unlisted, "more case ended in error", "more cases ended in error");
    test_case("further errored cases", words, words + "; see problems.log and results.jsonl");
  }
  out += "  </testsuite>\n";
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!c.valid || !allowed_in_xml(c.value)) {
      out += "\xEF\xBF\xBD";
    } else if (c.value == '&') {
      out += "&amp;";
    } else if (c.value == '<') {
      out += "&lt;";
    } else if (c.value == '>') {
      out += "&gt;";
    } else if (c.value == '"') {
      out += "&quot;";
    } else if (c.value == 0x9 || c.value == 0xA || c.value == 0xD) {
      out += fmt::format("&#{};", static_cast<unsigned>(c.value));  // kept as they are, even in an attribute
    } else {
      out.append(text.substr(0, c.size));
    }
    text.remove_prefix(c.size);
  }
  return out;
}

std::string junit_report(const ReportInput& input) {
  const Summary& summary = input.summary;
  const std::vector<ErroredCase> errored = errored_cases(input.problems);
  const auto listed = static_cast<std::int64_t>(
      std::ranges::count_if(errored, [](const ErroredCase& one) { return !one.where.empty(); }));
  const std::int64_t unlisted = std::max<std::int64_t>(0, summary.cases.errored - listed);
  const auto failed = std::ranges::count(summary.gates, false, &GateResult::passed);
  const auto errors = static_cast<std::int64_t>(errored.size()) + (unlisted > 0 ? 1 : 0);

  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
                     xml_escape(fmt::format("assay {} {}", summary.evaluation, summary.run_id)),
                     static_cast<std::int64_t>(summary.gates.size()) + errors, failed, errors,
                     elapsed_seconds(summary));
  append_gates(summary, out);
  append_cases(input, errored, unlisted, out);
  out += "</testsuites>\n";
  return out;
}

}  // namespace assay
