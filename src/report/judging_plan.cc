#include "report/judging_plan.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/conclusions.h"
#include "report/figure_json.h"
#include "report/markdown.h"
#include "report/words.h"
#include "stats/comparisons/planning.h"

namespace assay {
namespace {

constexpr std::int64_t kMostAnswers = 8;
constexpr std::int64_t kMostVotes = 9;
constexpr std::size_t kShownRows = 10;

struct Range {
  std::int64_t low = 1;
  std::int64_t high = 1;
};
// What was done once in the pilot stays at one: what more of it would change is not known.
Range answers_of(const VoteSpread& spread) {
  return spread.of_answer.value ? Range{1, kMostAnswers} : Range{1, 1};
}
Range votes_of(const VoteSpread& spread) {
  if (spread.verdicts) return {design_of(spread).votes, design_of(spread).votes};
  return spread.of_vote.value ? Range{1, kMostVotes} : Range{1, 1};
}

double noise(const VoteSpread& spread, double answers, double votes) {
  return spread.of_answer.value.value_or(0) / answers + spread.of_vote.value.value_or(0) / (answers * votes);
}

// ω²: between cases, of the difference of expected scores.
double case_difference(const JudgingPilot& pilot) {
  const VoteSpread& spread = pilot.spread;
  if (!pilot.difference_variance) return 2 * spread.of_case.value.value_or(0);
  return std::max(0.0, *pilot.difference_variance - 2 * noise(spread, spread.answers, spread.votes));
}

std::optional<std::int64_t> cases_for(const JudgingPilot& pilot, const JudgingGoal& goal,
                                      std::int64_t answers, std::int64_t votes) {
  if (goal.half_width) return cases_for_half_width(pilot.spread, *goal.half_width, answers, votes);
  const double within = noise(pilot.spread, 1, static_cast<double>(votes));
  PairedSpread spread;
  spread.omega_squared = case_difference(pilot);
  spread.sigma_squared_a = spread.sigma_squared_b = within;
  spread.repeats_a = spread.repeats_b = static_cast<double>(answers);
  spread.design_effect = pilot.spread.design_effect;
  const SampleSize size = paired_sample_size(*goal.detect, spread);
  return size.cases ? std::optional(std::max<std::int64_t>(*size.cases, 2)) : std::nullopt;
}

JudgingPlan::Row row_of(const JudgingPilot& pilot, const JudgingDesign& design) {
  JudgingPlan::Row row{design, expected_half_width(pilot.spread, design), std::nullopt, 0};
  const auto answers = static_cast<double>(design.cases * design.answers);
  const auto votes = static_cast<double>(design.votes);
  row.requests = answers * (pilot.costs.answer_requests + votes * pilot.costs.vote_requests);
  if (pilot.costs.answer_usd && pilot.costs.vote_usd)
    row.usd = answers * (*pilot.costs.answer_usd + votes * *pilot.costs.vote_usd);
  return row;
}

std::string cost_of(const JudgingPlan::Row& row) {
  const std::string requests =
      counted_words(static_cast<std::int64_t>(std::ceil(row.requests)), "request", "requests");
  return row.usd ? fmt::format("{} ({})", cost_words(row.usd), requests) : requests;
}

std::string design_words(const JudgingDesign& design, const std::string& on = "") {
  const std::string votes = counted_words(design.votes, "vote", "votes");
  if (!on.empty()) return fmt::format("{} of 1 judge on {}", votes, on);
  return fmt::format("{} of 1 judge on {} of each of {}", votes,
                     counted_words(design.answers, "answer", "answers"),
                     counted_words(design.cases, "case", "cases"));
}

std::string spread_sentence(const VoteSpread& spread) {
  const double of_case = spread.of_case.value.value_or(0);
  const double of_answer = spread.of_answer.value.value_or(0);
  const double of_vote = spread.of_vote.value.value_or(0);
  const double all = of_case + of_answer + of_vote;
  if (all <= 0) return "In the pilot nothing varies.";
  std::string text = fmt::format("Of the variance of a single {} {} lies between cases",
                                 spread.verdicts ? "verdict" : "judgement", share_words(of_case / all));
  if (spread.of_answer.value)
    text += fmt::format(", {} between answers to one case", share_words(of_answer / all));
  if (spread.of_vote.value)
    text += fmt::format(", {} between votes on one answer", share_words(of_vote / all));
  text += ".";
  if (spread.verdicts)
    text +=
        " Most votes make a verdict: more of them make it steadier, not the interval narrower, so they are "
        "not planned.";
  if (!spread.of_answer.value) text += " The pilot has one answer a case, so more answers are not planned.";
  if (!spread.of_vote.value && !spread.verdicts)
    text += " The pilot has one vote an answer, so more votes are not planned.";
  return text;
}

std::vector<std::string> sentences(const JudgingPlan& plan, const JudgingPilot& pilot) {
  std::vector<std::string> list;
  const JudgingPlan::Row& best = plan.rows.front();
  if (plan.goal.half_width) {
    std::string text = fmt::format("{} reach ±{} for {}", design_words(best.design),
                                   number_words(best.half_width), cost_of(best));
    if (plan.more_votes) {
      text += fmt::format("; {} would bring ±{} for {}",
                          counted_words(plan.more_votes->design.votes, "vote", "votes"),
                          number_words(plan.more_votes->half_width), cost_of(*plan.more_votes));
    }
    list.push_back(text + ".");
  } else {
    list.push_back(
        fmt::format("{} show a difference of {} between two systems on the same cases with a power of "
                    "80%, for {} each.",
                    design_words(best.design), number_words(*plan.goal.detect), cost_of(best)));
    list.emplace_back(
        pilot.difference_variance
            ? "How much the difference varies between cases is that of the pilot's two variants."
            : "The pilot has one system: cases are taken to agree on nothing, which asks for too "
              "many rather than too few.");
  }
  if (plan.available > 0 && best.design.cases > plan.available) {
    list.push_back(fmt::format("The data hold {}: no design here is reached with them.",
                               counted_words(plan.available, "case", "cases")));
  }
  list.push_back(spread_sentence(plan.spread));
  return list;
}

}  // namespace

Result<JudgingPlan> plan_judging(const JudgingPilot& pilot, const JudgingGoal& goal) {
  if (!pilot.spread.undefined.empty()) return fail(ErrorKind::data, "no plan: " + pilot.spread.undefined);
  if (goal.half_width.has_value() == goal.detect.has_value())
    return fail(ErrorKind::usage,
                "what is wanted? --width W (the figure within ±W) or --detect D (a difference of D)");
  if (goal.detect && pilot.compares)
    return fail(ErrorKind::usage,
                fmt::format("{} says already how two systems compare; plan its --width", pilot.figure));
  JudgingPlan plan;
  plan.figure = pilot.figure;
  plan.goal = goal;
  plan.spread = pilot.spread;
  plan.available = pilot.available;
  plan.simulated = pilot.simulated;
  const Range answers = answers_of(pilot.spread);
  const Range votes = votes_of(pilot.spread);
  for (std::int64_t k = answers.low; k <= answers.high; ++k) {
    for (std::int64_t v = votes.low; v <= votes.high; ++v) {
      if (const auto cases = cases_for(pilot, goal, k, v)) plan.rows.push_back(row_of(pilot, {*cases, k, v}));
    }
  }
  if (plan.rows.empty()) return fail(ErrorKind::data, "no design reaches this with ten million cases");
  // What the data hold comes first, then what costs least; requests where nothing is known of prices.
  std::ranges::sort(plan.rows, {}, [&](const JudgingPlan::Row& row) {
    const bool beyond = pilot.available > 0 && row.design.cases > pilot.available;
    return std::tuple(beyond, row.usd.value_or(0), row.requests, row.design.cases, row.design.answers,
                      row.design.votes);
  });
  const JudgingDesign& best = plan.rows.front().design;
  if (const std::int64_t more = best.votes < 5 ? 5 : kMostVotes; more <= votes.high && more > best.votes)
    plan.more_votes = row_of(pilot, {best.cases, best.answers, more});
  plan.sentences = sentences(plan, pilot);
  return plan;
}

std::optional<double> cost_of(const JudgingPilot& pilot) {
  if (!pilot.costs.answer_usd || !pilot.costs.vote_usd) return std::nullopt;
  const double answers = static_cast<double>(pilot.spread.cases) * pilot.spread.answers;
  return answers * (*pilot.costs.answer_usd + pilot.spread.votes * *pilot.costs.vote_usd);
}

JudgingDesign design_of(const VoteSpread& spread) {
  const auto whole = [](double number) { return std::max<std::int64_t>(1, std::llround(number)); };
  return {spread.cases, whole(spread.answers), whole(spread.votes)};
}

std::string reached_sentence(const VoteSpread& spread, std::optional<double> cost_usd,
                             const std::string& on) {
  JudgingDesign design = design_of(spread);
  std::string text = fmt::format("{} reach ±{}", design_words(design, on),
                                 number_words(expected_half_width(spread, design)));
  if (cost_usd && *cost_usd > 0) text += fmt::format(" for {}", cost_words(cost_usd));
  if (spread.verdicts) return text + "; most votes decide, so more of them would not narrow that.";
  if (!spread.of_vote.value) return text + ".";
  design.votes = design.votes < 5 ? 5 : 2 * design.votes;
  return text + fmt::format("; {} would bring ±{}.", counted_words(design.votes, "vote", "votes"),
                            number_words(expected_half_width(spread, design)));
}

Json to_json(const JudgingPlan& plan) {
  JsonArray sentences;
  for (const std::string& one : plan.sentences) sentences.emplace_back(one);
  JsonArray rows;
  for (const JudgingPlan::Row& row : plan.rows) {
    rows.push_back(JsonObject{{"cases", row.design.cases},
                              {"answers", row.design.answers},
                              {"votes", row.design.votes},
                              {"half_width", row.half_width},
                              {"cost_usd", number_json(row.usd)},
                              {"requests", row.requests}});
  }
  return JsonObject{{"sentences", std::move(sentences)},
                    {"figure", plan.figure},
                    {"width", number_json(plan.goal.half_width)},
                    {"detect", number_json(plan.goal.detect)},
                    {"variance", JsonObject{{"case", figure_json(plan.spread.of_case)},
                                            {"answer", figure_json(plan.spread.of_answer)},
                                            {"vote", figure_json(plan.spread.of_vote)},
                                            {"design_effect", plan.spread.design_effect}}},
                    {"pilot", JsonObject{{"cases", plan.spread.cases},
                                         {"answers", plan.spread.answers},
                                         {"votes", plan.spread.votes},
                                         {"mean", plan.spread.mean}}},
                    {"designs", std::move(rows)}};
}

std::string markdown_plan(const JudgingPlan& plan) {
  std::string out = fmt::format("## Plan for {}\n\n", code_span(plan.figure));
  for (std::size_t i = 0; i < plan.sentences.size(); ++i) {
    const char* mark = i == 0 ? "**" : "";
    out += fmt::format("{0}{1}{0}\n\n", mark, prose(plan.sentences[i]));
  }
  if (!plan.simulated.empty()) out += fmt::format("> ⚠️ {}\n\n", simulated_sentence(plan.simulated));
  out += "| variance | | 95% interval |\n| --- | ---: | --- |\n";
  for (const auto& [name, part] : {std::pair("between cases", &plan.spread.of_case),
                                   std::pair("between answers to one case", &plan.spread.of_answer),
                                   std::pair("between votes on one answer", &plan.spread.of_vote)}) {
    out += fmt::format("| {} | {} | {} |\n", name, number_or_none(part->value), interval_or_none(*part));
  }
  out += "\n| cases | answers | votes | ± | cost | requests |\n| ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (std::size_t i = 0; i < std::min(plan.rows.size(), kShownRows); ++i) {
    const JudgingPlan::Row& row = plan.rows[i];
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", count_words(row.design.cases), row.design.answers,
                       row.design.votes, number_words(row.half_width), cost_words(row.usd),
                       count_words(static_cast<std::int64_t>(std::ceil(row.requests))));
  }
  return out;
}

}  // namespace assay
