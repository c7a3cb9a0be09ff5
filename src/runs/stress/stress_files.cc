#include "runs/stress/stress_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/random.h"
#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "core/yaml.h"
#include "evaluations/stress/figures.h"
#include "evaluations/stress/stressed.h"
#include "report/words.h"
#include "runs/directory.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTold = 20;

// What belongs to the source's data, figures or answers, and would be said of something else here.
constexpr const char* kLeftBehind[] = {"gates", "stop_when", "human",   "limit",        "only",
                                       "reuse", "cache",     "fields",  "input_format", "output_dir",
                                       "what",  "outputs",   "cluster", "anchors"};

constexpr std::string_view kStressable =
    "rag_answers, guidelines, experiment, benchmark with tasks that have the scorer rubric, and custom with "
    "a rubric, criteria, judge, label, rag or pairwise metric";

// Why there is nothing to put under stress, and what can be done for the judge otherwise.
std::string_view why_not(std::string_view evaluation) {
  if (evaluation == "custom") return "none of its metrics is judged by a model";
  if (evaluation == "benchmark")
    return "none of its tasks has the scorer rubric, so no judge rates an answer";
  if (evaluation == "persona") {
    return "its judge rates labels that a system gave, and no text that could be dressed or falsified "
           "(anchors show whether it changes, people's ratings whether it is right; whether it follows "
           "orders "
           "shows in labelled items with an order in their text)";
  }
  return "no model judges answers in it: what was given is compared with what is expected";
}

using Changes = std::vector<const stress::Change*>;

Status check_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const stress::Change& change : stress::changes()) known.emplace_back(change.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto guess = nearest(name, known);
    return fail(ErrorKind::usage, guess ? fmt::format("no change {}; did you mean {}?", name, *guess)
                                        : fmt::format("no change {}; there are {}", name, join(known, ", ")));
  }
  return {};
}

std::vector<stress::JudgedFigure> asked_figures(const stress::Stressing& stressing,
                                                const std::vector<std::string>& metrics) {
  std::vector<stress::JudgedFigure> figures = stressing.figures();
  std::erase_if(figures, [&](const stress::JudgedFigure& figure) {
    return !metrics.empty() && std::ranges::find(metrics, figure.metric) == metrics.end();
  });
  return figures;
}

// Without those that no metric of the test is about: nothing would be said of them.
Changes told_changes(const std::vector<stress::JudgedFigure>& figures) {
  Changes told;
  for (const stress::Change& change : stress::changes()) {
    if (std::ranges::any_of(figures, [&](const auto& figure) { return stress::is_about(figure, change); }))
      told.push_back(&change);
  }
  return told;
}

// A case that was drawn; the smallest numbers are, which hang on the seed and the case's id alone.
struct Drawn {
  std::uint64_t number = 0;
  Case input;
  stress::JudgedTexts texts;
};

struct Sample {
  std::vector<Drawn> cases;  // in input order
  std::int64_t of = 0;
  std::int64_t without_answer = 0;
  std::int64_t invalid = 0;                // lines that cannot be used
  std::vector<std::string> problems = {};  // of them, the first twenty
};

Result<Sample> sample(const Evaluation& evaluation, const stress::Stressing& stressing, std::int64_t wanted,
                      std::int64_t seed) {
  auto source = evaluation.chosen_cases();
  if (!source) return fail(std::move(source.error()));
  Sample sample;
  const auto by_number = [](const Drawn& a, const Drawn& b) { return a.number < b.number; };
  for (;;) {
    auto more = (*source)->next();
    if (!more) return fail(std::move(more.error()));
    for (const Problem& problem : (*source)->take_problems()) {
      if (problem.severity == "error" && sample.problems.size() < kMostTold)
        sample.problems.push_back(fmt::format("{}: {}", problem.where, problem.text));
    }
    if (!*more) break;
    const Case& current = (*source)->current();
    auto texts = stressing.texts(current);
    if (!texts) {
      ++sample.without_answer;
      continue;
    }
    ++sample.of;
    const std::uint64_t number = Random::keyed("stress sample", seed, current.id).bits64();
    const bool full = static_cast<std::int64_t>(sample.cases.size()) == wanted;
    if (full && number >= sample.cases.front().number) continue;
    if (full) {
      std::ranges::pop_heap(sample.cases, by_number);
      sample.cases.pop_back();
    }
    sample.cases.push_back({number, current.travelling(), std::move(*texts)});
    std::ranges::push_heap(sample.cases, by_number);
  }
  sample.invalid = (*source)->invalid();
  std::ranges::sort(sample.cases, {}, [](const Drawn& one) { return one.input.index; });
  return sample;
}

// The case with one thing changed; nothing where that cannot be.
std::optional<stress::ChangedTexts> changed(const stress::Stressing& stressing, const Drawn& drawn,
                                            const stress::Change& change, std::int64_t seed) {
  if (!stressing.tries(drawn.input, change)) return std::nullopt;
  return change.apply(drawn.texts, Random::keyed("stress change", seed, drawn.input.id, change.name));
}

// Those that can be made in a case at least.
Changes possible_changes(Changes changes, const stress::Stressing& stressing, const Sample& sample,
                         std::int64_t seed) {
  std::erase_if(changes, [&](const stress::Change* change) {
    return std::ranges::none_of(sample.cases, [&](const Drawn& drawn) {
      return changed(stressing, drawn, *change, seed).has_value();
    });
  });
  return changes;
}

// Why a change that was named is not among those that can be made.
std::string impossible_since(const stress::Change& change, const Changes& told,
                             const std::vector<stress::JudgedFigure>& figures, std::size_t cases) {
  const bool fault = change.matter == stress::Matter::must;
  if (std::ranges::find(told, &change) == told.end()) {
    std::vector<std::string> metrics;
    metrics.reserve(figures.size());
    for (const stress::JudgedFigure& figure : figures) metrics.push_back(figure.metric);
    return fmt::format("{} {}", join(metrics, ", "),
                       fault ? "cannot be held to notice this fault" : "is not shown what it changes");
  }
  const std::string drawn = counted_words(static_cast<std::int64_t>(cases), "case", "cases");
  return fault ? fmt::format("in none of the {} that were drawn could it be planted where it shows", drawn)
               : fmt::format("it cannot be made in any of the {} that were drawn", drawn);
}

// All that a metric is about, or those that were named. One that can be made nowhere would be paid for, by
// two judgements of every case, and tell nothing.
Result<Changes> chosen_changes(const std::vector<std::string>& names,
                               const std::vector<stress::JudgedFigure>& figures,
                               const stress::Stressing& stressing, const Sample& sample, std::int64_t seed) {
  Changes told = told_changes(figures);
  const Changes possible = possible_changes(told, stressing, sample, seed);
  const auto is_named = [&](const stress::Change* change) {
    return std::ranges::find(names, change->name) != names.end();
  };
  for (const stress::Change& change : stress::changes()) {
    if (!is_named(&change) || std::ranges::find(possible, &change) != possible.end()) continue;
    std::vector<std::string_view> others;
    for (const stress::Change* other : possible) others.push_back(other->name);
    return fail(ErrorKind::usage,
                fmt::format("the change {} would tell nothing: {}; {}", change.name,
                            impossible_since(change, told, figures, sample.cases.size()),
                            others.empty() ? "no other can be made either"
                                           : fmt::format("possible are {}", fmt::join(others, ", "))));
  }
  if (possible.empty() && std::ranges::none_of(figures, &stress::JudgedFigure::both_orders)) {
    return fail(ErrorKind::data,
                fmt::format("nothing can be changed in any of the {} that were drawn",
                            counted_words(static_cast<std::int64_t>(sample.cases.size()), "case", "cases")));
  }
  if (!names.empty()) std::erase_if(told, [&](const stress::Change* change) { return !is_named(change); });
  return told;
}

Json own_id(const Case& input) {
  const CaseTree tree(input);
  const Json* id = find_member(*tree, "id");
  return id == nullptr ? Json(nullptr) : *id;
}

class Writing {
 public:
  Writing(const stress::Stressing& stressing, std::int64_t seed) : stressing_(stressing), seed_(seed) {}

  void add(const Drawn& drawn, const Changes& changes) {
    const stress::ChangedTexts same{drawn.texts.answer, drawn.texts.contexts};
    add(drawn, std::string(stress::kUnchanged), same);
    add(drawn, std::string(stress::kAgain), same);
    for (const stress::Change* change : changes) {
      const auto texts = changed(stressing_, drawn, *change, seed_);
      if (!texts) continue;
      add(drawn, std::string(change->name), *texts);
      ++tried_[change->name];
    }
  }
  const std::string& lines() const { return lines_; }
  const std::string& outputs() const { return outputs_; }
  std::int64_t tried(std::string_view change) const {
    const auto found = tried_.find(change);
    return found == tried_.end() ? 0 : found->second;
  }

 private:
  void add(const Drawn& drawn, const std::string& change, const stress::ChangedTexts& texts) {
    stress::WrittenCase written =
        stressing_.written(drawn.input, fmt::format("{}~{}", drawn.input.id, change), texts);
    written.line[stress::kChangedMember] = stress::to_json({.of_case = drawn.input.id,
                                                            .change = change,
                                                            .cluster = drawn.input.cluster,
                                                            .id = own_id(drawn.input),
                                                            .grounds = texts.grounds});
    lines_ += to_text(written.line) + "\n";
    for (const JsonObject& output : written.outputs) outputs_ += to_text(output) + "\n";
  }

  const stress::Stressing& stressing_;
  std::int64_t seed_;
  std::string lines_;
  std::string outputs_;
  std::map<std::string_view, std::int64_t> tried_;
};

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

}  // namespace

Result<StressFiles> StressFiles::write(const RunPlan& source, const StressRequest& request,
                                       const std::string& directory) {
  if (source.config.has("stress.of"))
    return fail(
        Error{ErrorKind::usage, "this is a stress test itself; name the run that it was made of", {}});
  const auto stressing = source.evaluation->stressing();
  if (stressing == nullptr || stressing->figures().empty()) {
    return fail(Error{ErrorKind::usage,
                      fmt::format("{}: {}; a stress test is for {}", source.kind->name,
                                  why_not(source.kind->name), kStressable),
                      {}});
  }
  if (const std::string lacking = stressing->lacking(); !lacking.empty()) {
    return fail(Error{
        ErrorKind::usage,
        fmt::format("{}, and a stress test judges answers that are there: run it to its end first, then "
                    "assay stress DIR of that run",
                    lacking),
        {}});
  }
  if (auto known = check_names(request.changes); !known) return fail(std::move(known.error()));
  JsonObject config = source.config.written();
  if (auto derived = stressing->derive(config, request.metrics); !derived)
    return fail(std::move(derived.error()));
  const auto figures = asked_figures(*stressing, request.metrics);
  const std::int64_t seed = source.config.integer("seed").value_or(0);
  auto drawn = sample(*source.evaluation, *stressing, request.cases, seed);
  if (!drawn) return fail(std::move(drawn.error()));
  if (drawn->invalid > 0 && !source.config.boolean("skip_invalid")) {
    return fail(
        ErrorKind::data,
        fmt::format("{} cannot be used: {}; mend them, or draw from the good ones with --skip-invalid",
                    counted_words(drawn->invalid, "line", "lines"), join(drawn->problems, "; ")));
  }
  if (drawn->cases.empty()) {
    return fail(Error{ErrorKind::data,
                      fmt::format("no case has an answer in words that could be changed ({} without)",
                                  drawn->without_answer),
                      {{"file", source.evaluation->data_path()}}});
  }
  auto changes = chosen_changes(request.changes, figures, *stressing, *drawn, seed);
  if (!changes) return fail(std::move(changes.error()));
  Writing writing(*stressing, seed);
  for (const Drawn& one : drawn->cases) writing.add(one, *changes);

  if (holds_run(directory)) return fail(holds_run_already(directory));
  if (auto free = check_free(directory, OwnFiles::none); !free) return fail(std::move(free.error()));
  StressFiles files(directory, !directory_exists(directory));
  const std::string inside = absolute(directory + "/" + name());
  if (auto made = make_directories(inside); !made) return fail(std::move(made.error()));
  for (const char* key : kLeftBehind) config.erase(key);
  config["what"] =
      fmt::format("stress test of the judge: {}",
                  source.config.text("what").empty() ? request.of : source.config.shown_text("what"));
  config[stressing->data_key()] = inside + "/cases.jsonl";
  if (!writing.outputs().empty()) config["outputs"] = inside + "/outputs.jsonl";
  JsonObject about;
  if (const Json* given = source.config.find("stress")) about = given->get_object();
  about["of"] = request.of;
  config["stress"] = std::move(about);
  for (const auto& [file, text] :
       {std::pair{"cases.jsonl", writing.lines()}, std::pair{"outputs.jsonl", writing.outputs()},
        std::pair{"config.yaml", to_yaml(without_secrets(config))}}) {
    if (text.empty()) continue;
    if (auto written = write_file(fmt::format("{}/{}", inside, file), text); !written)
      return fail(std::move(written.error()));
  }
  files.cases_ = static_cast<std::int64_t>(drawn->cases.size());
  files.of_ = drawn->of;
  files.without_answer_ = drawn->without_answer;
  for (const stress::Change* change : *changes)
    files.changes_.emplace_back(change->name, writing.tried(change->name));
  return files;
}

StressFiles::StressFiles(StressFiles&& other) noexcept
    : directory_(std::exchange(other.directory_, std::string())),
      made_(other.made_),
      cases_(other.cases_),
      of_(other.of_),
      without_answer_(other.without_answer_),
      changes_(std::move(other.changes_)) {}

StressFiles::~StressFiles() {
  if (directory_.empty() || holds_run(directory_) || was_begun(directory_)) return;
  std::error_code ignored;
  fs::remove_all(directory_ + "/" + name(), ignored);
  if (made_) fs::remove(directory_, ignored);  // only if nothing else is there
}

std::string StressFiles::config_file() const {
  return fmt::format("{}/{}/config.yaml", directory_, name());
}

}  // namespace assay
