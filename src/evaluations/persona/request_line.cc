#include "evaluations/persona/request_line.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stats/intervals/mean.h"

namespace assay::persona {
namespace {

constexpr double kFailed = -1;

const Classification* find_classification(const Item& item, const std::string& id) {
  const auto found = std::ranges::find(item.classifications, id, &Classification::id);
  return found == item.classifications.end() ? nullptr : &*found;
}

// The value that the system chose; "" if none.
std::string_view value_of(const Item& item, const std::string& classification_id) {
  const Classification* one = find_classification(item, classification_id);
  return one != nullptr && one->value ? std::string_view(*one->value) : "";
}

std::string verdict_words(const Verdict& verdict, Mode mode) {
  if (mode == Mode::mode3) return verdict.agrees ? "AGREE" : "DISAGREE";
  return fmt::format("{} ({})", verdict.likert, likert_label(verdict.likert));
}

// What was put to the persona and what it said: enough to see who is right.
NotableCase disagreement(const Case& input, const PersonaCase& asked, const Verdict& verdict,
                         const JobParameters& job) {
  const std::string_view value = value_of(asked.item, verdict.classification_id);
  const std::string chosen = value.empty() ? "no value" : fmt::format("\"{}\"", value);
  NotableCase shown{
      input.id,
      fmt::format("{} as {}: {}", verdict.classification_id, chosen, verdict_words(verdict, job.mode)),
      {{"item", content_of(asked.item)}}};
  if (const Classification* one = find_classification(asked.item, verdict.classification_id)) {
    shown.fields.emplace_back("classification", fmt::format("{}: {}", one->id, one->description));
    shown.fields.emplace_back("chosen", fmt::format("{} of {}", chosen, fmt::join(one->options, ", ")));
  }
  for (const Perspective& one : asked.perspectives) {
    if (one.id == verdict.perspective_id) shown.fields.emplace_back("perspective", one.text);
  }
  shown.fields.emplace_back("persona", job.personas[asked.persona].name);
  shown.fields.emplace_back("verdict", verdict_words(verdict, job.mode));
  shown.fields.emplace_back("reason", verdict.text);
  return shown;
}

// The worse the persona finds it, the lower: 0 is a value that it is sure is wrong.
double goodness_of(const Verdict& verdict, Mode mode) {
  return mode == Mode::mode3 ? 0 : verdict.likert - 1;
}

void add_row(const Case& input, const PersonaCase& asked, const Verdict& verdict, const JobParameters& job,
             ResultLine& line) {
  const bool likert = job.mode != Mode::mode3;
  const std::string_view agreement = likert ? "" : verdict.agrees ? "AGREE" : "DISAGREE";
  line.row({input.id, verdict.item_id, verdict.classification_id, verdict.perspective_id,
            job.personas[asked.persona].id, to_string(job.mode),
            value_of(asked.item, verdict.classification_id), verdict.selection.value_or(""),
            likert ? std::to_string(verdict.likert) : "", agreement, verdict.text});
}

}  // namespace

std::vector<std::string> request_columns() {
  return {"id",
          "itemId",
          "classificationName",
          "perspectiveId",
          "personaId",
          "mode",
          "value",
          "evaluatedSelection",
          "likert",
          "agreement",
          "evaluationText"};
}

void request_line(const Case& input, const Outcome& outcome, PersonaCase asked, const JobParameters& job,
                  ResultLine& line) {
  Judgement judgement = judgement_from(outcome);
  line.text("itemId", asked.item.id);
  line.text("personaId", job.personas[asked.persona].id);
  line.text("mode", to_string(job.mode));
  if (asked.perspectives.size() == 1) line.text("perspectiveId", asked.perspectives.front().id);
  JsonArray verdicts;
  Moments likert;
  Moments agreed;
  for (const Verdict& verdict : judgement.answer.verdicts) {
    verdicts.push_back(to_json(verdict, job.mode));
    if (job.mode != Mode::mode3) likert.add(verdict.likert);
    agreed.add(agrees(verdict, job.mode) ? 1 : 0);
    add_row(input, asked, verdict, job, line);
    if (!agrees(verdict, job.mode))
      line.notable(goodness_of(verdict, job.mode), [&] { return disagreement(input, asked, verdict, job); });
  }
  line.json("verdicts", verdicts);
  const Score scores[] = {{"likert.mean_per_request", likert.mean()},
                          {"agreement_rate_per_request", agreed.mean()}};
  line.scores(scores);
  line.json("attempts", Json(judgement.attempts));
  if (outcome.kind != OutcomeKind::scored) {
    line.notable(kFailed, [&] {
      return NotableCase{input.id,
                         std::string(to_string(outcome.kind)),
                         {{"item", content_of(asked.item)}, {"error", outcome.error}}};
    });
  }
  auto& facts = line.facts<RequestFacts>();
  facts.asked = std::move(asked);
  facts.judgement = std::move(judgement);
}

}  // namespace assay::persona
