// The context of a case that is being run: answers from the journal first, everything else through the run's
// account at the gateway, durable before the case sees it.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/headed_hash.h"
#include "engine/case.h"
#include "engine/context.h"
#include "engine/distributed/lease.h"
#include "engine/outcome.h"
#include "gateway/gateway.h"
#include "store/cache/answer_cache.h"
#include "store/run_store.h"

namespace assay {

// What the cases of a run share.
struct RunMeans {
  Account& account;
  RunStore& store;
  RunStore* earlier_answers = nullptr;  // of the run named by --reuse
  AnswerCache* cache = nullptr;         // that runs share
  std::uint64_t seed = 0;
  std::vector<HeadedHash> hashes = {};  // of requests, by branch
};

// How a case is begun, which is decided at the gateway's home.
struct CaseStart {
  std::size_t branch = 0;             // where it lives
  std::int64_t turn = 0;              // Account::next_turn()
  bool journaled = false;             // the store holds effects of it
  bool calibrates = false;            // it is evaluated as far as is known, and has no outcome yet
  std::size_t position = 0;           // in the order of a rule, if there is one
  std::shared_ptr<Lease> lease = {};  // null: it is this process's own for good
  std::string given_up = {};          // why it is not evaluated; empty: it is
};

struct CaseUsage {
  std::int64_t requests = 0;
  Usage tokens;
  std::int64_t cost_picousd = 0;
  bool cost_known = true;
  std::int64_t latency_us = 0;

  void add(const EffectRow& row) {
    // What an earlier run has paid for costs nothing here.
    if (row.reused || row.kind == kToolList) return;
    requests += row.tries;
    tokens += {.prompt_tokens = row.prompt_tokens, .completion_tokens = row.completion_tokens};
    if (row.cost_picousd) cost_picousd = saturating_add(cost_picousd, *row.cost_picousd);
    if ((row.kind == "model" || row.kind == "embedding" || row.kind == "promptql") && !row.cost_picousd)
      cost_known = false;
    latency_us += row.latency_us;
  }

  CaseSpending spending() const {
    CaseSpending spent{requests, tokens.prompt_tokens, tokens.completion_tokens, std::nullopt,
                       static_cast<double>(latency_us) / 1e6};
    if (cost_known) spent.cost_usd = static_cast<double>(cost_picousd) / 1e12;
    return spent;
  }

  JsonObject json() const {
    JsonObject object{{"requests", requests},
                      {"prompt_tokens", tokens.prompt_tokens},
                      {"completion_tokens", tokens.completion_tokens}};
    object["cost_usd"] = cost_known ? Json(static_cast<double>(cost_picousd) / 1e12) : Json(nullptr);
    return object;
  }
};

class LiveContext final : public CaseContext {
 public:
  // `journaled` is what the store holds of the case: all of it, before anything is asked, since steps that
  // run side by side must each find theirs. `means` must outlive it. Belongs to the loop of the case's
  // branch.
  LiveContext(RunMeans& means, const Case& input, const CaseStart& start, std::vector<EffectRow> journaled);

  Task<Result<std::string>> perform(std::string step, int attempt, std::shared_ptr<Effect> effect) override;
  Task<Status> keep_file(std::string name, std::string text) override;
  Random random(std::string_view step) const override;
  CaseSpending spending() const override { return usage_.spending(); }
  StepSpending spending_of(std::string_view step) const override;

  // Whether the run was wound down under the case, which then has no outcome.
  bool halted() const { return halted_; }
  const CaseUsage& usage() const { return usage_; }
  // That came in this sitting: neither from the journal nor from another run.
  std::int64_t answers() const { return answers_; }
  // The case has its outcome: there is one, and nothing is asked after it.
  void end() {
    assert(!ended_);
    ended_ = true;
  }

 private:
  const EffectRow* journaled(const EffectKey& key) const;
  // From the run that answers are taken from, as a row of this one; nothing if it has none.
  Task<Result<std::optional<EffectRow>>> reused(const EffectKey& key, const Digest& hash);
  // From what runs share, in the same way.
  Task<std::optional<EffectRow>> shared(const Effect& effect, const Terms& terms, const EffectKey& key,
                                        const Digest& hash);
  Task<Result<std::string>> ask(EffectKey key, const Digest& hash, Terms terms,
                                std::shared_ptr<Effect> effect);
  // An answer that cannot be kept, or does not fit, must not count: the run ends here.
  std::unexpected<Error> end_run(Error error);
  void spend(const EffectRow& row);

  RunMeans& means_;
  std::string id_;
  std::int64_t index_;
  CaseStart start_;
  std::vector<EffectRow> journaled_;
  std::vector<std::size_t> asked_;  // hashes of steps with their attempts: each once
  CaseUsage usage_;
  std::int64_t answers_ = 0;
  std::vector<std::pair<std::string, StepSpending>> spent_;  // by step
  bool halted_ = false;
  bool ended_ = false;
};

}  // namespace assay
