#include <algorithm>
#include <iterator>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "evaluations/registry.h"
#include "gateway/gateway.h"
#include "report/figure_json.h"
#include "report/terminal.h"
#include "runs/about.h"
#include "runs/collect.h"
#include "runs/distributed/distribution.h"
#include "runs/piped_data.h"

namespace assay {
namespace {

std::optional<double> cost_of_calls(const std::string& model, const CallEstimate::PerModel& calls,
                                    const Gateway& gateway) {
  const Price* price = gateway.price_of(model);
  if (price == nullptr) return std::nullopt;
  const Tariff tariff = gateway.settings().batch ? Tariff::batch : Tariff::usual;
  return cost_of({.prompt_tokens = calls.prompt_tokens, .completion_tokens = calls.completion_tokens}, *price,
                 tariff)
      .usd();
}

// What was found, for programs: the same as the words, and the problems that people find beside them.
struct Checked {
  const RunPlan& plan;
  const Scan& scan;
  const std::vector<ConfigProblem>& problems;
  bool good = false;
};

JsonObject estimate_json(const CallEstimate& estimate, const Gateway& gateway) {
  JsonArray models;
  std::optional<double> total = 0;
  for (const auto& [model, calls] : estimate.models) {
    const auto cost = cost_of_calls(model, calls, gateway);
    total = total && cost ? std::optional(*total + *cost) : std::nullopt;
    models.push_back(JsonObject{{"model", model},
                                {"calls", calls.calls},
                                {"at_most", calls.at_most},
                                {"prompt_tokens", calls.prompt_tokens},
                                {"completion_tokens", calls.completion_tokens},
                                {"cost_usd", number_json(cost)}});
  }
  return {{"models", std::move(models)},
          {"target_calls", estimate.target_calls},
          {"cost_usd", number_json(total)}};
}

// Prompts that will not fit, as far as it can be told beforehand.
std::vector<std::string> window_warnings(const Scan& scan, const Gateway& gateway) {
  std::vector<std::string> warnings;
  for (const auto& [model, longest] : scan.longest) {
    const auto window = gateway.window_of(model);
    if (!window || longest.tokens <= *window) continue;
    warnings.push_back(
        fmt::format("{}: a request of case {} has about {} tokens, and {} fit into the model's context",
                    model, longest.case_id, longest.tokens, *window));
  }
  return warnings;
}

Json checked_json(const Checked& checked, const Gateway& gateway) {
  JsonArray problems;
  for (const ConfigProblem& one : checked.problems)
    problems.push_back(
        JsonObject{{"severity", "error"}, {"place", one.where}, {"key", one.key}, {"message", one.text}});
  for (const Problem& one : checked.scan.problems.first)
    problems.push_back(
        JsonObject{{"severity", one.severity}, {"place", one.where}, {"key", ""}, {"message", one.text}});
  JsonArray remarks;
  for (const std::string& remark : checked.plan.evaluation->remarks()) remarks.emplace_back(remark);
  for (const std::string& warning : window_warnings(checked.scan, gateway)) remarks.emplace_back(warning);
  JsonObject parts;
  for (const auto& [part, estimate] : checked.scan.estimate.parts)
    parts[part] = estimate_json(estimate, gateway);
  JsonObject json{
      {"evaluation", checked.plan.kind->name},
      {"ok", checked.good},
      {"cases", checked.scan.cases},
      {"left_out", checked.scan.left_out},
      {"invalid", checked.scan.invalid},
      {"problems", std::move(problems)},
      {"problem_count", static_cast<std::int64_t>(checked.problems.size()) + checked.scan.problems.count},
      {"remarks", std::move(remarks)}};
  for (auto& member : estimate_json(checked.scan.estimate, gateway))
    json[member.key()] = std::move(member.value());
  json["parts"] = std::move(parts);
  return json;
}

// "  variant old: 60 calls, about $0.12"
std::string part_words(const std::string& part, const CallEstimate& estimate, const Gateway& gateway) {
  std::int64_t calls = estimate.target_calls;
  bool at_most = false;
  std::optional<double> cost = 0;
  for (const auto& [model, asked] : estimate.models) {
    calls += asked.calls;
    at_most = at_most || asked.at_most;
    const auto more = cost_of_calls(model, asked, gateway);
    cost = cost && more ? std::optional(*cost + *more) : std::nullopt;
  }
  return fmt::format("  {}: {}{} calls, {}\n", part, at_most ? "up to " : "", calls,
                     cost ? fmt::format("about ${:.2f}", *cost) : std::string("price unknown"));
}

}  // namespace

std::string estimate_words(const RunPlan& plan, const Scan& scan, const Gateway& gateway) {
  std::string out =
      fmt::format("{}: {}, {} {} cannot be used\n", plan.kind->name,
                  taken_words(plan.evaluation->choice(), scan.cases, scan.left_out), scan.invalid, scan.unit);
  double total = 0;
  bool known = true;
  for (const auto& [model, calls] : scan.estimate.models) {
    const auto cost = cost_of_calls(model, calls, gateway);
    out +=
        fmt::format("{}: {}{} calls, about {} prompt and {} completion tokens, {}\n", model,
                    calls.at_most ? "up to " : "", calls.calls, calls.prompt_tokens, calls.completion_tokens,
                    cost ? fmt::format("about ${:.2f}", *cost) : std::string("price unknown (set `prices`)"));
    known = known && cost.has_value();
    if (cost) total += *cost;
  }
  if (scan.estimate.target_calls > 0) out += fmt::format("target: {} calls\n", scan.estimate.target_calls);
  if (scan.estimate.models.empty() && scan.estimate.target_calls == 0)
    out += "no calls: everything is in the data\n";
  for (const auto& [part, estimate] : scan.estimate.parts) out += part_words(part, estimate, gateway);
  if (known && scan.estimate.models.size() > 1) out += fmt::format("together about ${:.2f}\n", total);
  return out;
}

int check_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  std::string evaluation;
  std::vector<std::string> rest = words;
  if (!rest.empty() && find_evaluation(rest.front()) != nullptr) {
    evaluation = rest.front();
    rest.erase(rest.begin());
  }
  auto arguments = parse_arguments(rest, any_evaluation_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("check", evaluation, *arguments, surroundings)) return kDone;
  if (arguments->words.size() > 1 || (arguments->words.empty() && evaluation.empty()))
    return bad_input({ErrorKind::usage, "which config? assay check CONFIG", {}}, surroundings);
  const auto telling = telling_of(*arguments, surroundings);
  if (!telling) return kBadInput;
  const bool json = *telling == Telling::json;
  auto plan =
      plan_from(evaluation, arguments->words.empty() ? "" : arguments->words[0], *arguments, surroundings);
  if (!plan) return kBadInput;
  if (const auto piped = piped_data(all_keys(*plan->kind), plan->config)) {
    return bad_input({ErrorKind::usage,
                      "found a pipe, which can be read once only: a run copies it, a check would use it up; "
                      "give the check a file",
                      {{"key", piped->key}}},
                     surroundings);
  }
  EventLoop loop;
  std::vector<ConfigProblem> problems;
  Gateway gateway(loop, plan->config, surroundings.environment, problems);
  std::ranges::move(asking_problems(*plan, gateway), std::back_inserter(problems));
  const auto looked =
      loop.run_until_done(look_at_earlier(*plan->evaluation, plan->config.text("output_dir")));
  if (!looked) return bad_input(looked.error(), surroundings);
  auto scan = scan_data(*plan->evaluation, Estimating::all);
  if (!problems.empty() && !json) show_problems(problems, surroundings);
  if (!scan) return bad_input(scan.error(), surroundings);
  const bool bad =
      !problems.empty() || scan->cases == 0 || (scan->invalid > 0 && !plan->config.boolean("skip_invalid"));
  if (json) {
    print(pretty_text(checked_json({*plan, *scan, problems, !bad}, gateway)));
  } else {
    show_data_problems(scan->problems, surroundings);
    for (const std::string& remark : plan->evaluation->remarks()) print(terminal_text(remark) + "\n");
    print(estimate_words(*plan, *scan, gateway) + "nothing was sent\n");
  }
  for (const std::string& warning : window_warnings(*scan, gateway))
    print_error(fmt::format("warning: {}\n", terminal_text(warning)));
  if (scan->cases == 0) print_error("error: the data hold no case\n");
  if (bad || json || !arguments->has("probe")) return bad ? kBadInput : kDone;
  return evaluation.empty() ? run_evaluation_command(words, surroundings)
                            : named_evaluation_command(evaluation, rest, surroundings);
}

}  // namespace assay
