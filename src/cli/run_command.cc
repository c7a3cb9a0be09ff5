#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/run_plan.h"
#include "core/file.h"
#include "core/ids.h"
#include "core/sha256.h"
#include "core/time.h"
#include "core/version.h"
#include "core/yaml.h"
#include "net/signals.h"
#include "report/terminal.h"
#include "runs/collect.h"
#include "runs/connections.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownProblems = 50;

void show_data_problems(const ProblemList& problems, const Surroundings& surroundings) {
  std::string out;
  std::size_t shown = 0;
  for (const Problem& problem : problems.first) {
    if (++shown > kShownProblems) break;
    const bool error = problem.severity == "error";
    const std::string mark = surroundings.terminal.colour
                                 ? fmt::format("\033[{}m{}\033[0m", error ? 31 : 33, problem.severity)
                                 : problem.severity;
    out += fmt::format("{}: {}: {}\n", mark, problem.where, problem.text);
  }
  if (problems.count > static_cast<std::int64_t>(kShownProblems)) {
    out +=
        fmt::format("… and {} more problems\n", problems.count - static_cast<std::int64_t>(kShownProblems));
  }
  print_error(out);
}

// Everything about one execution that is decided before it begins.
struct Execution {
  RunPlan plan;
  std::string directory;
  bool resumed = false;
  bool quiet = false;
  bool verbose = false;
  std::string command;
};

std::string written_config(const Config& config) {
  JsonObject values = config.values();
  values.erase(
      "output_dir");  // the directory is where the file stands; so the file can be run again elsewhere
  return to_yaml(values);
}

// results/EVALUATION/TIME, with a number behind it if that second is taken.
std::string fresh_directory(const std::string& evaluation, WallTime now) {
  const std::string base = fmt::format("results/{}/{}", evaluation, directory_time(now));
  std::string candidate = base;
  for (int i = 2; fs::exists(candidate); ++i) candidate = fmt::format("{}-{}", base, i);
  return candidate;
}

int exit_code_of(const Summary& summary) {
  const bool gate_failed = std::any_of(summary.gates.begin(), summary.gates.end(),
                                       [](const GateResult& gate) { return !gate.passed; });
  if (gate_failed) return kGateFailed;
  return summary.cases.errored > 0 ? kCasesErrored : kDone;
}

TerminalStyle style_of(const Terminal& terminal) {
  TerminalStyle style;
  style.colour = terminal.colour ? Colour::ansi : Colour::none;
  style.width = static_cast<std::size_t>(terminal.width);
  style.most_figures = 16;  // the rest is in the report
  return style;
}

int show_finished(const ReportInput& report, const Execution& execution, const Surroundings& surroundings) {
  if (!execution.quiet) {
    print(terminal_summary(report.summary, style_of(surroundings.terminal)));
    print(fmt::format("\nreport: {}/report.html\n", execution.directory));
    for (const std::string& page : report.pages)
      print(fmt::format("        {}/{}\n", execution.directory, page));
    if (report.problem_count > 0)
      print(fmt::format("problems: {} in {}/problems.log\n", report.problem_count, execution.directory));
  }
  return exit_code_of(report.summary);
}

RunHeader header_of(const Execution& execution, const RunIdentity& identity) {
  return {std::string(execution.plan.kind->name),
          execution.plan.config.text("what"),
          identity.run_id,
          identity.started,
          execution.command,
          written_config(execution.plan.config)};
}

CollectRequest collect_request(const Execution& execution, const RunIdentity& identity) {
  const bool skip = execution.plan.config.boolean("skip_invalid");
  CollectRequest request{.evaluation = *execution.plan.evaluation};
  request.header = header_of(execution, identity);
  request.directory = execution.directory;
  request.gates = execution.plan.gates;
  request.invalid_lines = skip ? InvalidLines::skip : InvalidLines::refuse;
  return request;
}

// Where a directory was made for a run that then came to nothing, it goes again.
class NewDirectory {
 public:
  static Result<NewDirectory> make(const std::string& path) {
    NewDirectory made;
    made.existed_ = directory_exists(path);
    if (auto done = make_directories(path); !done) return fail(std::move(done.error()));
    made.path_ = path;
    return made;
  }
  // The config that was written first, and the directory if it was made for it.
  void take_back() const {
    std::error_code ignored;
    fs::remove(path_ + "/config.yaml", ignored);
    if (!existed_) fs::remove(path_, ignored);
  }

 private:
  std::string path_;
  bool existed_ = false;
};

RunIdentity new_identity(const Execution& execution) {
  const auto now = std::chrono::system_clock::now();
  return {make_run_id(now),
          std::string(execution.plan.kind->name),
          kVersion,
          iso_time(now),
          deciding_config(execution.plan.config, *execution.plan.evaluation),
          execution.plan.evaluation->data_path(),
          ""};
}

int input_error(const Error& error, const Surroundings& surroundings) {
  show_error(error, surroundings);
  return kBadInput;
}

bool holds_run_of(const std::string& directory, std::string_view evaluation) {
  auto identity = read_identity(directory);
  return identity && identity->evaluation == evaluation;
}

// config.yaml is written first: from then on the directory can be resumed. A directory that holds a run is
// left alone, unless it is one that this evaluation goes on with.
Status begin_directory(const Execution& execution) {
  const bool goes_on = execution.plan.evaluation->files_are_state();
  if (goes_on && holds_run_of(execution.directory, execution.plan.kind->name))
    return write_file(execution.directory + "/config.yaml", written_config(execution.plan.config));
  if (file_exists(execution.directory + "/" + kJournalFile) ||
      file_exists(execution.directory + "/summary.json")) {
    return fail(Error{ErrorKind::usage,
                      "holds a run already; finish it with `assay resume`, or choose another --output-dir",
                      {{"directory", execution.directory}}});
  }
  return write_file(execution.directory + "/config.yaml", written_config(execution.plan.config));
}

// Cases that ask nothing outside are evaluated while they are read: one pass, no journal.
int run_without_effects(const Execution& execution, const Surroundings& surroundings) {
  auto directory = NewDirectory::make(execution.directory);
  if (!directory) return input_error(directory.error(), surroundings);
  if (!execution.resumed) {
    if (auto begun = begin_directory(execution); !begun) return input_error(begun.error(), surroundings);
  }
  const RunIdentity identity = new_identity(execution);
  ProblemList problems;
  auto report = collect_run(collect_request(execution, identity), problems);
  if (!report) {
    if (!execution.resumed) directory->take_back();
    show_data_problems(problems, surroundings);
    Error error = std::move(report.error());
    if (error.kind == ErrorKind::data) {
      error = std::move(error).with("file", identity.data_path);
      if (problems.errors > 0) error.message += "; mend them, or run the good ones with --skip-invalid";
    }
    return input_error(error, surroundings);
  }
  if (!execution.quiet) show_data_problems(problems, surroundings);
  return show_finished(*report, execution, surroundings);
}

Result<std::unique_ptr<Journal>> open_journal(const Execution& execution, RunIdentity& identity,
                                              Journal::Committed committed) {
  const bool there = file_exists(execution.directory + "/" + kJournalFile);
  const bool files_are_state = execution.plan.evaluation->files_are_state();
  if (files_are_state && there) {
    auto journal = Journal::open(execution.directory, std::move(committed));
    if (journal) identity = (*journal)->identity();
    return journal;
  }
  auto data_hash = files_are_state ? Result<std::string>("") : sha256_of_file(identity.data_path);
  if (!data_hash) return fail(std::move(data_hash.error()));
  // A run that was killed before it had a journal is begun anew.
  if (!execution.resumed || !there) {
    identity.data_hash = *data_hash;
    return Journal::create(execution.directory, identity, std::move(committed));
  }
  auto journal = Journal::open(execution.directory, std::move(committed));
  if (!journal) return journal;
  const RunIdentity& begun = (*journal)->identity();
  const auto changed = changed_keys(begun.config, execution.plan.config, *execution.plan.evaluation);
  if (!changed.empty()) {
    return fail(Error{
        ErrorKind::changed,
        fmt::format("this run began with another config: {} changed; put it back, or start a new run with "
                    "--reuse {} to keep the answers that still fit",
                    fmt::join(changed, ", "), execution.directory),
        {{"directory", execution.directory}}});
  }
  if (begun.data_hash != *data_hash) {
    return fail(Error{
        ErrorKind::changed,
        fmt::format("the data changed since the run began; put them back, or start a new run with --reuse {} "
                    "to keep the answers that still fit",
                    execution.directory),
        {{"file", identity.data_path}}});
  }
  identity = begun;
  return journal;
}

int show_stopped(const RunResult& result, const Execution& execution, const Surroundings& surroundings) {
  if (result.end == RunEnd::interrupted) {
    print_error(fmt::format("interrupted; every answer so far is kept. Go on with: assay resume {}\n",
                            execution.directory));
    return kInterrupted;
  }
  if (result.reason) show_error(*result.reason, surroundings);
  print_error(fmt::format("every answer so far is kept. When the cause is mended: assay resume {}\n",
                          execution.directory));
  return kCasesErrored;
}

int run_with_journal(Execution& execution, const Scan& scan, EventLoop& loop, Connections& connections,
                     const Surroundings& surroundings) {
  RunnerOptions options = runner_options(execution.plan.config);
  std::unique_ptr<EarlyStop> early_stop;
  if (!execution.plan.stop_when.empty()) {
    auto made = EarlyStop::make(*execution.plan.evaluation, execution.plan.stop_when, options.seed);
    if (!made) return input_error(made.error(), surroundings);
    early_stop = std::move(*made);
    options.stop_rule = early_stop.get();
  }
  // Of a case that is taken up again and not finished, the earlier end says nothing any more.
  std::set<std::int64_t> this_sitting;
  const bool files_are_state = execution.plan.evaluation->files_are_state();
  if (files_are_state)
    options.on_outcome = [&](const Case& input, const Outcome&) { this_sitting.insert(input.index); };
  if (execution.verbose) options.trace = [](const std::string& line) { print_error(line + "\n"); };
  Runner runner(connections.outside(), std::move(options));
  RunIdentity identity = new_identity(execution);
  auto directory = NewDirectory::make(execution.directory);
  if (!directory) return input_error(directory.error(), surroundings);
  if (!execution.resumed) {
    if (auto begun = begin_directory(execution); !begun) return input_error(begun.error(), surroundings);
  }
  auto journal = open_journal(execution, identity, runner.on_committed());
  if (!journal) return input_error(journal.error(), surroundings);
  if (auto ready =
          execution.plan.evaluation->prepare(execution.directory, {identity.run_id, identity.started});
      !ready)
    return input_error(ready.error(), surroundings);
  if (early_stop && execution.resumed) {
    if (auto heard = hear_outcomes(
            *execution.plan.evaluation, execution.directory,
            [&](const Case& input, const Outcome& outcome) { early_stop->add(input, outcome); });
        !heard)
      return input_error(heard.error(), surroundings);
  }

  RunResult result;
  std::vector<Problem> warnings;
  {
    int signals = 0;
    const SignalWatch watch(loop, [&](int) {
      // The second signal does not wait; what was journaled is safe.
      if (++signals > 1) ::_exit(kInterrupted);
      print_error("\nstopping: waiting for what is in flight (again to stop at once)\n");
      runner.interrupt();
    });
    const ProgressLine progress(
        loop, surroundings.terminal,
        execution.quiet ? ProgressLine::Loudness::quiet : ProgressLine::Loudness::normal, runner);
    result = loop.run_until_done(
        runner.run(*execution.plan.evaluation, **journal, scan.cases, [](const Problem&) {}));
  }
  const bool out_of_budget = result.reason && result.reason->kind == ErrorKind::budget;
  if (result.end != RunEnd::complete && !out_of_budget) return show_stopped(result, execution, surroundings);

  CollectRequest request = collect_request(execution, identity);
  request.journaled = true;
  for (std::string& note : connections.notes(execution.plan.evaluation->models()))
    warnings.push_back({"warning", "", std::move(note)});
  request.warnings = std::move(warnings);
  std::vector<std::int64_t> ended(this_sitting.begin(), this_sitting.end());
  auto totals = (*journal)->totals(files_are_state ? &ended : nullptr);
  if (!totals) return input_error(totals.error(), surroundings);
  request.totals = *totals;
  if (files_are_state) request.this_sitting = &this_sitting;
  request.early_stop = early_stop.get();
  if (early_stop && (!out_of_budget || early_stop->settled())) request.not_taken = NotTaken::skipped;
  request.not_evaluated = out_of_budget ? result.reason->message : "not evaluated";
  ProblemList problems;
  auto report = collect_run(request, problems);
  if (!report) {
    show_error(report.error(), surroundings);
    print_error(fmt::format("every answer is kept. When the cause is mended: assay resume {}\n",
                            execution.directory));
    return kCasesErrored;
  }
  if (out_of_budget) show_error(*result.reason, surroundings);
  return show_finished(*report, execution, surroundings);
}

int execute(Execution execution, const Surroundings& surroundings) {
  if (!execution.plan.evaluation->asks_outside()) return run_without_effects(execution, surroundings);
  EventLoop loop;
  std::vector<ConfigProblem> problems;
  Connections connections(loop, execution.plan.config, surroundings.environment, problems);
  connections.check_models(execution.plan.evaluation->models(), problems);
  connections.check_variables(execution.plan.evaluation->variables(), problems);
  auto scan = scan_data(*execution.plan.evaluation, Estimating::no);
  if (!scan) {
    show_problems(problems, surroundings);
    return input_error(scan.error(), surroundings);
  }
  show_data_problems(scan->problems, surroundings);
  const bool refused = scan->invalid > 0 && !execution.plan.config.boolean("skip_invalid");
  if (!problems.empty()) show_problems(problems, surroundings);
  if (refused) {
    return input_error(
        Error{ErrorKind::data,
              fmt::format("{} of {} {} cannot be used; mend them, or run the good ones with --skip-invalid",
                          scan->invalid, scan->lines, scan->unit),
              {{"file", execution.plan.evaluation->data_path()}}},
        surroundings);
  }
  if (scan->cases == 0) {
    return input_error(
        Error{ErrorKind::data, "the data hold no case", {{"file", execution.plan.evaluation->data_path()}}},
        surroundings);
  }
  if (!problems.empty()) return kBadInput;
  return run_with_journal(execution, *scan, loop, connections, surroundings);
}

std::string quoted(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@+") ==
          std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_line(std::string_view first, const std::vector<std::string>& words) {
  std::string line = fmt::format("assay {}", first);
  for (const std::string& word : words) line += " " + quoted(word);
  return line;
}

// `assay experiment --verify DIR`: every check with what it found; 1 if one fails, 2 if files are missing.
int verify_run(const EvaluationKind& kind, std::string_view directory, const Surroundings& surroundings) {
  auto checks = kind.verify(std::string(directory));
  if (!checks) return input_error(checks.error(), surroundings);
  bool all_passed = true;
  for (const RunCheck& check : *checks) {
    all_passed = all_passed && check.passed;
    print(fmt::format("{}: {}{}{}\n", check.passed ? "ok" : "FAILED", check.what,
                      check.detail.empty() ? "" : ": ", check.detail));
  }
  return all_passed ? kDone : kGateFailed;
}

int run_words(std::string_view evaluation, std::string_view command, const std::vector<std::string>& words,
              const Surroundings& surroundings) {
  const EvaluationKind* kind = find_evaluation(evaluation);
  Keys keys = kind != nullptr ? all_keys(*kind) : any_evaluation_keys();
  if (kind != nullptr) {
    for (Key& key : evaluation_flags(*kind)) keys.push_back(std::move(key));
  }
  auto arguments = parse_arguments(words, keys);
  if (!arguments) return input_error(arguments.error(), surroundings);
  const auto verify = std::ranges::find(arguments->flags, "verify", &FlagValue::name);
  if (verify != arguments->flags.end()) return verify_run(*kind, verify->value.value_or("."), surroundings);
  if (shown_help(command, evaluation, *arguments, surroundings)) return kDone;
  if (arguments->words.size() > 1 || (arguments->words.empty() && evaluation.empty())) {
    return input_error(Error{ErrorKind::usage,
                             arguments->words.empty() ? std::string("which config? assay run CONFIG")
                                                      : fmt::format("found {} and {}, expected one config",
                                                                    arguments->words[0], arguments->words[1]),
                             {}},
                       surroundings);
  }
  Execution execution;
  auto plan =
      make_plan(evaluation, arguments->words.empty() ? "" : arguments->words[0], *arguments, surroundings);
  if (!plan) return kBadInput;
  execution.plan = std::move(*plan);
  execution.quiet = arguments->has("quiet");
  execution.verbose = arguments->has("verbose");
  execution.command = command_line(evaluation.empty() ? command : evaluation, words);
  execution.directory = execution.plan.config.text("output_dir");
  if (execution.directory.empty()) {
    execution.directory =
        fresh_directory(std::string(execution.plan.kind->name), std::chrono::system_clock::now());
  }
  return execute(std::move(execution), surroundings);
}

}  // namespace

Keys run_flags() {
  return {{.name = "quiet", .type = KeyType::boolean, .help = "Print nothing but errors (-q)."},
          {.name = "verbose", .type = KeyType::boolean, .help = "Show every request, without secrets (-v)."},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

Keys evaluation_flags(const EvaluationKind& kind) {
  Keys keys = run_flags();
  if (kind.verify != nullptr)
    keys.push_back({.name = "verify",
                    .type = KeyType::path,
                    .help = "Check the files of a finished run in this directory, and do nothing else."});
  return keys;
}

Keys any_evaluation_keys() {
  Keys keys = run_flags();
  for (const EvaluationKind& kind : evaluation_kinds()) {
    for (Key& key : all_keys(kind)) {
      const bool known =
          std::any_of(keys.begin(), keys.end(), [&](const Key& other) { return other.name == key.name; });
      if (!known) keys.push_back(std::move(key));
    }
  }
  return keys;
}

int run_evaluation_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  return run_words("", "run", words, surroundings);
}

int named_evaluation_command(std::string_view evaluation, const std::vector<std::string>& words,
                             const Surroundings& surroundings) {
  return run_words(evaluation, "run", words, surroundings);
}

int resume_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, any_evaluation_keys());
  if (!arguments) return input_error(arguments.error(), surroundings);
  if (shown_help("resume", "", *arguments, surroundings)) return kDone;
  if (arguments->words.size() != 1) {
    return input_error(Error{ErrorKind::usage, "which run? assay resume DIR", {}}, surroundings);
  }
  Execution execution;
  execution.directory = arguments->words[0];
  while (execution.directory.size() > 1 && execution.directory.back() == '/') execution.directory.pop_back();
  const std::string config_file = execution.directory + "/config.yaml";
  if (!file_exists(config_file)) {
    return input_error(Error{ErrorKind::usage,
                             "there is no config.yaml: this is not the directory of a run",
                             {{"directory", execution.directory}}},
                       surroundings);
  }
  auto plan = make_plan("", config_file, *arguments, surroundings);
  if (!plan) return kBadInput;
  execution.plan = std::move(*plan);
  execution.resumed = true;
  execution.quiet = arguments->has("quiet");
  execution.verbose = arguments->has("verbose");
  execution.command = fmt::format("assay run {} --output-dir NEW_DIRECTORY", quoted(config_file));
  return execute(std::move(execution), surroundings);
}

int check_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  std::string evaluation;
  std::vector<std::string> rest = words;
  if (!rest.empty() && find_evaluation(rest.front()) != nullptr) {
    evaluation = rest.front();
    rest.erase(rest.begin());
  }
  auto arguments = parse_arguments(rest, any_evaluation_keys());
  if (!arguments) return input_error(arguments.error(), surroundings);
  if (shown_help("check", evaluation, *arguments, surroundings)) return kDone;
  if (arguments->words.size() > 1 || (arguments->words.empty() && evaluation.empty())) {
    return input_error(Error{ErrorKind::usage, "which config? assay check CONFIG", {}}, surroundings);
  }
  auto plan =
      make_plan(evaluation, arguments->words.empty() ? "" : arguments->words[0], *arguments, surroundings);
  if (!plan) return kBadInput;
  EventLoop loop;
  std::vector<ConfigProblem> problems;
  Connections connections(loop, plan->config, surroundings.environment, problems);
  connections.check_models(plan->evaluation->models(), problems);
  connections.check_variables(plan->evaluation->variables(), problems);
  auto scan = scan_data(*plan->evaluation, Estimating::yes);
  if (!problems.empty()) show_problems(problems, surroundings);
  if (!scan) return input_error(scan.error(), surroundings);
  show_data_problems(scan->problems, surroundings);
  std::string out = fmt::format("{}: {} cases, {} {} cannot be used\n", plan->kind->name, scan->cases,
                                scan->invalid, scan->unit);
  double total = 0;
  bool known = true;
  for (const auto& [model, calls] : scan->estimate.models) {
    const Usage usage{.prompt_tokens = calls.prompt_tokens, .completion_tokens = calls.completion_tokens};
    const Price* price = connections.price_of(model);
    const auto cost = price != nullptr ? std::optional(cost_of(usage, *price)) : std::nullopt;
    out += fmt::format(
        "{}: {} calls, about {} prompt and {} completion tokens, {}\n", model, calls.calls,
        calls.prompt_tokens, calls.completion_tokens,
        cost ? fmt::format("about ${:.2f}", cost->usd()) : std::string("price unknown (set `prices`)"));
    known = known && cost.has_value();
    if (cost) total += cost->usd();
  }
  if (scan->estimate.target_calls > 0) out += fmt::format("target: {} calls\n", scan->estimate.target_calls);
  if (scan->estimate.models.empty() && scan->estimate.target_calls == 0)
    out += "no calls: everything is in the data\n";
  if (known && scan->estimate.models.size() > 1) out += fmt::format("together about ${:.2f}\n", total);
  out += "nothing was sent\n";
  print(out);
  const bool bad =
      !problems.empty() || scan->cases == 0 || (scan->invalid > 0 && !plan->config.boolean("skip_invalid"));
  if (scan->cases == 0) print_error("error: the data hold no case\n");
  return bad ? kBadInput : kDone;
}

}  // namespace assay
