// What a case may ask of the outside world. An evaluation sees no clock, no randomness and no I/O but through
// this, so running it again over a journal gives the same result.
//
// A step name is unique inside a case and reads like a path: "run1/faithfulness/verdicts". Asking the same
// step again for a better answer is a new attempt of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/random.h"
#include "core/task.h"
#include "engine/outcome.h"
#include "models/chat.h"
#include "models/providers/promptql.h"
#include "models/structured/structured.h"
#include "tools/command.h"
#include "tools/http_call.h"
#include "tools/tool.h"

namespace assay {

// What a case has cost so far, answers from the journal included.
struct CaseSpending {
  std::int64_t requests = 0;  // tries included
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::optional<double> cost_usd = 0;  // nothing if a price is unknown
  double seconds = 0;                  // that the answers took, one after another
};

class CaseContext {
 public:
  virtual ~CaseContext() = default;

  // The reply is durable before it is returned. Failures come after all retries.
  virtual Task<Result<ChatReply>> complete(std::string step, int attempt, ChatRequest request) = 0;
  // The JSON value that the program printed. Failures are of kind target (or timeout).
  virtual Task<Result<Json>> run_command(std::string step, CommandCall call) = 0;
  virtual Task<Result<Json>> call_http(std::string step, HttpCall call) = 0;
  virtual Task<Result<Json>> query_promptql(std::string step, PromptqlQuery query) = 0;
  // A tool is used once, never tried again; that it failed is a result too (tool_error). An error means that
  // the run is being wound down.
  virtual Task<Result<Json>> use_tool(std::string step, ToolUse use) = 0;
  // The tools that a server offers: see Toolbox::list.
  virtual Task<Result<Json>> list_tools(std::string step, std::shared_ptr<const ToolSpec> server) = 0;

  // Random numbers of this case and step: the same on every machine and in every replay.
  virtual Random random(std::string_view step) const = 0;

  virtual CaseSpending spending() const = 0;
  // How the case ended when it was evaluated before; nothing unless CaseWork::files_are_state().
  virtual const std::optional<Outcome>& earlier() const = 0;
};

// A structured answer through the context: each attempt is one journaled effect of `step`.
Task<StructuredAnswer> ask(CaseContext& context, std::string step, ChatRequest request, const Schema& schema,
                           StructuredPolicy policy);

}  // namespace assay
