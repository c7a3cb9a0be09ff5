#include "evaluations/persona/aggregate.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/figures.h"
#include "evaluations/persona/conclusions.h"
#include "evaluations/persona/figures_by_group.h"
#include "evaluations/persona/persona.h"

namespace assay::persona {
namespace {

using namespace figures;

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

class PersonaAggregate final : public Aggregate {
 public:
  PersonaAggregate(const PersonaEvaluation& evaluation, OutputFiles& files, RunFacts run)
      : evaluation_(evaluation),
        job_(evaluation.plan().job),
        files_(files),
        run_(std::move(run)),
        human_(evaluation.plan().human),
        figures_(job_.mode, ids_of(job_.personas)) {
    // Both are there even if nothing is in them.
    files_.write("evaluation_data.jsonl", "");
    files_.write("evaluation_failures.jsonl", "");
  }

  void add(const Case& input, const ResultLine& line) override {
    const auto& facts = line.facts<RequestFacts>();
    const PersonaCase& asked = facts.asked;
    const Judgement& judgement = facts.judgement;
    if (items_ == 0 || asked.item.id != met_) {
      met_ = asked.item.id;
      ++items_;
    }
    // A request that was never sent is no failure of anybody.
    if (line.outcome() != OutcomeKind::limit_hit || judgement.attempts > 0) {
      keep_records(asked, input, judgement, line);
      count_item(asked.item.id, judgement, line.scored());
    } else {
      ++not_sent_;
      status_.error = line.error();
    }
    figures_.add(asked.persona, questions_of(job_.mode, asked.request), judgement.answer.verdicts,
                 std::string(to_string(line.outcome())));
    mismatches_ += static_cast<std::int64_t>(judgement.answer.warnings.size());
    if (!human_) return;
    if (judgement.answer.verdicts.empty()) {
      for (const Question& question : questions_of(job_.mode, asked.request))
        human_->add_missing(job_.personas[asked.persona].id, question,
                            std::string(to_string(line.outcome())));
    }
    for (const Verdict& verdict : judgement.answer.verdicts)
      human_->add(job_.personas[asked.persona].id, verdict, job_.mode);
  }

  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    figures_.apply(summary);
    summary.metrics.push_back(
        count("selection_mismatches", mismatches_, status_.processed_requests, Metric::Better::lower));
    summary.conclusions = conclusions(summary, figures_.agreement_by_classification(), agreement_by_name());
    if (std::string spread = figures_.spread_sentence(); !spread.empty())
      summary.conclusions.push_back(std::move(spread));
    if (human_) human_->apply(summary, job_.mode);
  }

  void write_figures(const Summary& /*summary*/, const std::vector<NotableCase>& /*notable*/) override {
    status_.job_id = run_.run_id;
    status_.status = not_sent_ == 0 ? "COMPLETE" : "ERROR";
    status_.stop_reason = not_sent_ == 0 ? "exhausted" : "limit";
    status_.init_remaining = items_;
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
  std::map<std::string, Estimate> agreement_by_name() const {
    std::map<std::string, Estimate> rates;
    for (const auto& [id, rate] : figures_.agreement_by_persona()) {
      const auto persona = std::ranges::find(job_.personas, id, &Persona::id);
      rates.emplace(persona == job_.personas.end() ? id : persona->name, rate);
    }
    return rates;
  }

  void keep_records(const PersonaCase& asked, const Case& input, const Judgement& judgement,
                    const ResultLine& line) {
    const auto records = evaluation_.records(asked, context_id(run_.run_id, input.id), judgement,
                                             line.outcome(), line.error());
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
    if (!judgement.origin.finish_reason.empty()) status_.finish_reason = judgement.origin.finish_reason;
    if (good) return;
    ++status_.failed_requests;
    status_.is_error = true;
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
  std::string met_;  // the item of the request at hand
  std::int64_t items_ = 0;
  std::string item_;  // the last one of which something was sent
  std::int64_t mismatches_ = 0;
  std::int64_t not_sent_ = 0;
};

}  // namespace

std::unique_ptr<Aggregate> make_aggregate(const PersonaEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run) {
  return std::make_unique<PersonaAggregate>(evaluation, files, run);
}

}  // namespace assay::persona
