// A context whose answers are written down by a test; every request is kept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/context.h"

namespace assay {

class FakeContext final : public CaseContext {
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
  Random random(std::string_view step) const override { return Random::keyed(1, step); }

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
