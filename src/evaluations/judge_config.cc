#include "evaluations/judge_config.h"

#include <utility>

namespace assay {

Key temperature_key(Json by_default) {
  return {.name = "temperature",
          .type = KeyType::number,
          .help = "Sampling temperature.",
          .default_value = std::move(by_default),
          .minimum = 0,
          .maximum = 2};
}

Key max_tokens_key() {
  return {.name = "max_tokens", .type = KeyType::integer, .help = "Longest answer, in tokens.", .minimum = 1};
}

Keys judge_keys(Json temperature) {
  Keys keys{{.name = "model", .help = "`provider/name` or a name under `models`.", .required = true}};
  if (!temperature.is_null()) keys.push_back(temperature_key(std::move(temperature)));
  keys.push_back(max_tokens_key());
  return keys;
}

Key judge_key(std::string help) {
  return {.name = "judge",
          .type = KeyType::object,
          .help = std::move(help),
          .keys = judge_keys(0),
          .shorthand = "model",
          .example = "{model: openai/gpt-4o, temperature: 0}"};
}

JudgeSettings read_judge(const Config& config, const std::string& key) {
  JudgeSettings judge{.model = config.text(key + ".model"), .attempts = judge_attempts(config)};
  judge.sampling.temperature = config.number(key + ".temperature");
  if (const auto tokens = config.integer(key + ".max_tokens"))
    judge.sampling.max_tokens = static_cast<int>(*tokens);
  return judge;
}

int judge_attempts(const Config& config) {
  return static_cast<int>(config.integer("attempts").value_or(3));
}

}  // namespace assay
