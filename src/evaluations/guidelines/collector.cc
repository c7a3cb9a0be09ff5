#include "evaluations/guidelines/collector.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/figures.h"
#include "evaluations/guidelines/conversation_page.h"
#include "evaluations/guidelines/guidelines.h"
#include "evaluations/legacy_line.h"
#include "report/csv.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/intervals/clustered_counts.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay::guidelines {
namespace {

using namespace figures;

constexpr std::size_t kShownCases = 30;

// Decisions of one kind, clustered by conversation.
struct Decisions {
  ClusteredMoments yes;
  std::int64_t undetermined = 0;

  Estimate rate() const { return with_missing(wilson_clustered(yes), {{"undetermined", undetermined}}); }
};

class GuidelinesCollector final : public Collector {
 public:
  GuidelinesCollector(const GuidelinesEvaluation& evaluation, OutputFiles& files)
      : evaluation_(evaluation), files_(files), page_(files) {
    write_row({"conversation", "guideline", "skipped", "applied", "expected", "confidence", "degree",
               "missing", "undetermined", "rationale"});
  }

  Scores add(const Case& input, const FinishedCase* finished) override {
    if (finished == nullptr) return {};
    const Conversation conversation = evaluation_.conversation(*CaseTree(input));
    std::vector<Verdict> verdicts;
    for (const Json& json : list_at(Json(finished->outcome.result), "verdicts"))
      verdicts.push_back(verdict_from(json));
    // A case that never came to its verdicts lacks all of them.
    if (verdicts.empty()) {
      for (const Guideline& guideline : conversation.guidelines) {
        Verdict verdict;
        verdict.guideline = guideline.id;
        verdict.skipped = skipped_because(guideline, evaluation_.plan().skip);
        verdict.undetermined = finished->outcome.error;
        verdicts.push_back(std::move(verdict));
      }
    }
    ++(finished->outcome.kind == OutcomeKind::scored ? evaluated_ : errored_);
    const std::string id(input.id);
    for (const Verdict& verdict : verdicts) count_verdict(id, conversation, verdict);
    const Exact exact = exact_set(conversation, verdicts);
    if (exact == Exact::yes || exact == Exact::no) exact_.add(id, exact == Exact::yes ? 1 : 0);
    if (exact == Exact::open) ++exact_missing_;
    page_.add(id, conversation, verdicts);
    write_line(input, conversation, verdicts, *finished, exact);
    return line_.scores();
  }

  void finish(Summary& summary, std::vector<NotableCase>& notable) override {
    summary.cases.evaluated = evaluated_;
    summary.cases.errored = errored_;
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
    if (evaluation_.plan().votes > 1)
      metrics.push_back(share("self_consistency", within_range(estimate_mean(votes_))));
    if (matrix_.total() > 0) add_expected(summary);
    add_guidelines(summary);
    page_.finish();
    notable = std::move(failed_);
    notable.insert(notable.end(), std::make_move_iterator(disagreements_.begin()),
                   std::make_move_iterator(disagreements_.end()));
  }

  void write_figures(const Summary& summary) override { files_.write("aggregate.csv", summary_csv(summary)); }

 private:
  void count_verdict(const std::string& id, const Conversation& conversation, const Verdict& verdict) {
    const auto expected = conversation.expected.find(verdict.guideline);
    std::string rationale;
    for (const Segment& segment : verdict.segments)
      rationale += fmt::format("{}{}: {}", rationale.empty() ? "" : " | ", segment.text, segment.rationale);
    write_row({id, verdict.guideline, verdict.skipped,
               verdict.applied ? (*verdict.applied ? "true" : "false") : "",
               expected == conversation.expected.end() ? ""
               : expected->second                      ? "true"
                                                       : "false",
               verdict.applied ? fmt::format("{:.4g}", verdict.confidence) : "", verdict.degree,
               verdict.missing, verdict.undetermined, rationale});
    if (!verdict.skipped.empty()) {
      ++skipped_;
      return;
    }
    Decisions& own = by_guideline_[verdict.guideline];
    if (!verdict.applied) {
      ++own.undetermined;
      ++all_.undetermined;
      if (expected != conversation.expected.end()) ++expected_undetermined_;
      if (failed_.size() < kShownCases) {
        failed_.push_back(
            {id,
             fmt::format("{}: undetermined", verdict.guideline),
             {{"guideline", action_of(conversation, verdict.guideline)}, {"why", verdict.undetermined}}});
      }
      return;
    }
    own.yes.add(id, *verdict.applied ? 1 : 0);
    all_.yes.add(id, *verdict.applied ? 1 : 0);
    for (const char* degree : {"no", "partially", "fully"})
      degrees_[degree].add(id, verdict.degree == degree ? 1 : 0);
    if (const auto agreed = agreement_of_votes(verdict)) votes_.add(id, *agreed);
    if (expected == conversation.expected.end()) return;
    binary_.add(expected->second, *verdict.applied, id);
    matrix_.add(expected->second ? "applied" : "not applied", *verdict.applied ? "applied" : "not applied", 1,
                id);
    accuracy_.add(id, expected->second == *verdict.applied ? 1 : 0);
    if (expected->second == *verdict.applied || disagreements_.size() == kShownCases) return;
    NotableCase wrong{
        id,
        fmt::format("{}: {} instead of {}", verdict.guideline, *verdict.applied ? "applied" : "not applied",
                    expected->second ? "applied" : "not applied"),
        {{"guideline", action_of(conversation, verdict.guideline)}, {"degree", verdict.degree}}};
    for (const Segment& segment : verdict.segments) {
      wrong.fields.emplace_back(
          segment.message_index ? fmt::format("message {}", *segment.message_index) : "nowhere",
          fmt::format("{}: {}", segment.text, segment.rationale));
    }
    disagreements_.push_back(std::move(wrong));
  }

  static std::string action_of(const Conversation& conversation, const std::string& id) {
    const auto found = std::ranges::find(conversation.guidelines, id, &Guideline::id);
    return found == conversation.guidelines.end() ? id : fmt::format("{}: {}", id, found->action);
  }

  // Whether every expected verdict was met; open if only an undetermined one could still decide it.
  enum class Exact { none_expected, open, no, yes };
  static Exact exact_set(const Conversation& conversation, const std::vector<Verdict>& verdicts) {
    bool any = false;
    bool open = false;
    for (const Verdict& verdict : verdicts) {
      const auto expected = conversation.expected.find(verdict.guideline);
      if (expected == conversation.expected.end() || !verdict.skipped.empty()) continue;
      any = true;
      open = open || !verdict.applied;
      if (verdict.applied && *verdict.applied != expected->second) return Exact::no;
    }
    return !any ? Exact::none_expected : open ? Exact::open : Exact::yes;
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

  void write_line(const Case& input, const Conversation& conversation, const std::vector<Verdict>& verdicts,
                  const FinishedCase& finished, Exact exact) {
    line_.begin(input, finished.outcome.kind);
    JsonArray list;
    Moments applied;
    Moments right;
    for (const Verdict& verdict : verdicts) {
      Json json = to_json(verdict);
      const auto expected = conversation.expected.find(verdict.guideline);
      if (expected != conversation.expected.end()) json.get_object()["expected"] = expected->second;
      if (verdict.applied) applied.add(*verdict.applied ? 1 : 0);
      if (verdict.applied && expected != conversation.expected.end())
        right.add(*verdict.applied == expected->second ? 1 : 0);
      list.push_back(std::move(json));
    }
    line_.json("verdicts", list);
    std::optional<double> exact_score;
    if (exact == Exact::yes || exact == Exact::no) exact_score = exact == Exact::yes ? 1 : 0;
    if (const auto mean = applied.mean()) per_conversation_.add(*mean);
    if (const auto mean = right.mean()) right_per_conversation_.add(*mean);
    const Score scores[] = {{"applied_rate_per_conversation", applied.mean()},
                            {"accuracy_per_conversation", right.mean()},
                            {"exact_set_rate", exact_score}};
    line_.scores(scores);
    if (!finished.outcome.error.empty()) line_.text("error", finished.outcome.error);
    line_.json("usage", finished.usage);
    line_.number("latency_ms", finished.latency_ms);
    files_.write("results.jsonl", line_.end());
  }

  void write_row(const std::vector<std::string>& cells) {
    row_.clear();
    append_csv_row(row_, cells);
    files_.write("results.csv", row_);
  }

  const GuidelinesEvaluation& evaluation_;
  OutputFiles& files_;
  ConversationPage page_;
  Decisions all_;
  std::map<std::string, Decisions> by_guideline_;
  std::map<std::string, ClusteredMoments> degrees_;
  ClusteredMoments votes_;
  ClusteredBinaryCounts binary_;
  ConfusionMatrix matrix_;
  ClusteredMoments accuracy_;
  ClusteredMoments exact_;
  std::int64_t exact_missing_ = 0;
  std::int64_t expected_undetermined_ = 0;
  Moments per_conversation_;
  Moments right_per_conversation_;
  std::int64_t skipped_ = 0;
  std::int64_t evaluated_ = 0;
  std::int64_t errored_ = 0;
  LegacyLine line_;
  std::string row_;
  std::vector<NotableCase> failed_;
  std::vector<NotableCase> disagreements_;
};

}  // namespace

std::unique_ptr<Collector> make_collector(const GuidelinesEvaluation& evaluation, OutputFiles& files) {
  return std::make_unique<GuidelinesCollector>(evaluation, files);
}

}  // namespace assay::guidelines
