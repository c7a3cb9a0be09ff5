// Which cases are probably marked against a wrong key? When the key of a case is wrong, systems that are
// right are counted as failing, above all the better ones; and those that "fail" give the same answer.
//
// Cases are a random sample, systems are given: system j solves case i with probability 1/(1 + exp(−(θ_j +
// σ·z_i))), z_i ~ N(0, 1). With probability π the key of a case is wrong; whoever is right is then marked as
// failing, and whoever is wrong meets the wrong key with probability `meets_wrong_key`. θ, σ and π are
// fitted by expectation and maximisation over cases; π has a Beta(1, 20) prior, since most keys are right.
//
// A case that is merely hard looks the same by its marks alone. Answers tell them apart where systems answer
// with one of a few texts (classes, short facts): systems that are wrong scatter, systems that are right
// agree. Two systems that fail give the same answer with probability c where the key is right (the rate over
// all cases, at least 0.02); where it is wrong, each gives the right answer with the probability that it
// solves the case. What comes out is the probability that the key is wrong, for ranking what a person should
// look at first: it is as good as these assumptions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/items/item_response.h"

namespace assay {

struct WrongKeyOptions {
  double meets_wrong_key = 0.1;
};

struct WrongKeys {
  std::vector<double> probability;  // by case
  double share = 0;                 // π: of all keys
  double spread = 0;                // σ: of the cases' difficulty, in logits
  std::vector<double> abilities;    // θ: by system
  double same_answer = 0;           // c; 0 if no answers were given
  std::string undefined;            // fewer than two systems or two cases
};

// `answers`: by system, then case, a number for each different answer; negative: unknown. Empty: none are.
WrongKeys suspect_keys(const SolvedTable& table, std::span<const int> answers = {},
                       const WrongKeyOptions& options = {});

}  // namespace assay
