#include "evaluations/guidelines/aggregate.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/figures.h"
#include "evaluations/guidelines/conversation_line.h"
#include "evaluations/guidelines/conversation_page.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/intervals/clustered_counts.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay::guidelines {
namespace {

using namespace figures;

// Decisions of one kind, clustered by conversation.
struct Decisions {
  ClusteredMoments yes;
  std::int64_t undetermined = 0;

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
    if (facts.applied) per_conversation_.add(*facts.applied);
    if (facts.right) right_per_conversation_.add(*facts.right);
    page_.add(input.id, facts.conversation, facts.verdicts);
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
    metrics.push_back(share("applied_rate_per_conversation", within_range(estimate_mean(per_conversation_))));
    const std::int64_t decisions = all_.yes.all().n() + all_.undetermined;
    metrics.push_back(count("undetermined", all_.undetermined, decisions, Metric::Better::lower));
    metrics.push_back(count("skipped", skipped_, decisions + skipped_));
    if (votes_ > 1) metrics.push_back(share("self_consistency", within_range(estimate_mean(agreed_))));
    if (matrix_.total() > 0) add_expected(summary);
    add_guidelines(summary);
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
    if (!verdict.applied) {
      ++own.undetermined;
      ++all_.undetermined;
      if (expected != conversation.expected.end()) ++expected_undetermined_;
      return;
    }
    own.yes.add(id, *verdict.applied ? 1 : 0);
    all_.yes.add(id, *verdict.applied ? 1 : 0);
    for (const char* degree : {"no", "partially", "fully"})
      degrees_[degree].add(id, verdict.degree == degree ? 1 : 0);
    if (const auto agreed = agreement_of_votes(verdict)) agreed_.add(id, *agreed);
    if (expected == conversation.expected.end()) return;
    binary_.add(expected->second, *verdict.applied, id);
    matrix_.add(expected->second ? "applied" : "not applied", *verdict.applied ? "applied" : "not applied", 1,
                id);
    accuracy_.add(id, expected->second == *verdict.applied ? 1 : 0);
  }

  void add_expected(Summary& summary) {
    auto& metrics = summary.metrics;
    BinaryFigures figures = binary_.figures();
    MatrixFigures kappa = matrix_figures(matrix_);
    const std::map<std::string, std::int64_t> missing = {{"undetermined", expected_undetermined_}};
    const auto with = [&](Estimate estimate) {
      if (expected_undetermined_ > 0) estimate.missing = missing;
      return estimate;
    };
    metrics.push_back(share("accuracy", with_missing(wilson_clustered(accuracy_), missing), true));
    metrics.push_back(
        share("accuracy_per_conversation", within_range(estimate_mean(right_per_conversation_))));
    metrics.push_back(share("precision", with(std::move(figures.precision))));
    metrics.push_back(share("recall", with(std::move(figures.recall))));
    metrics.push_back(share("f1", with(std::move(figures.f1)), true));
    metrics.push_back(number("cohen_kappa", with(std::move(kappa.cohen_kappa))));
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

  // Worst first.
  void add_guidelines(Summary& summary) {
    std::vector<std::pair<std::string, const Decisions*>> order;
    order.reserve(by_guideline_.size());
    for (const auto& [id, decisions] : by_guideline_) order.emplace_back(id, &decisions);
    std::ranges::sort(order, [](const auto& a, const auto& b) {
      const double one = a.second->yes.all().mean().value_or(2);
      const double other = b.second->yes.all().mean().value_or(2);
      return one != other ? one < other : a.first < b.first;
    });
    Table table{"guidelines",
                "Per guideline, least applied first",
                {"guideline", "n", "applied_rate", "low", "high", "undetermined"},
                {},
                false,
                "",
                ""};
    for (const auto& [id, decisions] : order) {
      Estimate rate = decisions->rate();
      table.rows.push_back({boost::json::string(id), decisions->yes.all().n(),
                            rate.value ? Json(*rate.value) : Json(nullptr),
                            rate.ci ? Json(rate.ci->low) : Json(nullptr),
                            rate.ci ? Json(rate.ci->high) : Json(nullptr), decisions->undetermined});
      summary.metrics.push_back(share("applied_rate." + id, std::move(rate)));
    }
    summary.tables.push_back(std::move(table));
  }

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
  std::int64_t expected_undetermined_ = 0;
  Moments per_conversation_;
  Moments right_per_conversation_;
  std::int64_t skipped_ = 0;
};

}  // namespace

std::unique_ptr<Aggregate> make_aggregate(int votes, OutputFiles& files) {
  return std::make_unique<GuidelinesAggregate>(votes, files);
}

}  // namespace assay::guidelines
