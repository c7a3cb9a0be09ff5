#include "evaluations/judge_config.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/sha256.h"

namespace assay {
namespace {

struct JudgingKey {
  std::string_view evaluation;  // "": every one that has the key
  std::string_view key;
};
// In `persona` everything but the items is the judge. How often a judge is asked counts where a majority or a
// threshold makes a verdict of it: two of three say yes more seldom than one of one does, or more often. What
// stands beside it in one request counts, too.
constexpr JudgingKey kJudgingKeys[] = {
    {"", "judge"},
    {"rag_answers", "metrics"},
    {"custom", "metrics"},
    {"rag_answers", "n_runs"},
    {"guidelines", "skip"},
    {"guidelines", "votes"},
    {"guidelines", "batch_size"},
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

// Of what stands at `name`, and below it.
void add_files(const Config& config, const Json& value, const std::string& name,
               std::map<std::string, std::string>& prints) {
  constexpr std::size_t kDigits = 16;
  if (const auto text = as_text(value); text && text->starts_with(kFileMark)) {
    if (const auto content = config.given_text(value))
      prints.emplace(name, hex(sha256(*content)).substr(0, kDigits));
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_object())
      add_files(config, member, fmt::format("{}/{}", name, std::string_view(key)), prints);
  }
  if (!value.is_array()) return;
  std::size_t place = 0;
  for (const Json& entry : value.get_array()) {
    ++place;
    const std::string own = text_at(entry, "name");
    add_files(config, entry, fmt::format("{}/{}", name, own.empty() ? std::to_string(place) : own), prints);
  }
}

}  // namespace

std::map<std::string, std::string> file_fingerprints(const Config& config, const std::string& key) {
  std::map<std::string, std::string> prints;
  if (const Json* value = config.find(key)) add_files(config, *value, key, prints);
  return prints;
}

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
  JudgeSettings judge{.model = config.text(key + ".model"),
                      .attempts = judge_attempts(config),
                      .seed_by_step = config.has("stress.of")};
  judge.sampling.temperature = config.number(key + ".temperature");
  if (const auto tokens = config.integer(key + ".max_tokens"))
    judge.sampling.max_tokens = static_cast<int>(*tokens);
  return judge;
}

std::vector<std::string> judge_model_keys(std::string_view evaluation, const Json& config) {
  if (evaluation == "persona") return {"model"};
  std::vector<std::string> keys;
  if (evaluation != "experiment") return keys;
  for (const char* way : {"pairwise", "absolute"}) {
    const Json* section = find_member(config, way);
    if (section != nullptr && section->is_object()) keys.push_back(std::string(way) + ".model");
  }
  return keys;
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

JsonObject marking_of(std::string_view evaluation, const JsonObject& config) {
  constexpr std::string_view kPasses = "case_passes";
  JsonObject marking = judging_of(evaluation, config);
  const Json* passes = evaluation == "custom" ? config.if_contains(kPasses) : nullptr;
  if (passes == nullptr || !passes->is_array() || passes->get_array().empty()) return marking;
  std::vector<std::string> names;
  collect_texts(*passes, names);
  std::ranges::sort(names);
  marking.emplace(kPasses, JsonArray(names.begin(), names.end()));
  return marking;
}

}  // namespace assay
