#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "cli/execution.h"
#include "cli/progress.h"
#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/secrets/literal_secrets.h"
#include "core/time.h"
#include "core/visible.h"
#include "evaluations/registry.h"
#include "net/signals.h"
#include "report/terminal.h"
#include "report/words.h"
#include "runs/distributed/distribution.h"
#include "runs/finished.h"
#include "runs/piped_data.h"
#include "runs/run.h"
#include "runs/seal.h"

namespace assay {
namespace {

int exit_code_of(const Summary& summary) {
  const bool gate_failed =
      std::ranges::any_of(summary.gates, [](const GateResult& gate) { return !gate.passed; });
  if (gate_failed) return kGateFailed;
  return summary.cases.errored > 0 ? kCasesErrored : kDone;
}

// Usage is that of all sittings; whoever runs again wants to know what this one has sent.
std::string sitting_words(std::int64_t sent, std::int64_t all) {
  if (sent >= all) return "";
  if (sent == 0) return "nothing was sent in this sitting; the usage is that of earlier ones\n";
  return fmt::format("{} in this sitting, the others in earlier ones\n",
                     counted_words(sent, "request was sent", "requests were sent"));
}

// What the words below say, for programs; asked for, it comes although the rest is to be quiet.
Json finished_json(const ReportInput& report, const std::string& directory, std::int64_t sent) {
  JsonArray pages{Json(directory + "/report.html")};
  for (const std::string& page : report.pages) pages.push_back(Json(fmt::format("{}/{}", directory, page)));
  const auto seal = seal_of(directory);
  return JsonObject{{"directory", directory},
                    {"sent", sent},
                    {"problems", report.problem_count},
                    {"pages", std::move(pages)},
                    {"seal", seal ? Json(*seal) : Json(nullptr)},
                    {"summary", to_json(report.summary)}};
}

// `sent`: requests of this sitting.
int show_finished(const ReportInput& report, const Execution& execution, const Surroundings& surroundings,
                  std::int64_t sent = 0) {
  if (execution.telling == Telling::json)
    print(pretty_text(finished_json(report, execution.directory, sent)));
  if (execution.quiet || execution.telling == Telling::json) return exit_code_of(report.summary);
  TerminalStyle style;
  style.colour = surroundings.terminal.colour ? Colour::ansi : Colour::none;
  style.width = static_cast<std::size_t>(surroundings.terminal.width);
  style.most_figures = 16;  // the rest is in the report
  print(terminal_summary(report.summary, style));
  print(sitting_words(sent, report.summary.usage.requests));
  print(fmt::format("\nreport: {}/report.html\n", execution.directory));
  for (const std::string& page : report.pages)
    print(fmt::format("        {}/{}\n", execution.directory, page));
  if (report.problem_count > 0)
    print(fmt::format("problems: {} in {}/problems.log\n", report.problem_count, execution.directory));
  if (const auto seal = seal_of(execution.directory))
    print(fmt::format("seal:   {} (kept elsewhere, it vouches for all files: assay verify {} --seal ...)\n",
                      *seal, execution.directory));
  return exit_code_of(report.summary);
}

// What goes on, and is paid for, although the run has ended.
void show_open_batches(const BatchDesk::Open& open) {
  if (open.ids.empty()) return;
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> shown(
      open.ids.begin(), open.ids.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, open.ids.size())));
  print_error(fmt::format("{} with {} {} on at the provider ({}{}); a resume takes the answers\n",
                          counted_words(static_cast<std::int64_t>(open.ids.size()), "batch", "batches"),
                          counted_words(static_cast<std::int64_t>(open.requests), "request", "requests"),
                          open.ids.size() == 1 ? "goes" : "go", fmt::join(shown, ", "),
                          open.ids.size() > kShown ? ", …" : ""));
}

int show_stopped(const RunResult& result, const Execution& execution, const Surroundings& surroundings) {
  show_open_batches(result.batches);
  if (result.end == RunEnd::interrupted) {
    print_error(fmt::format("interrupted; every answer so far is kept. Go on with: assay resume {}\n",
                            execution.directory));
    return kInterrupted;
  }
  if (result.reason) show_error(*result.reason, surroundings);
  if (!RunStore::holds_run(execution.directory)) {
    print_error(fmt::format(
        "{} is not there any more: its answers are lost unless you moved it, and nothing more was "
        "asked\n",
        execution.directory));
    return kCasesErrored;
  }
  print_error(fmt::format("every answer so far is kept. When the cause is mended: assay resume {}\n",
                          execution.directory));
  return kCasesErrored;
}

RunRequest request_for(const Execution& execution) {
  RunRequest request{.evaluation_name = std::string(execution.plan.kind->name),
                     .evaluation = *execution.plan.evaluation,
                     .config = execution.plan.config,
                     .directory = execution.directory,
                     .opening = execution.opening,
                     .texts = execution.plan.texts,
                     .copied_data = execution.copied ? execution.copied->name() : execution.own_data,
                     .command = execution.command,
                     .gates = execution.plan.gates,
                     .stop_when = execution.plan.stop_when,
                     .collecting = Collecting::beside,
                     .damage = execution.damage};
  request.warn = [](const std::string& words) { print_error(fmt::format("warning: {}\n", visible(words))); };
  if (execution.verbose) request.trace = [](const std::string& line) { print_error(visible(line) + "\n"); };
  return request;
}

// Cases that ask nothing outside are evaluated while they are read.
int evaluate_data(const Execution& execution, const Surroundings& surroundings) {
  ProblemList problems;
  auto report = run_without_effects(request_for(execution), problems);
  if (!report) {
    show_data_problems(problems, surroundings);
    Error error = std::move(report.error());
    if (error.kind == ErrorKind::data) {
      error = std::move(error).with("file", execution.plan.evaluation->data_path());
      if (problems.errors > 0) error.message += "; mend them, or run the good ones with --skip-invalid";
    }
    return bad_input(error, surroundings);
  }
  if (!execution.quiet) show_data_problems(problems, surroundings);
  return show_finished(*report, execution, surroundings);
}

int execute(const Execution& execution, const Scan& scan, Gateway& gateway,
            const Surroundings& surroundings) {
  EventLoop& loop = gateway.loop();
  RunRequest request = request_for(execution);
  request.cases = scan.cases + scan.beside;
  request.calls_a_case = scan.calls_a_case();
  auto run = loop.run_until_done(Run::open(gateway, std::move(request)));
  if (!run) return cannot_begin(run.error(), surroundings);
  for (const std::string& note : (*run)->opening_notes()) print_error(fmt::format("note: {}\n", note));
  RunResult result;
  {
    int signals = 0;
    const SignalWatch watch(loop, [&](int) {
      // The second signal does not wait; what was journaled is safe.
      if (++signals > 1) ::_exit(kInterrupted);
      print_error("\nstopping: waiting for what is in flight (again to stop at once)\n");
      (*run)->interrupt();
    });
    const ProgressLine progress(
        loop, surroundings.terminal,
        execution.quiet ? ProgressLine::Loudness::quiet : ProgressLine::Loudness::normal, **run);
    result = loop.run_until_done((*run)->execute());
  }
  const bool out_of_budget = result.reason && result.reason->kind == ErrorKind::budget;
  if (result.end != RunEnd::complete && !out_of_budget) return show_stopped(result, execution, surroundings);
  std::vector<Problem> warnings;
  for (std::string& note : gateway.notes(execution.plan.evaluation->models()))
    warnings.push_back({"warning", "", std::move(note)});
  ProblemList problems;
  auto report = loop.run_until_done((*run)->collect(result, std::move(warnings), problems));
  if (!report) {
    return show_stopped({RunEnd::stopped, report.error()}, execution, surroundings);
  }
  if (out_of_budget) {
    show_error(*result.reason, surroundings);
    show_open_batches(result.batches);
  }
  return show_finished(*report, execution, surroundings, (*run)->progress().requests);
}

// `assay experiment --verify DIR`: every check with what it found; 1 if one fails, 2 if files are missing.
int verify_run(const EvaluationKind& kind, std::string_view directory, Telling telling,
               const Surroundings& surroundings) {
  auto checks = verify_finished(kind, std::string(directory));
  if (!checks) return bad_input(checks.error(), surroundings);
  const bool passed = std::ranges::all_of(*checks, &RunCheck::passed);
  if (telling == Telling::json) {
    print(pretty_text(
        JsonObject{{"directory", directory}, {"passed", passed}, {"checks", checks_json(*checks)}}));
  } else {
    show_checks(*checks, "");
  }
  return passed ? kDone : kGateFailed;
}

// The one case of a run that was to try everything out, as `assay show` has it.
int show_probe(const std::string& directory, int code, Telling telling, const Surroundings& surroundings) {
  auto reader = LineReader::open(directory + "/results.jsonl");
  if (!reader) return code;  // it did not come so far, and has said why
  const auto line = reader->next();
  const auto tree = line && *line ? parse_json((*line)->text) : Result<Json>(fail(ErrorKind::data, ""));
  if (!tree) return code;
  show_command({directory, text_at(*tree, "id"), "--format", telling == Telling::json ? "json" : "text"},
               surroundings);
  return code;
}

int run_words(std::string_view evaluation, std::string_view command, const std::vector<std::string>& words,
              const Surroundings& surroundings) {
  const EvaluationKind* kind = find_evaluation(evaluation);
  Keys keys = kind != nullptr ? all_keys(*kind) : any_evaluation_keys();
  if (kind != nullptr) {
    for (Key& key : evaluation_flags(*kind)) keys.push_back(std::move(key));
  }
  auto arguments = parse_arguments(words, keys);
  if (!arguments) return bad_input(arguments.error(), surroundings);
  const auto verify = std::ranges::find(arguments->flags, "verify", &FlagValue::name);
  const auto telling = telling_of(*arguments, surroundings);
  if (!telling) return kBadInput;
  if (verify != arguments->flags.end())
    return verify_run(*kind, verify->value.value_or("."), *telling, surroundings);
  if (shown_help(command, evaluation, *arguments, surroundings)) return kDone;
  if (arguments->words.size() > 1 || (arguments->words.empty() && evaluation.empty())) {
    return bad_input({ErrorKind::usage,
                      arguments->words.empty() ? std::string("which config? assay run CONFIG")
                                               : fmt::format("found {} and {}, expected one config",
                                                             arguments->words[0], arguments->words[1]),
                      {}},
                     surroundings);
  }
  const bool probe = arguments->has("probe");
  if (probe) arguments->flags.push_back({"limit", "1"});
  auto plan =
      plan_from(evaluation, arguments->words.empty() ? "" : arguments->words[0], *arguments, surroundings);
  if (!plan) return kBadInput;
  Execution execution;
  execution.plan = std::move(*plan);
  execution.telling = *telling;
  execution.quiet = arguments->has("quiet");
  execution.verbose = arguments->has("verbose");
  Secrets secrets(kHiddenMark);
  add_secrets_of(execution.plan.config.values(), secrets);
  for (const std::string& value : execution.plan.config.filled_secrets()) secrets.add(value);
  execution.command = secrets.hide(command_line(evaluation.empty() ? command : evaluation, words));
  execution.directory = execution.plan.config.text("output_dir");
  if (execution.directory.empty())
    execution.directory = fresh_directory(execution.plan.kind->name, std::chrono::system_clock::now());
  if (const auto piped = piped_data(all_keys(*execution.plan.kind), execution.plan.config)) {
    auto copied = CopiedData::copy(*piped, execution.plan.config, execution.directory);
    if (!copied) return bad_input(copied.error(), surroundings);
    execution.copied.emplace(std::move(*copied));
    // From here on the copy is the data.
    arguments->flags.push_back({piped->key, execution.copied->path()});
    plan =
        plan_from(evaluation, arguments->words.empty() ? "" : arguments->words[0], *arguments, surroundings);
    if (!plan) return kBadInput;
    execution.plan = std::move(*plan);
  }
  // What a probe tells a program is its case.
  if (probe && *telling == Telling::json) execution.telling = Telling::words, execution.quiet = true;
  const int code = check_and_execute(execution, surroundings);
  return probe ? show_probe(execution.directory, code, *telling, surroundings) : code;
}

}  // namespace

std::string fresh_directory(std::string_view evaluation, WallTime now) {
  const std::string base = fmt::format("results/{}/{}", evaluation, directory_time(now));
  std::string candidate = base;
  for (int i = 2; std::filesystem::exists(candidate); ++i) candidate = fmt::format("{}-{}", base, i);
  return candidate;
}

int check_and_execute(const Execution& execution, const Surroundings& surroundings) {
  const Evaluation& evaluation = *execution.plan.evaluation;
  if (!evaluation.asks_outside()) return evaluate_data(execution, surroundings);
  EventLoop loop;
  std::vector<ConfigProblem> problems;
  Gateway gateway(loop, execution.plan.config, surroundings.environment, problems);
  std::ranges::move(asking_problems(execution.plan, gateway), std::back_inserter(problems));
  auto scan = scan_data(evaluation, Estimating::some);
  if (!scan) {
    show_problems(problems, surroundings);
    return bad_input(scan.error(), surroundings);
  }
  show_data_problems(scan->problems, surroundings);
  if (!problems.empty()) show_problems(problems, surroundings);
  if (scan->invalid > 0 && !execution.plan.config.boolean("skip_invalid")) {
    return bad_input({ErrorKind::data,
                      fmt::format("{} of {} {} cannot be used; mend them, or run the good ones with "
                                  "--skip-invalid",
                                  scan->invalid, scan->lines, scan->unit),
                      {{"file", evaluation.data_path()}}},
                     surroundings);
  }
  if (scan->cases == 0)
    return bad_input({ErrorKind::data, "the data hold no case", {{"file", evaluation.data_path()}}},
                     surroundings);
  if (!problems.empty()) return kBadInput;
  return execute(execution, *scan, gateway, surroundings);
}

int run_evaluation_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  return run_words("", "run", words, surroundings);
}

int named_evaluation_command(std::string_view evaluation, const std::vector<std::string>& words,
                             const Surroundings& surroundings) {
  return run_words(evaluation, "run", words, surroundings);
}

}  // namespace assay
