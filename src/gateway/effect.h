// One call to the outside world, whatever its kind: a model's completion, a command, a tool. An effect says
// what is really asked and on which terms, and can be tried; everything between wanting it and having its
// answer (limits, budget, retries, circuit) is the gateway's, and that it is durable before anybody sees it
// is the engine's.
//
// A new kind of effect is one class (engine/effects/).
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/environment.h"
#include "core/error.h"
#include "core/prefixed_text.h"
#include "core/secrets/secrets.h"
#include "core/task.h"
#include "gateway/circuit.h"
#include "models/batch/batched_model.h"
#include "models/chat.h"
#include "models/models.h"
#include "models/prices.h"
#include "models/providers/promptql.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "tools/program_pool.h"
#include "tools/toolbox.h"

namespace assay {

// What effects may use on one branch of the gateway. Belongs to one run, but for what the process shares.
struct Outside {
  EventLoop& loop;
  HttpClient& http;
  Models& models;
  Toolbox& tools;      // at home, whatever the branch
  Programs& programs;  // the same
  Environment environment;
  // Everything that this process may send and nobody may see: what comes from outside is freed of it before
  // anything else happens to it.
  const Secrets& secrets;
  // Those of them that stand in the config itself: requests are kept without them.
  const Secrets& literals;
  // In picodollars; nothing if the price is unknown.
  std::function<std::optional<std::int64_t>(const Usage& usage, const std::string& model, Tariff tariff)>
      cost;
  // One try of a PromptQL query, at home.
  std::function<Task<std::expected<Json, ModelFailure>>(const PromptqlQuery& query)> promptql;
  int tries = 5;       // of one request to a model or a service
  bool batch = false;  // requests to models are handed in together, where their providers take that
  // Hears how many more tokens are being streamed at the moment; fewer, when an answer is there or has
  // failed.
  std::function<void(std::int64_t more)> streaming = [](std::int64_t) {};
};

// One try.
struct Try {
  std::string reply;  // JSON for the journal
  Usage usage = {};
  std::string model = {};
  PrefixEnds reply_prefixes = {};
};
struct TryFailure {
  Error error;
  std::optional<std::chrono::milliseconds> retry_after = {};
};
using TryResult = std::expected<Try, TryFailure>;

// On which terms an effect is asked for.
struct Terms {
  std::string request;  // canonical JSON of what is really asked: it identifies the effect
  std::string lane;     // where it is asked: "openai https://api.openai.com/v1"; limits belong to it
  PrefixEnds request_prefixes = {};
  std::string whom = {};  // who is asked there, a model; failures of one say nothing of another
  Behind behind = Behind::model;
  std::string price_name = {};  // of a model; empty: costs nothing
  double expected_tokens = 0;
  std::int64_t expected_cost = 0;
  int most_at_once = std::numeric_limits<int>::max();  // if the limits allow more
  int tries = 1;
  Tariff tariff = Tariff::usual;  // batch: it may be handed in with others, by send_by()
  // Also try again after failures that are the target's or the scorer's own, not the connection's.
  bool stubborn = false;
};

class Effect {
 public:
  virtual ~Effect() = default;
  virtual std::string_view kind() const = 0;  // model, command, http, …: as the journal has it
  // With aliases resolved. An error means that it cannot be asked at all.
  virtual Result<Terms> terms(Outside& outside) const = 0;
  // Whether it may be sent from any branch, since it uses nothing but that branch's models and connections.
  // Otherwise it is sent from home, where what runs on this machine has its loop.
  virtual bool travels() const { return false; }
  // Never retries. Lives as long as the task. Nothing in a reply may be one of the secrets; the errors are
  // freed of them by whoever asks.
  virtual Task<TryResult> send(Outside& outside) = 0;
  // The same, carried by somebody else (`terms` said Tariff::batch). `carry` must outlive the task.
  virtual Task<TryResult> send_by(Outside& outside, const Carry& /*carry*/) { return send(outside); }
};

}  // namespace assay
