// The content of analysis.json: every figure by name, conditions by theirs.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "evaluations/experiment/analysis/analysis.h"

namespace assay::experiment {
namespace {

Json text(std::string_view value) {
  return boost::json::string(value);
}

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

JsonObject json_of(const TestResult& test) {
  JsonObject json{{"statistic", number(test.statistic)}, {"df", number(test.df)}, {"p", number(test.p)}};
  if (!test.method.empty()) json["method"] = text(test.method);
  if (!test.undefined.empty()) json["undefined"] = text(test.undefined);
  return json;
}

JsonObject json_of(const Contrast& contrast) {
  return {{"difference", to_json(contrast.difference)}, {"test", json_of(contrast.test)}};
}

JsonObject json_of(const EffectFigures& effect) {
  return {{"clustered", to_json(effect.clustered)}, {"naive", to_json(effect.naive)}};
}

JsonObject json_of(const ConditionFigures& figures) {
  JsonObject criteria;
  for (std::size_t i = 0; i < kRated; ++i) {
    const CriterionFigures& own = figures.criteria[i];
    if (i >= kCriteria.size() && !own.mean.value && own.mean.missing.empty()) continue;
    JsonObject entry{{"mean", to_json(own.mean)}, {"ratings", own.ratings}};
    if (const auto& box = own.box) {
      entry["box"] = JsonObject{{"minimum", box->minimum},
                                {"lower_quartile", box->lower_quartile},
                                {"median", box->median},
                                {"upper_quartile", box->upper_quartile},
                                {"maximum", box->maximum}};
    }
    criteria[rated_name(i)] = std::move(entry);
  }
  JsonArray types;
  for (const TypeFigures& type : figures.by_type) {
    types.push_back(JsonObject{{"query_type", text(type.query_type)},
                               {"queries", type.queries},
                               {"overall", to_json(type.overall)},
                               {"difference", to_json(type.difference)},
                               {"win_rate", to_json(type.win_rate)},
                               {"role_accuracy", to_json(type.role_accuracy)},
                               {"role_match", to_json(type.role_match)}});
  }
  JsonArray runs;
  for (const RunFigures::Run& run : figures.across_runs.runs) {
    runs.push_back(JsonObject{
        {"run", run.run}, {"overall", to_json(run.overall)}, {"difference", to_json(run.difference)}});
  }
  return {{"name", text(figures.name)},
          {"control", figures.control},
          {"criteria", std::move(criteria)},
          {"answers", figures.answers},
          {"missing_answers", figures.unanswered},
          {"lost_ratings", figures.ratings_lost},
          {"role_accuracy", to_json(figures.role_accuracy)},
          {"role_match", to_json(figures.role_match)},
          {"by_query_type", std::move(types)},
          {"across_runs", JsonObject{{"runs", std::move(runs)},
                                     {"same_direction", to_json(figures.across_runs.same_direction)},
                                     {"deviation", to_json(figures.across_runs.deviation)}}}};
}

JsonObject json_of(const Finding& finding) {
  return {
      {"figure", to_json(finding.figure)},
      {"neutral", finding.neutral},
      {"test", json_of(finding.test)},
      {"p_holm", number(finding.p_holm)},
      {"worst_case", JsonObject{{"test", json_of(finding.worst)}, {"p_holm", number(finding.p_holm_worst)}}}};
}

JsonObject json_of(const ScoreContrast& contrast, const std::vector<Condition>& conditions) {
  return {{"condition", text(conditions[contrast.condition].name)},
          {"criterion", text(rated_name(contrast.criterion))},
          {"ratings", contrast.ratings},
          {"ratings_of_control", contrast.ratings_control},
          {"paired_by_query", json_of(contrast.difference)},
          {"wilcoxon", json_of(contrast.wilcoxon)},
          {"cohen_dz", to_json(contrast.cohen_dz)},
          {"naive", JsonObject{{"welch_t", json_of(contrast.naive_welch)},
                               {"mann_whitney", json_of(contrast.naive_mann_whitney)}}},
          {"cohen_d", json_of(contrast.cohen_d)},
          {"hedges_g", json_of(contrast.hedges_g)},
          {"cliffs_delta", json_of(contrast.cliffs_delta)}};
}

JsonObject json_of(const WinRate& rate) {
  return {{"win_rate", json_of(rate.rate)},
          {"naive", JsonObject{{"win_rate", to_json(rate.naive)}, {"test", json_of(rate.naive_test)}}}};
}

JsonObject json_of(const BothSides& sides) {
  return {{"condition", to_json(sides.condition)},
          {"against", to_json(sides.against)},
          {"difference", json_of(sides.difference)}};
}

JsonObject json_of(const PairTone& tone) {
  JsonObject json{{"verdicts", tone.verdicts}};
  for (std::size_t i = 0; i < kToneCriteria.size(); ++i) json[kToneCriteria[i]] = json_of(tone.marks[i]);
  json["jarring_shift"] = json_of(tone.jarring_shift);
  json["awkward_language"] = json_of(tone.awkward_language);
  json["more_natural"] = json_of(tone.more_natural);
  return json;
}

JsonObject json_of(const PairFigures& pair, const std::vector<Condition>& conditions) {
  JsonObject criteria;
  for (std::size_t i = 0; i < kCriteria.size(); ++i) criteria[kCriteria[i]] = json_of(pair.criteria[i]);
  JsonObject json{{"condition", text(conditions[pair.condition].name)},
                  {"against", text(conditions[pair.against].name)},
                  {"verdicts", pair.verdicts},
                  {"wins", to_json(pair.wins)},
                  {"ties", to_json(pair.ties)},
                  {"losses", to_json(pair.losses)},
                  {"winner", json_of(pair.winner)},
                  {"criteria", std::move(criteria)}};
  if (pair.tone) json["tone"] = json_of(*pair.tone);
  return json;
}

JsonObject json_of(const FittedEffect& effect) {
  return {{"estimate", to_json(effect.estimate)}, {"bootstrap", to_json(effect.resampled)}};
}

JsonObject json_of(const BradleyTerry& ranking) {
  JsonArray players;
  for (const Strength& player : ranking.players) {
    JsonObject entry{{"condition", text(player.name)},
                     {"log_strength", json_of(player.log_strength)},
                     {"wins", player.wins},
                     {"ties", player.ties},
                     {"losses", player.losses}};
    if (player.ranks) entry["ranks"] = JsonArray{player.ranks->first, player.ranks->second};
    players.push_back(std::move(entry));
  }
  JsonObject json{{"conditions", std::move(players)}, {"n", ranking.n}, {"queries", ranking.clusters}};
  if (ranking.seat) json["seat_effect"] = json_of(*ranking.seat);
  if (ranking.tie) json["tie"] = json_of(*ranking.tie);
  if (!ranking.method.empty()) json["method"] = text(ranking.method);
  if (!ranking.undefined.empty()) json["undefined"] = text(ranking.undefined);
  return json;
}

JsonObject json_of(const AgreementFigures& agreement) {
  JsonArray evaluators;
  for (const EvaluatorAgreement& one : agreement.evaluators) {
    evaluators.push_back(JsonObject{{"evaluator", one.evaluator},
                                    {"verdicts", to_json(one.verdicts)},
                                    {"ratings", to_json(one.ratings)}});
  }
  return {{"pairwise", JsonObject{{"raw_agreement", to_json(agreement.raw)},
                                  {"fleiss_kappa", to_json(agreement.fleiss_kappa)},
                                  {"krippendorff_alpha_nominal", to_json(agreement.nominal_alpha)}}},
          {"absolute", JsonObject{{"krippendorff_alpha_ordinal", to_json(agreement.ordinal_alpha)}}},
          {"evaluators", std::move(evaluators)}};
}

JsonObject json_of(const Bias& bias) {
  JsonObject json{{"name", text(bias.name)}};
  if (bias.evaluator) json["evaluator"] = *bias.evaluator;
  json["figure"] = to_json(bias.figure);
  json["neutral"] = number(bias.neutral);
  json["margin"] = bias.margin;
  if (bias.p_holm) json["p_holm"] = *bias.p_holm;
  json["flagged"] = bias.flagged;
  json["meaning"] = text(bias.meaning);
  return json;
}

JsonObject json_of(const PowerFigures& power, const std::vector<Condition>& conditions) {
  JsonArray needs;
  for (const PowerFigures::Need& need : power.needs) {
    JsonObject entry{{"difference", need.difference},
                     {"queries", need.queries ? Json(*need.queries) : Json(nullptr)}};
    if (!need.note.empty()) entry["note"] = text(need.note);
    needs.push_back(std::move(entry));
  }
  return {{"condition", text(conditions[power.condition].name)},
          {"of", power.of == PowerFigures::Of::overall_score ? "overall_score" : "win_rate"},
          {"detectable", to_json(power.detectable)},
          {"needs", std::move(needs)}};
}

JsonObject json_of(const SpreadFigures& spread, const std::vector<Condition>& conditions) {
  JsonArray components;
  for (const NestedComponent& component : spread.study.components) {
    JsonObject entry{{"name", text(component.name)},
                     {"variance", to_json(component.variance)},
                     {"share", component.share}};
    if (!component.note.empty()) entry["note"] = text(component.note);
    components.push_back(std::move(entry));
  }
  JsonObject json{{"condition", text(conditions[spread.condition].name)},
                  {"of", spread.of == SpreadFigures::Of::score ? "score" : "difference"},
                  {"components", std::move(components)},
                  {"n", spread.study.n},
                  {"reliability", to_json(spread.study.reliability)}};
  if (!spread.study.undefined.empty()) json["undefined"] = text(spread.study.undefined);
  if (spread.of == SpreadFigures::Of::difference) {
    JsonObject plan{{"target", SpreadFigures::kTarget},
                    {"runs", spread.plan.runs ? Json(*spread.plan.runs) : Json(nullptr)},
                    {"evaluators", spread.plan.evaluators ? Json(*spread.plan.evaluators) : Json(nullptr)},
                    {"reliability", number(spread.plan.reliability)}};
    if (!spread.plan.undefined.empty()) plan["undefined"] = text(spread.plan.undefined);
    json["plan"] = std::move(plan);
  }
  return json;
}

template <class Figures, class... More>
JsonArray list_of(const std::vector<Figures>& all, const More&... more) {
  JsonArray list;
  for (const Figures& figures : all) list.push_back(json_of(figures, more...));
  return list;
}

JsonArray texts(const std::vector<std::string>& all) {
  JsonArray list;
  for (const std::string& one : all) list.push_back(text(one));
  return list;
}

}  // namespace

JsonObject to_json(const Analysis& analysis) {
  JsonArray queries;
  for (const QueryFigures& figures : analysis.by_query) {
    queries.push_back(JsonObject{{"query", text(analysis.queries[figures.query].id)},
                                 {"query_type", text(analysis.queries[figures.query].query_type)},
                                 {"condition", text(analysis.conditions[figures.condition].name)},
                                 {"overall", number(figures.overall)},
                                 {"ratings", figures.ratings},
                                 {"win_rate", number(figures.win_rate)},
                                 {"verdicts", figures.verdicts}});
  }
  JsonArray others;
  for (const OtherRole& other : analysis.other_roles) {
    others.push_back(JsonObject{{"query", text(analysis.queries[other.query].id)},
                                {"role", text(other.role)},
                                {"named", other.named},
                                {"of_verdicts", other.asked}});
  }
  return {{"level", analysis.level},
          {"cluster", "query"},
          {"queries", analysis.queries.size()},
          {"pair_verdicts", analysis.pair_verdicts},
          {"ratings", analysis.ratings},
          {"role_verdicts", analysis.role_verdicts},
          {"tests", analysis.tests},
          {"conclusions", texts(conclusions(analysis))},
          {"limits", texts(limits(analysis))},
          {"conditions", list_of(analysis.by_condition)},
          {"score_differences", list_of(analysis.contrasts, analysis.conditions)},
          {"pairs", list_of(analysis.pairs, analysis.conditions)},
          {"ranking", json_of(analysis.ranking)},
          {"agreement", json_of(analysis.agreement)},
          {"biases", list_of(analysis.biases)},
          {"leaks", texts(analysis.leaks)},
          {"other_roles", std::move(others)},
          {"power", list_of(analysis.power, analysis.conditions)},
          {"variance_components", list_of(analysis.spread, analysis.conditions)},
          {"by_query", std::move(queries)}};
}

}  // namespace assay::experiment
