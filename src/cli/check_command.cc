#include <fmt/format.h>

#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "evaluations/registry.h"
#include "gateway/gateway.h"
#include "report/terminal.h"
#include "runs/about.h"
#include "runs/collect.h"
#include "runs/piped_data.h"

namespace assay {
namespace {

std::optional<double> cost_of_calls(const std::string& model, const CallEstimate::PerModel& calls,
                                    const Gateway& gateway) {
  const Price* price = gateway.price_of(model);
  if (price == nullptr) return std::nullopt;
  return cost_of({.prompt_tokens = calls.prompt_tokens, .completion_tokens = calls.completion_tokens}, *price)
      .usd();
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

// Calls, tokens and cost by model; nothing was sent for it.
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
  return out + "nothing was sent\n";
}

}  // namespace

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
  gateway.check_models(plan->evaluation->models(), problems);
  gateway.check_variables(plan->evaluation->variables(), problems);
  const auto looked =
      loop.run_until_done(look_at_earlier(*plan->evaluation, plan->config.text("output_dir")));
  if (!looked) return bad_input(looked.error(), surroundings);
  auto scan = scan_data(*plan->evaluation, Estimating::all);
  if (!problems.empty()) show_problems(problems, surroundings);
  if (!scan) return bad_input(scan.error(), surroundings);
  show_data_problems(scan->problems, surroundings);
  for (const std::string& remark : plan->evaluation->remarks()) print(terminal_text(remark) + "\n");
  print(estimate_words(*plan, *scan, gateway));
  const bool bad =
      !problems.empty() || scan->cases == 0 || (scan->invalid > 0 && !plan->config.boolean("skip_invalid"));
  if (scan->cases == 0) print_error("error: the data hold no case\n");
  if (bad || !arguments->has("probe")) return bad ? kBadInput : kDone;
  return evaluation.empty() ? run_evaluation_command(words, surroundings)
                            : named_evaluation_command(evaluation, rest, surroundings);
}

}  // namespace assay
