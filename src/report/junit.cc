#include "report/junit.h"

#include <algorithm>
#include <chrono>
#include <utility>
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

// What the run came to, for readers of the file; a viewer shows it beside the gates.
void append_properties(const Summary& summary, std::string& out) {
  out += "    <properties>\n";
  const auto property = [&](std::string_view name, std::string_view value) {
    out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_escape(name), xml_escape(value));
  };
  property("run", summary.run_id);
  if (!summary.what.empty()) property("what", summary.what);
  for (const auto& [name, words] : summary.about) property(name, words);
  if (!summary.simulated.empty()) property("simulated", join(summary.simulated, ", "));
  for (const std::string& conclusion : summary.conclusions) property("conclusion", conclusion);
  out += "    </properties>\n";
}

// Of a run that is not finished none: it may end otherwise.
std::ptrdiff_t failed_gates(const Summary& summary) {
  return summary.cases.open > 0 ? 0 : std::ranges::count(summary.gates, false, &GateResult::passed);
}

void append_gates(const Summary& summary, std::string& out) {
  const auto failed = failed_gates(summary);
  const std::size_t skipped = summary.cases.open > 0 ? summary.gates.size() : 0;
  out += fmt::format(
      "  <testsuite name=\"{}.gates\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
      "time=\"0\"{}>\n",
      xml_escape(summary.evaluation), summary.gates.size(), failed, skipped, timestamp(summary));
  append_properties(summary, out);
  for (const GateResult& gate : summary.gates) {
    out += fmt::format("    <testcase classname=\"{}.gates\" name=\"{}\" time=\"0\"",
                       xml_escape(summary.evaluation), xml_escape(gate.gate));
    if (summary.cases.open > 0) {
      out += fmt::format(
          ">\n      <skipped message=\"the run is not finished; the gate {} (value {})\"/>\n    "
          "</testcase>\n",
          gate_state_words(gate, summary), gate_value_words(gate, summary));
      continue;
    }
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

struct Counts {
  std::int64_t tests = 0;
  std::int64_t failures = 0;
  std::int64_t errors = 0;
  std::int64_t skipped = 0;
};

Counts counts_of(const CaseResults& results) {
  Counts counts;
  for (const CaseResult& one : results.cases) {
    ++counts.tests;
    if (one.outcome == "skipped") {
      ++counts.skipped;
    } else if (one.outcome != "scored") {
      ++counts.errors;
    } else if (!one.below.empty()) {
      ++counts.failures;
    }
  }
  for (const std::int64_t rest : {results.unlisted, results.not_begun}) {
    if (rest > 0) ++counts.tests, ++counts.skipped;
  }
  return counts;
}

// What stands inside the test case of a case; empty: it passed and there is nothing to say.
std::string content_of(const CaseResult& one) {
  if (one.outcome == "skipped") return "      <skipped message=\"not needed: the run stopped early\"/>\n";
  if (one.outcome != "scored") {
    return fmt::format("      <error type=\"{}\" message=\"{}\">{}</error>\n", xml_escape(one.outcome),
                       xml_escape(shorten(one.error, 300)), xml_escape(one.error));
  }
  std::string content;
  if (!one.below.empty()) {
    content = fmt::format("      <failure type=\"threshold\" message=\"{}\">{}</failure>\n",
                          xml_escape(join(one.below, "; ")), xml_escape(join(one.below, "\n")));
  }
  if (!one.scores.empty())
    content += fmt::format("      <system-out>{}</system-out>\n", xml_escape(one.scores));
  return content;
}

void append_cases(const Summary& summary, const CaseResults& results, const Counts& counts,
                  std::string& out) {
  const std::string name = xml_escape(summary.evaluation) + ".cases";
  out += fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\"{}>\n",
      name, counts.tests, counts.failures, counts.errors, counts.skipped, elapsed_seconds(summary),
      timestamp(summary));
  const auto test_case = [&](std::string_view id, double seconds, const std::string& content) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", name, xml_escape(id),
                       seconds);
    out += content.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", content);
  };
  for (const CaseResult& one : results.cases) test_case(one.id, one.seconds, content_of(one));
  const auto rest = [&](std::string_view of, std::string_view words) {
    test_case(of, 0, fmt::format("      <skipped message=\"{}\"/>\n", words));
  };
  if (results.unlisted > 0) {
    rest("further cases", fmt::format("{} in results.jsonl",
                                      counted_words(results.unlisted, "more case is", "more cases are")));
  }
  if (results.not_begun > 0) {
    rest("the run is not finished",
         fmt::format("{} no outcome yet", counted_words(results.not_begun, "case has", "cases have")));
  }
  out += "  </testsuite>\n";
}

}  // namespace

void CaseResults::add(CaseResult one) {
  const bool good = one.outcome == "skipped" || (one.outcome == "scored" && one.below.empty());
  if (cases.size() < (good ? kMost : kMost + kMostFailed)) {
    cases.push_back(std::move(one));
  } else {
    ++unlisted;
  }
}

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

std::string junit_report(const Summary& summary, const CaseResults& results) {
  const Counts counts = counts_of(results);
  const auto failed = failed_gates(summary);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
                     xml_escape(fmt::format("assay {} {}", summary.evaluation, summary.run_id)),
                     static_cast<std::int64_t>(summary.gates.size()) + counts.tests, failed + counts.failures,
                     counts.errors, elapsed_seconds(summary));
  append_gates(summary, out);
  append_cases(summary, results, counts, out);
  out += "</testsuites>\n";
  return out;
}

}  // namespace assay
