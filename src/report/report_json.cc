#include "report/report_json.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/notable.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kMostRows = 1'000;
constexpr std::size_t kMostLabels = 60;  // beyond it a square is unreadable, and not drawn
constexpr std::size_t kMostProblems = 300;
constexpr std::size_t kMostField = 20'000;  // bytes
constexpr std::size_t kMostConfig = 200'000;

std::string shown_text(std::string_view text, std::size_t limit) {
  const std::string_view shown = cut(text, limit);
  if (shown.size() == text.size()) return repair_utf8(text);
  return fmt::format("{} … {} more bytes", repair_utf8(shown),
                     count_words(static_cast<std::int64_t>(text.size() - shown.size())));
}

Json summary_json(const Summary& summary) {
  Json json = to_json(summary);
  for (auto& member : json.as_object()["tables"].as_object()) {
    JsonObject& table = member.value().as_object();
    JsonArray& rows = table["rows"].as_array();
    const bool matrix = table.contains("labels");
    const std::size_t most = !matrix ? kMostRows : rows.size() > kMostLabels ? 0 : kMostLabels;
    if (rows.size() <= most) continue;
    if (!matrix) table["more_rows"] = rows.size() - most;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
  }
  return json;
}

JsonArray plots_json(const std::vector<Plot>& plots) {
  JsonArray list;
  for (const Plot& plot : plots) {
    list.push_back(JsonObject{{"name", plot.name},
                              {"title", plot.title},
                              {"caption", plot.caption},
                              {"spec", plot.spec},
                              {"wide", plot.wide}});
  }
  return list;
}

Json notable_json(const std::vector<NotableCase>& cases) {
  std::vector<NotableCase> shown = cases;
  for (NotableCase& one : shown) {
    for (auto& [name, text] : one.fields) text = shown_text(text, kMostField);
  }
  return to_json(shown);
}

JsonArray problems_json(const std::vector<Problem>& problems) {
  JsonArray list;
  for (std::size_t i = 0; i < std::min(problems.size(), kMostProblems); ++i) {
    list.push_back(JsonObject{{"severity", repair_utf8(problems[i].severity)},
                              {"place", repair_utf8(problems[i].where)},
                              {"message", repair_utf8(problems[i].text)}});
  }
  return list;
}

}  // namespace

std::vector<std::string> rests_on(const Summary& summary) {
  std::vector<std::string> sentences{cases_sentence(summary)};
  if (summary.cases.errored > 0) sentences.front() += " Each figure rests on the cases that its n counts.";
  if (std::string stopping = stopping_sentence(summary); !stopping.empty())
    sentences.push_back(std::move(stopping));
  return sentences;
}

JsonArray rests_on_json(const Summary& summary) {
  JsonArray sentences;
  for (const std::string& sentence : rests_on(summary)) sentences.emplace_back(repair_utf8(sentence));
  return sentences;
}

JsonObject report_json(const ReportInput& input) {
  JsonArray pages;
  for (const std::string& page : input.pages) pages.emplace_back(page);
  return {{"summary", summary_json(input.summary)},
          {"rests_on", rests_on_json(input.summary)},
          {"plots", plots_json(input.summary.plots)},
          {"notable", notable_json(input.notable)},
          {"problems", problems_json(input.problems)},
          {"problem_count", std::max(input.problem_count, static_cast<std::int64_t>(input.problems.size()))},
          {"config", shown_text(input.config_yaml, kMostConfig)},
          {"command", repair_utf8(input.command)},
          {"pages", std::move(pages)}};
}

}  // namespace assay
