#include "evaluations/guidelines/aggregate.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/figures.h"
#include "evaluations/guidelines/conclusions.h"
#include "evaluations/guidelines/conversation_line.h"
#include "evaluations/guidelines/conversation_page.h"
#include "evaluations/judges/judge_spread.h"
#include "report/words.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/classification/missing_decisions.h"
#include "stats/intervals/clustered_counts.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay::guidelines {
namespace {

using namespace figures;

constexpr std::string_view kApplied = "applied";
constexpr std::string_view kNotApplied = "not applied";

// Decisions of one kind, clustered by conversation.
struct Decisions {
  ClusteredMoments yes;
  std::int64_t undetermined = 0;
  std::string action;  // of one guideline

  Estimate rate() const { return with_missing(wilson_clustered(yes), {{"undetermined", undetermined}}); }
};

class GuidelinesAggregate final : public Aggregate {
 public:
  GuidelinesAggregate(int votes, OutputFiles& files) : votes_(votes), page_(files) {}

  void add(const Case& input, const ResultLine& line) override {
    const auto& facts = line.facts<ConversationFacts>();
    for (const Verdict& verdict : facts.verdicts) count_verdict(input.id, facts.conversation, verdict);
    if (facts.exact == ExactSet::yes || facts.exact == ExactSet::no)
      exact_.add(input.id, facts.exact == ExactSet::yes ? 1 : 0);
    if (facts.exact == ExactSet::open) ++exact_missing_;
    // A conversation without any verdict is missing among conversations; without any guideline to judge, or
    // any verdict expected, it is none of them.
    if (facts.applied) {
      per_conversation_.add(*facts.applied);
    } else if (!line.scored()) {
      ++applied_missing_[std::string(to_string(line.outcome()))];
    }
    if (facts.right) {
      right_per_conversation_.add(*facts.right);
    } else if (!line.scored() && !facts.conversation.expected.empty()) {
      ++right_missing_[std::string(to_string(line.outcome()))];
    }
    page_.add(input.id, facts.conversation, facts.verdicts);
    ++conversations_;
    keep_if_low(input.id, facts);
  }

  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    auto& metrics = summary.metrics;
    metrics.push_back(share("applied_rate", all_.rate(), true));
    for (const char* degree : {"no", "partially", "fully"}) {
      const auto found = degrees_.find(degree);
      Estimate estimate = found == degrees_.end() ? undefined_figure("no decision has a verdict")
                                                  : with_missing(wilson_clustered(found->second),
                                                                 {{"undetermined", all_.undetermined}});
      metrics.push_back(share(fmt::format("degree.{}", degree), std::move(estimate)));
      metrics.back().better = Metric::Better::neither;
    }
    metrics.push_back(share("applied_rate_per_conversation",
                            with_missing(within_range(estimate_mean(per_conversation_)), applied_missing_)));
    const std::int64_t decisions = all_.yes.all().n() + all_.undetermined;
    metrics.push_back(count("undetermined", all_.undetermined, decisions, Metric::Better::lower));
    metrics.push_back(count("skipped", skipped_, decisions + skipped_));
    if (votes_ > 1) metrics.push_back(share("self_consistency", within_range(estimate_mean(agreed_))));
    if (matrix_.total() > 0) add_expected(summary);
    add_guidelines(summary);
    add_conversations(summary);
    summary.conclusions = conclusions(summary, conversations_, rates_in_order());
    spread_.apply(summary,
                  fmt::format("each of {} in {}", counted_words(all_.yes.all().n(), "decision", "decisions"),
                              counted_words(all_.yes.clusters(), "conversation", "conversations")));
    if (!spread_.sentence().empty()) summary.conclusions.push_back(spread_.sentence());
    page_.finish();
  }

 private:
  void count_verdict(const std::string& id, const Conversation& conversation, const Verdict& verdict) {
    if (!verdict.skipped.empty()) {
      ++skipped_;
      return;
    }
    const auto expected = conversation.expected.find(verdict.guideline);
    Decisions& own = by_guideline_[verdict.guideline];
    if (own.action.empty()) own.action = action_of(conversation, verdict.guideline);
    if (!verdict.applied) {
      ++own.undetermined;
      ++all_.undetermined;
      if (expected != conversation.expected.end()) {
        missing_.add(expected->second, "undetermined");
        missing_labels_.add(expected->second ? kApplied : kNotApplied, "undetermined");
      }
      return;
    }
    own.yes.add(id, *verdict.applied ? 1 : 0);
    all_.yes.add(id, *verdict.applied ? 1 : 0);
    for (const char* degree : {"no", "partially", "fully"})
      degrees_[degree].add(id, verdict.degree == degree ? 1 : 0);
    if (const auto agreed = agreement_of_votes(verdict)) agreed_.add(id, *agreed);
    if (votes_ > 1) spread_.add("applied_rate", {id, {yes_or_no(verdict)}}, *verdict.applied ? 1 : 0);
    if (expected == conversation.expected.end()) return;
    binary_.add(expected->second, *verdict.applied, id);
    matrix_.add(expected->second ? kApplied : kNotApplied, *verdict.applied ? kApplied : kNotApplied, 1, id);
    accuracy_.add(id, expected->second == *verdict.applied ? 1 : 0);
  }

  void add_expected(Summary& summary) {
    auto& metrics = summary.metrics;
    BinaryFigures figures = binary_.figures();
    MatrixFigures agreement = matrix_figures(matrix_);
    missing_.apply(binary_.all(), figures.precision, figures.recall, figures.f1);
    missing_labels_.apply(matrix_, agreement);
    Estimate accuracy = wilson_clustered(accuracy_);
    accuracy.missing = agreement.accuracy.missing;
    accuracy.bounds = agreement.accuracy.bounds;
    metrics.push_back(share("accuracy", std::move(accuracy), true));
    metrics.push_back(
        share("accuracy_per_conversation",
              with_missing(within_range(estimate_mean(right_per_conversation_)), right_missing_)));
    metrics.push_back(share("precision", std::move(figures.precision)));
    metrics.push_back(share("recall", std::move(figures.recall)));
    metrics.push_back(share("f1", std::move(figures.f1), true));
    metrics.push_back(number("cohen_kappa", std::move(agreement.cohen_kappa)));
    metrics.push_back(share(
        "exact_set_rate", with_missing(wilson_clustered(exact_), {{"undetermined", exact_missing_}}), true));
    const BinaryCounts& counts = binary_.all();
    summary.tables.push_back({"confusion_matrix",
                              "Expected against judged",
                              {"applied", "not applied"},
                              {{counts.tp, counts.fn}, {counts.fp, counts.tn}},
                              true,
                              "expected",
                              "judged"});
  }

  // The votes that gave a verdict.
  static std::vector<double> yes_or_no(const Verdict& verdict) {
    std::vector<double> votes;
    for (const auto& vote : verdict.votes) {
      if (vote) votes.push_back(*vote ? 1 : 0);
    }
    return votes;
  }

  static std::string action_of(const Conversation& conversation, const std::string& id) {
    constexpr std::size_t kLongest = 120;
    const auto found = std::ranges::find(conversation.guidelines, id, &Guideline::id);
    return found == conversation.guidelines.end() ? "" : shorten(found->action, kLongest);
  }

  // The conversations in which least was carried out; of equals those that came first.
  void keep_if_low(const std::string& id, const ConversationFacts& facts) {
    constexpr std::size_t kKept = 30;
    if (!facts.applied) return;
    LowConversation low{*facts.applied, id, 0, 0, 0, 0};
    for (const Verdict& verdict : facts.verdicts) {
      if (!verdict.skipped.empty()) continue;
      ++(!verdict.applied ? low.undetermined : *verdict.applied ? low.applied : low.not_applied);
      const auto expected = facts.conversation.expected.find(verdict.guideline);
      if (verdict.applied && expected != facts.conversation.expected.end() &&
          expected->second != *verdict.applied)
        ++low.otherwise;
    }
    const auto at = std::ranges::upper_bound(lowest_, low.rate, {}, &LowConversation::rate);
    lowest_.insert(at, std::move(low));
    if (lowest_.size() > kKept) lowest_.pop_back();
  }

  void add_conversations(Summary& summary) const {
    Table table{"conversations",
                "Conversations, least applied first",
                {"conversation", "applied_rate", "applied", "not_applied", "undetermined"},
                {},
                false,
                "",
                ""};
    const bool expected = matrix_.total() > 0;
    if (expected) table.columns.emplace_back("other_than_expected");
    for (const LowConversation& one : lowest_) {
      table.rows.push_back(
          {boost::json::string(one.id), one.rate, one.applied, one.not_applied, one.undetermined});
      if (expected) table.rows.back().emplace_back(one.otherwise);
    }
    summary.tables.push_back(std::move(table));
  }

  // Worst first; those without any verdict last.
  std::vector<std::pair<std::string, const Decisions*>> guidelines_in_order() const {
    std::vector<std::pair<std::string, const Decisions*>> order;
    order.reserve(by_guideline_.size());
    for (const auto& [id, decisions] : by_guideline_) order.emplace_back(id, &decisions);
    std::ranges::sort(order, [](const auto& a, const auto& b) {
      const double one = a.second->yes.all().mean().value_or(2);
      const double other = b.second->yes.all().mean().value_or(2);
      return one != other ? one < other : a.first < b.first;
    });
    return order;
  }

  void add_guidelines(Summary& summary) const {
    const auto order = guidelines_in_order();
    Table table{"guidelines",
                "Per guideline, least applied first",
                {"guideline", "n", "applied_rate", "low", "high", "undetermined", "action"},
                {},
                false,
                "",
                ""};
    for (const auto& [id, decisions] : order) {
      Estimate rate = decisions->rate();
      table.rows.push_back(
          {boost::json::string(id), decisions->yes.all().n(), rate.value ? Json(*rate.value) : Json(nullptr),
           rate.ci ? Json(rate.ci->low) : Json(nullptr), rate.ci ? Json(rate.ci->high) : Json(nullptr),
           decisions->undetermined, boost::json::string(decisions->action)});
      summary.metrics.push_back(share("applied_rate." + id, std::move(rate)));
    }
    summary.tables.push_back(std::move(table));
  }

  std::vector<GuidelineRate> rates_in_order() const {
    std::vector<GuidelineRate> rates;
    for (const auto& [id, decisions] : guidelines_in_order())
      rates.push_back({id, decisions->action, decisions->rate()});
    return rates;
  }

  struct LowConversation {
    double rate = 0;
    std::string id;
    std::int64_t applied = 0;
    std::int64_t not_applied = 0;
    std::int64_t undetermined = 0;
    std::int64_t otherwise = 0;  // than expected
  };

  JudgeSpread spread_;  // of decisions, by conversation
  int votes_;
  ConversationPage page_;
  Decisions all_;
  std::map<std::string, Decisions> by_guideline_;
  std::map<std::string, ClusteredMoments> degrees_;
  ClusteredMoments agreed_;  // votes on one guideline
  ClusteredBinaryCounts binary_;
  ConfusionMatrix matrix_;
  ClusteredMoments accuracy_;
  ClusteredMoments exact_;
  std::int64_t exact_missing_ = 0;
  MissingDecisions missing_;  // where a verdict is expected
  MissingLabels missing_labels_;
  MissingCases applied_missing_;
  MissingCases right_missing_;
  Moments per_conversation_;
  Moments right_per_conversation_;
  std::int64_t skipped_ = 0;
  std::int64_t conversations_ = 0;
  std::vector<LowConversation> lowest_;
};

}  // namespace

std::unique_ptr<Aggregate> make_aggregate(int votes, OutputFiles& files) {
  return std::make_unique<GuidelinesAggregate>(votes, files);
}

}  // namespace assay::guidelines
