#include "evaluations/custom/figures/measures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/classification/agents.h"
#include "stats/intervals/mean.h"

namespace assay::custom {
namespace {

using Value = MetricShape::Value;

// Null if the answer has none: it never came, or the case was not evaluated.
const Mark* mark_of(const AnswerMarks& answer, std::size_t metric) {
  return metric < answer.marks.size() ? &answer.marks[metric] : nullptr;
}

bool lacking(const Mark* mark) {
  return mark == nullptr || mark->state == Mark::State::failed || mark->state == Mark::State::no_answer;
}

double scaled(double score, const MetricShape& shape) {
  const double span = shape.scale.high - shape.scale.low;
  const double share = span > 0 ? std::clamp((score - shape.scale.low) / span, 0.0, 1.0) : 0;
  return shape.lower_is_better ? 1 - share : share;
}

bool right_label(const Mark& mark) {
  return mark.label == mark.expected;
}

std::optional<double> share_in_minority(const std::vector<double>& votes) {
  if (votes.size() < 2) return std::nullopt;
  const auto yes = static_cast<double>(std::ranges::count_if(votes, [](double vote) { return vote >= 0.5; }));
  const auto all = static_cast<double>(votes.size());
  return std::min(yes, all - yes) / all;
}

std::optional<double> variance_of(const std::vector<double>& votes) {
  if (votes.size() < 2) return std::nullopt;
  Moments moments;
  for (const double vote : votes) moments.add(vote);
  const double deviation = moments.sample_deviation().value_or(0);
  return deviation * deviation;
}

// What a given mark says for this reading; nothing: it says nothing.
std::optional<double> value_of(Reading reading, const MetricShape& shape, const Mark& mark) {
  switch (reading) {
    case Reading::passes: {
      const auto passed = passes(shape, mark);
      return passed ? std::optional<double>(*passed ? 1 : 0) : std::nullopt;
    }
    case Reading::score:
    case Reading::win:
      return std::isfinite(mark.score) ? std::optional(mark.score) : std::nullopt;
    case Reading::right_label:
      return mark.expected.empty() ? std::nullopt : std::optional<double>(right_label(mark) ? 1 : 0);
    case Reading::tie:
      return mark.score == 0.5 ? 1 : 0;
    case Reading::seat:
      return mark.votes.size() == 2 ? std::optional((mark.votes[0] - mark.votes[1]) / 2) : std::nullopt;
    case Reading::vote_split:
      return share_in_minority(mark.votes);
    case Reading::vote_spread:
      return variance_of(mark.votes);
    default:
      return std::nullopt;
  }
}

using Answers = std::span<const AnswerMarks>;

void read_answers(const Measure& measure, const MetricShape& shape, Answers answers, OutcomeKind otherwise,
                  Cell& cell) {
  for (const AnswerMarks& answer : answers) {
    const Mark* mark = mark_of(answer, *measure.metric);
    if (lacking(mark)) {
      cell.miss(why_missing(&shape, mark, answer, otherwise));
    } else if (mark->given()) {
      if (const auto value = value_of(measure.reading, shape, *mark)) cell.give(*value);
    }
  }
}

// Figures of a case's answers together: known only if every one that applies has a mark.
void read_together(const Measure& measure, const MetricShape& shape, Answers answers, std::size_t repeats,
                   OutcomeKind otherwise, Cell& cell) {
  TaskRuns runs;
  Cell lacks;
  std::size_t applicable = 0;
  const std::string* label = nullptr;
  bool labels_differ = false;
  for (const AnswerMarks& answer : answers) {
    const Mark* mark = mark_of(answer, *measure.metric);
    if (lacking(mark)) {
      lacks.miss(why_missing(&shape, mark, answer, otherwise));
      ++applicable;
    } else if (mark->given()) {
      if (shape.value == Value::label) {
        labels_differ = labels_differ || (label != nullptr && *label != mark->label);
        label = &mark->label;
        ++runs.n;
      } else if (const auto passed = passes(shape, *mark)) {
        ++runs.n;
        runs.c += *passed ? 1 : 0;
      }
      ++applicable;
    }
  }
  if (applicable == 0) return;
  if (measure.reading == Reading::flips) {
    if (runs.n >= 2) {
      cell.give(shape.value == Value::label ? labels_differ : runs.c > 0 && runs.c < runs.n);
    } else if (lacks.missing > 0) {
      cell.miss(lacks.reason);
    }
    return;
  }
  const auto k = static_cast<std::int64_t>(repeats);
  const auto figure = measure.reading == Reading::pass_at_k ? pass_at_k(runs, k) : pass_hat_k(runs, k);
  if (figure) {
    cell.give(*figure);
  } else if (lacks.missing > 0) {
    cell.miss(lacks.reason);
  }
}

// Whether an answer passes everything that it must; unknown if any mark that applies is lacking: what is seen
// to fail alone would push the rate down.
void read_case_passed(const Design& design, Answers answers, OutcomeKind otherwise, Cell& cell) {
  for (const AnswerMarks& answer : answers) {
    bool all = true;
    std::size_t applicable = 0;
    std::optional<OutcomeKind> unknown;
    const auto look = [&](const MetricShape* shape, const Mark* mark) {
      if (lacking(mark)) {
        unknown = unknown.value_or(why_missing(shape, mark, answer, otherwise));
      } else if (mark->given()) {
        const auto passed =
            shape != nullptr ? passes(*shape, *mark) : mark->passed.value_or(mark->score >= 0.5);
        if (!passed) return;
        ++applicable;
        all = all && *passed;
      }
    };
    for (std::size_t m = 0; m < design.metrics.size(); ++m) {
      const bool asked = design.names_case_passes()
                             ? std::ranges::find(design.case_passes, m) != design.case_passes.end()
                             : design.metrics[m].has_rate();
      if (asked) look(&design.metrics[m], mark_of(answer, m));
    }
    if (!design.names_case_passes()) {
      for (const Mark& check : answer.case_checks) look(nullptr, &check);
    }
    if (unknown) {
      cell.miss(*unknown);
    } else if (applicable > 0) {
      cell.give(all ? 1 : 0);
    }
  }
}

void read_case_checks(Answers answers, OutcomeKind otherwise, Cell& cell) {
  for (const AnswerMarks& answer : answers) {
    for (const Mark& check : answer.case_checks) {
      if (lacking(&check)) {
        cell.miss(why_missing(nullptr, &check, answer, otherwise));
      } else if (check.given()) {
        cell.give(check.passed.value_or(check.score >= 0.5) ? 1 : 0);
      }
    }
  }
}

void read_weighted(const Design& design, Answers answers, OutcomeKind otherwise, Cell& cell) {
  for (const AnswerMarks& answer : answers) {
    double sum = 0;
    double weights = 0;
    std::optional<OutcomeKind> unknown;
    for (std::size_t m = 0; m < design.metrics.size(); ++m) {
      const MetricShape& shape = design.metrics[m];
      if (shape.value == Value::pair || shape.weight <= 0) continue;
      const Mark* mark = mark_of(answer, m);
      if (lacking(mark)) {
        unknown = unknown.value_or(why_missing(&shape, mark, answer, otherwise));
        continue;
      }
      if (!mark->given()) continue;
      const auto value = value_of(shape.value == Value::label    ? Reading::right_label
                                  : shape.value == Value::yes_no ? Reading::passes
                                                                 : Reading::score,
                                  shape, *mark);
      if (!value) continue;
      sum += shape.weight * (shape.value == Value::score ? scaled(*value, shape) : *value);
      weights += shape.weight;
    }
    if (unknown) {
      cell.miss(*unknown);
    } else if (weights > 0) {
      cell.give(sum / weights);
    }
  }
}

void read_whole(const Measure& measure, const Design& design, Answers answers, OutcomeKind otherwise,
                Cell& cell) {
  switch (measure.reading) {
    case Reading::case_passed:
      read_case_passed(design, answers, otherwise, cell);
      break;
    case Reading::case_checks:
      read_case_checks(answers, otherwise, cell);
      break;
    case Reading::weighted:
      read_weighted(design, answers, otherwise, cell);
      break;
    case Reading::failed:
      for (const AnswerMarks& answer : answers) {
        if (answer.answered || answer.outcome != OutcomeKind::skipped) cell.give(answer.answered ? 0 : 1);
      }
      break;
    default:
      for (const AnswerMarks& answer : answers) {
        if (answer.cost_usd && std::isfinite(*answer.cost_usd)) cell.give(*answer.cost_usd);
      }
      break;
  }
}

// Readings that no other part of the program asks for case by case.
bool only_summed(Reading reading) {
  return reading == Reading::tie || reading == Reading::seat || reading == Reading::vote_split ||
         reading == Reading::vote_spread || reading == Reading::cost;
}

bool together(Reading reading) {
  return reading == Reading::pass_at_k || reading == Reading::pass_all_k || reading == Reading::flips;
}

}  // namespace

std::string figure_name(const Design& design, std::string_view stem, std::string_view word,
                        std::optional<std::size_t> variant) {
  std::string name(stem);
  name += '.';
  name += word;
  if (variant && design.has_variants()) {
    name += '.';
    name += design.variants[*variant];
  }
  return name;
}

bool has_spread(const Design& design, const MetricShape& shape) {
  return design.repeats > 1 && (shape.value == Value::yes_no || shape.value == Value::score);
}

std::optional<bool> passes(const MetricShape& shape, const Mark& mark) {
  if (!mark.given()) return std::nullopt;
  if (shape.value == Value::label)
    return mark.passed ? mark.passed
                       : (mark.expected.empty() ? std::nullopt : std::optional(right_label(mark)));
  if (shape.value == Value::yes_no) return mark.passed.value_or(mark.score >= 0.5);
  return mark.passed;
}

OutcomeKind why_missing(const MetricShape* shape, const Mark* mark, const AnswerMarks& answer,
                        OutcomeKind otherwise) {
  if (mark != nullptr && mark->state == Mark::State::failed) {
    if (mark->outcome != OutcomeKind::scored) return mark->outcome;
    return shape != nullptr && shape->judged ? OutcomeKind::judge_failed : OutcomeKind::infra_failed;
  }
  if (!answer.answered && answer.outcome != OutcomeKind::scored) return answer.outcome;
  return otherwise == OutcomeKind::scored ? OutcomeKind::target_failed : otherwise;
}

Measures::Measures(Design design) : design_(std::move(design)) {
  if (design_.variants.empty()) design_.variants.emplace_back();
  for (std::size_t m = 0; m < design_.metrics.size(); ++m) add_metric(m);
  add_whole();
  if (!design_.baseline || design_.variants.size() < 2) return;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const Measure& measure = list_[i];
    if (!measure.compared || measure.reading == Reading::win || measure.variant == design_.baseline) continue;
    const auto base = std::ranges::find_if(list_, [&](const Measure& other) {
      return other.stem == measure.stem && other.word == measure.word && other.variant == design_.baseline;
    });
    if (base == list_.end()) continue;
    const double span = measure.range ? measure.range->high - measure.range->low : 0;
    differences_.push_back({i, static_cast<std::size_t>(base - list_.begin()),
                            figure_name(design_, measure.stem, "difference", measure.variant),
                            Interval{-span, span}, measure.range.has_value()});
  }
}

void Measures::add(Measure measure) {
  const bool against = measure.reading == Reading::win || measure.reading == Reading::tie;
  if (measure.reading == Reading::seat) {
    measure.name = figure_name(design_, measure.stem, measure.word, std::nullopt);
    list_.push_back(std::move(measure));
    return;
  }
  // Without variants nothing is asked, and a comparison of runs counts failed cases under that name itself.
  const bool asked = measure.reading != Reading::failed || design_.has_variants();
  measure.scored = measure.range && asked && !only_summed(measure.reading);
  for (std::size_t v = 0; v < design_.variants.size(); ++v) {
    if (against && (!design_.baseline || v == *design_.baseline)) continue;
    Measure one = measure;
    one.variant = v;
    one.name = figure_name(design_, one.stem, one.word, v);
    list_.push_back(std::move(one));
  }
}

void Measures::add_metric(std::size_t metric) {
  const MetricShape& shape = design_.metrics[metric];
  const bool named = std::ranges::find(design_.case_passes, metric) != design_.case_passes.end();
  Measure base;
  base.stem = shape.name;
  base.metric = metric;
  base.headline = !design_.names_case_passes() || named || shape.value == Value::pair;
  Measure rate = base;
  rate.word = "rate";
  rate.reading = Reading::passes;
  rate.decisions = true;
  rate.sliced = true;
  switch (shape.value) {
    case Value::yes_no:
      rate.compared = true;
      break;
    case Value::score: {
      Measure mean = base;
      mean.word = "mean";
      mean.reading = Reading::score;
      mean.range = shape.scale;
      mean.form = Metric::Form::number;
      mean.better = shape.lower_is_better ? Metric::Better::lower : Metric::Better::higher;
      mean.compared = true;
      mean.family = mean.headline;
      mean.sliced = true;
      add(std::move(mean));
      rate.headline = false;
      break;
    }
    case Value::label:
      rate.word = "accuracy";
      rate.reading = Reading::right_label;
      rate.compared = true;
      break;
    case Value::pair:
      rate.word = "win_rate";
      rate.reading = Reading::win;
      rate.decisions = false;
      rate.reference = 0.5;
      rate.compared = true;
      break;
  }
  rate.family = rate.compared && rate.headline;
  if (shape.value != Value::score || shape.has_passes) add(rate);
  rate.compared = rate.family = rate.headline = rate.sliced = false;
  if (shape.value == Value::pair) {
    rate.reference.reset();
    rate.better = Metric::Better::neither;
    rate.word = "ties";
    rate.reading = Reading::tie;
    rate.decisions = true;
    add(rate);
    rate.word = "seat_effect";
    rate.reading = Reading::seat;
    rate.range = Interval{-0.5, 0.5};
    rate.decisions = false;
    rate.reference = 0;
    add(rate);
    return;
  }
  const bool passing = shape.has_rate() || shape.value == Value::label;
  if (design_.repeats > 1 && passing) {
    if (shape.value != Value::label) {
      rate.word = "pass_at_k";
      rate.reading = Reading::pass_at_k;
      add(rate);
      rate.word = "pass_all_k";
      rate.reading = Reading::pass_all_k;
      add(rate);
    }
    rate.word = "flips";
    rate.reading = Reading::flips;
    rate.better = Metric::Better::lower;
    add(rate);
  }
  if (shape.votes > 1 && shape.value != Value::label) {
    Measure noise = base;
    noise.headline = false;
    noise.word = "judge_noise";
    noise.better = Metric::Better::lower;
    if (shape.value == Value::yes_no) {
      noise.reading = Reading::vote_split;
      noise.range = Interval{0, 0.5};
    } else {
      noise.reading = Reading::vote_spread;
      noise.form = Metric::Form::number;
      noise.range.reset();
    }
    add(std::move(noise));
  }
}

void Measures::add_whole() {
  const auto rate = [](std::string stem, Reading reading) {
    Measure measure;
    measure.stem = std::move(stem);
    measure.word = "rate";
    measure.reading = reading;
    measure.decisions = true;
    measure.compared = true;
    measure.sliced = true;
    return measure;
  };
  const bool some_pass =
      std::ranges::any_of(design_.metrics, [](const MetricShape& shape) { return shape.has_rate(); });
  if (some_pass || design_.names_case_passes() || design_.case_checks) {
    Measure passed = rate("case_passed", Reading::case_passed);
    passed.headline = true;
    add(std::move(passed));
  }
  if (design_.case_checks) add(rate("case_checks", Reading::case_checks));
  if (std::ranges::any_of(design_.metrics, [](const MetricShape& shape) { return shape.weight != 1; })) {
    Measure weighted = rate("weighted", Reading::weighted);
    weighted.word = "mean";
    weighted.decisions = false;
    weighted.form = Metric::Form::number;
    add(std::move(weighted));
  }
  Measure failed = rate("failed", Reading::failed);
  failed.better = Metric::Better::lower;
  add(std::move(failed));
  Measure cost = rate("cost", Reading::cost);
  cost.word = "mean";
  cost.decisions = false;
  cost.form = Metric::Form::number;
  cost.better = Metric::Better::lower;
  cost.range.reset();
  add(std::move(cost));
}

void Measures::read(const CaseMarks& marks, OutcomeKind otherwise, std::vector<Cell>& cells) const {
  cells.assign(list_.size(), Cell());
  // A variant whose answers are not there at all: each of them is missing.
  const std::vector<AnswerMarks> none(static_cast<std::size_t>(std::max(1, design_.repeats)));
  const auto answers_of = [&](std::size_t variant, Reading reading) -> Answers {
    if (variant < marks.answers.size() && !marks.answers[variant].empty()) return marks.answers[variant];
    // What was never asked has not failed.
    if (reading == Reading::failed) return {};
    return none;
  };
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const Measure& measure = list_[i];
    for (std::size_t v = 0; v < design_.variants.size(); ++v) {
      if (measure.variant ? v != *measure.variant : v == design_.baseline) continue;
      if (!measure.metric) {
        read_whole(measure, design_, answers_of(v, measure.reading), otherwise, cells[i]);
      } else if (together(measure.reading)) {
        read_together(measure, design_.metrics[*measure.metric], answers_of(v, measure.reading),
                      static_cast<std::size_t>(design_.repeats), otherwise, cells[i]);
      } else {
        read_answers(measure, design_.metrics[*measure.metric], answers_of(v, measure.reading), otherwise,
                     cells[i]);
      }
    }
  }
}

}  // namespace assay::custom
