// Scorers of the user's own: a program that answers line by line, or a service.
#include "engine/effects/program.h"

#include <filesystem>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/config/variables.h"
#include "core/file.h"
#include "core/files/find_program.h"
#include "core/text.h"
#include "evaluations/call_patterns.h"
#include "evaluations/custom/asked/http_scorer.h"
#include "evaluations/custom/asked/kinds.h"
#include "evaluations/custom/asked/scorer_reply.h"
#include "tools/program_files.h"

namespace assay::custom {
namespace {

ScorerQuestion question_of(const CaseAnswer& answer) {
  return {.case_id = answer.case_id,
          .variant = answer.variant,
          .repeat = answer.repeat,
          .fields = answer.fields,
          .output = answer.reply.output,
          .meta = answer.reply.meta,
          .trace = answer.reply.trace};
}

Mark read_mark(const Result<Json>& said, Interval scale) {
  if (!said) return failed_mark(said.error());
  auto reply = read_scorer_reply(*said, scale);
  if (!reply) return failed_mark(reply.error());
  Mark mark;
  mark.state = Mark::State::given;
  mark.parts = std::move(reply->scores);
  mark.reason = std::move(reply->reason);
  mark.label = std::move(reply->label);
  mark.passed = reply->passed;
  if (reply->score) {
    mark.score = *reply->score;
  } else {
    // Several numbers and none for the whole: it is their mean.
    for (const auto& [name, value] : mark.parts) mark.score += value / static_cast<double>(mark.parts.size());
  }
  return mark;
}

class ProgramMetric final : public AskedMetric {
 public:
  ProgramMetric(Interval scale, std::shared_ptr<const ProgramSpec> program, std::string fingerprint)
      : scale_(scale), program_(std::move(program)), fingerprint_(std::move(fingerprint)) {}

  std::string fingerprint() const override { return fingerprint_; }

  Task<Mark> mark(const CaseAnswer& answer, std::string step, CaseContext& context) const override {
    ProgramCall call{program_, fingerprint_, to_json(question_of(answer))};
    co_return read_mark(co_await ask_program(context, std::move(step), std::move(call)), scale_);
  }
  void estimate(const CaseAnswer& /*answer*/, CallEstimate& estimate) const override {
    ++estimate.target_calls;
  }
  std::vector<std::string> variables() const override { return environment_names(program_->environment); }

 private:
  Interval scale_;
  std::shared_ptr<const ProgramSpec> program_;
  std::string fingerprint_;
};

class HttpScorer final : public AskedMetric {
 public:
  HttpScorer(Interval scale, HttpPattern pattern) : scale_(scale), pattern_(std::move(pattern)) {}

  Task<Mark> mark(const CaseAnswer& answer, std::string step, CaseContext& context) const override {
    auto call = pattern_.fill(metric_values(answer));
    if (!call) co_return failed_mark(call.error());
    if (pattern_.body.is_null()) *call = scorer_call(std::move(*call), question_of(answer));
    co_return read_mark(co_await ask_http_scorer(context, std::move(step), std::move(*call)), scale_);
  }
  void estimate(const CaseAnswer& /*answer*/, CallEstimate& estimate) const override {
    ++estimate.target_calls;
  }
  std::vector<std::string> variables() const override { return pattern_.variables(); }
  std::vector<std::string> placeholders() const override { return pattern_.placeholders(); }

 private:
  Interval scale_;
  HttpPattern pattern_;
};

// Of a check that stands in the data: names beside the data, as those in a config are beside it.
void look_beside(const std::string& directory, std::vector<std::string>& command) {
  if (directory.empty()) return;
  for (std::string& word : command) {
    std::error_code ignored;
    const auto beside = std::filesystem::path(directory) / word;
    if (word.find_first_of("./") != std::string::npos && std::filesystem::is_regular_file(beside, ignored))
      word = beside.string();
  }
}

}  // namespace

std::unique_ptr<AskedMetric> make_program(MetricParts parts) {
  parts.shape.value = MetricShape::Value::score;
  parts.shape.named_parts = true;
  auto program = std::make_shared<ProgramSpec>();
  program->command = parts.entry.texts("program");
  look_beside(parts.directory, program->command);
  if (program->command.empty()) {
    parts.wrong("program", "found an empty list, expected a program and its arguments");
    return nullptr;
  }
  if (const auto processes = parts.entry.integer("processes"))
    program->processes = static_cast<int>(*processes);
  if (const auto most = parts.entry.integer("in_flight")) program->in_flight = static_cast<int>(*most);
  if (parts.entry.has("timeout")) program->timeout = parts.entry.duration("timeout");
  program->environment = named_texts(parts.entry.find("env"));
  program->working_directory = parts.entry.text("cwd");
  if (auto found = check_command(program->command, program->working_directory); !found) {
    parts.wrong("program", found.error().text());
    return nullptr;
  }
  if (!program->working_directory.empty() && !directory_exists(program->working_directory))
    parts.wrong("cwd", "there is no directory " + program->working_directory);
  // Kept with the run: a program that has changed since is noticed.
  for (const std::string& file : texts_of_command(program->command)) {
    if (auto text = parts.config.read_text(file); !text) parts.wrong("program", text.error().text());
  }
  auto fingerprint = program_fingerprint(program->command);
  if (!fingerprint) {
    parts.wrong("program", fingerprint.error().text());
    return nullptr;
  }
  return std::make_unique<ProgramMetric>(parts.shape.scale, std::move(program), std::move(*fingerprint));
}

std::unique_ptr<AskedMetric> make_http_scorer(MetricParts parts) {
  parts.shape.value = MetricShape::Value::score;
  parts.shape.named_parts = true;
  const auto tries = static_cast<int>(parts.config.integer("limits.attempts").value_or(5));
  auto pattern = read_http_pattern(parts.entry, parts.key, tries, parts.problems);
  if (!pattern) return nullptr;
  if (!parts.entry.has("timeout")) pattern->call.timeout = std::chrono::seconds(60);
  return std::make_unique<HttpScorer>(parts.shape.scale, std::move(*pattern));
}

}  // namespace assay::custom
