#include "evaluations/cascade/cascade_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/json/string.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/figures.h"
#include "report/conclusions.h"
#include "report/csv.h"
#include "report/words.h"
#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr std::size_t kShownCases = 20;

struct JudgeTally {
  std::int64_t asked = 0;
  std::int64_t requests = 0;
  double cost_usd = 0;
  bool cost_known = true;
  std::int64_t decided = 0;
  std::int64_t labelled = 0;  // of the decided
  std::int64_t agreed = 0;
};

class CascadeFigures final : public Aggregate {
 public:
  CascadeFigures(std::unique_ptr<Aggregate> inner, std::shared_ptr<const Cascade> cascade, OutputFiles& files,
                 const CascadeFacts& (*facts)(const ResultLine&), std::vector<std::string> shown)
      : inner_(std::move(inner)),
        cascade_(std::move(cascade)),
        files_(files),
        facts_(facts),
        shown_(std::move(shown)),
        tallies_(cascade_->judges().size()) {
    if (!cascade_->settings().people) return;
    std::vector<std::string> head{"id"};
    head.insert(head.end(), shown_.begin(), shown_.end());
    head.emplace_back("label");
    std::string row;
    append_csv_row(row, head);
    files_.write(kForPeople, row);
  }

  void add(const Case& input, const ResultLine& line) override {
    inner_->add(input, line);
    if (cascade_->label_of(input.id) != nullptr) ++labelled_;
    if (cascade_->was_left_out(input.id)) ++unlabelled_;
    if (!line.has_facts()) return;
    const CascadeFacts& facts = facts_(line);
    if (facts.record) take(input, *facts.record, facts.shown);
  }

  void finish(const MissingCases& missing, Summary& summary) override {
    inner_->finish(missing, summary);
    add_figures(summary);
    add_tables(summary);
  }

  void conclude(Summary& summary) const override {
    inner_->conclude(summary);
    std::vector<std::string> sentences = this->sentences();
    summary.conclusions.insert(summary.conclusions.begin(), std::make_move_iterator(sentences.begin()),
                               std::make_move_iterator(sentences.end()));
  }

  void write_figures(const Summary& summary, const std::vector<NotableCase>& notable) override {
    inner_->write_figures(summary, notable);
  }

 private:
  void take(const Case& input, const CascadeRecord& record, const JsonObject& shown) {
    const PeoplesWord* label = cascade_->label_of(input.id);
    for (const CascadeBallot& ballot : record.ballots) {
      const auto judge = std::ranges::find(cascade_->judges(), ballot.judge, &CascadeJudge::name);
      if (judge == cascade_->judges().end()) continue;
      JudgeTally& tally = tallies_[static_cast<std::size_t>(judge - cascade_->judges().begin())];
      ++tally.asked;
      tally.requests += ballot.requests;
      tally.cost_usd += ballot.cost_usd.value_or(0);
      // Answers of an earlier run took nothing here, so they say nothing of what a judge costs.
      tally.cost_known = tally.cost_known && ballot.cost_usd && ballot.requests > 0;
      if (record.decided_by != judge->name) continue;
      ++tally.decided;
      if (label == nullptr) continue;
      ++tally.labelled;
      if (ballot.side() == label->side) ++tally.agreed;
    }
    if (record.decided_by.empty()) return;
    ++cases_;
    if (record.decided_by != kPeople) return;
    if (cascade_->said_of(input.id) != nullptr) {
      ++said_;
      return;
    }
    ++left_;
    if (left_rows_.size() < kShownCases) {
      std::vector<std::string> votes;
      votes.reserve(record.ballots.size());
      for (const CascadeBallot& ballot : record.ballots)
        votes.push_back(fmt::format("{}: {}", ballot.judge, votes_words(ballot)));
      left_rows_.push_back({boost::json::string(input.id), boost::json::string(join(votes, "; "))});
    }
    std::vector<std::string> cells{input.id};
    for (const std::string& name : shown_) {
      const Json* value = shown.if_contains(name);
      cells.push_back(value == nullptr || value->is_null() ? std::string() : text_or_json(*value));
    }
    cells.emplace_back();
    std::string row;
    append_csv_row(row, cells);
    files_.write(kForPeople, row);
  }

  static std::string votes_words(const CascadeBallot& ballot) {
    std::map<std::string, int> counts;
    for (const std::string& vote : ballot.votes) ++counts[vote.empty() ? "no usable answer" : vote];
    std::vector<std::string> words;
    words.reserve(counts.size());
    for (const auto& [side, count] : counts) words.push_back(fmt::format("{} {}", count, side));
    return join(words, ", ");
  }

  const Cascade::Shown* shown_of(std::size_t judge) const {
    return judge < cascade_->shown().size() ? &cascade_->shown()[judge] : nullptr;
  }
  std::optional<ThresholdTest> threshold_of(std::size_t judge) const {
    const Cascade::Shown* shown = shown_of(judge);
    return shown != nullptr ? shown->search.chosen() : std::nullopt;
  }

  void add_figures(Summary& summary) const {
    using figures::share;
    auto& metrics = summary.metrics;
    const auto plain = [&metrics](std::string name, Estimate estimate) {
      metrics.push_back(figures::number(std::move(name), std::move(estimate), Metric::Better::neither));
    };
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      const CascadeJudge& judge = cascade_->judges()[i];
      const JudgeTally& tally = tallies_[i];
      metrics.push_back(share("cascade.coverage." + judge.name, wilson(tally.decided, cases_)));
      metrics.back().better = Metric::Better::neither;
      metrics.push_back(
          share("cascade.agreement." + judge.name, clopper_pearson(tally.agreed, tally.labelled)));
      if (judge.error) metrics.back().reference = cascade_->settings().agreement;
      if (!judge.error) continue;
      const auto threshold = threshold_of(i);
      const Cascade::Shown* shown = shown_of(i);
      plain("cascade.threshold." + judge.name,
            threshold ? plain_figure(static_cast<double>(threshold->votes) / judge.votes, threshold->cases)
                      : undefined_figure(shown != nullptr ? shown->refusal : "it was not calibrated"));
    }
    if (cascade_->settings().people) {
      metrics.push_back(share("cascade.coverage.people", wilson(left_ + said_, cases_)));
      metrics.back().better = Metric::Better::neither;
      metrics.push_back(figures::count("cascade.left_to_people", left_, cases_));
    }
    const auto given = static_cast<std::int64_t>(cascade_->labels());
    metrics.push_back(figures::count("cascade.labels", labelled_, given));
    if (unlabelled_ > 0) metrics.back().estimate.missing["not_labelled"] = unlabelled_;
    metrics.push_back(figures::count("cascade.labels_of_no_case", given - labelled_, given));
    metrics.push_back(figures::count("cascade.requests", requests(), cases_));
    metrics.push_back(figures::count("cascade.requests.alone", 0, cases_));
    metrics.back().estimate = alone_requests();
    plain("cascade.cost", cost());
    plain("cascade.cost.alone", alone_cost());
  }

  void add_tables(Summary& summary) const {
    Table judges{
        "cascade",
        "Who decided",
        {"judge", "votes", "threshold", "asked", "decided", "share", "labelled", "agreed", "agreement"},
        {},
        false,
        "",
        ""};
    Table tests{"cascade.tests",
                "Thresholds that were tested, from the strictest down",
                {"judge", "votes for one side", "labelled cases", "agreed", "agreement", "shown at least",
                 "chance of error", "holds"},
                {},
                false,
                "",
                ""};
    // Six digits tell a chance; the rest is what subtracting left.
    const auto rounded = [](double chance) { return std::round(chance * 1e6) / 1e6; };
    const auto rate = [](std::int64_t count, std::int64_t n) {
      return n > 0 ? Json(static_cast<double>(count) / static_cast<double>(n)) : Json(nullptr);
    };
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      const CascadeJudge& judge = cascade_->judges()[i];
      const JudgeTally& tally = tallies_[i];
      const auto threshold = threshold_of(i);
      const std::string needs = !judge.error ? "decides the rest"
                                : threshold  ? fmt::format("{} of {}", threshold->votes, judge.votes)
                                             : "decides nothing";
      judges.rows.push_back({boost::json::string(judge.settings.model), judge.votes,
                             boost::json::string(needs), tally.asked, tally.decided,
                             rate(tally.decided, cases_), tally.labelled, tally.agreed,
                             rate(tally.agreed, tally.labelled)});
      const Cascade::Shown* shown = shown_of(i);
      if (shown == nullptr) continue;
      for (const ThresholdTest& test : shown->search.tests) {
        tests.rows.push_back({boost::json::string(judge.settings.model),
                              boost::json::string(fmt::format("{} of {}", test.votes, judge.votes)),
                              test.cases, test.agreed, rate(test.agreed, test.cases), test.lower,
                              rounded(judge.error.value_or(0)),
                              boost::json::string(test.holds ? "yes" : "no")});
      }
    }
    if (cascade_->settings().people) {
      const std::int64_t people = left_ + said_;
      judges.rows.push_back({boost::json::string(kPeople), nullptr, boost::json::string("the rest"), people,
                             said_, rate(people, cases_), nullptr, nullptr, nullptr});
    }
    summary.tables.push_back(std::move(judges));
    summary.tables.push_back(std::move(tests));
    if (left_rows_.empty()) return;
    summary.tables.push_back(
        {"cascade.left_to_people",
         fmt::format("Left to people: {} of {}, all in {}", left_rows_.size(), left_, kForPeople),
         {"case", "votes"},
         left_rows_,
         false,
         "",
         ""});
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> said;
    if (cases_ == 0) return said;
    const auto share_of = [this](std::int64_t count) {
      return count == 0 ? std::string("none")
                        : share_words(static_cast<double>(count) / static_cast<double>(cases_));
    };
    std::vector<std::string> deciders;
    deciders.reserve(tallies_.size());
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      deciders.push_back(fmt::format("{} decided {}{}", cascade_->judges()[i].settings.model,
                                     share_of(tallies_[i].decided), i == 0 ? " of the cases" : ""));
    }
    if (cascade_->settings().people)
      deciders.push_back(fmt::format("and {} was left to people", share_of(left_ + said_)));
    std::string first = join(deciders, ", ") + ".";
    if (left_ > 0) {
      first += fmt::format(" {} no figure yet, and {} not like the others: the judges were unsure ({}).",
                           left_ == 1 ? "One case has" : counted_words(left_, "case has", "cases have"),
                           left_ == 1 ? "it is" : "they are", kForPeople);
    }
    said.push_back(std::move(first));
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      if (const auto test = threshold_of(i)) {
        kept.push_back(fmt::format("{} from {} of {} votes on ({} of {} labelled)",
                                   cascade_->judges()[i].settings.model, test->votes,
                                   cascade_->judges()[i].votes, test->agreed, test->cases));
      }
    }
    if (!kept.empty()) {
      said.push_back(
          fmt::format("With {} confidence agreement with people is at least {} where a judge decides: {}.",
                      level_words(cascade_->settings().confidence),
                      share_words(cascade_->settings().agreement), join(kept, "; ")));
    }
    const auto given = static_cast<std::int64_t>(cascade_->labels());
    if (labelled_ < given) {
      const std::int64_t strangers = given - labelled_;
      said.push_back(fmt::format("{} of {} {} of no case of this run, and nothing follows from {}.",
                                 count_words(strangers), counted_words(given, "label", "labels"),
                                 strangers == 1 ? "is" : "are", strangers == 1 ? "it" : "them"));
    }
    if (unlabelled_ > 0) {
      said.push_back(
          fmt::format("Of {} that were drawn to be labelled {} no label: the promise holds as far as it "
                      "was chance, and not how hard they are, that left these out.",
                      counted_words(labelled_ + unlabelled_, "case", "cases"),
                      unlabelled_ == 1 ? "1 has" : fmt::format("{} have", count_words(unlabelled_))));
    }
    for (const Cascade::Shown& shown : cascade_->shown()) {
      if (!shown.refusal.empty()) said.push_back(shown.refusal + ".");
    }
    if (const CascadeJudge& last = cascade_->judges().back(); !last.error)
      said.push_back(
          fmt::format("{} decides whatever reaches it, and nothing is promised of it.", last.settings.model));
    say_cost(said);
    return said;
  }

  void say_cost(std::vector<std::string>& said) const {
    const std::string& strongest = cascade_->judges().back().settings.model;
    const Estimate cost = this->cost();
    const Estimate alone = alone_cost();
    const Estimate alone_asked = alone_requests();
    if (tallies_.back().asked == 0) {
      const std::string requests = counted_words(this->requests(), "request", "requests");
      said.push_back(fmt::format(
          "Judging {}, calibration included; {} was never asked, so what it alone would "
          "have cost is not known.",
          cost.value && *cost.value > 0 ? "cost " + cost_words(cost.value) : "took " + requests, strongest));
    } else if (cost.value && alone.value && *alone.value > 0) {
      said.push_back(fmt::format("Judging cost {}, calibration included; {} alone would have cost about {}.",
                                 cost_words(cost.value), strongest, cost_words(alone.value)));
    } else if (alone_asked.value) {
      said.push_back(fmt::format("Judging took {}, calibration included; {} alone would have taken about {}.",
                                 counted_words(requests(), "request", "requests"), strongest,
                                 count_words(static_cast<std::int64_t>(*alone_asked.value))));
    }
  }

  std::int64_t requests() const {
    std::int64_t all = 0;
    for (const JudgeTally& tally : tallies_) all += tally.requests;
    return all;
  }
  Estimate cost() const {
    double all = 0;
    for (const JudgeTally& tally : tallies_) {
      if (!tally.cost_known) return undefined_figure("a price is unknown, or an earlier run has paid");
      all += tally.cost_usd;
    }
    return plain_figure(all, cases_);
  }
  // As the strongest judge took for the cases that it was asked about.
  Estimate alone_requests() const {
    const JudgeTally& last = tallies_.back();
    if (last.asked == 0) return undefined_figure("the last judge was never asked");
    return plain_figure(std::round(static_cast<double>(last.requests) / static_cast<double>(last.asked) *
                                   static_cast<double>(cases_)),
                        last.asked);
  }
  Estimate alone_cost() const {
    const JudgeTally& last = tallies_.back();
    if (last.asked == 0) return undefined_figure("the last judge was never asked");
    if (!last.cost_known) return undefined_figure("a price is unknown, or an earlier run has paid");
    return plain_figure(last.cost_usd / static_cast<double>(last.asked) * static_cast<double>(cases_),
                        last.asked);
  }

  std::unique_ptr<Aggregate> inner_;
  std::shared_ptr<const Cascade> cascade_;
  OutputFiles& files_;
  const CascadeFacts& (*facts_)(const ResultLine&);
  std::vector<std::string> shown_;
  std::vector<JudgeTally> tallies_;  // by judge
  std::int64_t labelled_ = 0;        // cases of the run that calibrate
  std::int64_t unlabelled_ = 0;      // that were drawn to, and that nobody has labelled
  std::int64_t cases_ = 0;           // that somebody decided, or that were left to people
  std::int64_t left_ = 0;            // to people, who have said nothing yet
  std::int64_t said_ = 0;            // by them
  std::vector<std::vector<Json>> left_rows_;
};

}  // namespace

std::unique_ptr<Aggregate> with_cascade(std::unique_ptr<Aggregate> inner,
                                        std::shared_ptr<const Cascade> cascade, OutputFiles& files,
                                        const CascadeFacts& (*facts)(const ResultLine&),
                                        std::vector<std::string> shown) {
  if (!cascade) return inner;
  return std::make_unique<CascadeFigures>(std::move(inner), std::move(cascade), files, facts,
                                          std::move(shown));
}

std::vector<std::string> cascade_metric_names(const Cascade& cascade) {
  std::vector<std::string> names;
  for (const CascadeJudge& judge : cascade.judges()) {
    names.push_back("cascade.coverage." + judge.name);
    names.push_back("cascade.agreement." + judge.name);
    if (judge.error) names.push_back("cascade.threshold." + judge.name);
  }
  for (const char* part : {"coverage.people", "left_to_people", "labels", "labels_of_no_case", "requests",
                           "requests.alone", "cost", "cost.alone"})
    names.push_back(std::string("cascade.") + part);
  return names;
}

std::string cascade_remark(const Cascade& cascade) {
  const CascadeSettings& settings = cascade.settings();
  std::vector<std::string> needs;
  for (const CascadeJudge& judge : settings.judges) {
    if (judge.error)
      needs.push_back(fmt::format("{} needs at least {} of them", judge.settings.model,
                                  fewest_labels({settings.agreement, *judge.error})));
  }
  return fmt::format("cascade: the cases of {} are judged first; to promise anything {}",
                     counted_words(static_cast<std::int64_t>(cascade.labels()), "label", "labels"),
                     join(needs, ", "));
}

}  // namespace assay
