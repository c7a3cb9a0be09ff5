// Any bytes as queries, as a judge's answer and as the kept files of an experiment: what is read is one of
// the values that there are, and what was kept is written again as it was.
#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "evaluations/experiment/design/queries.h"
#include "evaluations/experiment/judging/answer_values.h"
#include "evaluations/experiment/judging/answers.h"
#include "evaluations/experiment/judging/records.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using namespace assay::experiment;
  using fuzz::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* path : {"queries.jsonl", "queries.yaml"}) {
    const auto queries = parse_queries(text, path);
    fuzz::require_words(queries);
    if (!queries) continue;
    for (const auto& entry : queries->entries) require(!entry.query.id.empty() && !entry.query.text.empty());
  }
  if (const auto choice = read_choice(text)) require(choice_from(choice->value).has_value());
  // Beyond the scale it is read, and the schema complains.
  if (const auto score = read_score(text)) require(score->value >= 0 && score->value < 1'000'000);
  (void)read_which(text);
  (void)read_yes_no(text);
  (void)read_list(text);
  for (const char which : {'a', 'b'}) (void)read_score_of(which, text);
  const auto json = parse_json(text);
  for (const AnswerForm form : {AnswerForm::pairwise, AnswerForm::pairwise_tone, AnswerForm::absolute,
                                AnswerForm::absolute_tone, AnswerForm::role, AnswerForm::role_ambiguous}) {
    (void)read_lines(text, form);
    if (json) (void)with_usual_spelling(*json, form);
  }
  if (!json) return 0;
  BlindedPlace place;
  (void)pair_from_row(*json, place);
  (void)rating_from_row(*json, place);
  (void)role_from_row(*json, place);
  return 0;
}
