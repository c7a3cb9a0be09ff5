#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/text.h"
#include "core/visible.h"
#include "report/words.h"
#include "runs/baseline.h"

namespace assay {
namespace {

std::string headline(const Summary& summary) {
  for (const Metric& metric : summary.metrics) {
    if (metric.headline) return fmt::format("{} {}", metric.name, value_words(metric));
  }
  return "";
}

// What a reader should think about before others are measured by it.
void show_doubts(const BaselineHead& head) {
  const Summary& summary = head.summary;
  if (!summary.simulated.empty()) print("note: its answers come from the simulator\n");
  if (summary.cases.errored > 0) {
    print(fmt::format("note: {} in error, which a comparison cannot pair\n",
                      counted_words(summary.cases.errored, "case ended", "cases ended")));
  }
  if (const auto failed = std::ranges::count(summary.gates, false, &GateResult::passed); failed > 0)
    print(fmt::format("note: {} in that run\n", counted_words(failed, "gate failed", "gates failed")));
}

int set(const std::string& directory, const std::vector<std::string>& words,
        const Surroundings& surroundings) {
  const std::string& name = words[1];
  std::string earlier;
  if (check_baseline_name(name)) {
    if (const auto before = read_baseline(directory, name)) earlier = before->run_id;
  }
  std::string run = words[2];
  while (run.size() > 1 && run.back() == '/') run.pop_back();
  const auto head = set_baseline(directory, name, run);
  if (!head) return bad_input(head.error(), surroundings);
  print(visible(
      fmt::format(
          "{}: run {} of {}, {}{}\n", name, head->run_id, head->summary.evaluation,
          counted_words(head->cases, "case", "cases"),
          earlier.empty() || earlier == head->run_id ? "" : fmt::format(", in the place of run {}", earlier)),
      LineBreaks::kept));
  show_doubts(*head);
  print(fmt::format("wrote {}\nnext: assay compare {}{} DIR --fail-on-regression\n",
                    baseline_file(directory, name), kBaselineMark, name));
  return kDone;
}

int list(const std::string& directory, const Config& config, const Surroundings& surroundings) {
  const Baselines baselines = list_baselines(directory);
  if (wants_json(config)) {
    JsonArray entries;
    for (const BaselineHead& head : baselines.found) entries.push_back(to_json(head));
    print(pretty_text(entries));
  } else if (baselines.found.empty() && baselines.damaged.empty()) {
    print(fmt::format("no baselines in {}\n", directory));
  } else {
    std::size_t width = 0;
    for (const BaselineHead& head : baselines.found) width = std::max(width, head.name.size());
    for (const BaselineHead& head : baselines.found) {
      print(visible(fmt::format("{:<{}}  {:<20}  {}  {}  {}\n", head.name, width, head.summary.evaluation,
                                head.summary.finished.substr(0, 16),
                                counted_words(head.cases, "case", "cases"), headline(head.summary)),
                    LineBreaks::kept));
    }
  }
  for (const Error& error : baselines.damaged) show_error(error, surroundings);
  return baselines.damaged.empty() ? kDone : kBadInput;
}

int show(const std::string& directory, const std::string& name, const Config& config,
         const Surroundings& surroundings) {
  const auto head = read_baseline(directory, name);
  if (!head) return bad_input(head.error(), surroundings);
  if (wants_json(config)) {
    print(pretty_text(to_json(*head)));
    return kDone;
  }
  const Summary& summary = head->summary;
  std::string out =
      fmt::format("{}: {}{}{}\n", name, summary.evaluation, summary.what.empty() ? "" : ", ", summary.what);
  out += fmt::format("run {}, finished {}, {}\nset {} from {}\n", head->run_id, summary.finished,
                     counted_words(head->cases, "case", "cases"), head->set, head->directory);
  if (!head->seal.empty()) out += fmt::format("seal {}\n", head->seal);
  for (const auto& [what, words] : summary.about) out += fmt::format("{}: {}\n", what, words);
  out += '\n';
  for (const Metric& metric : summary.metrics) {
    out += fmt::format("  {:<36} {:>10}  {}  n = {}\n", metric.name, value_words(metric),
                       interval_words(metric), metric.estimate.n);
  }
  print(visible(out, LineBreaks::kept));
  show_doubts(*head);
  return kDone;
}

int remove(const std::string& directory, const std::string& name, const Surroundings& surroundings) {
  if (auto removed = remove_baseline(directory, name); !removed)
    return bad_input(removed.error(), surroundings);
  print(fmt::format("removed {}\n", baseline_file(directory, name)));
  return kDone;
}

}  // namespace

Key baselines_key() {
  return {.name = "baselines",
          .type = KeyType::path,
          .help = "The directory of the baselines.",
          .default_value = boost::json::string(kBaselines)};
}

Keys baseline_keys() {
  return {
      baselines_key(), format_key(), {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int baseline_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, baseline_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("baseline", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(baseline_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  const std::string directory = resolved.config.text("baselines");
  const std::vector<std::string>& given = arguments->words;
  const std::string what = given.empty() ? "" : given.front();
  if (what == "set" && given.size() == 3) return set(directory, given, surroundings);
  if (what == "list" && given.size() == 1) return list(directory, resolved.config, surroundings);
  if (what == "show" && given.size() == 2) return show(directory, given[1], resolved.config, surroundings);
  if (what == "remove" && given.size() == 2) return remove(directory, given[1], surroundings);
  return bad_input({ErrorKind::usage,
                    "what about baselines? assay baseline set NAME DIR, list, show NAME or remove NAME",
                    {}},
                   surroundings);
}

}  // namespace assay
