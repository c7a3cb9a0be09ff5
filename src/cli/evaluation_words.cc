#include "cli/evaluation_words.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/help/help.h"
#include "core/visible.h"
#include "evaluations/registry.h"

namespace assay {
namespace {

constexpr std::size_t kShownProblems = 50;

// Flags that belong to the command, not to the config.
bool is_run_flag(const FlagValue& flag) {
  return flag_form(run_flags(), flag.name) || flag_form(resume_flags(), flag.name);
}

}  // namespace

void show_data_problems(const ProblemList& problems, const Surroundings& surroundings) {
  std::string out;
  std::size_t shown = 0;
  for (const Problem& problem : problems.first) {
    if (++shown > kShownProblems) break;
    const bool error = problem.severity == "error";
    const std::string mark = surroundings.terminal.colour
                                 ? fmt::format("\033[{}m{}\033[0m", error ? 31 : 33, problem.severity)
                                 : problem.severity;
    out += fmt::format("{}: {}: {}\n", mark, visible(problem.where), visible(problem.text));
  }
  if (problems.count > static_cast<std::int64_t>(kShownProblems)) {
    out +=
        fmt::format("… and {} more problems\n", problems.count - static_cast<std::int64_t>(kShownProblems));
  }
  print_error(out);
}

bool shown_help(std::string_view command, std::string_view evaluation, const Arguments& arguments,
                const Surroundings& surroundings) {
  if (!arguments.has("help")) return false;
  print(command_help(command, evaluation, surroundings.terminal));
  return true;
}

std::optional<RunPlan> plan_from(std::string_view evaluation, const std::string& config_file,
                                 const Arguments& arguments, const Surroundings& surroundings) {
  PlanRequest request{.evaluation = std::string(evaluation),
                      .config_file = config_file,
                      .environment = surroundings.environment};
  std::ranges::copy_if(arguments.flags, std::back_inserter(request.flags),
                       [](const FlagValue& flag) { return !is_run_flag(flag); });
  auto plan = make_run_plan(std::move(request));
  if (plan) return std::move(*plan);
  if (plan.error().error) {
    show_error(*plan.error().error, surroundings);
  } else {
    show_problems(plan.error().problems, surroundings);
  }
  return std::nullopt;
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

std::optional<Telling> telling_of(const Arguments& arguments, const Surroundings& surroundings) {
  std::vector<FlagValue> told;
  std::ranges::copy_if(arguments.flags, std::back_inserter(told),
                       [](const FlagValue& flag) { return flag.name == "format"; });
  const ResolvedConfig resolved = resolve_config({format_key()}, {"", {}, std::move(told)});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return std::nullopt;
  }
  return wants_json(resolved.config) ? Telling::json : Telling::words;
}

Keys run_flags() {
  return {format_key(),
          {.name = "quiet", .type = KeyType::boolean, .help = "Print nothing but errors (-q)."},
          {.name = "verbose", .type = KeyType::boolean, .help = "Show every request, without secrets (-v)."},
          {.name = "probe",
           .type = KeyType::boolean,
           .help = "Run one case through everything, and show each prompt and reply."},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

Keys resume_flags() {
  Keys keys = run_flags();
  std::erase_if(keys, [](const Key& key) { return key.name == "probe"; });
  keys.push_back({.name = "run",
                  .help = "The run with this id, whose directory has gone: its files are made anew from "
                          "`store`, in `output_dir`. `assay runs --store` lists the runs of a store."});
  keys.push_back({.name = "accept_changes",
                  .type = KeyType::boolean,
                  .help =
                      "Go on with a run whose files or journal are not as they were written; it is noted in "
                      "the run."});
  return keys;
}

Keys evaluation_flags(const EvaluationKind& kind) {
  Keys keys = run_flags();
  if (kind.verify != nullptr)
    keys.push_back({.name = "verify",
                    .type = KeyType::path,
                    .help = "Check the files of a finished run in this directory, and do nothing else."});
  return keys;
}

namespace {

Keys with_all_evaluations(Keys keys) {
  for (const EvaluationKind& kind : evaluation_kinds()) {
    for (Key& key : all_keys(kind)) {
      const auto known = std::ranges::find(keys, key.name, &Key::name);
      if (known == keys.end()) {
        keys.push_back(std::move(key));
        continue;
      }
      // What one evaluation has in it and another has not (`judge.people`).
      for (Key& inner : key.keys) {
        if (std::ranges::find(known->keys, inner.name, &Key::name) == known->keys.end())
          known->keys.push_back(std::move(inner));
      }
    }
  }
  return keys;
}

}  // namespace

Keys any_evaluation_keys() {
  return with_all_evaluations(run_flags());
}

Keys resume_keys() {
  return with_all_evaluations(resume_flags());
}

}  // namespace assay
