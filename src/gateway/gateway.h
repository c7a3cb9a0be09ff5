// The one door to the outside of a process, shared by all of its runs. Whatever is asked at one address waits
// in one lane there, whichever run it is asked for, and has its limits; each model at an address, or a
// service there, has a circuit; the budget is the process's. A run has an account, which counts its calls and
// ends them when the run ends.
//
// Belongs to one event loop, its home. Requests are sent, and their answers read and kept, on the branch
// where the case lives (branch.h), which may be another loop; everything else happens at home, so that
// nothing here needs a lock and limits, budget, circuits and the order of service are the process's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/secrets/secrets.h"
#include "core/task.h"
#include "gateway/batch_desk.h"
#include "gateway/branch.h"
#include "gateway/budget.h"
#include "gateway/circuit.h"
#include "gateway/effect.h"
#include "gateway/limits.h"
#include "gateway/waits.h"
#include "models/prices.h"

namespace assay {

struct GatewaySettings {
  LimitOptions limits;  // of each address
  int tries = 5;        // of one request
  int same_failures_to_stop = 10;
  std::optional<double> budget_usd;
  std::uint64_t seed = 0;
  int threads = 1;  // event loops, home included
  std::optional<BatchOptions> batch = {};
};
GatewaySettings gateway_settings(const Config& config);

// One of `parts` equal shares of whole numbers and rates: the first ones get what does not divide.
struct LimitShare {
  int parts = 1;
  int place = 0;  // of this share, from 0
  int of(int whole) const { return whole / parts + (place < whole % parts ? 1 : 0); }
};

class Gateway {
 public:
  // Models, prices, limits and connections as the config has them; what is wrong becomes a problem.
  Gateway(EventLoop& loop, const Config& config, Environment environment,
          std::vector<ConfigProblem>& problems);
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;
  ~Gateway();

  // Each of the named models can be asked: it is known, its key is there, and its price too if there is a
  // budget. Nothing is sent.
  void check_models(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems);
  // Each of these gives vectors. Unknown ones are left to check_models.
  void check_embeddings(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems);
  // Each of these variables is set.
  void check_variables(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems) const;
  // Under the model's own name or, if it is an alias, under what that stands for; null if it is unknown.
  const Price* price_of(const std::string& model) const;
  // How many tokens fit into its context, where that is known by its name.
  std::optional<std::int64_t> window_of(const std::string& model) const;
  // What the models were asked without, because they do not take it: one sentence each.
  std::vector<std::string> notes(const std::vector<std::string>& names);

  // With variables of the environment in it; what it holds of a password is hidden from now on.
  Result<std::string> filled_address(const std::string& address);

  EventLoop& loop() { return loop_; }
  // Home first; the others are opened when they are first asked for.
  std::span<const std::unique_ptr<Branch>> branches();
  Budget& budget() { return budget_; }
  // Other processes ask under the same limits: of these, what is this one's. 0 of `concurrency` means one all
  // the same, for what was begun.
  void take_share(const LimitShare& share);
  // Whether what is in flight at each address is no more than that share of its limit.
  bool keeps_to(const LimitShare& share) const;
  // The budget is drawn from there, from now on; null: it is this process's own. It outlives the runs.
  void draw_from(BudgetSource* source);
  const GatewaySettings& settings() const { return settings_; }
  const Secrets& secrets() const { return secrets_; }

 private:
  friend class Account;
  Limiter& limiter(const Terms& terms);
  // Requests at one address that takes so many.
  int at_once(const LimitShare& share, int most_at_once) const;
  LimitOptions limits_of(int most_at_once) const;
  // Whether a call of that cost may start; if so it is reserved.
  Task<Result<bool>> reserve(std::int64_t expected);
  Circuit& circuit(const Terms& terms);
  Outside outside(Branch& branch, Toolbox& tools, Programs& programs);
  // Nothing if there is no price. On any branch.
  std::optional<std::int64_t> cost(const Usage& usage, const std::string& model, Tariff tariff);
  std::unique_ptr<Models> models_on(EventLoop& loop);
  Models& models() const { return branches_.front()->models(); }
  Environment noting(Environment inner);
  void read_client_options(const Config& config, std::vector<ConfigProblem>& problems);
  Task<std::expected<Json, ModelFailure>> ask_promptql(const PromptqlQuery& query);

  EventLoop& loop_;
  GatewaySettings settings_;
  Secrets literals_{kHiddenMark};  // of the config
  Secrets secrets_{kHiddenMark};   // all
  Environment environment_;        // what it gives is noted in secrets_
  ModelAliases aliases_;
  HttpClientOptions client_options_;
  Models::Timeouts timeouts_;
  Prices prices_;
  std::mutex guessed_mutex_;
  std::set<std::string> guessed_;  // models with tokens from a cache for which there is no price
  Budget budget_;
  BudgetSource* source_ = nullptr;
  bool drawing_ = false;
  LimitShare share_;
  struct Lane {
    std::unique_ptr<Limiter> limiter;
    int most_at_once;
  };
  std::map<std::string, Lane> limiters_;     // by lane
  std::map<std::string, Circuit> circuits_;  // by lane and whom
  std::int64_t turns_ = 0;
  std::vector<std::unique_ptr<Branch>> branches_;  // one at least; last: their threads end first
};

// What the account has under way and behind it; cheap to take.
struct AccountFigures {
  int in_flight = 0;
  int retrying = 0;
  std::int64_t requests = 0;
  std::int64_t answers = 0;
  std::int64_t tokens = 0;  // of the answers, and as estimated of those that are just being streamed
  // The call under way of the case that was begun first.
  struct Oldest {
    std::string case_id;
    std::string step;
    Duration since{};
  };
  std::optional<Oldest> oldest;
  std::string waiting_for;  // why nothing moves, if so
  std::string batch;        // how far the batches are; empty: there are none
};

// Where a call belongs: for its turn, its draws and the trace.
struct CallPlace {
  std::int64_t case_index = 0;
  std::string step;
  int attempt = 1;
  std::int64_t turn = 0;  // of the case, from Account::next_turn()
  std::string case_id = {};
};

struct Answer {
  Try answer;
  std::optional<std::int64_t> cost_picousd;
  Duration latency{};
  int tries = 1;
};

// One call. The gateway, the branch that sends it and the case that waits for it may be on three loops, so it
// owns all that it needs.
struct Call {
  std::shared_ptr<Effect> effect;
  Terms terms;
  CallPlace place;
  // Asked at home before each try, once there is a permit for it: whether it is still to be sent. One that is
  // not fails as cancelled. May be empty.
  std::function<bool()> begin = {};
  // Makes the answer durable, on the loop where it came. Until that is done the call is open, though no more
  // in flight, so that a kill repeats at most as many requests as may be open.
  std::function<Task<Status>(Answer answer)> keep;
};

// One run at the gateway.
class Account {
 public:
  // Both must outlive it. `trace` gets one line per request (-v); may be empty.
  Account(Gateway& gateway, std::function<void(const std::string&)> trace);
  ~Account();
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // Of a case that begins now: cases are served in the order of their beginning, whichever run of the process
  // they belong to.
  std::int64_t next_turn() { return gateway_.turns_++; }
  // The one retry layer, at home, for a case that lives on `branch`. Done when the answer is kept. A failure
  // comes after all retries; one that ends the run (budget, circuit, an answer that cannot be kept) has ended
  // it.
  Task<Status> perform(std::shared_ptr<const Call> call, std::size_t branch);
  // For a case on `branch`, and on its loop.
  // From now on requests to models are handed in together, if the config says so. Before anything is asked;
  // `book` must outlive it.
  void open_desk(BatchBook& book, std::vector<KeptBatch> kept);
  // Batches that go on without this run.
  BatchDesk::Open open_batches() const { return desk_ ? desk_->open() : BatchDesk::Open(); }
  Result<Terms> terms(const Effect& effect, std::size_t branch) { return effect.terms(outside_[branch]); }
  EventLoop& home() { return gateway_.loop_; }

  // Nothing new is begun from now on; what waits is woken and fails. Thread-safe.
  void stop(std::optional<Error> reason);
  bool stopping() const { return stopping_; }
  // What runs for it on this machine takes leave, in a few seconds at most; at home, when no call is under
  // way. Whoever cannot wait destroys the account, which ends it less politely.
  Task<void> close();
  // Why it was stopped; nothing if it was interrupted, or is not stopping.
  const std::optional<Error>& reason() const { return reason_; }

  AccountFigures figures() const;

 private:
  class UnderWay;
  class Flight;
  struct Tried;

  // One try, on the branch that sends it. Of an answer home is told first, then it is kept.
  // `carry` is empty unless it is handed in with others.
  static Task<Tried> attempt(std::shared_ptr<const Call> call, Outside& outside, int tries, EventLoop& home,
                             std::weak_ptr<Flight> flight, Carry carry);

  Error stopped() const;
  Error budget_reached(std::int64_t expected) const;
  void tell(const Call& call, int tries, const Tried& tried) const;

  Gateway& gateway_;
  Toolbox tools_;
  Programs programs_;
  std::vector<Outside> outside_;  // by branch
  std::function<void(const std::string&)> trace_;
  Waits waits_;
  std::map<std::string, Limiter*> limiters_;  // that this run has waited for, by lane
  bool stopping_ = false;
  std::optional<Error> reason_;
  int in_flight_ = 0;
  int retrying_ = 0;
  std::int64_t requests_ = 0;
  std::int64_t answers_ = 0;
  std::int64_t tokens_ = 0;
  std::atomic<std::int64_t> streaming_ = 0;                 // of answers that are not complete, as estimated
  std::multimap<std::int64_t, const UnderWay*> under_way_;  // by turn
  std::unique_ptr<BatchDesk> desk_;                         // null: every request is sent by itself
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace assay
