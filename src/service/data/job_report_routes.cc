// What a job came to: its figures as summary.json has them, and its report.
#include <utility>

#include <fmt/format.h>

#include "report/markdown.h"
#include "report/pages/html.h"
#include "report/report_json.h"
#include "service/data/data_routes.h"
#include "service/http/route_parts.h"
#include "service/results/schemas.h"

namespace assay {
namespace {

// Hands the report of the job that the path names to `send`, unless there is something to refuse.
template <class Send>
void with_report(Jobs& jobs, const ExchangePointer& exchange, const Send& send) {
  const std::string person = exchange->text("person").value_or("");
  if (exchange->refused()) return;
  const std::string job_id = exchange->parameter("job_id");
  const auto known = jobs.status(job_id, {0, 0});
  if (!known) return exchange->send_failure(known.error());
  if (!*known || text_at(**known, "mode") != exchange->parameter("mode"))
    return exchange->send_error(404, "there is no such job");
  jobs.report(job_id, person, [exchange, send](Result<std::optional<ReportInput>> report) {
    if (!report) return exchange->send_failure(report.error());
    if (!*report) return exchange->send_error(404, "a dry run leaves no figures behind");
    send(*exchange, **report);
  });
}

void job_figures(Jobs& jobs, const ExchangePointer& exchange) {
  with_report(jobs, exchange, [](const Exchange& to, const ReportInput& report) {
    Json figures = to_json(report.summary);
    figures.as_object()["rests_on"] = rests_on_json(report.summary);
    to.send(200, figures);
  });
}

void job_report(Jobs& jobs, const ExchangePointer& exchange) {
  const std::string format = exchange->text("format").value_or("html");
  with_report(jobs, exchange, [format](const Exchange& to, const ReportInput& report) {
    if (format == "md")
      return to.send_bytes(200,
                           {{"Content-Type", "text/markdown; charset=utf-8"}, {"Cache-Control", "no-store"}},
                           markdown_report(report));
    // An origin of its own: whatever a page holds, it reaches nothing of the service.
    to.send_bytes(200,
                  {{"Content-Type", "text/html; charset=utf-8"},
                   {"Cache-Control", "no-store"},
                   {"Content-Security-Policy", "sandbox allow-scripts"},
                   {"X-Content-Type-Options", "nosniff"}},
                  html_report(report));
  });
}

// That of summary.json, with the sentences on what it rests on.
Json figures_schema() {
  Json schema = parse_json(schemas::summary()).value();
  schema.as_object()["properties"].as_object()["rests_on"] =
      parse_json(R"({"type": "array", "items": {"type": "string"}})").value();
  return schema;
}

const QueryParameter kPerson{"person", "string",
                             "Feedback of this person only; else of everybody, each person's last word."};

}  // namespace

std::vector<Route> job_report_routes(Jobs& jobs) {
  const std::string job = std::string(kDataBase) + "/process-evals/{mode}/{job_id}";
  return {{.method = "GET",
           .path = job + "/figures",
           .role = TokenRole::read,
           .summary = "A job's figures, as summary.json has them, with feedback as human ratings.",
           .query = {kPerson},
           .answer = figures_schema(),
           .statuses = {200, 400, 404, 409},
           .handle = asking(jobs, job_figures)},
          {.method = "GET",
           .path = job + "/report",
           .role = TokenRole::read,
           .summary = "The same as a page, or as Markdown.",
           .query = {kPerson, one_of({"format", "string", "html by default."}, {"html", "md"})},
           .answer = JsonObject{{"type", "string"}},
           .media = "text/html",
           .also = {"text/markdown"},
           .statuses = {200, 400, 404, 409},
           .handle = asking(jobs, job_report)}};
}

}  // namespace assay
