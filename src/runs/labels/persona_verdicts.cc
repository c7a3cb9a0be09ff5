#include "runs/labels/persona_verdicts.h"

#include <utility>

#include <fmt/format.h>

#include "evaluations/persona/answer.h"
#include "evaluations/persona/human_ratings.h"
#include "evaluations/persona/request_texts.h"
#include "runs/material.h"
#include "runs/result_lines.h"

namespace assay::labels {

Result<std::vector<PersonaVerdict>> persona_verdicts(const JudgedRun& run, const std::string& figure) {
  const bool likert = figure == kLikertMean;
  if (!likert && figure != kAgreementRate) {
    return fail(ErrorKind::usage,
                fmt::format("people rate single verdicts of a persona: found {}, expected {} or {}", figure,
                            kAgreementRate, kLikertMean));
  }
  std::vector<PersonaVerdict> verdicts;
  const auto read = each_result_line(run.directory, [&](const Json& line) -> Status {
    const auto mode = persona::mode_of(text_at(line, "mode"));
    if (likert && mode == persona::Mode::mode3)
      return fail(ErrorKind::usage, "mode3 has no Likert values; label --figure agreement_rate");
    for (const Json& one : list_at(line, "verdicts")) {
      const persona::Verdict verdict = persona::verdict_from(one);
      const bool agrees = persona::agrees(verdict, mode.value_or(persona::Mode::mode2));
      verdicts.push_back({persona::verdict_id(verdict.item_id, text_at(line, "personaId"),
                                              verdict.perspective_id, verdict.classification_id),
                          text_at(line, "id"), verdict.perspective_id, verdict.classification_id,
                          likert   ? verdict.likert
                          : agrees ? 1.0
                                   : 0.0});
    }
    return {};
  });
  if (!read) return fail(read.error());
  return verdicts;
}

Result<std::map<std::string, CaseTexts>> verdict_texts(const JudgedRun& run,
                                                       const std::vector<PersonaVerdict>& verdicts,
                                                       const std::set<std::string>& ids) {
  std::set<std::string> requests;
  for (const PersonaVerdict& one : verdicts) {
    if (ids.contains(one.id)) requests.insert(one.request);
  }
  const auto material = case_material(run.directory, requests);
  if (!material) return fail(material.error());
  std::map<std::string, CaseTexts> texts;
  for (const PersonaVerdict& one : verdicts) {
    if (!ids.contains(one.id)) continue;
    texts[one.id].material =
        persona::question_texts(material->at(one.request), one.perspective, one.classification);
  }
  return texts;
}

}  // namespace assay::labels
