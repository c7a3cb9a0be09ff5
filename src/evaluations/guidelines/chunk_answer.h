// The judge's answers on one chunk of guidelines, put together over its attempts: what is sound in any of
// them is kept, and only what is not is asked for again. The judge knows the guidelines by their numbers in
// the chunk; what is said to the user speaks of them by the user's ids. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "evaluations/guidelines/conversation.h"
#include "evaluations/guidelines/verdict.h"

namespace assay::guidelines {

class ChunkAnswer {
 public:
  // Both must outlive it.
  ChunkAnswer(std::span<const Guideline> chunk, std::span<const Json> events);

  // Keeps the sound checks of guidelines that have none yet, and gives back all that is kept, in the form of
  // the answer's schema. What holds no checks at all is given back as it is.
  Json take(Json answer);
  // What is still wrong, for the judge; none: every guideline has its check.
  std::vector<std::string> defects() const;
  // What the judge is to give again, in words.
  std::string asked_again() const;
  // A check for each guideline of the chunk, or why there is none: what was wrong with it when it last came,
  // and why it did not come again.
  std::vector<Vote> votes(const std::optional<Error>& error) const;

 private:
  struct Place {
    std::optional<Check> check;
    std::vector<std::string> defects;  // of what came last
  };
  std::vector<std::size_t> open() const;
  std::optional<std::size_t> place_of(const Json& check) const;

  std::span<const Guideline> chunk_;
  std::span<const Json> events_;
  std::vector<Place> places_;
  std::vector<std::string> strangers_;  // ids that were not asked for, as written
};

}  // namespace assay::guidelines
