#include "evaluations/custom/plan.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/custom/asked/cascaded.h"
#include "evaluations/custom/figures/case_scores.h"
#include "evaluations/custom/survey.h"
#include "evaluations/fill.h"

namespace assay::custom {
namespace {

constexpr std::string_view kChecks = "checks";
constexpr std::size_t kMostTold = 20;

// A row of outputs.jsonl is one answer of a case: the case's id is there several times.
bool is_output_row(const Json& line) {
  return find_member(line, "variant") != nullptr && find_member(line, "repeat") != nullptr &&
         find_member(line, "output") != nullptr;
}

void set_lines(const Config& config, bool data_hold_outputs, Plan& plan) {
  const std::string cluster = config.text("cluster");
  const auto answer_of = [data_hold_outputs](const Json& line) {
    return data_hold_outputs && is_output_row(line);
  };
  plan.lines.id = [answer_of](const Json& line) {
    std::string id = text_of_id(line, "id");
    if (!id.empty() && answer_of(line))
      id += fmt::format("/{}/{}", text_at(line, "variant"), text_of_id(line, "repeat"));
    return id;
  };
  plan.lines.cluster = [cluster, answer_of](const Json& line) {
    if (!cluster.empty()) return text_of_id(line, cluster);
    return answer_of(line) ? text_of_id(line, "id") : std::string();
  };
}

// What metrics find in the material that the case itself holds. `checks` are its own.
MaterialFindings look_at_material(const Plan& plan, const JsonObject& fields,
                                  const std::vector<MetricRule>& checks) {
  MaterialFindings found;
  const bool asks = std::ranges::any_of(plan.metrics, [](const MetricRule& m) { return m.asked != nullptr; });
  if (!asks && checks.empty()) return found;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    const NamedVariant& named = plan.variants[i];
    if (plan.kept || named.variant->brings_contexts()) continue;
    const Result<Reply> known = plan.asks_variant(i) ? Reply() : named.variant->given(fields);
    if (!known) continue;
    const std::string id;
    const CaseAnswer answer{fields, *known, id, named.name};
    for (const auto* list : {&plan.metrics, &checks}) {
      for (const MetricRule& rule : *list) {
        if (rule.asked && not_applicable(rule, answer).empty()) rule.asked->look_at(answer, found);
      }
    }
  }
  return found;
}

std::vector<std::string> line_problems(const Plan& plan, const std::string& cluster, const Json& line) {
  std::vector<std::string> found;
  if (!line.is_object()) {
    found.push_back(fmt::format("found {}, expected an object with fields", excerpt(line)));
    return found;
  }
  if (const Json* id = find_member(line, "id");
      id != nullptr && !id->is_null() && !id->is_string() && !as_integer(*id))
    found.push_back(fmt::format("field id: found {}, expected text or a whole number", excerpt(*id)));
  if (!cluster.empty() && text_of_id(line, cluster).empty())
    found.push_back(fmt::format("field {}: missing; it is the config's `cluster`", cluster));
  const Json* checks = find_member(line, kChecks);
  if (checks != nullptr && !checks->is_null() && !checks->is_array()) {
    found.push_back(fmt::format("field checks: found {}, expected a list of metrics", excerpt(*checks)));
    return found;
  }
  std::vector<ConfigProblem> problems;
  std::vector<MetricRule> own;
  for (std::size_t i = 0; checks != nullptr && checks->is_array() && i < checks->get_array().size(); ++i) {
    if (auto rule = read_case_check(checks->get_array()[i], i, plan.surroundings_of_checks(), problems))
      own.push_back(std::move(*rule));
  }
  for (const ConfigProblem& problem : problems)
    found.push_back(fmt::format("field {}: {}", problem.key, problem.text));
  for (const auto& [field, words] : look_at_material(plan, line.get_object(), own).wrong)
    found.push_back(fmt::format("field {}: {}", field, words));
  return found;
}

void count_unread(const Plan& plan, const JsonObject& fields, std::map<std::string, KeyCounts>& unread) {
  const auto checks = plan.case_checks(fields).value_or(std::vector<MetricRule>());
  for (const auto& [field, counts] : look_at_material(plan, fields, checks).unread) {
    for (const auto& [key, count] : counts) unread[field][key] += count;
  }
}

std::string unknown_field(const std::string& name, const std::vector<std::string>& fields) {
  const auto guess = nearest(name, fields);
  return guess ? fmt::format("unknown field {{{}}}; did you mean {{{}}}?", name, *guess)
               : fmt::format("unknown field {{{}}}; the data have {}", name, join(fields, ", "));
}

// Whether variants name only fields that there are, and none that would tell them the answer.
void check_variants(const Plan& plan, bool known, std::vector<ConfigProblem>& problems) {
  for (const NamedVariant& named : plan.variants) {
    const bool data = named.name.empty();
    const std::string key = data ? "variants" : "variants." + named.name;
    bool filled = false;
    for (const auto& [field, place] : named.variant->placeholders()) {
      std::vector<std::string> named_field{field};
      leave_out_prose(named_field, plan.fields);
      if (known && named_field.empty()) continue;
      filled = true;
      const bool there = std::ranges::find(plan.fields, field) != plan.fields.end();
      if (known && !there) {
        problems.push_back({"config", key,
                            data ? "no variants are declared, and the data have no field output"
                                 : fmt::format("{}: {}", place, unknown_field(field, plan.fields))});
      }
      if (named.variant->asks() && std::ranges::find(plan.answer_keys, field) != plan.answer_keys.end()) {
        problems.push_back(
            {"config", key,
             fmt::format("{}: {{{}}} is an answer key, which no variant may see", place, field)});
      }
    }
    if (!filled && !named.variant->models().empty()) {
      problems.push_back({"config", key,
                          fmt::format("the prompt names no field, such as {{{}}}: every case would be asked "
                                      "the same",
                                      plan.fields.empty() ? "question" : plan.fields.front())});
    }
  }
}

// None where there is nothing to compare, or where `variant` leaves it out of this run.
void read_baseline(const Config& config, Plan& plan) {
  Design& design = plan.design;
  for (const NamedVariant& named : plan.variants) design.variants.push_back(named.name);
  const std::string named = config.text("baseline");
  const auto found = named.empty() ? design.variants.begin() : std::ranges::find(design.variants, named);
  if (design.variants.size() > 1 && found != design.variants.end())
    design.baseline = static_cast<std::size_t>(found - design.variants.begin());
}

void read_metrics(const Config& config, Plan& plan, std::vector<ConfigProblem>& problems) {
  const Json* list = config.find("metrics");
  const JsonArray entries = list != nullptr ? list->get_array() : JsonArray();
  const MetricSurroundings around = plan.surroundings();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string key = fmt::format("metrics[{}]", i);
    auto rule = read_metric(entries[i].get_object(), key, around, problems);
    if (!rule) continue;
    for (const MetricRule& other : plan.metrics) {
      if (other.shape.name == rule->shape.name)
        problems.push_back({"config", key, fmt::format("the name {} is there twice", rule->shape.name)});
    }
    if (rule->shape.value == MetricShape::Value::pair && !plan.design.baseline) {
      if (config.has("variant")) continue;  // there is nothing to compare with in this run
      problems.push_back({"config", key, "pairwise compares variants; declare at least two"});
    }
    plan.metrics.push_back(std::move(*rule));
  }
}

void read_design(const Config& config, Plan& plan, std::vector<ConfigProblem>& problems) {
  Design& design = plan.design;
  for (const MetricRule& rule : plan.metrics) design.metrics.push_back(rule.shape);
  design.repeats = static_cast<int>(config.integer("repeat").value_or(1));
  const bool given = !plan.kept && std::ranges::any_of(plan.variants, [](const NamedVariant& named) {
    return !named.variant->asks();
  });
  if (design.repeats > 1 && given)
    problems.push_back(
        {"config", "repeat", "an output that stands in the data is one answer; repeat asks variants again"});
  for (const std::string& name : config.texts("case_passes")) {
    const auto found = std::ranges::find(design.metrics, name, &MetricShape::name);
    if (found == design.metrics.end()) {
      problems.push_back({"config", "case_passes", fmt::format("there is no metric {}", name)});
    } else if (!found->has_rate()) {
      problems.push_back(
          {"config", "case_passes", fmt::format("{} is neither passed nor failed; give it `passes`", name)});
    } else {
      design.case_passes.push_back(static_cast<std::size_t>(found - design.metrics.begin()));
    }
  }
  design.slices = config.texts("slices");
  for (const std::string& name : design.slices) {
    if (!plan.fields.empty() && std::ranges::find(plan.fields, name) == plan.fields.end())
      problems.push_back({"config", "slices", unknown_field(name, plan.fields)});
  }
}

// A label is of a case; with several answers to one it would be open which.
void add_cascade(const Config& config, Plan& plan, std::vector<ConfigProblem>& problems) {
  if (!plan.cascaded) return;
  if (plan.variants.size() > 1 || plan.design.repeats > 1) {
    problems.push_back({"config", "judge.cascade",
                        "a label is of a case, and here a case has several answers; take one `variant`, and "
                        "`repeat: 1`"});
    return;
  }
  const MetricRule* rule = cascaded_metric(plan.metrics, problems);
  if (rule != nullptr) plan.cascade = make_cascade(*plan.cascaded, config, *rule, problems);
}

// A metric that no case is about is a mistake in its condition or in a name.
void check_applies(const Plan& plan, const Survey& seen, const std::vector<std::int64_t>& met,
                   std::vector<ConfigProblem>& problems) {
  if (!seen.whole || seen.cases == 0) return;
  for (std::size_t i = 0; i < plan.metrics.size(); ++i) {
    const MetricRule& rule = plan.metrics[i];
    const std::string& key = rule.key;
    if (rule.when && met[i] == 0) {
      problems.push_back(
          {"config", key + ".when",
           fmt::format("holds for none of {} cases: {} would never apply", seen.cases, rule.shape.name)});
      continue;
    }
    for (const std::string& name : rule.filled_from) {
      const auto field = seen.fields.find(name);
      if (field != seen.fields.end() && field->second == 0)
        problems.push_back({"config", key,
                            fmt::format("the field {} is empty in all of {} cases: {} would "
                                        "never apply",
                                        name, seen.cases, rule.shape.name)});
    }
  }
}

// Of data without a single good case no field is known: why comes first, since all else would follow from it.
void tell_unreadable(CaseSource& source, std::vector<ConfigProblem>& problems) {
  std::size_t told = 0;
  for (const Problem& problem : source.take_problems()) {
    if (problem.severity != "error" || told++ == kMostTold) continue;
    problems.push_back({"config", "input_path", fmt::format("{}: {}", problem.where, problem.text)});
  }
}

// Fields by their names, from the data and from what the config declares.
Survey look_at_fields(Plan& plan, std::vector<ConfigProblem>& problems) {
  const std::string& path = plan.lines.data.path;
  // Workers on other machines have cases, and no data: what the judge is shown must be the same there.
  const auto text = plan.config.made("fields of the data in " + path, [&]() -> Result<std::string> {
    Survey seen;
    seen.whole = false;
    // What can be read once only is copied into the run first, and looked at then.
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return survey_text(seen);
    auto source = open_trees(plan.lines);
    if (!source) return fail(std::move(source.error()));
    std::int64_t with_checks = 0;
    seen = survey(**source, [&](const JsonObject& fields) {
      const Json* checks = fields.if_contains(kChecks);
      if (checks != nullptr && checks->is_array() && !checks->get_array().empty()) ++with_checks;
    });
    seen.with_checks = with_checks;
    if (seen.whole && seen.cases == 0) tell_unreadable(**source, problems);
    return survey_text(seen);
  });
  if (!text) {
    problems.push_back({"config", "input_path", text.error().text()});
    return {.fields = {}, .names = {}, .whole = false};
  }
  const Survey seen = read_survey(*text);
  if (seen.with_checks > 0) plan.design.case_checks = true;
  if (!seen.whole && seen.cases == 0) return seen;
  plan.fields = seen.names;
  for (const FieldRule& rule : plan.lines.data.fields.rules) {
    if (std::ranges::find(plan.fields, rule.name) == plan.fields.end()) plan.fields.push_back(rule.name);
    if (rule.answer_key) plan.answer_keys.push_back(rule.name);
  }
  // What they say is for the checks alone.
  plan.answer_keys.emplace_back(kChecks);
  std::erase(plan.fields, kChecks);
  return seen;
}

// How often each condition holds, and whether a case's own checks ask anybody.
void look_at_cases(Plan& plan, std::vector<std::int64_t>& met) {
  met.assign(plan.metrics.size(), 0);
  const bool conditions =
      std::ranges::any_of(plan.metrics, [](const MetricRule& rule) { return rule.when.has_value(); });
  if (!conditions && !plan.design.case_checks) return;
  const auto text =
      plan.config.made("cases of the data in " + plan.lines.data.path, [&]() -> Result<std::string> {
        auto source = open_trees(plan.lines);
        if (!source) return fail(std::move(source.error()));
        bool asks = plan.asks;
        survey(**source, [&](const JsonObject& fields) {
          for (std::size_t i = 0; i < plan.metrics.size(); ++i) {
            if (plan.metrics[i].when && plan.metrics[i].when->holds(fields)) ++met[i];
          }
          if (asks) return;
          for (const MetricRule& rule : plan.case_checks(fields).value_or(std::vector<MetricRule>()))
            asks = asks || rule.asked != nullptr;
        });
        return to_text(JsonObject{{"met", JsonArray(met.begin(), met.end())}, {"asks", asks}});
      });
  const auto tree = text ? parse_json(*text) : Result<Json>(fail(text.error()));
  if (!tree) return;  // told when the data are opened for the run
  const JsonArray& counts = list_at(*tree, "met");
  for (std::size_t i = 0; i < std::min(met.size(), counts.size()); ++i)
    met[i] = as_integer(counts[i]).value_or(0);
  const Json* asks = find_member(*tree, "asks");
  plan.asks = plan.asks || (asks != nullptr && as_boolean(*asks).value_or(false));
}

}  // namespace

Answered Plan::given_answer(const JsonObject& fields_of_case, const std::string& case_id, std::size_t variant,
                            int repeat) const {
  if (kept) return kept->find(case_id, variants[variant].name, repeat);
  return answered(variants[variant].variant->given(fields_of_case));
}

MetricSurroundings Plan::surroundings() const {
  std::vector<JudgeSettings> judges;
  if (cascaded) {
    for (const CascadeJudge& one : cascaded->judges) judges.push_back(one.settings);
  }
  return {.config = config,
          .fields = fields,
          .fields_known = !fields.empty(),
          .judge = judge,
          .cascade = std::move(judges),
          .prompts = prompts,
          .directory = std::filesystem::path(lines.data.path).parent_path().string()};
}

MetricSurroundings Plan::surroundings_of_checks() const {
  MetricSurroundings around = surroundings();
  around.cascade.clear();
  return around;
}

Result<std::vector<MetricRule>> Plan::case_checks(const JsonObject& fields_of_case) const {
  std::vector<MetricRule> rules;
  const Json* checks = fields_of_case.if_contains(kChecks);
  if (checks == nullptr || !checks->is_array()) return rules;
  const MetricSurroundings around = surroundings_of_checks();
  for (std::size_t i = 0; i < checks->get_array().size(); ++i) {
    std::vector<ConfigProblem> problems;
    auto rule = read_case_check(checks->get_array()[i], i, around, problems);
    if (!rule) {
      const std::string why = problems.empty() ? "is none" : problems.front().text;
      return fail(ErrorKind::config, fmt::format("checks[{}]: {}", i, why));
    }
    rules.push_back(std::move(*rule));
  }
  return rules;
}

std::unique_ptr<Plan> read_plan(const Config& config, std::vector<ConfigProblem>& problems) {
  auto plan = std::make_unique<Plan>();
  plan->config = config;
  plan->prompts.replace(config, problems);
  if (config.has("judge")) plan->judge = read_judge(config, "judge");
  plan->judge.attempts = judge_attempts(config);
  plan->cascaded = read_cascade(config, problems);
  plan->variants = read_variants(config, problems);
  if (config.has("outputs")) {
    if (auto kept = KeptOutputs::open(config.text("outputs"))) {
      plan->kept = std::move(*kept);
    } else {
      problems.push_back({"config", "outputs", kept.error().text()});
    }
  }
  plan->lines.data = read_data_file(config, "input_path", problems);
  const bool data_hold_outputs = plan->variants.size() == 1 && plan->variants.front().name.empty();
  set_lines(config, data_hold_outputs, *plan);
  // Which fields there are must be known before a case's own checks can be held against them.
  plan->lines.check = [](const Json& line) {
    return line.is_object() ? std::vector<std::string>() : std::vector<std::string>{"not an object"};
  };
  const std::size_t before = problems.size();
  const Survey seen = look_at_fields(*plan, problems);
  if (seen.whole && seen.cases == 0 && problems.size() > before) return plan;
  plan->lines.check = [plan = plan.get(), cluster = config.text("cluster")](const Json& line) {
    return line_problems(*plan, cluster, line);
  };
  check_variants(*plan, seen.whole && seen.cases > 0, problems);
  plan->lines.count_unread = [plan = plan.get()](const Json& line, auto& unread) {
    count_unread(*plan, line.get_object(), unread);
  };
  read_baseline(config, *plan);
  read_metrics(config, *plan, problems);
  read_design(config, *plan, problems);
  if (problems.empty()) add_cascade(config, *plan, problems);
  for (std::size_t i = 0; i < plan->variants.size(); ++i) plan->asks = plan->asks || plan->asks_variant(i);
  plan->asks = plan->asks ||
               std::ranges::any_of(plan->metrics, [](const MetricRule& m) { return m.asked != nullptr; });
  if (plan->metrics.empty() && !plan->design.case_checks && problems.empty())
    problems.push_back({"config", "metrics", "found none, expected at least one metric"});
  std::vector<std::int64_t> met;
  look_at_cases(*plan, met);
  check_applies(*plan, seen, met, problems);
  if (problems.empty()) plan->human = HumanCheck::from(config, mean_figures(plan->design), problems);
  return plan;
}

}  // namespace assay::custom
