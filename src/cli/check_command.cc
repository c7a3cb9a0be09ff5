#include <fmt/format.h>

#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "evaluations/registry.h"
#include "gateway/gateway.h"
#include "report/terminal.h"
#include "runs/collect.h"

namespace assay {
namespace {

// Calls, tokens and cost by model; nothing was sent for it.
std::string estimate_words(const RunPlan& plan, const Scan& scan, const Gateway& gateway) {
  std::string out = fmt::format("{}: {} cases, {} {} cannot be used\n", plan.kind->name, scan.cases,
                                scan.invalid, scan.unit);
  double total = 0;
  bool known = true;
  for (const auto& [model, calls] : scan.estimate.models) {
    const Usage usage{.prompt_tokens = calls.prompt_tokens, .completion_tokens = calls.completion_tokens};
    const Price* price = gateway.price_of(model);
    const auto cost = price != nullptr ? std::optional(cost_of(usage, *price)) : std::nullopt;
    out += fmt::format(
        "{}: {}{} calls, about {} prompt and {} completion tokens, {}\n", model,
        calls.at_most ? "up to " : "", calls.calls, calls.prompt_tokens, calls.completion_tokens,
        cost ? fmt::format("about ${:.2f}", cost->usd()) : std::string("price unknown (set `prices`)"));
    known = known && cost.has_value();
    if (cost) total += cost->usd();
  }
  if (scan.estimate.target_calls > 0) out += fmt::format("target: {} calls\n", scan.estimate.target_calls);
  if (scan.estimate.models.empty() && scan.estimate.target_calls == 0)
    out += "no calls: everything is in the data\n";
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
  return bad ? kBadInput : kDone;
}

}  // namespace assay
