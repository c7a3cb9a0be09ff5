// Who judges, and how: declared, read and kept in the same way wherever an evaluation has a judge. What
// differs between evaluations (a default temperature, whether there is one to set, the place of the keys) is
// an argument.
#pragma once

#include <map>
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
  // Each question has a seed that follows from its case and step, whatever the request has for one: under
  // stress a text that is judged once more is to be judged anew, and not to get the same reply again.
  bool seed_by_step = false;
  bool operator==(const JudgeSettings&) const = default;
};

// Null: it has no default.
Key temperature_key(Json by_default = nullptr);
Key max_tokens_key();

// `model`, `temperature` with its default, `max_tokens`. Null: the temperature cannot be set.
Keys judge_keys(Json temperature);
// `judge: openai/gpt-4o` or `judge: {model: …, temperature: …}`.
Key judge_key(std::string help);

// What stands under `key`, the config's `attempts`, and whether the config is that of a stress test.
JudgeSettings read_judge(const Config& config, const std::string& key);
// The keys that name the models that judge in this config, where they do not stand under `judge`; none: they
// do.
std::vector<std::string> judge_model_keys(std::string_view evaluation, const Json& config);
// How often a judge is asked for an answer that can be used.
int judge_attempts(const Config& config);

// Fingerprints of the files that stand under `key` where a value could, by name
// ("metrics/tone/judge/prompt"): judge prompts of the user's own, which the config names and does not hold.
// Those that cannot be read are left out.
std::map<std::string, std::string> file_fingerprints(const Config& config, const std::string& key);

// What of a run's config decides how answers are judged, whatever the evaluation: who judges, what is judged,
// and the declared models that this names. The same judging gives the same object: a list of named things has
// no order. The prompts' texts are not in it.
JsonObject judging_of(std::string_view evaluation, const JsonObject& config);
// The same with what a case must pass: two runs in which this is equal give the same marks to the same
// answers, but for the judge's noise.
JsonObject marking_of(std::string_view evaluation, const JsonObject& config);

}  // namespace assay
