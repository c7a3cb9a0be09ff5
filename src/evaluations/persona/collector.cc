#include "evaluations/persona/collector.h"

#include <cstdio>
#include <memory>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/figures.h"
#include "evaluations/legacy_line.h"
#include "evaluations/persona/figures_by_group.h"
#include "evaluations/persona/persona.h"
#include "report/csv.h"

namespace assay::persona {
namespace {

using namespace figures;

constexpr std::size_t kShownCases = 20;

// A list of JSON values that may be long: kept in a file without a name until it is wanted.
class SpilledList {
 public:
  SpilledList() : file_(std::tmpfile()) {}
  void add(const Json& value) {
    const std::string text = (empty_ ? "" : ",") + to_text(value);
    empty_ = false;
    if (file_ == nullptr || std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
      broken_ = true;
  }
  // As a JSON list; false if some of it was lost.
  bool write_to(OutputFiles& files, const std::string& name) {
    if (broken_ || file_ == nullptr || std::fseek(file_.get(), 0, SEEK_SET) != 0) return false;
    files.write(name, "[");
    char buffer[1 << 16];
    for (;;) {
      const std::size_t got = std::fread(buffer, 1, sizeof buffer, file_.get());
      if (got == 0) break;
      files.write(name, std::string_view(buffer, got));
    }
    files.write(name, "]");
    return std::ferror(file_.get()) == 0;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  bool empty_ = true;
  bool broken_ = false;
};

std::vector<std::string> ids_of(const std::vector<Persona>& personas) {
  std::vector<std::string> ids;
  ids.reserve(personas.size());
  for (const Persona& persona : personas) ids.push_back(persona.id);
  return ids;
}

class PersonaCollector final : public Collector {
 public:
  PersonaCollector(const PersonaEvaluation& evaluation, OutputFiles& files, RunFacts run)
      : evaluation_(evaluation),
        job_(evaluation.plan().job),
        files_(files),
        run_(std::move(run)),
        human_(evaluation.plan().human),
        figures_(job_.mode, ids_of(job_.personas)) {
    // Both are there even if nothing is in them.
    files_.write("evaluation_data.jsonl", "");
    files_.write("evaluation_failures.jsonl", "");
    write_row({"id", "itemId", "classificationName", "perspectiveId", "personaId", "mode", "value",
               "evaluatedSelection", "likert", "agreement", "evaluationText"});
  }

  Scores add(const Case& input, const FinishedCase* finished) override {
    if (finished == nullptr) return {};
    const Outcome& outcome = finished->outcome;
    const PersonaCase one = evaluation_.take_apart(*CaseTree(input), input.part);
    const Judgement judgement = judgement_from(outcome);
    const bool good = outcome.kind == OutcomeKind::scored;
    // A request that was never sent is no failure of anybody.
    if (good || outcome.kind != OutcomeKind::limit_hit || judgement.attempts > 0) {
      keep_records(one, input, outcome);
      count_item(one.item.id, judgement, good);
    } else {
      ++not_sent_;
      status_.error = outcome.error;
    }
    figures_.add(one.persona, questions_of(job_.mode, one.request), judgement.answer.verdicts,
                 std::string(to_string(outcome.kind)));
    mismatches_ += static_cast<std::int64_t>(judgement.answer.warnings.size());
    for (const Verdict& verdict : judgement.answer.verdicts) {
      write_verdict(input, one, verdict);
      if (human_) human_->add(job_.personas[one.persona].id, verdict, job_.mode);
    }
    if (!good) note_failure(input, one, outcome);
    write_line(input, one, *finished, judgement);
    return line_.scores();
  }

  void finish(Summary& summary, std::vector<NotableCase>& notable) override {
    summary.cases.evaluated = status_.processed_requests - status_.failed_requests;
    summary.cases.errored = status_.failed_requests + not_sent_;
    figures_.apply(summary);
    summary.metrics.push_back(
        count("selection_mismatches", mismatches_, status_.processed_requests, Metric::Better::lower));
    if (human_) human_->apply(summary, job_.mode);
    notable = std::move(notable_);
  }

  void write_figures(const Summary& summary) override {
    files_.write("aggregate.csv", summary_csv(summary));
    status_.job_id = run_.run_id;
    status_.status = not_sent_ == 0 ? "COMPLETE" : "ERROR";
    status_.stop_reason = not_sent_ == 0 ? "exhausted" : "limit";
    const auto per_item = static_cast<std::int64_t>(evaluation_.requests_per_item());
    status_.init_remaining = (status_.processed_requests + not_sent_) / per_item;
    status_.remaining = status_.init_remaining - status_.processed_items;
    status_.message = fmt::format("{} items, {} requests, {} of them failed", status_.processed_items,
                                  status_.processed_requests, status_.failed_requests);
    // The object without its closing brace, then the long lists.
    std::string text = to_text(to_json(status_, job_));
    text.back() = ',';
    files_.write("job.json",
                 text + "\"evaluation_success_data\":[],\"evaluation_failure_data\":[],\"eval_info\":");
    if (!eval_info_.write_to(files_, "job.json")) files_.write("job.json", "null");
    files_.write("job.json", ",\"evaluations\":");
    if (!evaluations_.write_to(files_, "job.json")) files_.write("job.json", "null");
    files_.write("job.json", "}\n");
  }

 private:
  void keep_records(const PersonaCase& one, const Case& input, const Outcome& outcome) {
    const auto records = evaluation_.records(one, context_id(run_.run_id, input.id), outcome);
    files_.write(records.good ? "evaluation_data.jsonl" : "evaluation_failures.jsonl",
                 to_text(records.record) + "\n");
    evaluations_.add(records.job_entry);
    for (const Json& entry : records.eval_info) eval_info_.add(entry);
  }

  void count_item(const std::string& item, const Judgement& judgement, bool good) {
    if (item != item_) {
      item_ = item;
      ++status_.processed_items;
    }
    ++status_.processed_requests;
    status_.usage += judgement.usage;
    if (!judgement.finish_reason.empty()) status_.finish_reason = judgement.finish_reason;
    if (good) return;
    ++status_.failed_requests;
    status_.is_error = true;
  }

  void write_verdict(const Case& input, const PersonaCase& one, const Verdict& verdict) {
    std::string value;
    for (const Classification& classification : one.item.classifications) {
      if (classification.id == verdict.classification_id) value = classification.value.value_or("");
    }
    const bool likert = job_.mode != Mode::mode3;
    write_row({std::string(input.id), verdict.item_id, verdict.classification_id, verdict.perspective_id,
               job_.personas[one.persona].id, std::string(to_string(job_.mode)), value,
               verdict.selection.value_or(""), likert ? std::to_string(verdict.likert) : "",
               likert           ? ""
               : verdict.agrees ? "AGREE"
                                : "DISAGREE",
               verdict.text});
  }

  void write_row(const std::vector<std::string>& cells) {
    row_.clear();
    append_csv_row(row_, cells);
    files_.write("results.csv", row_);
  }

  void note_failure(const Case& input, const PersonaCase& one, const Outcome& outcome) {
    if (notable_.size() == kShownCases) return;
    notable_.push_back({std::string(input.id),
                        std::string(to_string(outcome.kind)),
                        {{"item", content_of(one.item)}, {"error", outcome.error}}});
  }

  void write_line(const Case& input, const PersonaCase& one, const FinishedCase& finished,
                  const Judgement& judgement) {
    line_.begin(input, finished.outcome.kind);
    line_.text("itemId", one.item.id);
    line_.text("personaId", job_.personas[one.persona].id);
    line_.text("mode", to_string(job_.mode));
    if (one.perspectives.size() == 1) line_.text("perspectiveId", one.perspectives.front().id);
    JsonArray verdicts;
    Moments likert;
    Moments agreed;
    for (const Verdict& verdict : judgement.answer.verdicts) {
      verdicts.push_back(to_json(verdict, job_.mode));
      if (job_.mode != Mode::mode3) likert.add(verdict.likert);
      agreed.add(agrees(verdict, job_.mode) ? 1 : 0);
    }
    line_.json("verdicts", verdicts);
    const auto mean = likert.mean();
    if (mean) likert_per_request_.add(*mean);
    if (const auto rate = agreed.mean()) agreement_per_request_.add(*rate);
    const Score scores[] = {{"likert.mean_per_request", mean}, {"agreement_rate_per_request", agreed.mean()}};
    line_.scores(scores);
    line_.json("attempts", Json(judgement.attempts));
    if (!finished.outcome.error.empty()) line_.text("error", finished.outcome.error);
    line_.json("usage", finished.usage);
    line_.number("latency_ms", finished.latency_ms);
    files_.write("results.jsonl", line_.end());
  }

  const PersonaEvaluation& evaluation_;
  const JobParameters& job_;
  OutputFiles& files_;
  RunFacts run_;
  std::optional<HumanRatings> human_;
  VerdictFigures figures_;
  JobStatus status_;
  SpilledList eval_info_;
  SpilledList evaluations_;
  LegacyLine line_;
  std::string row_;
  std::string item_;
  Moments likert_per_request_;
  Moments agreement_per_request_;
  std::int64_t mismatches_ = 0;
  std::int64_t not_sent_ = 0;
  std::vector<NotableCase> notable_;
};

}  // namespace

std::unique_ptr<Collector> make_collector(const PersonaEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run) {
  return std::make_unique<PersonaCollector>(evaluation, files, run);
}

}  // namespace assay::persona
