#include "evaluations/persona/human_ratings.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/tables/csv.h"
#include "core/text.h"
#include "evaluations/data/label_file.h"
#include "evaluations/figures.h"
#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/ratings.h"
#include "stats/comparisons/association.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/proportion.h"

namespace assay::persona {
namespace {

using namespace figures;

constexpr const char* kAgreement = "agreement_rate";
constexpr const char* kLikert = "likert.mean";

}  // namespace

std::string verdict_id(std::string_view item, std::string_view persona, std::string_view perspective,
                       std::string_view classification) {
  return joined_ids({item, persona, perspective, classification});
}

HumanRatings HumanRatings::read(const Config& config, Mode mode, std::vector<ConfigProblem>& problems) {
  HumanRatings human;
  const std::string path = config.text("human");
  const std::size_t before = problems.size();
  if (lower_ascii(path).ends_with(".csv")) {
    human.read_sheet(config, mode, problems);
  } else {
    human.read_lines(path, problems);
  }
  if (human.ratings_.empty() && problems.size() == before)
    problems.push_back({path, "human", "the file holds no rating"});
  human.begin_correction();
  return human;
}

// What a cell of a sheet says: AGREE or DISAGREE, and in the words of the mode a Likert value, or yes or no.
std::optional<HumanRatings::Rating> HumanRatings::rating_in(const std::string& cell, Mode mode) {
  const std::string word = lower_ascii(trim(cell));
  if (word == "agree" || word == "disagree") return Rating{.agrees = word == "agree"};
  const auto number = cell_number(cell);
  if (!number) return std::nullopt;
  // What is true of a value from 1 to 5 is not said.
  if (mode != Mode::mode3 && (word == "true" || word == "false")) return std::nullopt;
  if (mode == Mode::mode3) {
    if (*number != 0 && *number != 1) return std::nullopt;
    return Rating{.agrees = *number == 1};
  }
  for (int likert = 1; likert <= 5; ++likert) {
    if (*number == likert) return Rating{likert, likert >= kAgreesFrom};
  }
  return std::nullopt;
}

void HumanRatings::read_sheet(const Config& config, Mode mode, std::vector<ConfigProblem>& problems) {
  const std::string path = config.text("human");
  const LabelFilePlace place{path, "human", problems};
  const auto rows = read_label_file(config.made("labels in " + path, [&] { return read_file(path); }), place);
  if (!rows) return;
  for (const LabelRow& row : rows->labelled) {
    if (drawn_.empty()) drawn_ = row.drawn;
    const auto said = [&](const std::string& column, const std::string& cell) {
      auto rating = rating_in(cell, mode);
      if (!rating)
        place.complain(fmt::format("line {}, {}: found {}, expected {}, AGREE or DISAGREE", row.line, column,
                                   cell, mode == Mode::mode3 ? "1 or 0" : "a whole number from 1 to 5"));
      return rating;
    };
    auto rating = said("label", row.label);
    if (!rating) continue;
    rating->probability = row.probability;
    for (const auto& [name, cell] : row.people) {
      if (const auto one = said("by " + name, cell)) rating->people.emplace(name, *one);
    }
    if (!ratings_.emplace(row.id, std::move(*rating)).second)
      place.complain(fmt::format("line {}: {} is rated already", row.line, row.id));
  }
}

void HumanRatings::read_lines(const std::string& path, std::vector<ConfigProblem>& problems) {
  const auto complain = [&](std::uint64_t line, const std::string& what) {
    problems.push_back({path, "human", fmt::format("line {}: {}", line, what)});
  };
  auto reader = LineReader::open(path);
  if (!reader) {
    problems.push_back({path, "human", reader.error().text()});
    return;
  }
  for (;;) {
    auto line = reader->next();
    if (!line) {
      problems.push_back({path, "human", line.error().text()});
      return;
    }
    if (!*line) break;
    const std::uint64_t number = (*line)->number;
    auto parsed = parse_json((*line)->text);
    if (!parsed) {
      complain(number, not_json_words(**line, parsed.error()));
      continue;
    }
    const Json json = camel_case(*parsed);
    const std::string id = verdict_id(text_at(json, "itemId"), text_at(json, "personaId"),
                                      text_at(json, "perspectiveId"), text_at(json, "classificationName"));
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
    if (good && !ratings_.emplace(id, rating).second) complain(number, "this is rated already");
  }
}

HumanRatings HumanRatings::of(const std::vector<PersonRating>& ratings) {
  std::map<std::string, std::map<std::string, Rating>> said;  // by verdict and person
  for (const PersonRating& one : ratings) {
    said[verdict_id(one.item_id, one.persona_id, one.perspective_id, one.classification)][one.person] = {
        one.likert.value_or(0), one.likert ? *one.likert >= kAgreesFrom : one.agrees};
  }
  HumanRatings human;
  for (const auto& [id, people] : said) {
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
    human.ratings_.emplace(id, together);
  }
  human.begin_correction();
  return human;
}

void HumanRatings::begin_correction() {
  std::vector<HumanLabel> agreement;
  std::vector<HumanLabel> likert;
  all_likert_ = !ratings_.empty();
  for (const auto& [id, rating] : ratings_) {
    HumanLabel& agrees =
        agreement.emplace_back(HumanLabel{id, rating.agrees ? 1.0 : 0.0, rating.probability});
    HumanLabel& value =
        likert.emplace_back(HumanLabel{id, static_cast<double>(rating.likert), rating.probability});
    all_likert_ = all_likert_ && rating.likert > 0;
    for (const auto& [name, one] : rating.people) {
      agrees.people.emplace(name, one.agrees ? 1.0 : 0.0);
      value.people.emplace(name, static_cast<double>(one.likert));
      all_likert_ = all_likert_ && one.likert > 0;
    }
  }
  correction_ = HumanCheck(kAgreement, agreement);
  likert_correction_ = HumanCheck(kLikert, likert);
}

void HumanRatings::add_missing(const std::string& persona_id, const Question& question,
                               const std::string& why) {
  const std::string id =
      verdict_id(question.item_id, persona_id, question.perspective_id, question.classification_id);
  correction_.add_without_score(id, why);
  likert_correction_.add_without_score(id, why);
}

void HumanRatings::add(const std::string& persona_id, const Verdict& verdict, Mode mode) {
  const std::string id =
      verdict_id(verdict.item_id, persona_id, verdict.perspective_id, verdict.classification_id);
  correction_.add(id, verdict.item_id, kAgreement, agrees(verdict, mode) ? 1 : 0);
  likert_correction_.add(id, verdict.item_id, kLikert, verdict.likert);
  const auto found = ratings_.find(id);
  if (found == ratings_.end()) return;
  ++used_;
  const Rating& rating = found->second;
  judge_agrees_.push_back(agrees(verdict, mode) ? 1 : 0);
  human_agrees_.push_back(rating.agrees ? 1 : 0);
  agreed_on_.push_back(verdict.item_id);
  if (mode == Mode::mode3 || rating.likert == 0) return;
  judge_.push_back(verdict.likert);
  human_.push_back(rating.likert);
  items_.push_back(verdict.item_id);
}

void HumanRatings::apply(Summary& summary, Mode mode) const {
  auto& metrics = summary.metrics;
  const bool likert = mode != Mode::mode3;
  const std::vector<double>& judge = likert ? judge_ : judge_agrees_;
  const std::vector<double>& human = likert ? human_ : human_agrees_;
  const std::vector<std::string>& items = likert ? items_ : agreed_on_;
  // The verdicts on one item are alike; without several of one they are independent.
  const bool clustered = std::set<std::string_view>(items.begin(), items.end()).size() < items.size();
  Ratings pairs(2);
  ClusteredMoments difference;
  ClusteredMoments equal;
  std::int64_t same = 0;
  for (std::size_t i = 0; i < judge.size(); ++i) {
    pairs.add_unit(std::vector<double>{judge[i], human[i]}, clustered ? items[i] : "");
    difference.add(items[i], judge[i] - human[i]);
    equal.add(items[i], judge[i] == human[i] ? 1 : 0);
    same += judge[i] == human[i] ? 1 : 0;
  }
  const auto coefficient = [&](std::string name, Estimate estimate) {
    if (clustered && estimate.ci) {
      estimate.ci.reset();
      estimate.method.clear();
      estimate.undefined =
          "no interval: several verdicts are of one item, and this one takes them as independent";
    }
    metrics.push_back(number(std::move(name), std::move(estimate)));
  };
  if (likert) {
    coefficient("human.pearson", pearson(judge, human).coefficient);
    coefficient("human.spearman", spearman(judge, human).coefficient);
    // The judge's value against the person's agreement.
    std::vector<double> person_agrees;
    person_agrees.reserve(human.size());
    for (const double value : human) person_agrees.push_back(value >= kAgreesFrom ? 1 : 0);
    coefficient("human.point_biserial", point_biserial(person_agrees, judge).coefficient);
  }
  coefficient("human.phi", phi(judge_agrees_, human_agrees_).coefficient);
  metrics.push_back(number(
      "human.cohen_kappa",
      cohen_kappa(pairs, likert ? KappaWeights::quadratic : KappaWeights::unweighted).figure.resampled));
  metrics.push_back(share("human.exact_match", clustered
                                                   ? wilson_clustered(equal)
                                                   : wilson(same, static_cast<std::int64_t>(judge.size()))));
  if (likert)
    metrics.push_back(number("human.mean_difference",
                             clustered ? estimate_mean(difference) : estimate_mean(difference.all()),
                             Metric::Better::neither));
  const auto given = static_cast<std::int64_t>(ratings_.size());
  const auto used = static_cast<std::int64_t>(used_);
  metrics.push_back(count("human.ratings", used, given));
  metrics.push_back(count("human.ratings_of_no_verdict", given - used, given));
  if (likert && all_likert_) likert_correction_.apply(summary);
  correction_.apply(summary);
}

std::vector<std::string> HumanRatings::metric_names() {
  std::vector<std::string> names = HumanCheck(kAgreement, {}).metric_names();
  for (std::string& name : HumanCheck(kLikert, {}).metric_names()) names.push_back(std::move(name));
  for (const char* name :
       {"human.pearson", "human.spearman", "human.point_biserial", "human.phi", "human.cohen_kappa",
        "human.exact_match", "human.mean_difference", "human.ratings", "human.ratings_of_no_verdict"})
    names.emplace_back(name);
  return names;
}

}  // namespace assay::persona
