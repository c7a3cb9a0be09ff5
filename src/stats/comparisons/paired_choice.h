// The likelihood behind Bradley–Terry rankings and its maximum (the model stands in bradley_terry.h). Players
// are numbered; player 0 has strength 0, so the parameters are
//   strengths of players 1 … p−1, seat effect (if any), covariates, log of the tie parameter (if any).
// The log-likelihood is concave, so Newton's method with halved steps finds the one maximum if there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

class PairedChoice {
 public:
  struct Match {
    std::size_t a = 0;
    std::size_t b = 0;
    int outcome = 0;  // 1: a won, -1: b won, 0: tie
    double seat = 0;  // 1: a was first, -1: b was, 0: unknown
    std::vector<double> covariates;
  };
  enum class Seat { ignored, estimated };
  // A tie has a parameter of its own, log ν (Davidson) or log θ (Rao and Kupper), or counts as half a win for
  // each.
  enum class Tie { davidson, rao_kupper, half };
  // weak: as if every player had won and lost half a match against one of mean strength, and likewise half a
  // match for and against an effect of the seat and of each covariate (log-F(1,1) priors).
  enum class Prior { none, weak };

  PairedChoice(std::vector<Match> matches, std::size_t players, std::size_t covariates, Seat seat, Tie tie);

  const std::vector<Match>& matches() const { return matches_; }
  std::size_t players() const { return players_; }
  std::size_t size() const { return size_; }  // number of parameters
  std::size_t seat_at() const { return players_ - 1; }
  std::size_t covariate_at(std::size_t i) const {
    return players_ - 1 + (seat_ == Seat::estimated ? 1 : 0) + i;
  }
  std::size_t tie_at() const { return size_ - 1; }

  struct Fit {
    std::vector<double> parameters;
    std::vector<double> covariance;  // inverse of the observed information
    double log_likelihood = 0;       // without the prior
    bool found = false;              // false: no maximum, or too flat a one to be told from none
  };
  // weights[i] copies of match i.
  Fit fit(std::span<const double> weights, Prior prior) const;

  // The gradient of one match's log-likelihood.
  std::vector<double> score(std::size_t match, std::span<const double> parameters) const;
  // The observed information at 0 shows what can be told apart at all.
  std::vector<double> information_at_zero(std::span<const double> weights) const;

 private:
  struct State {
    double log_likelihood = 0;
    double penalty = 0;
    std::vector<double> gradient;
    std::vector<double> information;
  };
  bool has_tie_parameter() const { return tie_ != Tie::half; }
  double predictor(const Match& match, std::span<const double> parameters) const;
  // Calls visit(position, coefficient) for every parameter that the predictor of a match contains.
  template <class Visit>
  void terms(const Match& match, Visit visit) const;
  State evaluate(std::span<const double> parameters, std::span<const double> weights, Prior prior) const;
  void add_prior(State& state, std::span<const double> parameters) const;

  std::vector<Match> matches_;
  std::size_t players_;
  std::size_t covariates_;
  Seat seat_;
  Tie tie_;
  std::size_t size_;
};

}  // namespace assay
