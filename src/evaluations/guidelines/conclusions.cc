#include "evaluations/guidelines/conclusions.h"

#include <algorithm>

#include <fmt/format.h>

#include "evaluations/figures.h"
#include "report/conclusions.h"
#include "report/words.h"

namespace assay::guidelines {
namespace {

std::string followed_sentence(const Metric& rate, std::int64_t conversations) {
  std::string words =
      fmt::format("The agent carried out {} of the actions asked of it, in {}.", figure_with_interval(rate),
                  counted_words(conversations, "conversation", "conversations"));
  if (rate.estimate.bounds && !rate.estimate.missing.empty()) {
    words += fmt::format(" What has no verdict ({}) could bring it to {}.", missing_words(rate.estimate),
                         range_words(*rate.estimate.bounds, Metric::Form::share));
  }
  return words;
}

// Nothing if none was judged more than once.
std::string least_sentence(const std::vector<GuidelineRate>& guidelines) {
  const auto repeated = [](const GuidelineRate& one) { return one.rate.value && one.rate.n > 1; };
  const auto least = std::ranges::find_if(guidelines, repeated);
  if (least == guidelines.end()) {
    return guidelines.size() > 1
               ? "No guideline was judged in more than one conversation, so they cannot be compared."
               : "";
  }
  if (std::ranges::count_if(guidelines, repeated) < 2) return "";
  const auto equals = std::ranges::count_if(guidelines, [&](const GuidelineRate& one) {
    return repeated(one) && *one.rate.value == *least->rate.value;
  });
  std::string words = fmt::format("Least often carried out: {} (\"{}\"), {}", least->id, least->action,
                                  figure_with_interval(figures::share("", least->rate)));
  if (equals > 1) words += fmt::format("; as rarely {} other{}", equals - 1, equals == 2 ? "" : "s");
  return words + ".";
}

std::string judge_sentence(const Summary& summary) {
  const Metric* accuracy = figures::find_defined(summary, "accuracy");
  if (accuracy == nullptr) return "";
  std::string words =
      fmt::format("The judge's verdict is the expected one in {}", figure_with_interval(*accuracy));
  if (const Metric* kappa = figures::find_defined(summary, "cohen_kappa"))
    words += fmt::format("; beyond chance (Cohen's kappa) {}", figure_with_interval(*kappa));
  return words + ".";
}

}  // namespace

std::vector<std::string> conclusions(const Summary& summary, std::int64_t conversations,
                                     const std::vector<GuidelineRate>& guidelines) {
  std::vector<std::string> sentences;
  const Metric* rate = figures::find_defined(summary, "applied_rate");
  if (rate == nullptr) return {"No guideline has a verdict."};
  sentences.push_back(followed_sentence(*rate, conversations));
  for (std::string sentence : {least_sentence(guidelines), judge_sentence(summary)}) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace assay::guidelines
