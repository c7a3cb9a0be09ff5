// Experiments with a known truth: conditions of known strength, answers of varying quality, and judges of
// known position bias, length bias, leniency and drift. The diagnostics must find what was put in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

struct Truth {
  std::size_t queries = 24;
  std::vector<double> effects = {0, 0, 0, 0};  // of the conditions beside control, in points
  int runs = 7;
  int pair_judges = 7;
  int raters = 7;
  bool swap = true;
  double query_spread = 0;      // some queries are answered better than others, by whoever
  double condition_spread = 0;  // a condition suits some queries and not others: what makes clusters matter
  double answer_spread = 0;     // from run to run
  double rating_noise = 0.6;
  std::vector<double> leniency;  // points, by rater; absent ones are 0
  std::vector<double> drift;     // points from the first to the last rating, by rater
  double discernment = 1;        // log odds a point of quality
  double position = 0;           // log odds for the first seat
  double length = 0;             // log odds a doubling of the length
  double tie = 0.5;              // Davidson's ν
  double role_accuracy = 0.8;
};

class Simulation {
 public:
  Simulation(const Truth& truth, std::uint64_t seed)
      : truth_(truth), random_(Random::keyed("simulated experiment", seed)) {}

  ExperimentData run() {
    const std::size_t conditions = truth_.effects.size() + 1;
    for (std::size_t c = 0; c + 1 < conditions; ++c)
      data_.conditions.push_back({fmt::format("test_{}", c + 1), false, true, false});
    data_.conditions.push_back({"control", true, false, false});
    const char* const types[] = {"research", "expert", "practical"};
    for (std::size_t q = 0; q < truth_.queries; ++q)
      data_.queries.push_back({fmt::format("query_{}", q + 1), "?", types[q % 3], "", false});
    data_.runs = truth_.runs;
    data_.swap = truth_.swap;
    data_.raters = truth_.raters;
    data_.pair_judges = truth_.pair_judges;
    write_answers();
    judge_pairs();
    rate();
    judge_roles();
    return std::move(data_);
  }

 private:
  struct Answer {
    double quality = 0;
    std::size_t length = 0;
  };

  void write_answers() {
    for (std::size_t q = 0; q < truth_.queries; ++q) {
      const double query = truth_.query_spread * random_.normal();
      for (std::size_t c = 0; c < data_.conditions.size(); ++c) {
        const double suits = truth_.condition_spread * random_.normal();
        const double effect = c < truth_.effects.size() ? truth_.effects[c] : 0;
        for (int run = 0; run < truth_.runs; ++run) {
          const std::string role = data_.conditions[c].control ? "" : "Librarian";
          data_.answers.push_back({q, c, run + 1, true, role, role});
          answers_.push_back({3 + effect + query + suits + truth_.answer_spread * random_.normal(),
                              static_cast<std::size_t>(800 * std::exp2(0.7 * random_.normal()))});
        }
      }
    }
  }

  const Answer& answer(std::size_t query, std::size_t condition, int run) const {
    return answers_[(query * data_.conditions.size() + condition) * static_cast<std::size_t>(truth_.runs) +
                    static_cast<std::size_t>(run - 1)];
  }

  Choice choose(const Answer& a, const Answer& b) {
    const double lead =
        truth_.discernment * (a.quality - b.quality) + truth_.position +
        truth_.length * std::log2(static_cast<double>(a.length) / static_cast<double>(b.length));
    const double for_a = std::exp(lead / 2);
    const double for_b = std::exp(-lead / 2);
    const double drawn = random_.uniform() * (for_a + for_b + truth_.tie);
    return drawn < for_a ? Choice::a : drawn < for_a + for_b ? Choice::b : Choice::tie;
  }

  void judge_pairs() {
    const std::size_t control = data_.conditions.size() - 1;
    for (int judge = 1; judge <= truth_.pair_judges; ++judge) {
      std::int64_t order = 0;
      for (std::size_t q = 0; q < truth_.queries; ++q) {
        for (std::size_t c = 0; c < control; ++c) {
          for (int run = 1; run <= truth_.runs; ++run) {
            const bool control_first = random_.below(2) == 0;
            for (int showing = 0; showing < (truth_.swap ? 2 : 1); ++showing) {
              PairVerdict verdict;
              verdict.evaluator = judge;
              verdict.query = q;
              verdict.condition_a = control_first == (showing == 0) ? control : c;
              verdict.condition_b = control_first == (showing == 0) ? c : control;
              verdict.run = run;
              verdict.swapped = showing == 1;
              verdict.order = order++;
              const Answer& a = answer(q, verdict.condition_a, run);
              const Answer& b = answer(q, verdict.condition_b, run);
              for (Choice& choice : verdict.choices) choice = choose(a, b);
              verdict.winner = choose(a, b);
              verdict.length_a = a.length;
              verdict.length_b = b.length;
              data_.pairs.push_back(std::move(verdict));
            }
          }
        }
      }
    }
  }

  void rate() {
    for (int rater = 0; rater < truth_.raters; ++rater) {
      const auto at = static_cast<std::size_t>(rater);
      const double leniency = at < truth_.leniency.size() ? truth_.leniency[at] : 0;
      const double drift = at < truth_.drift.size() ? truth_.drift[at] : 0;
      std::vector<std::size_t> sequence(answers_.size());
      for (std::size_t i = 0; i < sequence.size(); ++i) sequence[i] = i;
      for (std::size_t i = sequence.size(); i > 1; --i)
        std::swap(sequence[i - 1], sequence[random_.below(i)]);
      for (std::size_t place = 0; place < sequence.size(); ++place) {
        const std::size_t index = sequence[place];
        Rating rating;
        rating.evaluator = truth_.pair_judges + rater + 1;
        rating.run = static_cast<int>(index % static_cast<std::size_t>(truth_.runs)) + 1;
        const std::size_t cell = index / static_cast<std::size_t>(truth_.runs);
        rating.condition = cell % data_.conditions.size();
        rating.query = cell / data_.conditions.size();
        rating.order = static_cast<std::int64_t>(place);
        rating.length = answers_[index].length;
        const double time =
            sequence.size() > 1 ? static_cast<double>(place) / static_cast<double>(sequence.size() - 1) : 0;
        for (int& score : rating.scores) {
          const double mark =
              answers_[index].quality + leniency + drift * time + truth_.rating_noise * random_.normal();
          score = static_cast<int>(std::clamp(std::round(mark), 1.0, 5.0));
        }
        data_.ratings.push_back(std::move(rating));
      }
    }
  }

  void judge_roles() {
    for (int rater = 0; rater < truth_.raters; ++rater) {
      for (std::size_t q = 0; q < truth_.queries; ++q) {
        for (std::size_t c = 0; c + 1 < data_.conditions.size(); ++c) {
          RoleVerdict verdict;
          verdict.evaluator = truth_.pair_judges + rater + 1;
          verdict.query = q;
          verdict.condition = c;
          verdict.run = 1;
          verdict.appropriate = random_.uniform() < truth_.role_accuracy;
          data_.roles.push_back(std::move(verdict));
        }
      }
    }
  }

  Truth truth_;
  Random random_;
  ExperimentData data_;
  std::vector<Answer> answers_;
};

inline ExperimentData simulated(const Truth& truth, std::uint64_t seed) {
  return Simulation(truth, seed).run();
}

}  // namespace assay::experiment
