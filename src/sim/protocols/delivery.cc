#include "sim/protocols/delivery.h"

#include <cmath>

#include <fmt/format.h>

#include "core/time.h"
#include "sim/protocols/anthropic_wire.h"
#include "sim/protocols/bedrock_wire.h"
#include "sim/protocols/gemini_wire.h"
#include "sim/protocols/openai_wire.h"
#include "sim/protocols/promptql.h"

namespace assay::sim {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

Nanoseconds from_seconds(double seconds) {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::string error_body(Protocol protocol, const WireError& error, std::string_view id) {
  switch (protocol) {
    case Protocol::openai:
      return openai_error_body(error);
    case Protocol::anthropic:
      return anthropic_error_body(error, id);
    case Protocol::gemini:
      return gemini_error_body(error);
    case Protocol::bedrock:
      return bedrock_error_body(error);
    case Protocol::promptql:
      break;
  }
  return promptql_error_body(error);
}

void Delivery::later(const Exchange& exchange, Nanoseconds delay, std::function<void()> work) {
  if (delay.count() <= 0) return work();
  exchange.responder->after(delay, std::move(work));
}

void Delivery::send(const Exchange& exchange, std::string body) const {
  stats_->count_answer(exchange.route, 200);
  exchange.flight->land();
  exchange.responder->send(200, headers_of(exchange), std::move(body));
}

void Delivery::send_error(const Exchange& exchange, const WireError& error, const Headers& more) const {
  Headers headers = headers_of(exchange);
  for (const auto& [name, value] : more) headers.add(name, value);
  if (exchange.protocol == Protocol::bedrock)
    headers.add("x-amzn-errortype", std::string(bedrock_error_type(error.status)));
  stats_->count_answer(exchange.route, error.status);
  exchange.flight->land();
  exchange.responder->send(error.status, std::move(headers),
                           error_body(exchange.protocol, error, exchange.id));
}

void Delivery::send_busy(const Exchange& exchange, int status, std::string message,
                         double retry_after) const {
  Headers headers;
  if (retry_after >= 0) {
    headers.add("retry-after", fmt::format("{}", static_cast<std::int64_t>(std::ceil(retry_after))));
    headers.add("retry-after-ms",
                fmt::format("{}", static_cast<std::int64_t>(std::ceil(retry_after * 1000))));
    if (status == 429 && options_.requests_per_minute == 0) {
      add_limits(headers, exchange, {false, 0, from_seconds(retry_after)}, 1);
    }
  }
  if (status == 503 && exchange.protocol == Protocol::anthropic) status = 529;
  send_error(exchange, {status, std::move(message), "", "", ""}, headers);
}

void Delivery::send_scripted(const Exchange& exchange, Nanoseconds latency,
                             const ScriptedError& error) const {
  later(exchange, latency, [self = shared_from_this(), exchange, error] {
    if (!error.body)
      return self->send_error(exchange, {error.status, "As the script says.", "", "", ""}, error.headers);
    Headers headers = self->headers_of(exchange);
    for (const auto& [name, value] : error.headers) headers.add(name, value);
    self->stats_->count_answer(exchange.route, error.status);
    exchange.flight->land();
    exchange.responder->send(error.status, std::move(headers), *error.body);
  });
}

void Delivery::deliver(const Exchange& exchange, const FaultPlan& plan, Written written) const {
  if (plan.latency.count() <= 0) return deliver_now(exchange, plan.fault, std::move(written));
  auto kept = std::make_shared<Written>(std::move(written));
  later(exchange, plan.latency, [self = shared_from_this(), exchange, fault = plan.fault, kept] {
    self->deliver_now(exchange, fault, std::move(*kept));
  });
}

void Delivery::deliver_now(const Exchange& exchange, Fault fault, Written written) const {
  if (written.stream) return deliver_stream(exchange, fault, std::move(written.events));
  switch (fault) {
    case Fault::drop:
      stats_->count_answer(exchange.route, "dropped");
      exchange.flight->land();
      return exchange.responder->drop();
    case Fault::stall:
      stats_->count_answer(exchange.route, "stalled");
      return hold(exchange);
    case Fault::truncate: {
      stats_->count_answer(exchange.route, 200);
      exchange.flight->land();
      const std::size_t announced = written.body.size();
      written.body.resize(announced / 2);
      return exchange.responder->send_truncated(200, headers_of(exchange), std::move(written.body),
                                                announced);
    }
    case Fault::malformed:
      written.body.resize(written.body.size() / 2);
      break;
    default:
      break;
  }
  send(exchange, std::move(written.body));
}

void Delivery::deliver_stream(const Exchange& exchange, Fault fault, std::vector<std::string> events) const {
  if (fault == Fault::drop || fault == Fault::stall || fault == Fault::truncate)
    events.resize(events.size() / 2);
  if (fault == Fault::malformed) {
    std::string& event = events[events.size() / 2];
    event.resize(event.size() * 3 / 4);
    event += "\n\n";
  }
  stats_->count_answer(exchange.route, fault == Fault::drop    ? "dropped"
                                       : fault == Fault::stall ? "stalled"
                                                               : "200");
  Headers headers =
      headers_of(exchange, exchange.protocol == Protocol::bedrock ? "application/vnd.amazon.eventstream"
                                                                  : "text/event-stream; charset=utf-8");
  headers.add("cache-control", "no-cache");
  exchange.responder->begin_stream(200, std::move(headers));
  write_from(exchange, fault, std::make_shared<const std::vector<std::string>>(std::move(events)), 0);
}

void Delivery::write_from(const Exchange& exchange, Fault fault, const Events& events, std::size_t at) const {
  for (; at < events->size(); ++at) {
    // The event that ends a stream ends the request for its client.
    if (at + 1 == events->size()) exchange.flight->land();
    exchange.responder->write((*events)[at]);
    if (options_.chunk_delay.count() > 0) {
      return later(exchange, options_.chunk_delay, [self = shared_from_this(), exchange, fault, events, at] {
        self->write_from(exchange, fault, events, at + 1);
      });
    }
  }
  exchange.flight->land();
  if (fault == Fault::drop) return exchange.responder->drop();
  if (fault == Fault::stall) return hold(exchange);
  exchange.responder->end_stream();
}

// Keeps the connection open in silence.
void Delivery::hold(const Exchange& exchange) const {
  exchange.flight->land();
  exchange.responder->after(options_.stall_time, [responder = exchange.responder] { responder->drop(); });
}

Headers Delivery::headers_of(const Exchange& exchange, std::string_view type) const {
  Headers headers;
  headers.add("content-type", std::string(type));
  headers.add(exchange.protocol == Protocol::anthropic ? "request-id"
              : exchange.protocol == Protocol::bedrock ? "x-amzn-requestid"
                                                       : "x-request-id",
              exchange.id);
  if (options_.requests_per_minute > 0)
    add_limits(headers, exchange, exchange.admission, options_.requests_per_minute);
  return headers;
}

void Delivery::add_limits(Headers& headers, const Exchange& exchange,
                          const MinuteWindow::Admission& admission, std::uint64_t limit) const {
  const bool openai = exchange.protocol != Protocol::anthropic;
  const auto add = [&](std::string_view name, std::string value) {
    headers.add(openai ? fmt::format("x-ratelimit-{}-requests", name)
                       : fmt::format("anthropic-ratelimit-requests-{}", name),
                std::move(value));
  };
  add("limit", fmt::format("{}", limit));
  add("remaining", fmt::format("{}", admission.remaining));
  add("reset",
      openai
          ? fmt::format("{}ms", std::chrono::ceil<std::chrono::milliseconds>(admission.until_reset).count())
          : iso_time(std::chrono::system_clock::now() +
                     std::chrono::ceil<std::chrono::milliseconds>(admission.until_reset)));
}

}  // namespace assay::sim
