// The simulated model as an HTTP endpoint that official clients take for the real one:
//
//   POST /v1/chat/completions, /chat/completions   OpenAI; stream or not, tools, response_format
//   POST /v1/messages, /messages                   Anthropic; stream or not, tools, output_format
//   POST /v1/embeddings, /embeddings               OpenAI; numbers or base64
//   POST /api/embed                                Ollama
//   POST /query, /api/query                        PromptQL v1 and v2; not streamed
//   files, batches and message batches             batches/batches.h
//   GET  /v1/models, /v1/models/ID                 in the form of whoever asks (header anthropic-version)
//   GET  /sim/stats, POST /sim/reset               what was seen (stats.h); forget it, and start the script
//   anew
//
// Any model name is served. Names of OpenAI's reasoning models and of its old ones refuse the parameters that
// those refuse. Answers are those of answer.h or of a script (script.h), with the faults of faults.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/json/json.h"
#include "sim/faults.h"
#include "sim/weaknesses.h"

namespace assay {

struct SimServerOptions : SimFaultOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  int threads = 1;
  std::uint64_t seed = 0;
  double noise = 0.08;                      // share of the judge's decisions that are wrong
  Weaknesses weak;                          // of the judge
  std::string script;                       // path of a file of rules; empty: none
  std::string require_key;                  // 401 unless the request brings it; empty: any key, or none
  std::uint64_t requests_per_minute = 0;    // 429 beyond, until the minute is over; 0: no limit
  std::uint64_t max_in_flight = 0;          // refused beyond; 0: no limit
  int overload_status = 429;                // what a request beyond max_in_flight gets: 429 or 503
  std::int64_t context_window = 0;          // longer prompts are refused as the protocol does; 0: none is
  std::chrono::nanoseconds chunk_delay{0};  // between the events of a stream
  std::chrono::nanoseconds stall_time = std::chrono::hours(1);  // a stalled connection is reset after so long
  std::size_t max_body = std::size_t{32} << 20;                 // 413 beyond
};

class SimServer {
 public:
  virtual ~SimServer() = default;  // stops
  virtual std::uint16_t port() const = 0;
  // "http://127.0.0.1:8080"
  virtual std::string url() const = 0;
  virtual Json stats() const = 0;
};

// Kind config: an option or the script is wrong (every problem of the script, one a line); kind io: the
// address cannot be had.
Result<std::unique_ptr<SimServer>> start_sim(SimServerOptions options);

}  // namespace assay
