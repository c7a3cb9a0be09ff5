#include "evaluations/judges/label_origin.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/sha256.h"
#include "core/text.h"
#include "evaluations/judge_config.h"

namespace assay {
namespace {

constexpr std::string_view kJudging = "judging=";
constexpr std::string_view kPrompts = "prompts=";
constexpr std::size_t kDate = 10;

std::string fingerprint(const Json& value) {
  return hex(sha256(canonical_text(value))).substr(0, 16);
}

}  // namespace

LabelOrigin label_origin(std::string_view evaluation, const JsonObject& config,
                         const std::map<std::string, std::string>& prompts, std::string started) {
  JsonObject texts;
  for (const auto& [name, print] : prompts) texts.emplace(name, print);
  return {std::move(started), fingerprint(judging_of(evaluation, config)), fingerprint(texts)};
}

std::string to_text(const LabelOrigin& origin) {
  return fmt::format("{} {}{} {}{}", origin.started, kJudging, origin.judging, kPrompts, origin.prompts);
}

std::optional<LabelOrigin> label_origin_from(std::string_view text) {
  const auto parts = split(trim(text), ' ');
  if (parts.size() != 3 || !parts[1].starts_with(kJudging) || !parts[2].starts_with(kPrompts))
    return std::nullopt;
  return LabelOrigin{std::string(parts[0]), std::string(parts[1].substr(kJudging.size())),
                     std::string(parts[2].substr(kPrompts.size()))};
}

std::vector<std::string> label_ages(std::span<const LabelsDrawn> files, const LabelOrigin& now) {
  struct Age {
    std::string drawn;
    std::string sentence;
    std::vector<std::string> files;
  };
  std::vector<Age> ages;
  for (const LabelsDrawn& file : files) {
    std::string sentence = label_age(file.drawn, now);
    auto found = std::ranges::find(ages, sentence, &Age::sentence);
    if (found == ages.end()) found = ages.insert(ages.end(), {file.drawn, std::move(sentence), {}});
    found->files.push_back(file.file);
  }
  if (ages.size() == 1) return {ages.front().sentence};
  std::vector<std::string> sentences;
  sentences.reserve(ages.size());
  for (const Age& age : ages)
    sentences.push_back(label_age(age.drawn, now, "The labels in " + join(age.files, ", ")));
  return sentences;
}

std::string label_age(std::string_view drawn, const LabelOrigin& now, std::string_view labels) {
  const auto origin = label_origin_from(drawn);
  if (!origin)
    return fmt::format(
        "{} do not say for which judge and prompts their cases were drawn (column `drawn` of "
        "assay label-sample).",
        labels);
  const std::string date = origin->started.substr(0, kDate);
  const bool judge = origin->judging != now.judging;
  const bool prompts = origin->prompts != now.prompts;
  if (!judge && !prompts)
    return fmt::format("{} are from {}; neither judge nor prompts have changed since.", labels, date);
  const char* what = judge && prompts ? "the judge and its prompts"
                     : judge          ? "the judge, or what it is asked,"
                                      : "the judge's prompt, or another file that it goes by,";
  return fmt::format(
      "{} are from {}, before {} changed: they hold for these answers only as long as nobody used "
      "them for that change; label anew if somebody did.",
      labels, date, what);
}

}  // namespace assay
