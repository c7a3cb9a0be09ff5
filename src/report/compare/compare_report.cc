// A comparison in the forms that people and machines read it.

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/compare/compare.h"
#include "report/compare/compare_words.h"
#include "report/conclusions.h"
#include "report/figure_json.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/pages/html.h"
#include "report/pages/html_parts.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kShownIds = 20;
constexpr std::size_t kShownFailures = 50;

std::string_view word_of(Change change) {
  switch (change) {
    case Change::better:
      return "better";
    case Change::worse:
      return "worse";
    case Change::undecided:
      return "undecided";
    case Change::same:
      return "same";
    case Change::unknown:
      return "unknown";
    case Change::not_comparable:
      return "not_comparable";
  }
  return "unknown";
}

JsonArray texts_json(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

std::string ids_words(const std::vector<std::string>& ids) {
  std::vector<std::string> shown(ids.begin(),
                                 ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), kShownIds)));
  std::string text = join(shown, ", ");
  if (ids.size() > kShownIds) text += fmt::format(", … ({} in all)", ids.size());
  return text;
}

JsonArray failures_json(const std::vector<FailedCase>& cases) {
  JsonArray list;
  for (const FailedCase& one : cases)
    list.push_back(JsonObject{{"id", one.id}, {"outcome", one.outcome}, {"error", one.error}});
  return list;
}

}  // namespace

Json to_json(const RunComparison& comparison) {
  JsonArray figures;
  for (const FigureChange& change : comparison.figures) {
    figures.push_back(JsonObject{{"metric", change.figure},
                                 {"base", number_json(change.base)},
                                 {"new", number_json(change.fresh)},
                                 {"difference", figure_json(change.difference)},
                                 {"ci_with_missing", interval_json(change.with_missing)},
                                 {"p", number_json(change.p)},
                                 {"p_holm", number_json(change.p_holm)},
                                 {"test", change.test},
                                 {"effect_size", figure_json(change.effect)},
                                 {"rose", change.rose},
                                 {"fell", change.fell},
                                 {"equal", change.equal},
                                 {"unpaired", change.unpaired},
                                 {"neither", change.neither},
                                 {"change", word_of(change.change)},
                                 {"hangs_on_missing", change.hangs},
                                 {"regression", change.regression},
                                 {"sentence", change.sentence}});
  }
  JsonArray changed;
  for (const ChangedCase& one : comparison.changed) {
    changed.push_back(
        JsonObject{{"id", one.id}, {"metric", one.figure}, {"base", one.base}, {"new", one.fresh}});
  }
  JsonArray asides;
  for (const auto& one : comparison.asides) {
    asides.push_back(
        JsonObject{{"metric", one.figure}, {"base", number_json(one.base)}, {"new", number_json(one.fresh)}});
  }
  return JsonObject{{"conclusions", texts_json(comparison.conclusions)},
                    {"base", comparison.base},
                    {"new", comparison.fresh},
                    {"evaluation", comparison.evaluation},
                    {"margin", comparison.margin},
                    {"pairs", comparison.pairs},
                    {"only_in_base", texts_json(comparison.only_base)},
                    {"only_in_new", texts_json(comparison.only_fresh)},
                    {"different_text", comparison.different_text},
                    {"simulated", texts_json(comparison.simulated)},
                    {"differences", texts_json(comparison.differences)},
                    {"judged_differently", texts_json(comparison.judged_differently)},
                    {"judges", comparison.judges ? to_json(*comparison.judges) : Json(nullptr)},
                    {"new_failures", failures_json(comparison.new_failures)},
                    {"mended", texts_json(comparison.mended)},
                    {"no_longer_pass", texts_json(comparison.no_longer_pass)},
                    {"pass_now", texts_json(comparison.pass_now)},
                    {"metrics", std::move(figures)},
                    {"changed_most", std::move(changed)},
                    {"without_test", std::move(asides)},
                    {"regression", comparison.regressed()},
                    {"undecided", comparison.undecided()}};
}

std::string markdown_comparison(const RunComparison& comparison) {
  std::string out = fmt::format("## {}: comparison of two runs\n\n", title_words(comparison.evaluation));
  for (const std::string& conclusion : comparison.conclusions)
    out += fmt::format("**{}**\n\n", prose(conclusion));
  if (!comparison.simulated.empty())
    out += fmt::format("> ⚠️ {}\n\n", simulated_sentence(comparison.simulated));
  out += fmt::format("base {}, new {}; {} paired by id.\n\n", code_span(comparison.base),
                     code_span(comparison.fresh), counted_words(comparison.pairs, "case", "cases"));
  for (const std::string& sentence : figure_sentences(comparison)) out += fmt::format("- {}\n", sentence);
  if (comparison.judges) out += markdown_judges(*comparison.judges);
  if (!comparison.new_failures.empty()) {
    out += "\n### Cases that fail now\n\n| case | outcome | error | |\n| --- | --- | --- | --- |\n";
    for (std::size_t i = 0; i < std::min(comparison.new_failures.size(), kShownFailures); ++i) {
      const FailedCase& one = comparison.new_failures[i];
      out += fmt::format("| {} | {} | {} | {} |\n", code_span(one.id), plain_words(one.outcome),
                         code_span(shorten(one.error, 200)), code_span(shorten(one.text, 120)));
    }
  }
  out += "\n| figure | base | new | difference | 95% interval | p | p (Holm) | d_z | rose / fell / equal |\n";
  out += "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | --- |\n";
  for (const FigureChange& change : comparison.figures) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} / {} / {} |\n", code_span(change.figure),
                       number_or_none(change.base), number_or_none(change.fresh),
                       number_or_none(change.difference.value), interval_or_none(change.difference),
                       p_words(change.p), p_words(change.p_holm), number_or_none(change.effect.value),
                       change.rose, change.fell, change.equal);
  }
  if (!comparison.changed.empty()) {
    out +=
        "\n### Cases that changed most\n\n| case | figure | base | new | |\n| --- | --- | ---: | ---: | --- "
        "|\n";
    for (const ChangedCase& one : comparison.changed) {
      out += fmt::format("| {} | {} | {} | {} | {} |\n", code_span(one.id), code_span(one.figure),
                         number_words(one.base), number_words(one.fresh), code_span(shorten(one.text, 120)));
    }
  }
  if (!comparison.asides.empty()) {
    out +=
        "\n### Figures that are no mean over cases (no test)\n\n| figure | base | new |\n| --- | ---: | ---: "
        "|\n";
    for (const auto& one : comparison.asides)
      out += fmt::format("| {} | {} | {} |\n", code_span(one.figure), number_or_none(one.base),
                         number_or_none(one.fresh));
  }
  out += "\n### What differs\n\n";
  if (comparison.differences.empty()) out += "- The configs are the same.\n";
  for (const std::string& difference : comparison.differences)
    out += fmt::format("- {}\n", code_span(difference));
  if (comparison.different_text > 0) {
    out += fmt::format("- {} the same id and another text: check that the runs are over the same data.\n",
                       counted_words(comparison.different_text, "pair has", "pairs have"));
  }
  if (!comparison.only_base.empty())
    out += fmt::format("- Only in base: {}\n", code_span(ids_words(comparison.only_base)));
  if (!comparison.only_fresh.empty())
    out += fmt::format("- Only in new: {}\n", code_span(ids_words(comparison.only_fresh)));
  return out;
}

std::string junit_comparison(const RunComparison& comparison) {
  std::size_t failures = 0;
  std::string cases;
  for (const FigureChange& change : comparison.figures) {
    cases += fmt::format("    <testcase classname=\"{}.compare\" name=\"{}\" time=\"0\"",
                         xml_escape(comparison.evaluation), xml_escape(change.figure));
    if (change.regression) {
      ++failures;
      cases += fmt::format(
          ">\n      <failure type=\"regression\" message=\"{0}\">{0}</failure>\n    </testcase>\n",
          xml_escape(change.sentence));
    } else {
      cases +=
          fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", xml_escape(change.sentence));
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
      "  <testsuite name=\"{2}.compare\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"0\" "
      "time=\"0\">\n{3}{4}"
      "  </testsuite>\n</testsuites>\n",
      comparison.figures.size(), failures, xml_escape(comparison.evaluation),
      comparison.simulated.empty()
          ? std::string()
          : fmt::format(
                "    <properties>\n      <property name=\"simulated\" value=\"{}\"/>\n    </properties>\n",
                xml_escape(join(comparison.simulated, ", "))),
      cases);
}

std::string html_comparison(const RunComparison& comparison) {
  using html::text;
  const bool failed = comparison.regressed();
  std::string body = fmt::format(
      "<header class=\"top\"><div><p class=\"brand\">Assay comparison</p><h1>{}</h1><p>{} → {}</p></div>"
      "<p class=\"verdict {}\"><span aria-hidden=\"true\">{}</span> {}</p></header>\n<main>\n",
      text(title_words(comparison.evaluation)), text(comparison.base), text(comparison.fresh),
      failed ? "fail" : "pass", failed ? "✗" : "✓", text(comparison.conclusions.front()));
  if (!comparison.simulated.empty())
    body += fmt::format("<p class=\"banner\" role=\"note\">{}</p>\n",
                        text(simulated_sentence(comparison.simulated)));
  const auto section = [&body](const char* title, const std::string& content) {
    body += fmt::format("<section><h2>{}</h2>\n{}</section>\n", title, content);
  };
  std::string list = "<ul>\n";
  for (std::size_t i = 1; i < comparison.conclusions.size(); ++i)
    list += fmt::format("<li><strong>{}</strong></li>\n", text(comparison.conclusions[i]));
  for (const std::string& sentence : figure_sentences(comparison))
    list += fmt::format("<li>{}</li>\n", text(sentence));
  section("In words", list + "</ul>\n");
  if (comparison.judges) section("The two judges on the same answers", html_judges(*comparison.judges));
  if (!comparison.new_failures.empty()) {
    Table failures{
        "new_failures", "Cases that fail now", {"case", "outcome", "error", "text"}, {}, false, "", ""};
    for (const FailedCase& one : comparison.new_failures) {
      failures.rows.push_back({boost::json::string(one.id), boost::json::string(plain_words(one.outcome)),
                               boost::json::string(shorten(one.error, 400)),
                               boost::json::string(shorten(one.text, 200))});
    }
    section("New failures", html::table_section(failures));
  }

  Table figures{
      "differences",
      "Differences over paired cases",
      {"figure", "base", "new", "difference", "low", "high", "p", "p (Holm)", "d_z", "rose", "fell", "equal"},
      {},
      false,
      "",
      ""};
  for (const FigureChange& change : comparison.figures) {
    const auto& ci = change.difference.ci;
    figures.rows.push_back({boost::json::string(change.figure), number_json(change.base),
                            number_json(change.fresh), number_json(change.difference.value),
                            ci ? Json(ci->low) : Json(nullptr), ci ? Json(ci->high) : Json(nullptr),
                            number_json(change.p), number_json(change.p_holm),
                            number_json(change.effect.value), change.rose, change.fell, change.equal});
  }
  section("Figures", html::table_section(figures));
  if (!comparison.changed.empty()) {
    Table changed{"changed_most",
                  "Cases that changed most",
                  {"case", "figure", "base", "new", "text"},
                  {},
                  false,
                  "",
                  ""};
    for (const ChangedCase& one : comparison.changed) {
      changed.rows.push_back({boost::json::string(one.id), boost::json::string(one.figure), one.base,
                              one.fresh, boost::json::string(shorten(one.text, 200))});
    }
    section("Cases", html::table_section(changed));
  }
  if (!comparison.asides.empty()) {
    Table asides{
        "without_test", "Figures that are no mean over cases", {"figure", "base", "new"}, {}, false, "", ""};
    for (const auto& one : comparison.asides)
      asides.rows.push_back({boost::json::string(one.figure), number_json(one.base), number_json(one.fresh)});
    section("Without a test", html::table_section(asides));
  }
  std::string differences = "<ul>\n";
  if (comparison.differences.empty()) differences += "<li>The configs are the same.</li>\n";
  for (const std::string& one : comparison.differences)
    differences += fmt::format("<li><code>{}</code></li>\n", text(one));
  if (comparison.different_text > 0) {
    differences += fmt::format("<li>{} the same id and another text.</li>\n",
                               counted_words(comparison.different_text, "pair has", "pairs have"));
  }
  if (!comparison.only_base.empty())
    differences += fmt::format("<li>Only in base: {}</li>\n", text(ids_words(comparison.only_base)));
  if (!comparison.only_fresh.empty())
    differences += fmt::format("<li>Only in new: {}</li>\n", text(ids_words(comparison.only_fresh)));
  section("What differs", differences + "</ul>\n");
  return html_page("Comparison: " + title_words(comparison.evaluation), body + "</main>\n");
}

}  // namespace assay
