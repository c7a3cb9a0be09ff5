// What a run's journal adds up to, kept along while it is written: reading all rows again for it would take
// as long as a good part of the run's end. The same sums as RunReads::totals().
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "store/run_store.h"

namespace assay {

class RunningTotals {
 public:
  // What the journal holds, this sitting's first commits included.
  void begin(const RunTotals& earlier);

  // Rows of one commit, once it is on the disk; `worked_ms` by then, in this sitting. Thread-safe.
  class Adding {
   public:
    explicit Adding(RunningTotals& totals) : totals_(totals), guard_(totals.mutex_) {}
    void add(const EffectRow& row);
    void worked(std::int64_t milliseconds) { totals_.worked_ms_ = milliseconds; }

   private:
    RunningTotals& totals_;
    std::lock_guard<std::mutex> guard_;
  };

  // Of all that was committed by now. Thread-safe.
  RunTotals now() const;

 private:
  mutable std::mutex mutex_;
  RunTotals sums_;
  std::int64_t earlier_ms_ = 0;
  std::int64_t worked_ms_ = 0;
  std::set<std::string, std::less<>> simulated_;
};

}  // namespace assay
