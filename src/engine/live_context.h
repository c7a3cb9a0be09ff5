// The context of a case that is being run: answers from the journal first, everything else through Effects,
// durable before the case sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/context.h"
#include "engine/effects.h"
#include "engine/outcome.h"
#include "engine/runner.h"
#include "store/journal.h"
#include "tools/toolbox.h"

namespace assay {

// What the cases of a run share.
struct RunMeans {
  Outside& outside;
  const RunnerOptions& options;
  Effects& effects;
  Toolbox& tools;
  Journal& journal;
  EarlierAnswers* earlier_answers = nullptr;  // of the run named by --reuse
};

struct CaseUsage {
  std::int64_t requests = 0;
  Usage tokens;
  std::int64_t cost_picousd = 0;
  bool cost_known = true;
  std::int64_t latency_us = 0;

  void add(const EffectRow& row) {
    // What an earlier run has paid for costs nothing here; and that a server lists its tools is no request of
    // the case's.
    if (row.reused || row.kind == "tools") return;
    requests += row.tries;
    tokens.prompt_tokens += row.prompt_tokens;
    tokens.completion_tokens += row.completion_tokens;
    if (row.cost_picousd) cost_picousd += *row.cost_picousd;
    if ((row.kind == "model" || row.kind == "promptql") && !row.cost_picousd) cost_known = false;
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
  // What the journal holds of a case; read when it is first needed, since much of it may never be.
  enum class Replay { none, from_journal };
  // `means` must outlive it.
  LiveContext(RunMeans& means, std::string id, std::int64_t index, Replay replay,
              std::optional<Outcome> earlier);

  Task<Result<ChatReply>> complete(std::string step, int attempt, ChatRequest request) override;
  Task<Result<Json>> run_command(std::string step, CommandCall command) override;
  Task<Result<Json>> call_http(std::string step, HttpCall http) override;
  Task<Result<Json>> query_promptql(std::string step, PromptqlQuery query) override;
  Task<Result<Json>> use_tool(std::string step, ToolUse use) override;
  Task<Result<Json>> list_tools(std::string step, std::shared_ptr<const ToolSpec> server) override;
  Random random(std::string_view step) const override;
  CaseSpending spending() const override { return usage_.spending(); }
  const std::optional<Outcome>& earlier() const override { return earlier_; }

  // Whether the run was wound down under the case, which then has no outcome.
  bool halted() const { return halted_; }
  const CaseUsage& usage() const { return usage_; }

 private:
  template <class Request>
  Call call_of(std::string step, const char* kind, const Request& request) const;
  Task<Result<std::string>> effect(Call call);
  std::unexpected<Error> broken_journal(Error error);

  RunMeans& means_;
  std::string id_;
  std::int64_t index_;
  Replay replay_;
  std::vector<EffectRow> journaled_;
  std::optional<Outcome> earlier_;
  CaseUsage usage_;
  bool halted_ = false;
};

}  // namespace assay
