#include "evaluations/components/rag_material.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::components {
namespace {

constexpr std::size_t kMostEntries = 60;          // of one list
constexpr std::size_t kMostContextBytes = 4'000;  // of one context; the whole is in results.jsonl

using Fields = std::vector<std::pair<std::string, std::string>>;

const JsonArray* list_in(const JudgedRun& run, std::string_view name) {
  const Json* list = run.detail.if_contains(name);
  return list == nullptr ? nullptr : list->if_array();
}

// What the verdicts are about, by the name of its list: the last one that a metric takes out of its material.
const JsonArray* judged_entries(const JudgedRun& run) {
  for (const char* name : {"statements", "claims", "needs", "opinions"}) {
    if (const JsonArray* list = list_in(run, name)) return list;
  }
  return nullptr;
}

std::string entry_text(const JsonArray* entries, const Json* id) {
  const auto number = id == nullptr ? std::nullopt : as_integer(*id);
  if (entries == nullptr || !number || *number < 1 || static_cast<std::size_t>(*number) > entries->size())
    return "";
  return std::string(as_text((*entries)[static_cast<std::size_t>(*number) - 1]).value_or(""));
}

std::string verdict_lines(const JudgedRun& run, const JsonArray& verdicts) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(verdicts.size(), kMostEntries); ++i) {
    const Json* id = find_member(verdicts[i], "id");
    const std::string reason = text_at(verdicts[i], "reason");
    text += fmt::format("{}{}. {}: {}{}", text.empty() ? "" : "\n", id == nullptr ? "?" : to_text(*id),
                        text_at(verdicts[i], "verdict"), entry_text(judged_entries(run), id),
                        reason.empty() ? "" : fmt::format(" ({})", reason));
  }
  return text;
}

std::string bullets(std::string_view title, const JsonArray* list) {
  if (list == nullptr) return "";
  std::string text = fmt::format("{}:{}", title, list->empty() ? " none" : "");
  for (std::size_t i = 0; i < std::min<std::size_t>(list->size(), kMostEntries); ++i)
    text += fmt::format("\n• {}", as_text((*list)[i]).value_or(""));
  return text;
}

void add_paragraph(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += "\n";
  text += more;
}

// Runs and metrics that were judged alike stand under one title.
void add_judgement(std::string title, std::string words, Fields& fields) {
  const auto same =
      std::ranges::find(fields, words, [](const auto& field) -> const std::string& { return field.second; });
  if (same == fields.end()) {
    fields.emplace_back(std::move(title), std::move(words));
  } else {
    same->first += " · " + title;
  }
}

}  // namespace

std::string judged_words(const JudgedRun& run) {
  std::string text;
  if (const Json* level = run.detail.if_contains("level")) text = "level " + to_text(*level);
  if (const Json* reason = run.detail.if_contains("reason"))
    add_paragraph(text, std::string(as_text(*reason).value_or("")));
  if (const JsonArray* verdicts = list_in(run, "verdicts"))
    add_paragraph(text, verdict_lines(run, *verdicts));
  add_paragraph(text, bullets("TP, in both answers", list_in(run, "TP")));
  add_paragraph(text, bullets("FP, in the answer only", list_in(run, "FP")));
  add_paragraph(text, bullets("FN, in the ideal answer only", list_in(run, "FN")));
  add_paragraph(text, run.not_applicable);
  add_paragraph(text, run.error);
  return text;
}

Fields judged_material(const Json& fields, const std::vector<std::string>& contexts,
                       const RagRecord& record) {
  Fields shown;
  shown.emplace_back("question", text_at(fields, "question"));
  shown.emplace_back("answer", text_at(fields, "llm_answer"));
  if (std::string ideal = text_at(fields, "ideal_answer"); !ideal.empty())
    shown.emplace_back("ideal answer", std::move(ideal));
  Fields judgements;
  for (const auto& [metric, runs] : record.runs) {
    for (const JudgedRun& run : runs) {
      std::string words = judged_words(run);
      if (words.empty()) continue;
      std::string title = fmt::format("{}, run {}", metric, run.run);
      if (run.score) title += fmt::format(": {:.2f}", *run.score);
      add_judgement(std::move(title), std::move(words), judgements);
    }
  }
  std::ranges::move(judgements, std::back_inserter(shown));
  for (std::size_t i = 0; i < contexts.size(); ++i)
    shown.emplace_back(fmt::format("context {}", i + 1), shorten(contexts[i], kMostContextBytes));
  return shown;
}

}  // namespace assay::components
