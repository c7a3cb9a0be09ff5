// How answers leave the simulated endpoint: in the form of their protocol, with the headers that real servers
// send, when their latency is over, and broken where a fault says so. Holds no state of its own but the
// options; everything about one request is in its Exchange.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/http_server.h"
#include "sim/answers/script.h"
#include "sim/faults.h"
#include "sim/protocols/wire.h"
#include "sim/server.h"
#include "sim/stats.h"

namespace assay::sim {

enum class Protocol { openai, anthropic, promptql, gemini, bedrock };

// An error in the form of its protocol; `id` is the request's.
std::string error_body(Protocol protocol, const WireError& error, std::string_view id);

// One request on its way through the endpoint.
struct Exchange {
  std::shared_ptr<Responder> responder;
  std::shared_ptr<Stats::Flight> flight;
  Protocol protocol = Protocol::openai;
  std::string_view route;  // a constant, for the statistics
  std::uint64_t number = 0;
  std::string id;
  std::string model;  // that the path names, if it does
  MinuteWindow::Admission admission;
};

// A reply in the form of its protocol: one body, or the events of a stream.
struct Written {
  bool stream = false;
  std::string body;
  std::vector<std::string> events;
};

class Delivery : public std::enable_shared_from_this<Delivery> {
 public:
  Delivery(const SimServerOptions& options, std::shared_ptr<Stats> stats)
      : options_(options), stats_(std::move(stats)) {}

  void send(const Exchange& exchange, std::string body) const;
  void send_error(const Exchange& exchange, const WireError& error, const Headers& more = {}) const;
  // 429, and 503 (529 in Anthropic's protocol), with retry-after.
  void send_busy(const Exchange& exchange, int status, std::string message, double retry_after) const;
  void send_scripted(const Exchange& exchange, std::chrono::nanoseconds latency,
                     const ScriptedError& error) const;
  void deliver(const Exchange& exchange, const FaultPlan& plan, Written written) const;
  // Runs `work` on a server thread; at once without a delay.
  static void later(const Exchange& exchange, std::chrono::nanoseconds delay, std::function<void()> work);

 private:
  using Events = std::shared_ptr<const std::vector<std::string>>;

  void deliver_now(const Exchange& exchange, Fault fault, Written written) const;
  void deliver_stream(const Exchange& exchange, Fault fault, std::vector<std::string> events) const;
  void write_from(const Exchange& exchange, Fault fault, const Events& events, std::size_t at) const;
  void hold(const Exchange& exchange) const;
  Headers headers_of(const Exchange& exchange, std::string_view type = "application/json") const;
  void add_limits(Headers& headers, const Exchange& exchange, const MinuteWindow::Admission& admission,
                  std::uint64_t limit) const;

  const SimServerOptions options_;
  std::shared_ptr<Stats> stats_;
};

}  // namespace assay::sim
