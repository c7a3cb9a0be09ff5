#include "sim/answers/polarity.h"

#include <algorithm>
#include <string>

#include "core/text.h"

namespace assay::sim {
namespace {

struct Word {
  std::string_view word;
  Polarity polarity;
};
constexpr Word kWords[] = {{"yes", Polarity::positive},
                           {"no", Polarity::negative},
                           {"idk", Polarity::unsure},
                           {"true", Polarity::positive},
                           {"false", Polarity::negative},
                           {"unknown", Polarity::unsure},
                           {"pass", Polarity::positive},
                           {"fail", Polarity::negative},
                           {"unclear", Polarity::unsure},
                           {"passed", Polarity::positive},
                           {"failed", Polarity::negative},
                           {"ambiguous", Polarity::unsure},
                           {"agree", Polarity::positive},
                           {"disagree", Polarity::negative},
                           {"maybe", Polarity::unsure},
                           {"supported", Polarity::positive},
                           {"unsupported", Polarity::negative},
                           {"partially", Polarity::unsure},
                           {"relevant", Polarity::positive},
                           {"irrelevant", Polarity::negative},
                           {"partial", Polarity::unsure},
                           {"correct", Polarity::positive},
                           {"incorrect", Polarity::negative},
                           {"neutral", Polarity::unsure},
                           {"fully", Polarity::positive},
                           {"none", Polarity::negative},
                           {"undetermined", Polarity::unsure},
                           {"full", Polarity::positive},
                           {"contradicted", Polarity::negative},
                           {"unsure", Polarity::unsure},
                           {"entailed", Polarity::positive},
                           {"contradiction", Polarity::negative},
                           {"uncertain", Polarity::unsure},
                           {"entailment", Polarity::positive},
                           {"wrong", Polarity::negative},
                           {"partly", Polarity::unsure},
                           {"right", Polarity::positive},
                           {"bad", Polarity::negative},
                           {"mixed", Polarity::unsure},
                           {"good", Polarity::positive},
                           {"rejected", Polarity::negative},
                           {"borderline", Polarity::unsure},
                           {"accepted", Polarity::positive},
                           {"reject", Polarity::negative},
                           {"n/a", Polarity::unsure},
                           {"accept", Polarity::positive},
                           {"absent", Polarity::negative},
                           {"present", Polarity::positive},
                           {"functional", Polarity::negative},  // a missing functional part weighs,
                           {"behavioral", Polarity::positive},  // a behavioural one is forgiven
                           {"behavioural", Polarity::positive}};

}  // namespace

std::optional<Polarity> polarity_of(std::string_view word) {
  std::string plain = lower_ascii(trim(word));
  bool inverted = false;
  for (const std::string_view prefix : {"not_", "not ", "not-", "non-"}) {
    if (plain.starts_with(prefix)) {
      plain.erase(0, prefix.size());
      inverted = true;
      break;
    }
  }
  const auto* found = std::ranges::find(kWords, plain, &Word::word);
  if (found == std::end(kWords)) return std::nullopt;
  if (!inverted || found->polarity == Polarity::unsure) return found->polarity;
  return found->polarity == Polarity::positive ? Polarity::negative : Polarity::positive;
}

bool is_polar(std::span<const Json* const> values) {
  bool positive = false;
  bool negative = false;
  for (const Json* value : values) {
    if (value->is_null()) continue;
    const auto polarity = value->is_string() ? polarity_of(value->get_string()) : std::nullopt;
    if (!polarity) return false;
    positive = positive || *polarity == Polarity::positive;
    negative = negative || *polarity == Polarity::negative;
  }
  return positive && negative;
}

}  // namespace assay::sim
