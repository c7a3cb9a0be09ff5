#include "service/data/job.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "service/data/evaluation_records.h"
#include "service/data/job_lists.h"

namespace assay {
namespace {

constexpr std::size_t kSnapshotPiece = 200;  // items that are read together

// What a job asks for must be there: nothing to do is an answer only where there was something.
Status check_source(DataStore& store, const persona::JobParameters& wanted) {
  if (!wanted.tag_source.empty()) {
    const auto tagged = store.tagged(wanted.tag_source);
    if (!tagged) return fail(tagged.error());
    if (*tagged == 0)
      return fail(ErrorKind::config,
                  fmt::format("tag_source: no item has the tag \"{}\"", wanted.tag_source));
  }
  if (wanted.subset_tag) {
    const int percent = wanted.subset_percent.value_or(0);
    const auto members = store.members(*wanted.subset_tag, percent);
    if (!members) return fail(members.error());
    if (*members == 0)
      return fail(ErrorKind::config,
                  fmt::format("subset_tag: there is no subset of {} percent of the tag \"{}\"; create-subset "
                              "makes one",
                              percent, *wanted.subset_tag));
  }
  return {};
}

}  // namespace

std::int64_t epoch_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_final(std::string_view status) {
  return status != "INITIATED" && status != "PROCESSING";
}

JsonObject Job::json() const {
  JsonObject json = persona::to_json(status, parameters);
  for (const char* name : kJobLists) json[name] = JsonArray{};
  json["lists_truncated"] = truncated();
  json["agent"] = agent;
  if (!seal.empty()) json["seal"] = seal;
  return json;
}

JsonObject Job::lists() const {
  return JsonObject{{"eval_info", eval_info_},
                    {"evaluations", evaluations_},
                    {"evaluation_success_data", success_data_},
                    {"evaluation_failure_data", failure_data_}};
}

void Job::end_badly(const Error& error) {
  status.status = "ERROR";
  status.is_error = true;
  status.stop_reason = "failed";
  status.error = error.text();
  status.message = "the job could not be finished";
}

bool Job::truncated() const {
  const auto full = [](const JsonArray& list) { return list.size() == kMostListed; };
  return full(eval_info_) || full(evaluations_) || full(success_data_) || full(failure_data_);
}

StoredJob Job::stored_form() const {
  return {status.job_id,   std::string(persona::to_string(parameters.mode)),
          status.status,   parameters.personas.front().id,
          to_text(json()), created_ms};
}

Json Job::whole() const {
  JsonObject whole = json();
  if (is_final(status.status)) {
    for (auto& [name, list] : lists()) whole[name] = std::move(list);
    cut_lists(whole, {0, kMostListed});
  }
  return whole;
}

Result<std::int64_t> Job::take_snapshot() {
  const persona::JobParameters& wanted = parameters;
  if (auto there = check_source(around_.store, wanted); !there) return fail(std::move(there.error()));
  ItemQuery query;
  query.tag = wanted.tag_source;
  if (wanted.exclude_existing) {
    query.exclude_tag = wanted.tags_dest.front();
    // As the records have them: another content is another version, which has judged nothing yet.
    query.persona_id = wanted.personas.front().id;
    query.persona_json = canonical_text(wanted.personas.front().json);
    query.mode = persona::to_string(wanted.mode);
    for (const persona::Perspective& one : wanted.perspectives)
      query.perspectives.push_back({one.id, canonical_text(persona::recorded_perspective(one))});
  }
  if (wanted.last_n_hours)
    query.published_since_ms = epoch_ms() - static_cast<std::int64_t>(*wanted.last_n_hours * 3'600'000);
  if (wanted.subset_tag) {
    query.subset_tag = *wanted.subset_tag;
    query.subset_percent = wanted.subset_percent.value_or(0);
  }
  query.order = wanted.most_recent ? ItemQuery::Order::newest
                : wanted.by_uuid   ? ItemQuery::Order::item_id
                                   : ItemQuery::Order::stored;
  // Which items is decided in one read, whatever is recorded meanwhile; there may be a million of them.
  query.count = wanted.items_to_process ? std::max<std::int64_t>(0, *wanted.items_to_process) : 0;
  auto found = around_.store.item_rows(query);
  if (!found) return fail(std::move(found.error()));
  if (auto made = make_directories(directory); !made) return fail(std::move(made.error()));
  auto file = AtomicFile::create(directory + "/items.jsonl");
  if (!file) return fail(std::move(file.error()));
  std::int64_t most = 0;
  for (std::span<const std::int64_t> left = found->rows; !left.empty();) {
    const auto piece = left.first(std::min(left.size(), kSnapshotPiece));
    left = left.subspan(piece.size());
    const auto stored = around_.store.items_of(piece);
    if (!stored) return fail(stored.error());
    for (const StoredItem& item : *stored) file->write(item.json + "\n");
    most += static_cast<std::int64_t>(stored->size());
    found->total -= static_cast<std::int64_t>(piece.size() - stored->size());  // removed meanwhile
  }
  if (auto written = file->commit(); !written) return fail(std::move(written.error()));
  items = most;
  status.skipped_items = found->total - most;
  status.init_remaining = found->total;
  status.remaining = found->total;
  return most;
}

Status Job::open() {
  std::vector<ConfigProblem> problems;
  std::vector<std::string> wrong;
  persona::PersonaPlan plan;
  plan.job = parameters;
  plan.items.path = directory + "/items.jsonl";
  plan.agent = agent;
  evaluation = persona::make_evaluation(std::move(plan), persona::sampling_of(parameters.params, wrong),
                                        around_.options.config, problems);
  if (!problems.empty()) return fail(ErrorKind::config, problems.front().text);
  auto source = evaluation->cases();
  if (!source) return fail(std::move(source.error()));
  std::size_t cases = 0;
  for (;; ++cases) {
    auto more = (*source)->next();
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
  }
  const auto per_item = evaluation->requests_per_item();
  // By line, whether it can be used or not: that is how cases are counted.
  requests_left_.assign(static_cast<std::size_t>((*source)->lines()), static_cast<std::uint32_t>(per_item));
  items = static_cast<std::int64_t>(cases / per_item);
  status.init_remaining = items + status.skipped_items;
  status.remaining = status.init_remaining;
  return {};
}

void Job::hear(const Case& input, const Outcome& outcome) {
  const persona::PersonaCase one = evaluation->take_apart(*CaseTree(input), input.part);
  const auto records = evaluation->records(one, persona::context_id(status.job_id, input.id), outcome);
  const persona::Judgement judgement = persona::judgement_from(outcome);
  ++status.processed_requests;
  status.usage += judgement.usage;
  if (!judgement.origin.finish_reason.empty()) status.finish_reason = judgement.origin.finish_reason;
  if (!records.good) {
    ++status.failed_requests;
    status.is_error = true;
  }
  auto& left = requests_left_[static_cast<std::size_t>(input.index) / evaluation->requests_per_item()];
  if (left > 0) {
    --left;
    if (left == 0) {
      ++status.processed_items;
      --status.remaining;
    }
  }
  if (evaluations_.size() < kMostListed) evaluations_.push_back(records.job_entry);
  for (const Json& entry : records.eval_info) {
    if (eval_info_.size() < kMostListed) eval_info_.push_back(entry);
  }
  if (parameters.dry_run) {
    JsonArray& list = records.good ? success_data_ : failure_data_;
    if (list.size() < kMostListed) list.push_back(records.record);
    return;
  }
  std::vector<FieldError> errors;
  recording_.begin();
  const auto done = [this, &loop = around_.loop](auto result) {
    loop.post([this, result = result ? Status() : Status(fail(result.error()))] { stored(result); });
  };
  if (records.good) {
    if (auto record = read_result(records.record, errors)) {
      record->job_id = status.job_id;
      return around_.store.add_result(std::move(*record), done);
    }
  } else if (auto record = read_failure(records.record, errors)) {
    record->job_id = status.job_id;
    return around_.store.add_failure(std::move(*record), done);
  }
  // A record of ours that does not fit its schema is a bug; the tests hold them against it.
  done(
      Status(fail(ErrorKind::schema, errors.empty() ? "a record cannot be stored" : errors.front().message)));
}

void Job::stored(Status done) {
  if (!done && !broken_) {
    broken_ = std::move(done.error());
    if (run) run->interrupt();
  }
  recording_.end();
}

}  // namespace assay
