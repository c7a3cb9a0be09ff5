#include <limits>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/persona/request.h"
#include "service/data/cursor.h"
#include "service/data/data_routes.h"
#include "service/data/data_schemas.h"
#include "service/data/job_lists.h"
#include "service/data/job_request.h"
#include "service/data/lists.h"
#include "service/http/route_parts.h"

namespace assay {
namespace {

void process(Jobs& jobs, const ExchangePointer& exchange, const Json& body) {
  const std::string mode = exchange->parameter("mode");
  if (!persona::mode_of(mode))
    return exchange->send_error(404,
                                fmt::format("there is no mode {}; there are mode1, mode2 and mode3", mode));
  std::vector<FieldError> errors;
  auto parameters = read_job_parameters(body, mode, JobSource::request, errors);
  add_all(*exchange, errors);
  const auto items = exchange->whole("items_to_process", std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max());
  const bool async = exchange->flag("async");
  const bool dry = exchange->flag("dry_run");
  if (exchange->refused()) return;
  if (items) parameters->items_to_process = items;
  parameters->async = parameters->async || async;
  parameters->dry_run = parameters->dry_run || dry;
  const auto send = [exchange](int status) {
    return [exchange, status](Result<Json> answer) {
      if (!answer) return exchange->send_failure(answer.error());
      exchange->send(status, *answer);
    };
  };
  const std::string agent = exchange->client().empty() ? "assay" : exchange->client();
  if (parameters->async) return jobs.submit(std::move(*parameters), agent, send(202), nullptr);
  jobs.submit(
      std::move(*parameters), agent,
      [send](Result<Json> begun) {
        if (!begun) send(200)(std::move(begun));
      },
      send(200));
}

// Answers the status of the job if there is one and it is of the mode that the path names.
void send_status(const Exchange& exchange, Result<std::optional<Json>> status) {
  if (!status) return exchange.send_failure(status.error());
  if (!*status || text_at(**status, "mode") != exchange.parameter("mode"))
    return exchange.send_error(404, "there is no such job");
  exchange.send(200, **status);
}

void job_status(Jobs& jobs, const ExchangePointer& exchange) {
  ListPage page;
  read_paging(*exchange, page);
  if (exchange->refused()) return;
  send_status(*exchange, jobs.status(exchange->parameter("job_id"), page));
}

void cancel_job(Jobs& jobs, const ExchangePointer& exchange) {
  auto known = jobs.status(exchange->parameter("job_id"), {0, 0});
  if (!known || !*known || text_at(**known, "mode") != exchange->parameter("mode"))
    return send_status(*exchange, std::move(known));
  jobs.cancel(exchange->parameter("job_id"), [exchange](Result<std::optional<Json>> status) {
    if (status && *status && (*status)->is_object()) cut_lists((*status)->get_object(), {});
    send_status(*exchange, std::move(status));
  });
}

void list_jobs(DataStore& store, const ExchangePointer& exchange) {
  JobQuery query;
  query.mode = exchange->text("mode").value_or("");
  query.status = exchange->text("status").value_or("");
  query.persona_id = exchange->text("persona").value_or("");
  query.created = recorded_filter(*exchange);
  read_paging(*exchange, query);
  if (const auto given = exchange->text("cursor")) {
    if (const auto cursor = read_cursor('j', 2, *given)) {
      query.after = JobPlace{cursor->numbers[0], cursor->numbers[1]};
    } else {
      exchange->add_error("cursor", "expected `next` of an answer to the same query");
    }
    if (exchange->text("page")) exchange->add_error("page", "a cursor says where the page begins");
  }
  if (exchange->refused()) return;
  auto page = store.jobs(query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray list;
  std::int64_t items = 0;
  std::int64_t requests = 0;
  std::int64_t failed = 0;
  std::int64_t tokens = 0;
  const auto add = [](std::int64_t& sum, const Json* value) {
    if (value != nullptr) sum += as_integer(*value).value_or(0);
  };
  for (const StoredJob& job : page->jobs) {
    auto json = parse_json(job.json);
    if (!json || !json->is_object()) continue;
    add(items, find_member(*json, "processed_items"));
    add(requests, find_member(*json, "processed_requests"));
    add(failed, find_member(*json, "failed_requests"));
    add(tokens, find_pointer(*json, "/usage/total_tokens"));
    // The long lists are for the job's own page.
    for (const char* name : kJobLists) json->get_object().erase(name);
    json->get_object()["createdMs"] = job.created_ms;
    list.push_back(std::move(*json));
  }
  ListedPage listed{std::move(list), page->total, page->remaining, {}};
  if (page->remaining > 0 && page->last)
    listed.next = cursor_text('j', {page->last->created_ms, page->last->number});
  send_page(*exchange, "jobs", std::move(listed),
            {{"totals", JsonObject{{"processed_items", items},
                                   {"processed_requests", requests},
                                   {"failed_requests", failed},
                                   {"total_tokens", tokens}}}});
}

Json status_schema() {
  return parse_json(job_status_schema()).value();
}

}  // namespace

std::vector<Route> job_routes(DataStore& store, Jobs& jobs) {
  const std::string base = kDataBase;
  return {
      {.method = "POST",
       .path = base + "/process-evals/{mode}",
       .role = TokenRole::write,
       .summary = "Starts an evaluation job; without async it answers when it is done.",
       .query = {{"items_to_process", "integer", "At most so many items; below 1 or absent: all."},
                 {"async", "boolean", "Answer at once with the job's first status."},
                 {"dry_run", "boolean",
                  "Ask the model, store nothing, and return what would have been stored."}},
       .body = job_request_schema(),
       .answer = status_schema(),
       .statuses = {200, 202, 400, 404, 415, 503},
       .handle = taking(jobs, process)},
      {.method = "GET",
       .path = base + "/process-evals/{mode}/{job_id}",
       .role = TokenRole::read,
       .summary = "A job's status, with a page of each of its lists.",
       .query = with_paging({}),
       .answer = status_schema(),
       .statuses = {200, 400, 404},
       .handle = asking(jobs, job_status)},
      {.method = "POST",
       .path = base + "/process-evals/{mode}/{job_id}/cancel",
       .role = TokenRole::write,
       .summary = "Starts nothing new for the job and answers with its last status.",
       .answer = status_schema(),
       .statuses = {200, 400, 404},
       .reads_first = true,
       .handle = asking(jobs, cancel_job)},
      {.method = "GET",
       .path = base + "/get-evaluation-jobs",
       .role = TokenRole::read,
       .summary = "Jobs, newest first, with totals over the page.",
       .query = with_cursor({mode_parameter("Of this mode."),
                             one_of({"status", "string", "In this state."},
                                    {"INITIATED", "PROCESSING", "COMPLETE", "ERROR", "CANCELLED"}),
                             {"persona", "string", "Id of the persona."},
                             {"since", "string", "Begun at this time or later."},
                             {"until", "string", "Begun before this time."}},
                            Streamed::no),
       .answer = list_schema("jobs", job_schema(), {{"totals", job_totals_schema()}}),
       .statuses = {200, 400},
       .handle = asking(store, list_jobs)},
  };
}

}  // namespace assay
