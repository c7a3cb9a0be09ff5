#include "evaluations/persona/human_ratings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/json/jsonl.h"
#include "evaluations/figures.h"
#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/ratings.h"
#include "stats/comparisons/association.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/proportion.h"

namespace assay::persona {
namespace {

using namespace figures;

constexpr const char* kCorrected = "agreement_rate";

// One text for what a verdict is about.
template <class... Texts>
std::string label_id(const Texts&... texts) {
  std::string id;
  for (const std::string_view text : {std::string_view(texts)...}) {
    id += text;
    id += '\n';
  }
  return id;
}

}  // namespace

HumanRatings HumanRatings::read(const std::string& path, std::vector<ConfigProblem>& problems) {
  HumanRatings human;
  const auto complain = [&](std::uint64_t line, const std::string& what) {
    problems.push_back({path, "human", fmt::format("line {}: {}", line, what)});
  };
  auto reader = LineReader::open(path);
  if (!reader) {
    problems.push_back({path, "human", reader.error().text()});
    return human;
  }
  for (;;) {
    auto line = reader->next();
    if (!line) {
      problems.push_back({path, "human", line.error().text()});
      return human;
    }
    if (!*line) break;
    const std::uint64_t number = (*line)->number;
    auto parsed = parse_json((*line)->text);
    if (!parsed) {
      complain(number, not_json_words(**line, parsed.error()));
      continue;
    }
    const Json json = camel_case(*parsed);
    const Key key{text_at(json, "itemId"), text_at(json, "classificationName"), text_at(json, "personaId"),
                  text_at(json, "perspectiveId")};
    bool good = true;
    for (const char* name : {"itemId", "classificationName", "personaId", "perspectiveId"}) {
      if (!text_at(json, name).empty()) continue;
      complain(number, fmt::format("field {}: missing, expected text", name));
      good = false;
    }
    Rating rating;
    const Json* likert = find_member(json, "likert");
    const std::string agreement = text_at(json, "agreement");
    if (likert != nullptr && likert->is_number()) {
      const auto value = as_integer(*likert);
      rating.likert = value && *value >= 1 && *value <= 5 ? static_cast<int>(*value) : 0;
      rating.agrees = rating.likert >= kAgreesFrom;
      if (rating.likert == 0) {
        complain(number, fmt::format("field likert: found {}, expected 1 to 5", excerpt(*likert)));
        good = false;
      }
    } else if (agreement == "AGREE" || agreement == "DISAGREE") {
      rating.agrees = agreement == "AGREE";
    } else {
      complain(number, "expected likert (1 to 5) or agreement (AGREE or DISAGREE)");
      good = false;
    }
    if (good && !human.ratings_.emplace(key, rating).second) complain(number, "this is rated already");
  }
  if (human.ratings_.empty() && problems.empty())
    problems.push_back({path, "human", "the file holds no rating"});
  human.begin_correction();
  return human;
}

HumanRatings HumanRatings::of(const std::vector<PersonRating>& ratings) {
  std::map<Key, std::map<std::string, Rating>> said;  // by person
  for (const PersonRating& one : ratings) {
    said[{one.item_id, one.classification, one.persona_id, one.perspective_id}][one.person] = {
        one.likert.value_or(0), one.likert ? *one.likert >= kAgreesFrom : one.agrees};
  }
  HumanRatings human;
  for (const auto& [key, people] : said) {
    std::vector<int> values;
    std::size_t agreeing = 0;
    for (const auto& [person, rating] : people) {
      if (rating.likert > 0) values.push_back(rating.likert);
      if (rating.agrees) ++agreeing;
    }
    Rating together{0, 2 * agreeing > people.size()};
    if (!values.empty()) {
      std::ranges::sort(values);
      together.likert = values[(values.size() - 1) / 2];
      together.agrees = together.likert >= kAgreesFrom;
    }
    human.ratings_.emplace(key, together);
  }
  human.begin_correction();
  return human;
}

void HumanRatings::begin_correction() {
  std::vector<HumanLabel> labels;
  labels.reserve(ratings_.size());
  for (const auto& [key, rating] : ratings_) {
    const auto& [item, classification, persona, perspective] = key;
    labels.push_back({label_id(item, classification, persona, perspective), rating.agrees ? 1.0 : 0.0});
  }
  correction_ = HumanCheck(kCorrected, labels);
}

void HumanRatings::add(const std::string& persona_id, const Verdict& verdict, Mode mode) {
  correction_.add(label_id(verdict.item_id, verdict.classification_id, persona_id, verdict.perspective_id),
                  verdict.item_id, kCorrected, agrees(verdict, mode) ? 1 : 0);
  const auto found =
      ratings_.find({verdict.item_id, verdict.classification_id, persona_id, verdict.perspective_id});
  if (found == ratings_.end()) return;
  ++used_;
  const Rating& rating = found->second;
  judge_agrees_.push_back(agrees(verdict, mode) ? 1 : 0);
  human_agrees_.push_back(rating.agrees ? 1 : 0);
  if (mode == Mode::mode3 || rating.likert == 0) return;
  judge_.push_back(verdict.likert);
  human_.push_back(rating.likert);
}

void HumanRatings::apply(Summary& summary, Mode mode) const {
  auto& metrics = summary.metrics;
  const bool likert = mode != Mode::mode3;
  const std::vector<double>& judge = likert ? judge_ : judge_agrees_;
  const std::vector<double>& human = likert ? human_ : human_agrees_;
  Ratings pairs(2);
  Moments difference;
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < judge.size(); ++i) {
    pairs.add_unit(std::vector<double>{judge[i], human[i]});
    difference.add(judge[i] - human[i]);
    if (judge[i] == human[i]) ++equal;
  }
  if (likert) {
    metrics.push_back(number("human.pearson", pearson(judge, human).coefficient));
    metrics.push_back(number("human.spearman", spearman(judge, human).coefficient));
    // The judge's value against the person's agreement.
    std::vector<double> person_agrees;
    person_agrees.reserve(human.size());
    for (const double value : human) person_agrees.push_back(value >= kAgreesFrom ? 1 : 0);
    metrics.push_back(number("human.point_biserial", point_biserial(person_agrees, judge).coefficient));
  }
  metrics.push_back(number("human.phi", phi(judge_agrees_, human_agrees_).coefficient));
  metrics.push_back(number(
      "human.cohen_kappa",
      cohen_kappa(pairs, likert ? KappaWeights::quadratic : KappaWeights::unweighted).figure.resampled));
  metrics.push_back(share("human.exact_match", wilson(equal, static_cast<std::int64_t>(judge.size()))));
  if (likert)
    metrics.push_back(number("human.mean_difference", estimate_mean(difference), Metric::Better::neither));
  const auto given = static_cast<std::int64_t>(ratings_.size());
  const auto used = static_cast<std::int64_t>(used_);
  metrics.push_back(count("human.ratings", used, given));
  metrics.push_back(count("human.ratings_of_no_verdict", given - used, given));
  correction_.apply(summary);
}

std::vector<std::string> HumanRatings::metric_names() {
  std::vector<std::string> names = HumanCheck(kCorrected, {}).metric_names();
  for (const char* name :
       {"human.pearson", "human.spearman", "human.point_biserial", "human.phi", "human.cohen_kappa",
        "human.exact_match", "human.mean_difference", "human.ratings", "human.ratings_of_no_verdict"})
    names.emplace_back(name);
  return names;
}

}  // namespace assay::persona
