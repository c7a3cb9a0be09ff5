// An audit in the forms that people and machines read it.

#include <algorithm>
#include <limits>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/audit/audit.h"
#include "report/conclusions.h"
#include "report/figure_json.h"
#include "report/markdown.h"
#include "report/pages/html.h"
#include "report/pages/html_parts.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kShownText = 160;
constexpr std::size_t kShownAnswer = 200;

Json text(std::string_view words) {
  return boost::json::string(words);
}

JsonArray ids_json(const Audit& audit, const std::vector<std::size_t>& places, std::size_t most) {
  JsonArray list;
  for (std::size_t i = 0; i < std::min(places.size(), most); ++i)
    list.emplace_back(audit.cases[places[i]].id);
  return list;
}

std::string ids_of(const Audit& audit, const std::vector<std::size_t>& places, std::size_t most) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min(places.size(), most); ++i) ids.push_back(audit.cases[places[i]].id);
  return join(ids, ", ") +
         (places.size() > most ? fmt::format(", … ({} in all)", places.size()) : std::string());
}

// The tables of a report: the same rows in Markdown and in HTML.
Table suspects_table(const Audit& audit, std::size_t most) {
  Table table{"suspects",
              "Keys that are probably wrong, most suspicious first",
              {"case", "probability", "solved", "key", "common answer of those that fail", "text"},
              {},
              false,
              "",
              ""};
  for (std::size_t i = 0; i < std::min(audit.suspects.size(), most); ++i) {
    const Audit::Suspect& one = audit.suspects[i];
    const Audit::OneCase& figures = audit.cases[one.place];
    table.rows.push_back(
        {text(figures.id), text(share_words(figures.wrong_key)),
         text(fmt::format("{} of {}", figures.solved, figures.asked)),
         text(shorten(audit.about[one.place].key, kShownAnswer)),
         text(one.giving_it == 0
                  ? std::string()
                  : fmt::format("{} ({} times)", shorten(one.common_answer, kShownAnswer), one.giving_it)),
         text(shorten(audit.about[one.place].text, kShownText))});
  }
  return table;
}

Table answers_table(const Audit& audit, std::size_t most) {
  Table table{"answers", "What the systems answered there", {"case"}, {}, false, "", ""};
  for (const Audit::System& system : audit.systems) table.columns.push_back(system.name);
  for (std::size_t i = 0; i < std::min(audit.suspects.size(), most); ++i) {
    std::vector<Json> row = {text(audit.cases[audit.suspects[i].place].id)};
    for (const std::string& answer : audit.suspects[i].answers)
      row.push_back(text(shorten(answer, kShownAnswer)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table systems_table(const Audit& audit) {
  const bool named =
      std::ranges::any_of(audit.about, [](const AuditedCase& one) { return !one.cluster.empty(); });
  Table table{"systems",
              named ? "What near-duplicates and the runs' clusters do to the intervals"
                    : "What near-duplicates do to the intervals",
              {"system", "mean", "95% interval, cases as independent",
               named ? "95% interval, near-duplicates and the runs' clusters as clusters"
                     : "95% interval, near-duplicates as clusters",
               "design effect"},
              {},
              false,
              "",
              ""};
  for (const Audit::System& one : audit.systems) {
    table.rows.push_back({text(one.name), number_json(one.mean.value), text(interval_or_none(one.mean)),
                          text(interval_or_none(one.clustered)), number_json(one.design_effect)});
  }
  return table;
}

Table clusters_table(const Audit& audit, std::size_t most) {
  Table table{
      "clusters", "Cases with nearly the same text", {"cases", "similarity at least", "text"}, {}, false, "",
      ""};
  for (std::size_t i = 0; i < std::min(audit.clusters.size(), most); ++i) {
    const Audit::Cluster& one = audit.clusters[i];
    table.rows.push_back({text(ids_of(audit, one.places, 10)), one.least_similar,
                          text(shorten(audit.about[one.places.front()].text, kShownText))});
  }
  return table;
}

std::vector<std::size_t> least_telling(const Audit& audit, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < audit.cases.size(); ++i) {
    if (audit.cases[i].discrimination.value && audit.cases[i].solved > 0 &&
        audit.cases[i].solved < audit.cases[i].asked)
      order.push_back(i);
  }
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::pair(*audit.cases[i].discrimination.value, i); });
  order.resize(std::min(order.size(), most));
  return order;
}

Table cases_table(const Audit& audit, std::size_t most) {
  Table table{"cases",
              "Cases that tell the systems apart least, or the wrong way round",
              {"case", "solved", "discrimination", "95% interval", "difficulty", "point-biserial",
               "95% interval", "text"},
              {},
              false,
              "",
              ""};
  for (const std::size_t i : least_telling(audit, most)) {
    const Audit::OneCase& one = audit.cases[i];
    table.rows.push_back({text(one.id), text(fmt::format("{} of {}", one.solved, one.asked)),
                          number_json(one.discrimination.value), text(interval_or_none(one.discrimination)),
                          number_json(one.difficulty.ci ? one.difficulty.value : std::nullopt),
                          number_json(one.point_biserial.value), text(interval_or_none(one.point_biserial)),
                          text(shorten(audit.about[i].text, kShownText))});
  }
  return table;
}

std::string cell_words(const Json& value) {
  if (value.is_null()) return std::string(kNotAvailable);
  if (const auto number = as_number(value)) return number_words(*number);
  return code_span(text_or_json(value));
}

std::string markdown_table(const Table& table) {
  std::string out = fmt::format("\n### {}\n\n| {} |\n|", table.title, join(table.columns, " | "));
  for (std::size_t i = 0; i < table.columns.size(); ++i) out += " --- |";
  out += '\n';
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const Json& value : row) cells.push_back(cell_words(value));
    out += fmt::format("| {} |\n", join(cells, " | "));
  }
  return out;
}

std::vector<Table> tables_of(const Audit& audit, const AuditOptions& options) {
  std::vector<Table> all = {suspects_table(audit, options.most), answers_table(audit, options.most),
                            clusters_table(audit, options.most), systems_table(audit),
                            cases_table(audit, options.most)};
  std::erase_if(all, [](const Table& table) { return table.rows.empty(); });
  return all;
}

std::vector<std::string> remarks(const Audit& audit, const AuditOptions& options) {
  std::vector<std::string> list;
  if (!audit.no_model.empty())
    list.push_back(fmt::format("No discrimination and difficulty: {}.", audit.no_model));
  if (!audit.solved_by_all.empty())
    list.push_back("Solved by all: " + ids_of(audit, audit.solved_by_all, options.most));
  if (!audit.solved_by_none.empty())
    list.push_back("Solved by none: " + ids_of(audit, audit.solved_by_none, options.most));
  if (audit.not_in_all > 0)
    list.push_back(fmt::format("{} not in all runs, and left out.",
                               counted_words(audit.not_in_all, "case is", "cases are")));
  return list;
}

// How much is written of each list and of a text.
struct Extent {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t text = std::numeric_limits<std::size_t>::max();
};

JsonArray texts_json(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& one : texts) list.emplace_back(one);
  return list;
}

JsonArray systems_json(const Audit& audit) {
  JsonArray systems;
  for (const Audit::System& one : audit.systems) {
    systems.push_back(JsonObject{{"name", one.name},
                                 {"mean", figure_json(one.mean)},
                                 {"clustered", figure_json(one.clustered)},
                                 {"design_effect", number_json(one.design_effect)}});
  }
  return systems;
}

JsonArray cases_json(const Audit& audit, const std::vector<std::size_t>& places) {
  JsonArray cases;
  for (const std::size_t place : places) {
    const Audit::OneCase& one = audit.cases[place];
    cases.push_back(JsonObject{{"id", one.id},
                               {"asked", one.asked},
                               {"solved", one.solved},
                               {"point_biserial", figure_json(one.point_biserial)},
                               {"discrimination", figure_json(one.discrimination)},
                               {"difficulty", figure_json(one.difficulty)},
                               {"wrong_key", one.wrong_key},
                               {"text", shorten(audit.about[place].text, kShownText)}});
  }
  return cases;
}

JsonArray suspects_json(const Audit& audit, const Extent& extent) {
  JsonArray suspects;
  for (std::size_t i = 0; i < std::min(audit.suspects.size(), extent.most); ++i) {
    const Audit::Suspect& one = audit.suspects[i];
    const Audit::OneCase& figures = audit.cases[one.place];
    JsonObject answers;
    for (std::size_t j = 0; j < one.answers.size(); ++j)
      answers.insert_or_assign(audit.systems[j].name, shorten(one.answers[j], extent.text));
    suspects.push_back(JsonObject{{"id", figures.id},
                                  {"wrong_key", figures.wrong_key},
                                  {"asked", figures.asked},
                                  {"solved", figures.solved},
                                  {"key", shorten(audit.about[one.place].key, extent.text)},
                                  {"common_answer", shorten(one.common_answer, extent.text)},
                                  {"giving_it", one.giving_it},
                                  {"answers", std::move(answers)},
                                  {"text", shorten(audit.about[one.place].text, kShownText)}});
  }
  return suspects;
}

JsonArray clusters_json(const Audit& audit, const Extent& extent) {
  JsonArray clusters;
  for (std::size_t i = 0; i < std::min(audit.clusters.size(), extent.most); ++i) {
    const Audit::Cluster& one = audit.clusters[i];
    clusters.push_back(JsonObject{{"ids", ids_json(audit, one.places, extent.most)},
                                  {"cases", one.places.size()},
                                  {"least_similar", one.least_similar},
                                  {"text", shorten(audit.about[one.places.front()].text, kShownText)}});
  }
  return clusters;
}

Json audit_json(const Audit& audit, const Extent& extent, const std::vector<std::size_t>& cases) {
  return JsonObject{{"conclusions", texts_json(audit.conclusions)},
                    {"figure", audit.figure},
                    {"simulated", texts_json(audit.simulated)},
                    {"counts", JsonObject{{"cases", audit.cases.size()},
                                          {"solved_by_all", audit.solved_by_all.size()},
                                          {"solved_by_none", audit.solved_by_none.size()},
                                          {"suspects", audit.suspects.size()},
                                          {"clusters", audit.clusters.size()}}},
                    {"systems", systems_json(audit)},
                    {"solved_by_all", ids_json(audit, audit.solved_by_all, extent.most)},
                    {"solved_by_none", ids_json(audit, audit.solved_by_none, extent.most)},
                    {"suspects", suspects_json(audit, extent)},
                    {"clusters", clusters_json(audit, extent)},
                    {"effective_cases", audit.effective_cases},
                    {"no_model", audit.no_model},
                    {"not_in_all", audit.not_in_all},
                    {"cases", cases_json(audit, cases)}};
}

}  // namespace

Json to_json(const Audit& audit) {
  std::vector<std::size_t> all(audit.cases.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return audit_json(audit, {}, all);
}

Json glance_json(const Audit& audit, std::size_t most) {
  return audit_json(audit, {most, kShownAnswer}, least_telling(audit, most));
}

std::string markdown_audit(const Audit& audit, const AuditOptions& options) {
  std::string out =
      fmt::format("## Audit of {} over {}\n\n",
                  counted_words(static_cast<std::int64_t>(audit.cases.size()), "case", "cases"),
                  counted_words(static_cast<std::int64_t>(audit.systems.size()), "system", "systems"));
  for (const std::string& one : audit.conclusions) out += fmt::format("**{}**\n\n", prose(one));
  if (!audit.simulated.empty()) out += fmt::format("> ⚠️ {}\n\n", simulated_sentence(audit.simulated));
  out += fmt::format("By {}; a case is solved where its score reaches the middle of the scale.\n",
                     code_span(audit.figure));
  for (const std::string& one : remarks(audit, options)) out += fmt::format("\n- {}", prose(one));
  out += '\n';
  for (const Table& table : tables_of(audit, options)) out += markdown_table(table);
  return out;
}

std::string html_audit(const Audit& audit, const AuditOptions& options) {
  std::string body = fmt::format(
      "<header class=\"top\"><div><p class=\"brand\">Assay audit</p><h1>{}</h1><p>{}</p></div>"
      "<p class=\"verdict {}\">{}</p></header>\n<main>\n",
      html::text(audit.figure),
      html::text(fmt::format("{} cases, {} systems", audit.cases.size(), audit.systems.size())),
      audit.suspects.empty() ? "pass" : "fail", html::text(audit.conclusions.front()));
  if (!audit.simulated.empty())
    body += fmt::format("<p class=\"banner\" role=\"note\">{}</p>\n",
                        html::text(simulated_sentence(audit.simulated)));
  body += "<section><h2>In words</h2>\n<ul>\n";
  for (const std::string& one : audit.conclusions)
    body += fmt::format("<li><strong>{}</strong></li>\n", html::text(one));
  for (const std::string& one : remarks(audit, options))
    body += fmt::format("<li>{}</li>\n", html::text(one));
  body += "</ul>\n</section>\n";
  for (const Table& table : tables_of(audit, options))
    body += fmt::format("<section>{}</section>\n", html::table_section(table));
  return html_page("Audit: " + audit.figure, body + "</main>\n");
}

}  // namespace assay
