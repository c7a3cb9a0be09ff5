#include "evaluations/custom/asked/judgement.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "models/tokens.h"

namespace assay::custom {
namespace {

constexpr std::int64_t kVerdictTokens = 80;
constexpr int kMostVotes = 100;

std::string split_words(const std::vector<Judgement>& all, std::size_t yes) {
  return fmt::format("{} of {} say yes: {}", yes, all.size(), all.front().reason);
}

Mark yes_or_no(const std::vector<Judgement>& all) {
  Mark mark;
  const auto yes = static_cast<std::size_t>(
      std::ranges::count_if(all, [](const Judgement& one) { return one.score > 0; }));
  mark.passed = 2 * yes > all.size();
  mark.score = *mark.passed ? 1 : 0;
  mark.reason = all.size() == 1 ? all.front().reason : split_words(all, yes);
  return mark;
}

Mark class_of_most(const std::vector<Judgement>& all) {
  std::map<std::string, std::size_t> counts;
  for (const Judgement& one : all) ++counts[one.label];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  const auto as_many =
      std::ranges::count_if(counts, [&](const auto& entry) { return entry.second == most->second; });
  if (as_many > 1) return failed_mark({ErrorKind::judge, "the votes are split between several classes", {}});
  Mark mark;
  mark.label = most->first;
  mark.reason = all.front().reason;
  return mark;
}

Mark mean_score(const std::vector<Judgement>& all) {
  Mark mark;
  for (const Judgement& one : all) mark.score += one.score / static_cast<double>(all.size());
  mark.reason = all.front().reason;
  return mark;
}

}  // namespace

JsonObject metric_values(const CaseAnswer& answer) {
  JsonObject values = answer.fields;
  values.insert_or_assign("output", answer.reply.output);
  if (!answer.reply.contexts.is_null()) values.insert_or_assign("contexts", answer.reply.contexts);
  if (!answer.reply.trace.is_null()) values.insert_or_assign("trace", answer.reply.trace);
  if (!answer.reply.meta.is_null()) values.insert_or_assign("meta", answer.reply.meta);
  return values;
}

const Json* metric_value(const CaseAnswer& answer, std::string_view name) {
  if (name == "output") return &answer.reply.output;
  if (name == "contexts" && !answer.reply.contexts.is_null()) return &answer.reply.contexts;
  if (name == "trace" && !answer.reply.trace.is_null()) return &answer.reply.trace;
  if (name == "meta" && !answer.reply.meta.is_null()) return &answer.reply.meta;
  return answer.fields.if_contains(name);
}

Mark failed_mark(const Error& error) {
  Mark mark;
  mark.state = Mark::State::failed;
  mark.outcome = outcome_of(error.kind);
  mark.error = error.text();
  return mark;
}

Mark not_applicable_mark(std::string why) {
  Mark mark;
  mark.state = Mark::State::not_applicable;
  mark.reason = std::move(why);
  return mark;
}

Task<Mark> JudgedMetric::mark(const CaseAnswer& answer, std::string step, CaseContext& context) const {
  std::vector<Task<Result<Judgement>>> votes;
  votes.reserve(static_cast<std::size_t>(shape_.votes));
  for (int vote = 1; vote <= shape_.votes; ++vote)
    votes.push_back(judge(answer, shape_.votes == 1 ? step : fmt::format("{}/vote{}", step, vote), context));
  std::vector<Result<Judgement>> said = co_await all(std::move(votes));
  std::vector<Judgement> judgements;
  for (Result<Judgement>& one : said) {
    if (!one) co_return failed_mark(one.error());
    judgements.push_back(std::move(*one));
  }
  using Value = MetricShape::Value;
  Mark mark = shape_.value == Value::yes_no  ? yes_or_no(judgements)
              : shape_.value == Value::label ? class_of_most(judgements)
                                             : mean_score(judgements);
  if (mark.state == Mark::State::failed) co_return mark;
  mark.state = Mark::State::given;
  if (shape_.votes > 1 && shape_.value != Value::label) {
    for (const Judgement& one : judgements) mark.votes.push_back(one.score);
  }
  co_return mark;
}

void JudgedMetric::estimate(const CaseAnswer& answer, CallEstimate& estimate) const {
  count_judgement(request(answer), shape_.votes, estimate);
}

std::string material(const CaseAnswer& answer, const std::vector<std::string>& shown) {
  const JsonObject values = metric_values(answer);
  std::vector<std::string> blocks;
  for (const std::string& name : shown) {
    const Json* value = values.if_contains(name);
    if (value == nullptr || value->is_null()) continue;
    blocks.push_back(block(name, text_or_json(*value)));
  }
  return join(blocks, "\n\n");
}

Keys judged_options() {
  Keys keys = judge_keys(nullptr);
  for (Key& key : keys) {
    if (key.name != "model") continue;
    key.required = false;
    key.help = "A judge of its own in place of `judge`.";
  }
  keys.push_back(temperature_key());
  keys.push_back({.name = "votes",
                  .type = KeyType::integer,
                  .help = "How often an answer is judged.",
                  .minimum = 1,
                  .maximum = kMostVotes});
  keys.push_back({.name = "shows",
                  .type = KeyType::text_list,
                  .help = "What the judge is shown: fields, `output`, `contexts`, `trace`; by default all "
                          "fields and the output.",
                  .example = "[question, output, reference]"});
  return keys;
}

JudgedSettings read_judged(const MetricParts& parts) {
  JudgedSettings settings{parts.judge, parts.shown};
  if (parts.entry.has("model")) settings.judge.model = parts.entry.text("model");
  if (const auto temperature = parts.entry.number("temperature"))
    settings.judge.sampling.temperature = temperature;
  if (const auto tokens = parts.entry.integer("max_tokens"))
    settings.judge.sampling.max_tokens = static_cast<int>(*tokens);
  if (settings.judge.model.empty())
    parts.wrong("", "has no judge; set `judge`, or give the metric a `model`");
  if (parts.entry.has("shows")) {
    settings.shown = parts.entry.texts("shows");
    std::vector<std::string> known = parts.shown;
    for (const char* name : {"output", "contexts", "trace", "meta"}) {
      if (std::ranges::find(known, name) == known.end()) known.emplace_back(name);
    }
    for (const std::string& name : settings.shown) {
      if (std::ranges::find(known, name) != known.end()) continue;
      const auto guess = nearest(name, known);
      parts.wrong("shows", guess ? fmt::format("unknown field {}; did you mean `{}`?", name, *guess)
                                 : fmt::format("unknown field {}; there are {}", name, join(known, ", ")));
    }
  }
  parts.shape.judged = true;
  parts.shape.votes = static_cast<int>(parts.entry.integer("votes").value_or(1));
  return settings;
}

void count_judgement(const ChatRequest& request, int votes, CallEstimate& estimate) {
  auto& model = estimate.models[request.model];
  model.calls += votes;
  model.prompt_tokens += votes * estimate_prompt_tokens(request);
  model.completion_tokens += votes * kVerdictTokens;
}

}  // namespace assay::custom
