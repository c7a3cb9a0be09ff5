#include "evaluations/judge_config.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay {
namespace {

struct JudgingKey {
  std::string_view evaluation;  // "": every one that has the key
  std::string_view key;
};
// In `persona` everything but the items is the judge. How often it is asked (n_runs, votes) changes how sure
// a score is, not what it means.
constexpr JudgingKey kJudgingKeys[] = {
    {"", "judge"},
    {"rag_answers", "metrics"},
    {"custom", "metrics"},
    {"guidelines", "skip"},
    {"experiment", "pairwise"},
    {"experiment", "absolute"},
    {"experiment", "role_question"},
    {"persona", "model"},
    {"persona", "mode"},
    {"persona", "params"},
    {"persona", "persona"},
    {"persona", "perspectives"},
    {"persona", "send_request_schema"},
};

// Lists of objects with a name or an id as objects by it.
Json without_order(const Json& value) {
  if (!value.is_array()) return value;
  JsonObject by_name;
  for (const Json& entry : value.get_array()) {
    const Json* name = find_member(entry, "name");
    if (name == nullptr) name = find_member(entry, "id");
    if (name == nullptr || !name->is_string()) return value;
    by_name.insert_or_assign(name->get_string(), entry);
  }
  return by_name;
}

void collect_texts(const Json& value, std::vector<std::string>& texts) {
  if (const auto text = as_text(value)) texts.emplace_back(*text);
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_object()) collect_texts(member, texts);
  }
  if (value.is_array()) {
    for (const Json& entry : value.get_array()) collect_texts(entry, texts);
  }
}

}  // namespace

Key temperature_key(Json by_default) {
  return {.name = "temperature",
          .type = KeyType::number,
          .help = "Sampling temperature.",
          .default_value = std::move(by_default),
          .minimum = 0,
          .maximum = 2};
}

Key max_tokens_key() {
  return {.name = "max_tokens",
          .type = KeyType::integer,
          .help = "Longest answer, in tokens.",
          .minimum = 1,
          .maximum = 10'000'000};
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

JsonObject judging_of(std::string_view evaluation, const JsonObject& config) {
  JsonObject judging;
  std::vector<std::string> named;
  for (const auto& [of, key] : kJudgingKeys) {
    const Json* value = of.empty() || of == evaluation ? config.if_contains(key) : nullptr;
    if (value == nullptr) continue;
    collect_texts(*value, named);
    judging.emplace(key, without_order(*value));
  }
  const Json* models = config.if_contains("models");
  if (models == nullptr || !models->is_object()) return judging;
  JsonObject used;
  for (const auto& [name, declared] : models->get_object()) {
    if (std::ranges::find(named, std::string_view(name)) != named.end()) used.emplace(name, declared);
  }
  if (!used.empty()) judging.emplace("models", std::move(used));
  return judging;
}

}  // namespace assay
