// Asking a scoring program of the user's (tools/program_pool.h). Failures are of kind judge: the scorer
// failed, not the system that it scores.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>

#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "tools/program_pool.h"

namespace assay {

struct ProgramCall {
  std::shared_ptr<const ProgramSpec> program;
  std::string fingerprint;  // of the program's files: replies of another version are not taken for this one's
  JsonObject question;      // the line that it gets, without the id, which is the pool's
  int tries = 1;
};

// What identifies the call in the journal; nothing in it is filled.
Json to_json(const ProgramCall& call);

class ProgramEffect final : public Effect {
 public:
  explicit ProgramEffect(ProgramCall call) : call_(std::move(call)) {}
  std::string_view kind() const override { return "program"; }
  Result<Terms> terms(Outside& outside) const override;
  Task<TryResult> send(Outside& outside) override;
  const ProgramCall& call() const { return call_; }

 private:
  ProgramCall call_;
};

// The reply without its id. One that says {"error": …} is a reply, too: it is kept, and not asked for again.
Task<Result<Json>> ask_program(CaseContext& context, std::string step, ProgramCall call);

}  // namespace assay
