#include "evaluations/benchmark/judged/judge_stress.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/stress/demands.h"
#include "evaluations/stress/text_parts.h"

namespace assay::benchmark {
namespace {

using stress::ChangedTexts;
using stress::JudgedFigure;
using stress::JudgedTexts;
using stress::WrittenCase;

constexpr std::string_view kMetric = "score";
constexpr std::size_t kFewestWords = 4;  // of a text; less is an id or a label

std::size_t words_in(std::string_view text) {
  const std::string_view said = trim(text);
  return said.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(said, ' '));
}

// The text of an answer with most words, the first of equals; null if none has enough.
boost::json::string* longest_text(Json& answer) {
  boost::json::string* longest = nullptr;
  const auto take = [&longest](boost::json::string* text) {
    const std::size_t most = longest == nullptr ? kFewestWords - 1 : words_in(*longest);
    if (text != nullptr && words_in(*text) > most) longest = text;
  };
  if (answer.is_string()) take(&answer.get_string());
  if (auto* list = answer.if_array()) {
    for (Json& item : *list) take(longest_text(item));
  }
  if (auto* object = answer.if_object()) {
    for (auto& member : *object) take(longest_text(member.value()));
  }
  return longest;
}

// A criterion by which the whole answer must agree with what is expected: "is correct", "agrees with the
// expected answer". One that names a part of it ("names the correct department") may be fulfilled by an
// answer that is wrong elsewhere.
bool asks_for_expected(std::string_view criterion) {
  static constexpr auto kAgreement = std::to_array<std::string_view>(
      {"correct", "accurate", "right", "true", "expected", "matches", "agrees", "same", "factual",
       "correctly", "accurately", "factually", "match", "agree"});
  static constexpr auto kWhole = std::to_array<std::string_view>(
      {"answer", "answers", "reply", "output", "result", "text", "whole", "entirely", "fully", "that", "with",
       "what", "says", "reference", "sample"});
  bool agreement = false;
  for (const std::string& word : stress::telling_words(criterion)) {
    const bool own = std::ranges::find(kAgreement, word) != kAgreement.end();
    if (!own && std::ranges::find(kWhole, word) == kWhole.end()) return false;
    agreement = agreement || own;
  }
  return agreement;
}

class RubricStressing final : public stress::Stressing {
 public:
  RubricStressing(const BenchmarkPlan& plan, std::function<std::optional<JudgedAnswer>(const Case&)> read,
                  std::string lacking, double moved)
      : plan_(plan), read_(std::move(read)), lacking_(std::move(lacking)), moved_(moved) {}

  std::vector<JudgedFigure> figures() const override {
    const bool truth = std::ranges::any_of(plan_.tasks, [](const auto& planned) {
      return planned.task.scorer && stress::asks_for_truth(planned.task.scorer->criteria);
    });
    return {{.name = "score.mean",
             .metric = std::string(kMetric),
             .faults = {"figure", "negation", "left_out"},
             .counts_statements = truth}};
  }
  std::string lacking() const override { return lacking_; }
  std::string_view data_key() const override { return "answers"; }

  std::optional<JudgedTexts> texts(const Case& input) const override {
    auto answer = read_(input);
    boost::json::string* text = answer ? longest_text(answer->answer) : nullptr;
    if (text == nullptr) return std::nullopt;
    JudgedTexts texts{.answer = std::string(*text)};
    text->clear();
    texts.elsewhere = to_text(answer->answer);
    const auto& criteria = criteria_of(*answer);
    // A fault costs one criterion, of which a part may still be fulfilled.
    if (0.5 / static_cast<double>(criteria.size()) <= moved_) return texts;
    if (is_held_against_expected(*answer)) {
      texts.reference = text_or_json(*variation_of(*answer).expected_output);
      return texts;
    }
    if (auto carried = stress::carried_alone(criteria, std::vector{texts.answer}, texts.elsewhere))
      texts.reference = std::move(carried->reference);
    return texts;
  }

  bool tries(const Case& input, const stress::Change& change) const override {
    const auto answer = read_(input);
    if (!answer) return false;
    // Against the expected output nothing that was said may be false, but not all of it need be said; of a
    // criterion nobody knows which verb a denial must turn round.
    if (change.name == "negation") return is_held_against_expected(*answer);
    if (change.name == "left_out") return !is_held_against_expected(*answer);
    return !stress::is_demanded(change, criteria_of(*answer));
  }

  WrittenCase written(const Case& input, const std::string& id, const ChangedTexts& texts) const override {
    auto answer = read_(input);
    if (!answer) return {};
    if (boost::json::string* text = longest_text(answer->answer)) *text = texts.answer;
    return {to_line(*answer, plan_, id)};
  }

  Status derive(JsonObject& config, const std::vector<std::string>& metrics) const override {
    config.erase("transcripts");
    for (const std::string& name : metrics) {
      if (name != kMetric)
        return fail(ErrorKind::usage, fmt::format("no metric {}; there is {}", name, kMetric));
    }
    return {};
  }

 private:
  const Variation& variation_of(const JudgedAnswer& answer) const {
    return plan_.tasks[answer.task].task.variations[answer.variation];
  }
  const std::vector<std::string>& criteria_of(const JudgedAnswer& answer) const {
    return plan_.tasks[answer.task].task.scorer->criteria;
  }
  bool is_held_against_expected(const JudgedAnswer& answer) const {
    return variation_of(answer).expected_output &&
           std::ranges::any_of(criteria_of(answer), asks_for_expected);
  }

  const BenchmarkPlan& plan_;
  std::function<std::optional<JudgedAnswer>(const Case&)> read_;
  std::string lacking_;
  double moved_;
};

}  // namespace

std::unique_ptr<stress::Stressing> judge_stressing(
    const BenchmarkPlan& plan, std::function<std::optional<JudgedAnswer>(const Case&)> read,
    std::string lacking, double moved) {
  return std::make_unique<RubricStressing>(plan, std::move(read), std::move(lacking), moved);
}

}  // namespace assay::benchmark
