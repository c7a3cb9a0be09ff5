// What is demanded of an answer that is judged by whether it does or says something: the actions of
// guidelines, the criteria of a rubric. Faults must cost a demand something only if nothing else meets it,
// and a change of dress must not matter only if no demand is about what it does. Both are decided by words,
// and where they leave room nothing is claimed. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "evaluations/stress/changes.h"

namespace assay::stress {

struct Carried {
  std::size_t demand = 0;
  std::size_t text = 0;  // in which its sentence stands
  // What faults are planted by (JudgedTexts::reference): the demand, and what its sentence says but for
  // figures that nobody demands, or that the demand leaves open ("for example 30 pounds"). So the sentence
  // that is left out is that one, and a figure that is changed a demanded one.
  std::string reference;
};

// The demand that is carried most plainly by a single sentence of all texts: the sentence has most of its
// words and all of its figures; of everything else that was said, and of `done`, nothing has its figures and
// all together hardly any of its words. Demands that can be met otherwise ("or", "at least", "never") are
// none, nor are those about manner, which need not cost anything. Nothing if no demand is carried like this.
std::optional<Carried> carried_alone(std::span<const std::string> demands, std::span<const std::string> texts,
                                     std::string_view done);

// Whether a demand is about what the change does, so that it is not to be tried: polite padding carries out
// "thank the customer", a list breaks "in one paragraph", and whatever is added can break "at most 20 words"
// or "never mention others".
bool is_demanded(const Change& change, std::span<const std::string> demands);

// Whether all that is said must be true: "is factually accurate". That a specialist has checked it is not, so
// that a fall by a statement that a change adds is no weakness of the judge's.
bool asks_for_truth(std::span<const std::string> demands);

}  // namespace assay::stress
