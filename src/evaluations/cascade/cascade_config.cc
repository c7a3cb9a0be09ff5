#include "evaluations/cascade/cascade_config.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "stats/agreement/cascade.h"

namespace assay {
namespace {

constexpr int kUsualVotes = 5;
constexpr double kUsualAgreement = 0.9;
constexpr double kUsualConfidence = 0.95;
// At 0 a model says nearly the same each time, and its share of votes says nothing of how sure it is.
constexpr double kTemperatureOfVotes = 0.7;
constexpr std::size_t kMostJudges = 4;

constexpr const char* kOnlyWithCascade[] = {"agreement", "confidence", "labels", "people", "votes"};

Key votes_key(std::string help) {
  return {.name = "votes", .type = KeyType::integer, .help = std::move(help), .minimum = 1, .maximum = 100};
}

std::string figure_part(const std::string& model) {
  std::string name;
  for (const char c : model) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (good || upper) {
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "judge" : name;
}

std::string own_name(const std::string& model, const std::vector<CascadeJudge>& others) {
  const std::string stem = figure_part(model);
  std::string name = stem;
  const auto taken = [&] {
    return name == kPeople || std::ranges::find(others, name, &CascadeJudge::name) != others.end();
  };
  for (int i = 2; taken(); ++i) name = fmt::format("{}_{}", stem, i);
  return name;
}

}  // namespace

Key cascading_judge_key(std::string help) {
  Key key = judge_key(std::move(help));
  for (Key& inner : key.keys) {
    if (inner.name == "model") inner.required = false;
  }
  key.keys.push_back(
      {.name = "cascade",
       .type = KeyType::object_list,
       .help =
           "In the place of `model`: models from the cheapest up, and `people` at the end. Each decides the "
           "cases on which it can be shown to agree with people; the rest goes up.",
       .keys = {{.name = "model",
                 .help = "`provider/name`, a name under `models`, or `people`.",
                 .required = true},
                votes_key("How often it is asked about a case, in place of the cascade's `votes`."),
                {.name = "temperature",
                 .type = KeyType::number,
                 .help = "Its sampling temperature (default 0.7 with several votes, 0 with one).",
                 .minimum = 0,
                 .maximum = 2}},
       .shorthand = "model",
       .example = "[cheap, strong, people]"});
  key.keys.push_back({.name = "agreement",
                      .type = KeyType::number,
                      .help =
                          "Of a cascade: the share of the cases that a judge decides on which it agrees with "
                          "people at least (default 0.9).",
                      .minimum = 0.5,
                      .maximum = 0.999});
  key.keys.push_back({.name = "confidence",
                      .type = KeyType::number,
                      .help = "Of a cascade: how surely, for all its judges together (default 0.95).",
                      .minimum = 0.5,
                      .maximum = 0.9999});
  key.keys.push_back({.name = "labels",
                      .type = KeyType::path,
                      .help =
                          "Of a cascade: what people say of cases of this run that were drawn at random; CSV "
                          "with the columns `id` and `label`."});
  key.keys.push_back(votes_key("Of a cascade: how often each judge is asked about a case (default 5)."));
  key.keys.push_back({.name = "people",
                      .type = KeyType::path,
                      .help =
                          "Of a cascade: `for_people.csv` of an earlier run, filled in. It decides what is "
                          "left to people, and calibrates nothing."});
  return key;
}

bool has_cascade(const Config& config) {
  return config.has("judge.cascade");
}

std::optional<CascadeSettings> read_cascade(const Config& config, std::vector<ConfigProblem>& problems) {
  if (!config.has("judge")) return std::nullopt;
  const std::size_t before = problems.size();
  const auto wrong = [&problems](const std::string& key, std::string text) {
    problems.push_back({"config", "judge." + key, std::move(text)});
  };
  if (!has_cascade(config)) {
    // Without a model either, whoever needs a judge says so: `judge` is there for its defaults alone.
    for (const char* key : kOnlyWithCascade) {
      if (config.has(std::string("judge.") + key)) wrong(key, "says something of a `cascade` only");
    }
    return std::nullopt;
  }
  if (config.has("judge.model")) wrong("model", "found a model and a cascade; expected one of them");
  CascadeSettings settings{.judges = {},
                           .agreement = config.number("judge.agreement").value_or(kUsualAgreement),
                           .confidence = config.number("judge.confidence").value_or(kUsualConfidence),
                           .labels = config.text("judge.labels"),
                           .people_said = config.text("judge.people")};
  const JsonArray& entries = config.find("judge.cascade")->get_array();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Config entry(entries[i].get_object());
    const std::string key = fmt::format("cascade[{}]", i);
    if (entry.text("model") == kPeople) {
      if (i + 1 != entries.size()) wrong(key, "people have the last word; expected them at the end");
      settings.people = true;
      continue;
    }
    CascadeJudge judge{own_name(entry.text("model"), settings.judges), read_judge(config, "judge")};
    judge.settings.model = entry.text("model");
    judge.votes = static_cast<int>(
        entry.integer("votes").value_or(config.integer("judge.votes").value_or(kUsualVotes)));
    judge.settings.sampling.temperature =
        entry.number("temperature").value_or(judge.votes > 1 ? kTemperatureOfVotes : 0);
    settings.judges.push_back(std::move(judge));
  }
  if (settings.judges.empty() || entries.size() < 2)
    wrong("cascade", "expected at least one model, and another model or `people` behind it");
  if (settings.judges.size() > kMostJudges)
    wrong("cascade",
          fmt::format("found {} models, expected at most {}", settings.judges.size(), kMostJudges));
  if (settings.labels.empty())
    wrong("labels",
          "missing: without what people say of some cases no judge can promise anything; draw them "
          "with assay label-sample");
  if (!settings.people && !settings.people_said.empty())
    wrong("people", "nothing is left to people; expected `people` at the end of the cascade");
  if (problems.size() > before) return std::nullopt;
  // A judge at the end of a cascade decides whatever reaches it.
  const std::size_t promising = settings.judges.size() - (settings.people ? 0 : 1);
  std::vector<int> votes;
  votes.reserve(promising);
  for (std::size_t i = 0; i < promising; ++i) votes.push_back(settings.judges[i].votes);
  const std::vector<double> errors = shared_errors(1 - settings.confidence, votes);
  for (std::size_t i = 0; i < promising; ++i) settings.judges[i].error = errors[i];
  return settings;
}

}  // namespace assay
