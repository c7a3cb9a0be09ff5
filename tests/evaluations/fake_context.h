// Contexts whose answers are written down by a test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/context.h"
#include "engine/effects/model.h"
#include "engine/effects/program.h"
#include "engine/effects/target.h"
#include "engine/effects/tool.h"
#include "tests/core/detached.h"

namespace assay {

// Fails whatever is asked; a test puts in what it needs.
class QuietContext : public CaseContext {
 public:
  Task<Result<std::string>> perform(std::string step, int attempt, std::shared_ptr<Effect> effect) override {
    if (auto* model = dynamic_cast<ModelEffect*>(effect.get())) {
      auto reply = co_await complete(std::move(step), attempt, model->request());
      if (!reply) co_return fail(std::move(reply.error()));
      co_return to_text(to_json(*reply));
    }
    Result<Json> reply = unexpected(step);
    if (auto* command = dynamic_cast<CommandEffect*>(effect.get()))
      reply = co_await run_command(step, command->call());
    if (auto* http = dynamic_cast<HttpEffect*>(effect.get())) reply = co_await call_http(step, http->call());
    if (auto* program = dynamic_cast<ProgramEffect*>(effect.get()))
      reply = co_await ask_program(step, program->call());
    if (auto* tool = dynamic_cast<ToolEffect*>(effect.get())) reply = co_await use_tool(step, tool->use());
    if (auto* list = dynamic_cast<ToolListEffect*>(effect.get()))
      reply = co_await list_tools(step, list->server());
    if (!reply) co_return fail(std::move(reply.error()));
    co_return to_text(*reply);
  }
  virtual Task<Result<ChatReply>> complete(std::string step, int, ChatRequest) {
    co_return fail(ErrorKind::internal, "nobody expected " + step);
  }
  virtual Task<Result<Json>> run_command(std::string step, CommandCall) { co_return unexpected(step); }
  virtual Task<Result<Json>> call_http(std::string step, HttpCall) { co_return unexpected(step); }
  virtual Task<Result<Json>> ask_program(std::string step, ProgramCall) { co_return unexpected(step); }
  virtual Task<Result<Json>> use_tool(std::string step, ToolUse) { co_return unexpected(step); }
  virtual Task<Result<Json>> list_tools(std::string step, std::shared_ptr<const ToolSpec>) {
    co_return unexpected(step);
  }
  Task<Status> keep_file(std::string name, std::string text) override {
    files[name] = std::move(text);
    co_return Status();
  }
  Random random(std::string_view step) const override { return Random::keyed(1, step); }
  CaseSpending spending() const override { return {}; }
  StepSpending spending_of(std::string_view /*step*/) const override { return spent; }

  StepSpending spent;  // on each step

  std::map<std::string, std::string> files;

 private:
  static Result<Json> unexpected(const std::string& step) {
    return fail(ErrorKind::internal, "nobody expected " + step);
  }
};

// Keeps every request.
class FakeContext final : public QuietContext {
 public:
  // Replies to a step, one per attempt; a step without replies fails.
  std::map<std::string, std::vector<std::string>> replies;
  std::vector<std::pair<std::string, ChatRequest>> requests;

  Task<Result<ChatReply>> complete(std::string step, int attempt, ChatRequest request) override {
    requests.emplace_back(step + "#" + std::to_string(attempt), std::move(request));
    const auto found = replies.find(step);
    if (found == replies.end() || static_cast<std::size_t>(attempt) > found->second.size()) {
      co_return fail(ErrorKind::network, "no reply for " + step);
    }
    ChatReply reply;
    reply.message.role = Role::assistant;
    reply.message.text = found->second[static_cast<std::size_t>(attempt - 1)];
    co_return reply;
  }
  Task<Result<Json>> run_command(std::string step, CommandCall call) override {
    commands.push_back(std::move(call));
    co_return parse_json(replies.at(step).front());
  }
  Task<Result<Json>> call_http(std::string step, HttpCall call) override {
    calls.push_back(std::move(call));
    co_return parse_json(replies.at(step).front());
  }

  std::vector<CommandCall> commands;
  std::vector<HttpCall> calls;
};

// Runs a task that never waits for anything outside.
template <class T>
T finish_now(Task<T> task) {
  std::optional<T> result;
  start_detached([](Task<T> inner, std::optional<T>& slot) -> Task<void> { slot.emplace(co_await inner); }(
                                                               std::move(task), result));
  return std::move(*result);
}

}  // namespace assay
