#include "evaluations/persona/request_line.h"

#include <utility>

#include <boost/json/array.hpp>

#include "stats/intervals/mean.h"

namespace assay::persona {
namespace {

constexpr double kFailed = -1;

// The value that the system chose; "" if none.
std::string_view value_of(const Item& item, const std::string& classification_id) {
  for (const Classification& one : item.classifications) {
    if (one.id == classification_id && one.value) return *one.value;
  }
  return "";
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
