// A journal that was kept elsewhere, written into the run's directory as run.db with its chain: as if the run
// had been made there, in the order in which the rows are added. It appears whole, or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/run_store.h"

namespace assay {

class RunWrites;

class JournalCopy {
 public:
  // What an earlier copy that was killed left in the directory goes.
  static Result<JournalCopy> begin(const std::string& directory, const RunIdentity& identity,
                                   const std::vector<PlanText>& texts);
  JournalCopy(JournalCopy&&) noexcept;
  JournalCopy& operator=(JournalCopy&&) noexcept;
  ~JournalCopy();

  // One commit each. An effect comes with its request.
  Status add(std::vector<EffectRow> effects, std::vector<OutcomeRow> outcomes);
  // Of a sitting of the run: how long it worked, and what was noted in it.
  Status add_sitting(std::int64_t sitting, std::int64_t worked_ms, const std::vector<std::string>& notes);
  // It gets its name. The head of its last commit.
  Result<Digest> finish();

 private:
  JournalCopy(std::string directory, std::unique_ptr<RunWrites> writes);
  std::string directory_;
  std::unique_ptr<RunWrites> writes_;  // null when it is finished
};

}  // namespace assay
