#include "runs/judges/judged_answers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "runs/labels/judged_run.h"
#include "runs/result_lines.h"
#include "store/run_store.h"

namespace assay {
namespace {

constexpr std::size_t kMostReasons = 3;
constexpr std::array<std::string_view, 4> kReasonKeys{"reason", "action_applied_rationale", "evaluationText",
                                                      "rationale"};

void add_members(const Json& value, std::initializer_list<std::string_view> names, std::string& out) {
  for (const std::string_view name : names) {
    if (const Json* member = find_member(value, name)) out += canonical_text(*member);
    out += '\n';
  }
}

// What a judge saw of a case, as far as its line has it.
struct JudgedText {
  std::string text;
  std::string expected;  // where this stands only in some lines; "": not in this one
};

bool is_same(const JudgedText& one, const JudgedText& other) {
  const bool both = !one.expected.empty() && !other.expected.empty();
  return one.text == other.text && (!both || one.expected == other.expected);
}

// Nothing where the lines of the evaluation do not have it.
std::optional<JudgedText> judged_text(std::string_view evaluation, const Json& line) {
  JudgedText judged;
  std::string& text = judged.text;
  if (evaluation == "rag_answers") {
    add_members(line, {"question", "ideal_answer", "llm_answer", "structured_contexts"}, text);
    return judged;
  }
  if (evaluation == "benchmark") {
    add_members(line, {"answer", "answer_state"}, text);
    // A line has it if a model judged.
    if (const Json* expected = find_member(line, "expected")) judged.expected = canonical_text(*expected);
    return judged;
  }
  if (evaluation != "custom") return std::nullopt;
  add_members(line, {"fields"}, text);
  for (const Json& answer : list_at(line, "answers"))
    add_members(answer, {"variant", "repeat", "output", "contexts", "trace"}, text);
  return judged;
}

std::string answers_folder(const std::string& directory) {
  return directory + "/responses";
}

bool has_own_answers(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::is_directory(answers_folder(directory), ignored);
}

// The answers of an experiment stand beside its lines: by query, those of all conditions and runs. Nothing
// where the run has none of its own.
Result<std::optional<std::map<std::string, std::string>>> answers_by_query(const std::string& directory) {
  if (!has_own_answers(directory)) return std::nullopt;
  const std::string folder = answers_folder(directory);
  std::error_code ignored;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    files.push_back(entry.path().filename().string());
  std::ranges::sort(files);
  std::map<std::string, std::string> answers;
  for (const std::string& file : files) {
    const std::string path = fmt::format("{}/{}", folder, file);
    const auto text = read_file(path);
    if (!text) return fail(text.error());
    const auto tree = parse_json(*text);
    if (!tree) return fail(Error(tree.error()).with("file", path));
    if (!tree->is_object()) continue;
    for (const auto& [query, answer] : tree->get_object())
      answers[query] += fmt::format("{}\n{}\n", file, canonical_text(answer));
  }
  return answers;
}

std::string data_hash(const std::string& directory) {
  auto store = RunStore::open(directory, nullptr);
  return store ? (*store)->identity().data_hash : std::string();
}

void collect(const Json& value, std::vector<std::string>& reasons) {
  if (reasons.size() >= kMostReasons) return;
  if (value.is_array()) {
    for (const Json& entry : value.get_array()) collect(entry, reasons);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.get_object()) {
    const auto text = as_text(member);
    const bool is_reason = std::ranges::find(kReasonKeys, std::string_view(key)) != kReasonKeys.end();
    if (!text || !is_reason) {
      collect(member, reasons);
    } else if (!trim(*text).empty() && reasons.size() < kMostReasons &&
               std::ranges::find(reasons, *text) == reasons.end()) {
      reasons.emplace_back(*text);
    }
  }
}

// Whether `figure` is one of the metric `name`, of this variant if it has one: "tone.mean.new".
bool is_of(std::string_view figure, std::string_view name, std::string_view variant) {
  if (!figure.starts_with(fmt::format("{}.", name))) return false;
  return variant.empty() || figure.ends_with(fmt::format(".{}", variant));
}

void collect_declared(const Json& line, std::string_view figure, std::vector<std::string>& reasons) {
  for (const Json& answer : list_at(line, "answers")) {
    const std::string variant = text_at(answer, "variant");
    for (const Json& metric : list_at(answer, "metrics")) {
      if (is_of(figure, text_at(metric, "name"), variant)) collect(metric, reasons);
    }
  }
}

}  // namespace

Result<JudgedAnswers> judged_answers(const RunScores& base, const RunScores& fresh) {
  JudgedAnswers answers;
  auto run = labels::read_judged_run(fresh.directory);
  if (!run) return fail(std::move(run.error()));
  for (const labels::JudgedFigure& figure : run->figures) answers.figures.push_back(figure.name);
  const std::string& evaluation = fresh.summary.evaluation;
  if (evaluation == "experiment") {
    const auto before = answers_by_query(base.directory);
    if (!before) return fail(before.error());
    const auto after = answers_by_query(fresh.directory);
    if (!after) return fail(after.error());
    if (*before && *after) {
      for (const auto& [query, text] : **before) {
        const auto other = (*after)->find(query);
        if (other != (*after)->end() && other->second != text) answers.differ.insert(query);
      }
      return answers;
    }
  }
  std::map<std::string, JudgedText> before;
  bool held = true;
  if (auto read = each_result_line(base.directory,
                                   [&](const Json& line) {
                                     auto text = judged_text(evaluation, line);
                                     held = held && text;
                                     if (text) before.emplace(text_at(line, "id"), std::move(*text));
                                     return Status();
                                   });
      !read)
    return fail(std::move(read.error()));
  if (!held) {
    const std::string hash = data_hash(base.directory);
    answers.known = !has_own_answers(base.directory) && !has_own_answers(fresh.directory) && !hash.empty() &&
                    hash == data_hash(fresh.directory);
    return answers;
  }
  auto read = each_result_line(fresh.directory, [&](const Json& line) {
    const auto other = before.find(text_at(line, "id"));
    const auto own = judged_text(evaluation, line);
    if (own && other != before.end() && !is_same(*own, other->second)) answers.differ.insert(other->first);
    return Status();
  });
  if (!read) return fail(std::move(read.error()));
  return answers;
}

std::string reason_of(std::string_view evaluation, const Json& line, std::string_view figure) {
  std::vector<std::string> reasons;
  if (evaluation == "custom") {
    collect_declared(line, figure, reasons);
  } else if (evaluation == "rag_answers") {
    const Json* metrics = find_member(line, "metrics");
    const Json* metric =
        metrics == nullptr ? nullptr : find_member(*metrics, figure.substr(0, figure.find('.')));
    if (metric != nullptr) collect(*metric, reasons);
  } else {
    collect(line, reasons);
  }
  return join(reasons, " / ");
}

Status add_reasons(const RunScores& base, const RunScores& fresh, JudgeChange& change) {
  std::map<std::string, std::vector<JudgeChange::Flip*>> by_case;
  for (JudgeChange::Flip& flip : change.flips) by_case[flip.id].push_back(&flip);
  const auto fill = [&](const RunScores& run, std::string JudgeChange::Flip::* reason) {
    return each_result_line(run.directory, [&](const Json& line) {
      const auto flips = by_case.find(text_at(line, "id"));
      if (flips == by_case.end()) return Status();
      for (JudgeChange::Flip* flip : flips->second)
        flip->*reason = reason_of(run.summary.evaluation, line, flip->figure);
      return Status();
    });
  };
  if (auto read = fill(base, &JudgeChange::Flip::base_reason); !read) return read;
  return fill(fresh, &JudgeChange::Flip::fresh_reason);
}

}  // namespace assay
