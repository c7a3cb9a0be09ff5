// How much of a reference text is in the answer? Published measures of overlap; the best of several
// references counts. Definitions and sources: docs/metrics.md.
#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "core/unicode.h"
#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/parts.h"
#include "evaluations/scoring/alignment.h"

namespace assay::custom {
namespace {

// Compares an answer with one reference.
using Compare = Checked (*)(const std::string& answer, const std::string& reference, const TextRule& rule);

double f_measure(double common, std::size_t answer, std::size_t reference) {
  return 2 * common / static_cast<double>(answer + reference);
}

// The best score over the references; with several, the reason names the best.
CheckMade best_of(const Json& argument, const TextRule& rule, Compare compare) {
  auto references = texts_in(argument);
  if (!references) return fail(std::move(references.error()));
  return check_of([references = std::move(*references), rule, compare](const Subject& subject) {
    if (references.empty()) return nothing("there is no reference to compare with");
    const std::string answer = text_of(subject.value);
    Checked best;
    for (std::size_t i = 0; i < references.size(); ++i) {
      Checked one = compare(answer, references[i], rule);
      // One that cannot be computed leaves open which is the best.
      if (!one.score) return one;
      if (best.score && *one.score <= *best.score) continue;
      best = std::move(one);
      if (references.size() > 1)
        best.reason += fmt::format(" (reference {} of {})", i + 1, references.size());
    }
    return best;
  });
}

Checked too_long(std::size_t answer, std::size_t reference, std::string_view unit) {
  return nothing(fmt::format("too long to compare: {} and {} {}", answer, reference, unit));
}

// --- token_f1 ----------------------------------------------------------------------------------------------

// Lower case, no punctuation, no articles, what stands between white space: SQuAD's normalisation.
std::vector<std::string> squad_tokens(const std::string& text) {
  const std::string bare = without_punctuation(casefold(text));
  std::vector<std::string> tokens;
  for (const std::string_view token : split_white_space(bare)) {
    if (token != "a" && token != "an" && token != "the") tokens.emplace_back(token);
  }
  return tokens;
}

Checked token_f1(const std::string& answer, const std::string& reference, const TextRule&) {
  const auto found = squad_tokens(answer);
  const auto wanted = squad_tokens(reference);
  if (found.empty() || wanted.empty())
    return {found.empty() == wanted.empty() ? 1 : 0,
            fmt::format("no words in {}",
                        found.empty() ? wanted.empty() ? "either" : "the answer" : "the reference")};
  std::unordered_map<std::string_view, std::size_t> left;
  for (const std::string& token : wanted) ++left[token];
  std::size_t common = 0;
  for (const std::string& token : found) {
    const auto one = left.find(token);
    if (one == left.end() || one->second == 0) continue;
    --one->second;
    ++common;
  }
  return {f_measure(static_cast<double>(common), found.size(), wanted.size()),
          fmt::format("{} in common, of {} in the answer and {} in the reference",
                      count_of(common, "word", "words"), found.size(), wanted.size())};
}

CheckMade make_token_f1(const Json& argument, const Config&) {
  return best_of(argument, {}, token_f1);
}

// --- rouge_l -----------------------------------------------------------------------------------------------

Checked rouge_l(const std::string& answer, const std::string& reference, const TextRule&) {
  const std::string folded_answer = casefold(answer);
  const std::string folded_reference = casefold(reference);
  const auto found = words_of(folded_answer);
  const auto wanted = words_of(folded_reference);
  if (found.empty() || wanted.empty())
    return {0, found.empty() ? "no words in the answer" : "no words in the reference"};
  if (scoring::too_long_to_align(found.size(), wanted.size()))
    return too_long(found.size(), wanted.size(), "words");
  const std::size_t common = scoring::common_subsequence(scoring::numbered(found, wanted));
  return {f_measure(static_cast<double>(common), found.size(), wanted.size()),
          fmt::format("{} in common in this order, of {} in the answer and {} in the reference",
                      count_of(common, "word", "words"), found.size(), wanted.size())};
}

CheckMade make_rouge_l(const Json& argument, const Config&) {
  return best_of(argument, {}, rouge_l);
}

// --- levenshtein -------------------------------------------------------------------------------------------

Checked levenshtein(const std::string& answer, const std::string& reference, const TextRule& rule) {
  const std::u32string found = code_points(comparable(answer, rule));
  const std::u32string wanted = code_points(comparable(reference, rule));
  const std::size_t longer = std::max(found.size(), wanted.size());
  if (longer == 0) return {1, "both are empty"};
  if (scoring::too_long_to_align(found.size(), wanted.size()))
    return too_long(found.size(), wanted.size(), "characters");
  const std::size_t distance = scoring::levenshtein_distance(scoring::numbered(found, wanted));
  return {1 - static_cast<double>(distance) / static_cast<double>(longer),
          fmt::format("{} for {}", count_of(distance, "edit", "edits"),
                      count_of(longer, "character", "characters"))};
}

CheckMade make_levenshtein(const Json& argument, const Config& options) {
  return best_of(argument, read_text_rule(options), levenshtein);
}

}  // namespace

std::span<const CheckKind> similarity_kinds() {
  using enum CheckKind::Value;
  static const std::array kinds = {
      CheckKind{
          .name = "token_f1",
          .value = share,
          .argument = "a text, or a list of which the best counts",
          .help = "F1 of the words that answer and reference have in common, in any order, as SQuAD has it.",
          .example = "{name: overlap, token_f1: \"{reference}\"}",
          .make = made<make_token_f1, no_options>},
      CheckKind{.name = "rouge_l",
                .value = share,
                .argument = "a text, or a list of which the best counts",
                .help = "F-measure of the longest common subsequence of words (ROUGE-L).",
                .example = "{name: summary, rouge_l: \"{reference}\", passes: \">= 0.4\"}",
                .make = made<make_rouge_l, no_options>},
      CheckKind{
          .name = "levenshtein",
          .value = share,
          .argument = "a text, or a list of which the best counts",
          .help = "1 less the edit distance divided by the length of the longer text, in code points.",
          .example = "{name: nearly, levenshtein: \"{reference}\", ignore_case: true, passes: \">= 0.9\"}",
          .options = text_rule_keys,
          .make = made<make_levenshtein, text_rule_keys>},
  };
  return kinds;
}

}  // namespace assay::custom
