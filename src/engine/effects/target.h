// Asking the system under test: a command or an HTTP service that answers with JSON. Failures are of kind
// target (or timeout).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "tools/command.h"
#include "tools/http_call.h"

namespace assay {

class CommandEffect final : public Effect {
 public:
  explicit CommandEffect(CommandCall call) : call_(std::move(call)) {}
  std::string_view kind() const override { return "command"; }
  Result<Terms> terms(Outside& outside) const override;
  Task<TryResult> send(Outside& outside) override;
  const CommandCall& call() const { return call_; }

 private:
  CommandCall call_;
};

class HttpEffect final : public Effect {
 public:
  explicit HttpEffect(HttpCall call) : call_(std::move(call)) {}
  std::string_view kind() const override { return "http"; }
  Result<Terms> terms(Outside& outside) const override;
  bool travels() const override { return true; }
  Task<TryResult> send(Outside& outside) override;
  const HttpCall& call() const { return call_; }

 private:
  HttpCall call_;
};

// The JSON value that the program printed.
Task<Result<Json>> run_command(CaseContext& context, std::string step, CommandCall call);
Task<Result<Json>> call_http(CaseContext& context, std::string step, HttpCall call);

}  // namespace assay
