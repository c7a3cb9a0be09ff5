#include "service/data/job_report.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "evaluations/persona/persona.h"
#include "net/event_loop.h"
#include "runs/collect.h"
#include "runs/run.h"
#include "service/data/job.h"
#include "service/data/job_request.h"
#include "store/run_store.h"

namespace assay {
namespace {

constexpr std::int64_t kFeedbackAtOnce = 1000;

// What people have said of the job's results, in the order in which they did.
Result<std::vector<persona::PersonRating>> ratings_of(DataStore& store, const std::string& job_id,
                                                      const std::string& person) {
  std::vector<persona::PersonRating> ratings;
  FeedbackQuery query{
      .person = person, .job_id = job_id, .count = kFeedbackAtOnce, .totals = Totals::unknown};
  for (;;) {
    auto page = store.feedback(query);
    if (!page) return fail(std::move(page.error()));
    for (const FeedbackRow& row : page->rows) {
      ratings.push_back({row.result.verdict.item_id, row.result.verdict.classification, row.result.persona_id,
                         row.result.verdict.perspective_id, row.feedback.person, row.feedback.likert,
                         row.feedback.agreement == "AGREE"});
    }
    if (page->remaining == 0) return ratings;
    query.after = page->rows.back().feedback_id;
  }
}

Result<std::unique_ptr<persona::PersonaEvaluation>> evaluation_of(const StoredJob& stored,
                                                                  const JobsOptions& options,
                                                                  const std::string& items,
                                                                  persona::HumanRatings human) {
  auto json = parse_json(stored.json);
  if (!json) return fail(std::move(json.error()));
  std::vector<FieldError> errors;
  auto parameters = read_job_parameters(*json, stored.mode, JobSource::status, errors);
  if (!parameters)
    return fail(ErrorKind::data, fmt::format("the job's status cannot be read: {} {}", errors.front().pointer,
                                             errors.front().message));
  persona::PersonaPlan plan;
  plan.job = std::move(*parameters);
  plan.items.path = items;
  plan.agent = text_at(*json, "agent");
  if (!human.empty()) plan.human = std::move(human);
  std::vector<std::string> wrong;
  std::vector<ConfigProblem> problems;
  Sampling sampling = persona::sampling_of(plan.job.params, wrong);
  auto evaluation = persona::make_evaluation(std::move(plan), std::move(sampling), options.config, problems);
  if (!problems.empty()) return fail(ErrorKind::config, problems.front().text);
  return evaluation;
}

// A file that is there as long as this object.
class PassingFile {
 public:
  static Result<PassingFile> write(std::string path, const std::string& text) {
    PassingFile file(std::move(path));
    if (auto written = write_file(file.path_, text); !written) return fail(std::move(written.error()));
    return file;
  }
  PassingFile(PassingFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PassingFile& operator=(PassingFile&& other) = delete;
  ~PassingFile() {
    if (!path_.empty()) std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  explicit PassingFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// What a job's figures are made of. Where several processes share the jobs, its snapshot is brought here for
// that.
struct Material {
  RunAddress journal;
  std::string items;
  std::optional<PassingFile> brought;
};

Result<Material> material_of(DataStore& store, const JobsOptions& options, const std::string& job_id) {
  const std::string directory = options.directory + "/" + job_id;
  if (!store.shared())
    return Material{RunAddress(directory), directory + "/" + JobFiles::kSnapshot, std::nullopt};
  auto text = store.job_file(job_id, JobFiles::kSnapshot);
  if (!text) return fail(std::move(text.error()));
  auto file = PassingFile::write(directory + "-for-figures.jsonl", text->value_or(""));
  if (!file) return fail(std::move(file.error()));
  const std::string path = file->path();
  return Material{RunAddress::in(options.store, job_id), path, std::move(*file)};
}

// Which items, as the job was told.
std::string source_words(const persona::JobParameters& job) {
  if (job.subset_tag)
    return fmt::format("{} percent of the items tagged {}", job.subset_percent.value_or(0), *job.subset_tag);
  return job.tag_source.empty() ? "all items" : fmt::format("items tagged {}", job.tag_source);
}

}  // namespace

Result<std::optional<ReportInput>> report_job(DataStore& store, const JobsOptions& options,
                                              const std::string& job_id, const std::string& person) {
  auto stored = store.job(job_id);
  if (!stored) return fail(std::move(stored.error()));
  if (!*stored) return std::nullopt;
  const auto material = material_of(store, options, job_id);
  if (!material) return fail(material.error());
  if (!RunStore::holds_run(material->journal))
    return fail(ErrorKind::changed, "the job has judged nothing yet: there are no figures");
  auto ratings = ratings_of(store, job_id, person);
  if (!ratings) return fail(std::move(ratings.error()));
  auto evaluation = evaluation_of(**stored, options, material->items, persona::HumanRatings::of(*ratings));
  if (!evaluation) return fail(std::move(evaluation.error()));
  auto journal = RunStore::open(material->journal, nullptr);
  if (!journal) return fail(std::move(journal.error()));
  EventLoop loop;
  auto totals = loop.run_until_done((*journal)->totals());
  if (!totals) return fail(std::move(totals.error()));
  const persona::JobParameters& job = (*evaluation)->plan().job;
  const RunIdentity& identity = (*journal)->identity();
  CollectRequest collecting{.evaluation = **evaluation};
  collecting.header = {
      identity.evaluation,
      fmt::format("job {}", job_id),
      identity.run_id,
      identity.started,
      "",
      written_config(options.config),
      {{"judge", job.model}, {"persona", job.personas.front().name}, {"data", source_words(job)}}};
  collecting.store = journal->get();
  collecting.invalid_lines = InvalidLines::skip;
  RunEnding ending;
  ending.totals = *totals;
  ending.not_taken = NotTaken::open;
  ending.worked_seconds = totals->worked_seconds;
  ProblemList problems;
  auto collected = loop.run_until_done(collect_run(std::move(collecting), std::move(ending), problems));
  if (!collected) {
    if (collected.error().kind == ErrorKind::data)
      return fail(ErrorKind::changed, "no item matched the job: there are no figures");
    return fail(std::move(collected.error()));
  }
  ReportInput& report = collected->report;
  if (!is_final((*stored)->status)) {
    const CaseCounts& cases = report.summary.cases;
    report.summary.finished.clear();
    report.summary.conclusions.insert(
        report.summary.conclusions.begin(),
        fmt::format("The job has not ended: {} of {} requests have an outcome so far.",
                    cases.evaluated + cases.errored, cases.total));
  }
  return std::move(report);
}

}  // namespace assay
