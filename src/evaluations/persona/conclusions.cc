#include "evaluations/persona/conclusions.h"

#include <algorithm>

#include <fmt/format.h>

#include "evaluations/figures.h"
#include "report/conclusions.h"
#include "report/words.h"

namespace assay::persona {
namespace {

using Rates = std::map<std::string, Estimate>;

std::string words_of(const Estimate& rate) {
  return figure_with_interval(figures::share("", rate));
}

bool defined(const Rates::value_type& entry) {
  return entry.second.value.has_value();
}

bool lower(const Rates::value_type& a, const Rates::value_type& b) {
  return *a.second.value < *b.second.value;
}

std::string agreement_sentence(const Metric& rate, const Rates& personas) {
  const std::string who = personas.size() == 1 ? personas.begin()->first + " agrees"
                                               : fmt::format("The {} personas agree", personas.size());
  std::string words = fmt::format("{} with {} of the classifications.", who, figure_with_interval(rate));
  if (rate.estimate.bounds && !rate.estimate.missing.empty()) {
    words += fmt::format(" What has no verdict ({}) could bring it to {}.", missing_words(rate.estimate),
                         range_words(*rate.estimate.bounds, Metric::Form::share));
  }
  return words;
}

// The lowest and the highest of several; nothing if fewer than two have a figure.
std::string span_sentence(const Rates& rates, std::string_view lowest_lead, std::string_view highest_lead) {
  Rates known;
  std::ranges::copy_if(rates, std::inserter(known, known.end()), defined);
  if (known.size() < 2) return "";
  const auto least = std::ranges::min_element(known, lower);
  const auto most = std::ranges::max_element(known, lower);
  if (*least->second.value == *most->second.value) return "";
  return fmt::format("{} {}: {}; {} {}: {}.", lowest_lead, least->first, words_of(least->second),
                     highest_lead, most->first, words_of(most->second));
}

std::string human_sentence(const Summary& summary) {
  const Metric* exact = figures::find_defined(summary, "human.exact_match");
  if (exact == nullptr) return "";
  std::string words = fmt::format("People gave the same rating in {}", figure_with_interval(*exact));
  if (const Metric* kappa = figures::find_defined(summary, "human.cohen_kappa"))
    words += fmt::format("; beyond chance (Cohen's kappa) {}", figure_with_interval(*kappa));
  return words + ".";
}

}  // namespace

std::vector<std::string> conclusions(const Summary& summary, const Rates& classifications,
                                     const Rates& personas) {
  const Metric* rate = figures::find_defined(summary, "agreement_rate");
  if (rate == nullptr) return {"No request was answered, so nothing is known of what the personas think."};
  std::vector<std::string> sentences{agreement_sentence(*rate, personas)};
  for (std::string sentence :
       {span_sentence(classifications, "Least agreed with is", "most"),
        span_sentence(personas, "The persona that agrees least is", "the one that agrees most is"),
        human_sentence(summary)}) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace assay::persona
