// Who judges, and how: declared, read and kept in the same way wherever an evaluation has a judge. What
// differs between evaluations (a default temperature, whether there is one to set, the place of the keys) is
// an argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "models/chat.h"

namespace assay {

struct JudgeSettings {
  std::string model;
  Sampling sampling = {};
  int attempts = 3;
  // Of the attempts, in turn, in the place of that in `sampling`; none: it stays the same.
  std::vector<double> temperatures = {};
  bool operator==(const JudgeSettings&) const = default;
};

// Null: it has no default.
Key temperature_key(Json by_default = nullptr);
Key max_tokens_key();

// `model`, `temperature` with its default, `max_tokens`. Null: the temperature cannot be set.
Keys judge_keys(Json temperature);
// `judge: openai/gpt-4o` or `judge: {model: …, temperature: …}`.
Key judge_key(std::string help);

// What stands under `key`, and the config's `attempts`.
JudgeSettings read_judge(const Config& config, const std::string& key);
// How often a judge is asked for an answer that can be used.
int judge_attempts(const Config& config);

// What of a run's config decides how answers are judged, whatever the evaluation: who judges, what is judged,
// and the declared models that this names. The same judging gives the same object: a list of named things has
// no order. The prompts' texts are not in it.
JsonObject judging_of(std::string_view evaluation, const JsonObject& config);

}  // namespace assay
