#include <cmath>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/answers/mode.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/comparisons/planning.h"

namespace assay::answers {
namespace {

// Whatever of delta, n and power is not given is worked out.
struct PowerQuestion {
  std::optional<double> delta;
  std::optional<double> sd;  // of the paired difference, or of the values of each group
  std::optional<double> n;
  std::optional<double> power;
  double alpha = 0.05;
  bool paired = true;
  double cluster_size = 1;
  double icc = 0;  // intra-class correlation
};

// The plan for one design, with the formulas of that design.
struct Plan {
  bool paired;
  PairedSpread pairs;
  GroupSpread groups;
  double alpha;

  SampleSize sample_size(double delta, double power) const {
    const PowerGoal goal{alpha, power};
    return paired ? paired_sample_size(delta, pairs, goal) : means_sample_size(delta, groups, goal);
  }
  Estimate power(double delta, std::int64_t n) const {
    return paired ? paired_power(delta, pairs, n, alpha) : means_power(delta, groups, n, alpha);
  }
  Estimate minimum_effect(std::int64_t n, double power) const {
    const PowerGoal goal{alpha, power};
    return paired ? paired_minimum_effect(pairs, n, goal) : means_minimum_effect(groups, n, goal);
  }
};

Result<Answer> plan_sample(const PowerQuestion& question) {
  if (!question.sd) {
    return fail(ErrorKind::usage,
                "--sd is missing: the standard deviation of the paired difference, or with --no-paired of "
                "each group; a pilot "
                "run gives it");
  }
  const Estimate effect = design_effect(question.cluster_size, question.icc);
  if (!effect.value) return fail(ErrorKind::usage, effect.undefined);
  const double power = question.power.value_or(0.8);
  const Plan plan{question.paired,
                  {.omega_squared = *question.sd * *question.sd, .design_effect = *effect.value},
                  {.deviation = *question.sd, .design_effect = *effect.value},
                  question.alpha};
  const char* const unit = question.paired ? "paired cases" : "cases in each group";
  JsonObject json{{"sd", *question.sd},
                  {"alpha", question.alpha},
                  {"paired", question.paired},
                  {"design_effect", *effect.value}};
  std::string text;
  std::string undefined;
  if (question.delta && !question.n) {
    const SampleSize size = plan.sample_size(*question.delta, power);
    json["delta"] = *question.delta;
    json["power"] = power;
    json["n"] = size.cases ? Json(*size.cases) : Json(nullptr);
    json["n_exact"] = number_json(size.exact);
    json["method"] = size.method;
    undefined = size.undefined;
    if (size.cases) {
      text = fmt::format("{} {} find a difference of {} with a power of {} (level {}, {}).\n",
                         count_words(*size.cases), unit, number_words(*question.delta), share_words(power),
                         number_words(question.alpha), size.method);
    }
  } else if (question.n && question.delta) {
    const auto n = static_cast<std::int64_t>(std::llround(*question.n));
    const Estimate found = plan.power(*question.delta, n);
    json["delta"] = *question.delta;
    json["n"] = n;
    json["power"] = number_json(found.value);
    json["method"] = found.method;
    undefined = found.undefined;
    if (found.value) {
      text =
          fmt::format("{} {} find a difference of {} with a power of {} (level {}).\n", count_words(n), unit,
                      number_words(*question.delta), share_words(*found.value), number_words(question.alpha));
    }
  } else if (question.n) {
    const auto n = static_cast<std::int64_t>(std::llround(*question.n));
    const Estimate smallest = plan.minimum_effect(n, power);
    json["n"] = n;
    json["power"] = power;
    json["minimum_detectable_effect"] = number_json(smallest.value);
    json["method"] = smallest.method;
    undefined = smallest.undefined;
    if (smallest.value) {
      text = fmt::format("The smallest difference that {} {} find with a power of {} is {} (level {}).\n",
                         count_words(n), unit, share_words(power), number_words(*smallest.value),
                         number_words(question.alpha));
    }
  } else {
    return fail(ErrorKind::usage,
                "give --delta (how many cases?), --n (which smallest difference?) or both (which power?)");
  }
  if (text.empty()) return fail(ErrorKind::usage, undefined);
  return Answer{std::move(json), std::move(text)};
}

Result<Answer> answer_power(const DataTable& /*none*/, const Config& config) {
  return plan_sample({.delta = config.number("delta"),
                      .sd = config.number("sd"),
                      .n = config.number("n"),
                      .power = config.number("power"),
                      .alpha = config.number("alpha").value_or(0.05),
                      .paired = config.boolean("paired"),
                      .cluster_size = config.number("cluster_size").value_or(1),
                      .icc = config.number("icc").value_or(0)});
}

}  // namespace

Mode power_mode() {
  return {.name = "power",
          .title = "how many cases are needed",
          .needed = "--sd N and --delta N, --n N or both",
          .input = Input::none,
          .asked_by = {},
          .keys =
              {
                  {.name = "delta", .type = KeyType::number, .help = "The difference to be found."},
                  {.name = "sd",
                   .type = KeyType::number,
                   .help = "Standard deviation of the difference, or of each group.",
                   .minimum = 0},
                  {.name = "n",
                   .type = KeyType::number,
                   .help = "Cases (per group if not paired).",
                   .minimum = 2},
                  {.name = "power",
                   .type = KeyType::number,
                   .help = "Chance to find it; 0.8 if it is not what is asked for.",
                   .minimum = 0.01,
                   .maximum = 0.9999},
                  {.name = "alpha",
                   .type = KeyType::number,
                   .help = "Level of the test.",
                   .default_value = 0.05,
                   .minimum = 0.000001,
                   .maximum = 0.5},
                  {.name = "paired",
                   .type = KeyType::boolean,
                   .help = "Both systems answer the same cases.",
                   .default_value = true},
                  {.name = "cluster_size",
                   .type = KeyType::number,
                   .help = "Cases in a cluster.",
                   .default_value = 1,
                   .minimum = 1},
                  {.name = "icc",
                   .type = KeyType::number,
                   .help = "Correlation of cases in one cluster.",
                   .default_value = 0,
                   .minimum = 0,
                   .maximum = 1},
              },
          .answer = answer_power};
}

}  // namespace assay::answers
