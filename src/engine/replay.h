// A run's cases once more over what its journal holds of them: nothing is asked, nothing is written, and what
// the journal lacks fails. For checks that a run's files follow from the replies that were received.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "engine/context.h"
#include "net/event_loop.h"
#include "store/run_store.h"

namespace assay {

// Answers from the effects of one case. An effect that is asked for otherwise than it was journaled is told
// in differences(), and answered all the same.
class ReplayContext final : public CaseContext {
 public:
  ReplayContext(std::vector<EffectRow> effects, std::uint64_t seed, std::string id)
      : effects_(std::move(effects)), seed_(seed), id_(std::move(id)) {}

  Task<Result<std::string>> perform(std::string step, int attempt, std::shared_ptr<Effect> effect) override;
  Task<Status> keep_file(std::string name, std::string text) override;
  Random random(std::string_view step) const override { return Random::keyed(seed_, id_, step); }
  CaseSpending spending() const override { return {}; }
  StepSpending spending_of(std::string_view /*step*/) const override { return {}; }

  // Steps whose request is not the one that the journal holds.
  const std::vector<std::string>& differences() const { return differences_; }
  // Steps that the journal holds and that nobody asked for.
  std::vector<std::string> unasked() const;

 private:
  std::vector<EffectRow> effects_;
  std::uint64_t seed_;
  std::string id_;
  std::vector<std::size_t> asked_;  // positions in effects_
  std::vector<std::string> differences_;
};

// The journal of a run, read from outside of coroutines.
class KeptJournal {
 public:
  // Without a lock: the run may be under way.
  static Result<std::unique_ptr<KeptJournal>> open(const std::string& directory);

  const RunIdentity& identity() const { return store_->identity(); }
  Result<std::map<std::string, std::string>> texts();
  Result<std::vector<OutcomeRow>> outcomes();  // of all cases, by index
  Result<std::vector<EffectRow>> effects_of(std::int64_t case_index);
  template <class T>
  T run(Task<T> task) {
    return loop_.run_until_done(std::move(task));
  }

 private:
  KeptJournal() = default;

  EventLoop loop_;
  std::unique_ptr<RunStore> store_;  // ends before the loop
};

}  // namespace assay
