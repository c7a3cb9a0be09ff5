// A store that passes everything on to another one; a test changes what it needs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/run_store.h"

namespace assay {

class PassedOnStore : public RunStore {
 public:
  // `to` outlives it.
  explicit PassedOnStore(RunStore& to) : to_(to) {}

  const RunIdentity& identity() const override { return to_.identity(); }
  Task<Result<std::optional<EffectRow>>> put(EffectRow row) override { return to_.put(std::move(row)); }
  Task<Status> put(OutcomeRow row) override { return to_.put(std::move(row)); }
  Task<Status> note(std::string text) override { return to_.note(std::move(text)); }
  Task<Status> keep_file(std::string name, std::string text) override {
    return to_.keep_file(std::move(name), std::move(text));
  }
  Task<Status> share_file(std::string name, std::string text) override {
    return to_.share_file(std::move(name), std::move(text));
  }
  Task<Result<std::optional<std::string>>> file(std::string name) override {
    return to_.file(std::move(name));
  }
  Status bring_home() override { return to_.bring_home(); }
  std::unique_ptr<RunLock> close() override { return to_.close(); }
  Task<Result<std::vector<std::string>>> notes() override { return to_.notes(); }
  Task<Result<std::vector<PlanText>>> texts() override { return to_.texts(); }
  Task<Result<std::vector<EffectRow>>> effects_of(std::int64_t case_index, Requests requests) override {
    return to_.effects_of(case_index, requests);
  }
  Task<Result<CaseStates>> states(std::vector<std::string> outcomes_to_retry) override {
    return to_.states(std::move(outcomes_to_retry));
  }
  Task<Result<std::vector<OutcomeRow>>> outcomes(std::int64_t first, std::size_t most) override {
    return to_.outcomes(first, most);
  }
  Task<Result<RunTotals>> totals() override { return to_.totals(); }
  Task<Result<std::optional<EffectRow>>> find_answer(Digest request_hash, std::string step,
                                                     int attempt) override {
    return to_.find_answer(request_hash, std::move(step), attempt);
  }

 private:
  RunStore& to_;
};

}  // namespace assay
