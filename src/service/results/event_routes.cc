#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "service/http/route_parts.h"
#include "service/results/result_routes.h"

namespace assay {

std::vector<Route> event_routes(Results& results, RunEvents& events) {
  return {
      {.method = "GET",
       .path = "/api/events",
       .role = TokenRole::read,
       .summary =
           "Server-sent events: `run` with a run that has changed, `gone` with the id of one that is no "
           "more. At first what is running, or the run that was asked for.",
       .query = {{"run", "string", "Of this run only."}},
       .answer = JsonObject{{"type", "string"}},
       .media = "text/event-stream",
       .statuses = {200, 400, 404, 503},
       .handle = [&results, &events](const ExchangePointer& exchange, const Json&) {
         const std::string run = exchange->text("run").value_or("");
         if (exchange->refused()) return;
         // Who asks for the head alone does not listen.
         if (exchange->request().method == "HEAD")
           return exchange->responder()->send(200, {{"Content-Type", "text/event-stream"}}, "");
         read_for(results, exchange, [&results, &events, exchange, run] {
           if (!run.empty() && results.catalogue.find(run) == nullptr)
             return exchange->send_error(404, fmt::format("there is no run {}", shorten(run, 200)));
           if (!events.listen(exchange->responder(), run, [exchange] { return exchange->still_admitted(); }))
             exchange->send_error(503, "too many listen, or the service is stopping");
         });
       }}};
}

}  // namespace assay
