#include "evaluations/judges/anchors.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/sha256.h"
#include "core/tables/csv.h"
#include "core/text.h"
#include "report/conclusions.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::int64_t kMostAnchors = 1000;
constexpr std::string_view kLabel = "label";

// Where the data of an evaluation with a judge are named, and what of its config has no meaning for cases
// that have their answers.
struct AnchoredEvaluation {
  std::string_view name;
  std::string_view data;
  std::vector<std::string_view> leaves_out;
  bool goes_on = false;  // Evaluation::goes_on
};

const std::vector<AnchoredEvaluation>& anchored_evaluations() {
  static const std::vector<AnchoredEvaluation> list{
      {"benchmark", "answers", {"transcripts"}, true},
      {"custom",
       "input_path",
       {"variants", "matrix", "variant", "outputs", "baseline", "slices", "case_passes", "cluster"}},
      {"experiment", "answers", {"responses", "incomplete_responses"}},
      {"guidelines", "conversations", {"cluster"}},
      {"persona", "items", {}},
      {"rag_answers", "input_path", {"target", "cluster"}},
  };
  return list;
}

// A comparison needs two answers.
bool is_pair(const Json& metric) {
  return find_member(metric, "pairwise") != nullptr && !find_member(metric, "pairwise")->is_null();
}

JsonObject values_for(const AnchoredEvaluation& evaluation, const Config& config, const std::string& file) {
  JsonObject values = config.values();
  for (const std::string_view key : evaluation.leaves_out) values.erase(key);
  for (const char* key : {"anchors", "human", "stop_when", "gates", "limit", "only", "skip_invalid"})
    values.erase(key);
  const auto ending = [](const std::string& path) { return std::filesystem::path(path).extension(); };
  if (ending(file) != ending(config.text(evaluation.data))) values.erase("input_format");
  values[evaluation.data] = boost::json::string(file);
  if (values.contains("generate")) values["generate"] = false;
  if (values.contains("repeat")) values["repeat"] = 1;
  if (Json* metrics = values.if_contains("metrics"); metrics != nullptr && metrics->is_array()) {
    JsonArray kept;
    for (const Json& metric : metrics->get_array()) {
      if (!is_pair(metric)) kept.push_back(metric);
    }
    *metrics = std::move(kept);
  }
  return values;
}

// 1, true, "true" of a table: as a label may stand in the data.
std::optional<double> label_value(const Json& value) {
  if (const auto yes = as_boolean(value)) return *yes ? 1.0 : 0.0;
  if (const auto number = as_number(value)) return number;
  const auto text = as_text(value);
  return text ? cell_number(std::string(*text)) : std::nullopt;
}

// The evaluation's own cases under ids and indices of anchors, without their labels.
class AnchorSource final : public CaseSource {
 public:
  AnchorSource(std::unique_ptr<CaseSource> source, std::int64_t first)
      : source_(std::move(source)), first_(first) {}

  Result<bool> next() override {
    auto more = source_->next();
    if (more && *more) take();
    return more;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override {
    CasePlace place = source_->place();
    place.index += first_;
    return place;
  }
  Status go_to(const CasePlace& place) override {
    CasePlace own = place;
    own.index -= first_;
    if (auto there = source_->go_to(own); !there) return there;
    take();
    return {};
  }
  std::vector<Problem> take_problems() override { return source_->take_problems(); }
  std::int64_t lines() const override { return source_->lines(); }
  std::int64_t invalid() const override { return source_->invalid(); }
  std::int64_t cases_per_line() const override { return source_->cases_per_line(); }
  std::string_view unit() const override { return source_->unit(); }

  // Of the current one, as it stands in the data; null: there is none.
  const Json& label() const { return label_; }

 private:
  void take() {
    current_ = source_->current().travelling();
    current_.index += first_;
    current_.id.insert(0, kAnchorIdBefore);
    label_ = nullptr;
    auto tree = parse_json(current_.payload);
    JsonObject* fields = tree ? tree->if_object() : nullptr;
    Json* label = fields != nullptr ? fields->if_contains(kLabel) : nullptr;
    if (label == nullptr) return;
    label_ = std::move(*label);
    fields->erase(kLabel);
    current_.payload = to_text(*tree);
  }

  std::unique_ptr<CaseSource> source_;
  std::int64_t first_;  // index of the first line
  Case current_;
  Json label_;
};

// Where a run is gone on with although judge, anchors or tasks have changed since, what was said of the
// anchors before is not about these: they are other cases, at another place for each way of judging.
std::int64_t first_index(const Config& config) {
  constexpr std::int64_t kMostLines = std::int64_t{1} << 20;
  JsonObject decides;
  for (const char* key : {"judge", "models", "attempts"}) {
    if (const Json* value = config.find(key)) decides[key] = *value;
  }
  for (const auto& [name, text] : config.plan_texts().all()) decides[name] = hex(sha256(text));
  const Digest digest = sha256(canonical_text(decides));
  std::uint64_t value = 0;
  std::memcpy(&value, digest.data(), sizeof value);
  return kFirstBeside + static_cast<std::int64_t>(value % (std::uint64_t{1} << 41U)) * kMostLines;
}

}  // namespace

const CaseWork* Evaluation::beside() const {
  return anchors_.get();
}

Key anchors_key() {
  return {
      .name = "anchors",
      .type = KeyType::object,
      .help = "Labelled cases that every run has judged beside its own, to notice when the judge changes.",
      .keys = {{.name = "file",
                .type = KeyType::path,
                .help = "Lines as in the data, each with its answer and a `label` by people.",
                .required = true},
               {.name = "figure",
                .help = "The figure that the labels are about; by default the evaluation's first."}},
      .shorthand = "file",
      .example = "{file: anchors.jsonl, figure: faithfulness.mean}"};
}

std::shared_ptr<const Anchors> Anchors::make(const EvaluationKind& kind, const Config& config,
                                             std::vector<ConfigProblem>& problems) {
  if (!config.has("anchors")) return nullptr;
  const auto complain = [&problems](std::string key, std::string text) {
    problems.push_back({"config", std::move(key), std::move(text)});
    return nullptr;
  };
  const auto& known = anchored_evaluations();
  const auto evaluation = std::ranges::find(known, kind.name, &AnchoredEvaluation::name);
  if (evaluation == known.end()) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const AnchoredEvaluation& one : known) names.emplace_back(one.name);
    return complain("anchors", fmt::format("{} has no judge that gives single cases a figure; anchors are "
                                           "for {}",
                                           kind.name, join(names, ", ")));
  }
  const std::string file = config.text("anchors.file");
  const auto text = config.read_text(file);
  if (!text) return complain("anchors.file", text.error().text());
  std::vector<ConfigProblem> own;
  auto inner = kind.make(config.with(values_for(*evaluation, config, file)), own);
  for (ConfigProblem& problem : own)
    complain("anchors.file", fmt::format("as anchors, {}: {}", problem.key, problem.text));
  if (!inner) return nullptr;
  if (!inner->asks_outside()) return complain("anchors", "no model judges anything here");
  const std::vector<MeanFigure> figures = inner->mean_figures();
  std::string wanted = config.text("anchors.figure");
  if (wanted.empty() && !figures.empty()) wanted = figures.front().name;
  const auto figure = find_mean_figure(wanted, figures);
  if (!figure) return complain("anchors.figure", figure.error().message);
  std::shared_ptr<Anchors> anchors(
      new Anchors(std::move(inner), {file, hex(sha256(*text)), figure->name, figure->range, 0, 0}));
  anchors->passes_ = figure->passes;
  if (evaluation->goes_on) anchors->first_ = first_index(config);
  const std::size_t before = problems.size();
  const auto labels =
      config.made("labels of the anchors in " + file, [&] { return anchors->read_labels(problems); });
  if (!labels && problems.size() == before) complain("anchors.file", labels.error().text());
  if (!labels) return nullptr;
  anchors->take_labels(*labels);
  return anchors;
}

Result<std::string> Anchors::read_labels(std::vector<ConfigProblem>& problems) const {
  const std::size_t before = problems.size();
  const auto complain = [&problems](std::string where, std::string field, const std::string& text) {
    problems.push_back({std::move(where), std::move(field), text});
    return fail(ErrorKind::data, text);
  };
  auto opened = inner_->cases();
  if (!opened) return complain(about_.file, "", opened.error().text());
  AnchorSource source(std::move(*opened), first_);
  JsonObject labels;
  std::int64_t cases = 0;
  for (;;) {
    auto more = source.next();
    for (const Problem& problem : source.take_problems()) {
      if (problem.severity == "error") std::ignore = complain(problem.where, "", problem.text);
    }
    if (!more) return complain(about_.file, "", more.error().text());
    if (!*more) break;
    if (++cases > kMostAnchors) {
      return complain(about_.file, "",
                      fmt::format("holds more than {} anchors, which every run would pay for", kMostAnchors));
    }
    const std::string line = fmt::format("{}, line {}", about_.file, source.current().line);
    if (std::string lack = inner_->lack(source.current(), about_.figure); !lack.empty())
      std::ignore = complain(line, "", lack);
    if (source.label().is_null()) continue;
    if (const auto value = label_value(source.label())) {
      if (*value < about_.range.low || *value > about_.range.high) {
        std::ignore = complain(
            line, "label",
            fmt::format("found {}, but {} lies between {} and {}", excerpt(source.label()), about_.figure,
                        number_text(about_.range.low), number_text(about_.range.high)));
      }
      labels.emplace(source.current().id, *value);
    } else {
      std::ignore = complain(
          line, "label", fmt::format("found {}, expected a number, true or false", excerpt(source.label())));
    }
  }
  if (problems.size() > before) return fail(ErrorKind::data, "not all of its lines are good");
  if (cases == 0) return complain(about_.file, "", "holds no case");
  if (labels.empty()) return complain(about_.file, "", "no line has a `label`");
  return to_text(JsonObject{{"cases", cases}, {"labels", std::move(labels)}});
}

void Anchors::take_labels(const std::string& text) {
  const auto tree = parse_json(text);
  if (!tree) return;
  if (const Json* cases = find_member(*tree, "cases")) about_.cases = as_integer(*cases).value_or(0);
  const Json* labels = find_member(*tree, "labels");
  for (const auto& [id, value] :
       labels != nullptr && labels->is_object() ? labels->get_object() : JsonObject())
    labels_.emplace(id, as_number(value).value_or(0));
}

Result<std::unique_ptr<CaseSource>> Anchors::cases() const {
  auto source = inner_->cases();
  if (!source) return source;
  return std::make_unique<AnchorSource>(std::move(*source), first_);
}

void Anchors::line(const Case& input, const FinishedCase* finished, ResultLine& line) const {
  constexpr std::size_t kDigits = 16;
  inner_->line(input, finished, line);
  // Of an anchor that stays the same more than its line may be shown: the task that it is an answer to.
  line.text(kAnchorShown, hex(sha256(canonical_text(inner_->as_judged(input, "")))).substr(0, kDigits));
  if (const auto said = label(input.id)) line.number(kLabel, *said);
}

std::optional<double> Anchors::label(std::string_view id) const {
  const auto found = labels_.find(id);
  return found == labels_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Anchors::metric_names() {
  return {"anchors.agreement", "anchors.difference"};
}

void AnchorTally::add(const Case& input, const FinishedCase* finished, OutputFiles& files) {
  const FinishedCase none{{OutcomeKind::limit_hit, {}, "not judged"}, JsonObject{}, 0};
  const FinishedCase& end = finished != nullptr ? *finished : none;
  line_.begin(&end);
  anchors_.line(input, &end, line_);
  Case named = input;
  named.id.erase(0, kAnchorIdBefore.size());
  files.write(kAnchorsFile, line_.whole(named, &end));
  const auto score =
      std::ranges::find(line_.scores(), std::string_view(anchors_.about().figure), &Score::figure);
  const bool there = score != line_.scores().end() && score->value;
  if (!there) {
    ++missing_[line_.scored() ? "no_score" : std::string(to_string(line_.outcome()))];
    return;
  }
  ++scored_;
  if (const auto label = anchors_.label(input.id)) judged_.push_back({named.id, "", *score->value, *label});
}

std::string AnchorTally::apply(Summary& summary) const {
  AnchorsReport about = anchors_.about();
  about.judged = scored_;
  const auto n = static_cast<std::int64_t>(judged_.size());
  const Sameness same(judged_, anchors_.passes());
  const Estimate none = undefined_figure("no anchor was judged");
  Metric agreement{"anchors.agreement", none, Metric::Form::share};
  Metric mean{"anchors.difference", none, Metric::Form::number, Metric::Better::neither};
  if (n > 0) {
    agreement.estimate = same.told() ? agreement_share(judged_, same)
                                     : undefined_figure(
                                           "scores that are no levels are hardly ever equal, and the figure "
                                           "has no threshold",
                                           n);
    mean.estimate = mean_difference(judged_);
  }
  agreement.estimate.missing.insert(missing_.begin(), missing_.end());
  mean.estimate.missing = agreement.estimate.missing;
  mean.reference = 0;
  std::string sentence = "None of the anchors was judged.";
  if (n > 0) {
    const std::string share =
        same.told() ? fmt::format("the judge says the same of {} as people{} in {}; ",
                                  metric_words(about.figure), same.words(), figure_with_interval(agreement))
                    : "";
    sentence =
        fmt::format("On {} {}its {} less theirs is {} on average.", counted_words(n, "anchor", "anchors"),
                    share, same.told() ? "score" : metric_words(about.figure), figure_with_interval(mean));
  }
  if (n > 0 && scored_ < about.cases)
    sentence +=
        fmt::format(" {} could not be judged.", counted_words(about.cases - scored_, "anchor", "anchors"));
  summary.metrics.push_back(std::move(agreement));
  summary.metrics.push_back(std::move(mean));
  summary.anchors = std::move(about);
  return sentence;
}

}  // namespace assay
