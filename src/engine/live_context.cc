#include "engine/live_context.h"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/sha256.h"
#include "engine/durable.h"
#include "models/tokens.h"

namespace assay {
namespace {

constexpr std::int64_t kExpectedCompletionTokens = 1000;  // where a request sets no limit

Result<Json> parsed(Result<std::string> text) {
  if (!text) return fail(std::move(text.error()));
  return parse_json(*text);
}

}  // namespace

LiveContext::LiveContext(RunMeans& means, std::string id, std::int64_t index, Replay replay,
                         std::optional<Outcome> earlier)
    : means_(means), id_(std::move(id)), index_(index), replay_(replay), earlier_(std::move(earlier)) {}

Task<Result<ChatReply>> LiveContext::complete(std::string step, int attempt, ChatRequest request) {
  auto found = means_.outside.model(request.model);
  if (!found) co_return fail(std::move(found.error()));
  ChatModel* model = *found;
  Call call;
  call.key = {index_, std::move(step), attempt};
  call.kind = "model";
  call.request = canonical_text(request);
  call.limit_key = model->limit_key();
  call.price_name = request.model;
  call.tries = means_.options.tries;
  const std::int64_t prompt = estimate_prompt_tokens(request);
  const std::int64_t completion = request.sampling.max_tokens.value_or(kExpectedCompletionTokens);
  call.expected_tokens = static_cast<double>(prompt + completion);
  call.expected_cost =
      means_.effects.cost_of({.prompt_tokens = prompt, .completion_tokens = completion}, request.model);
  // A fresh answer need not be read back from its journaled form.
  std::optional<ChatReply> fresh;
  call.send = [model, &request, &fresh]() -> Task<TryResult> {
    auto reply = co_await model->complete(request);
    if (!reply)
      co_return std::unexpected(TryFailure{std::move(reply.error().error), reply.error().retry_after});
    fresh = std::move(*reply);
    co_return Try{to_text(to_json(*fresh)), fresh->usage, fresh->model};
  };
  auto reply = co_await effect(std::move(call));
  if (!reply) co_return fail(std::move(reply.error()));
  if (fresh) co_return std::move(*fresh);
  auto tree = parse_json(*reply);
  if (!tree) co_return fail(std::move(tree.error()));
  co_return reply_from_json(*tree);
}

Task<Result<Json>> LiveContext::run_command(std::string step, CommandCall command) {
  Call call = call_of(std::move(step), "command", command);
  call.send = [this, &command]() -> Task<TryResult> {
    auto value = co_await assay::run_command(means_.outside.loop, command, means_.outside.environment);
    if (!value) co_return std::unexpected(TryFailure{std::move(value.error()), std::nullopt});
    co_return Try{to_text(*value), {}, ""};
  };
  co_return parsed(co_await effect(std::move(call)));
}

Task<Result<Json>> LiveContext::call_http(std::string step, HttpCall http) {
  Call call = call_of(std::move(step), "http", http);
  call.send = [this, &http]() -> Task<TryResult> {
    auto value = co_await assay::call_http(means_.outside.http, http, means_.outside.environment);
    if (!value)
      co_return std::unexpected(TryFailure{std::move(value.error().error), value.error().retry_after});
    co_return Try{to_text(*value), {}, ""};
  };
  co_return parsed(co_await effect(std::move(call)));
}

Task<Result<Json>> LiveContext::query_promptql(std::string step, PromptqlQuery query) {
  Call call = call_of(std::move(step), "promptql", query);
  call.limit_key = "promptql " + query.url;
  call.tries = means_.options.tries;
  call.send = [this, &query]() -> Task<TryResult> {
    auto reply = co_await means_.outside.promptql(query);
    if (!reply)
      co_return std::unexpected(TryFailure{std::move(reply.error().error), reply.error().retry_after});
    co_return Try{to_text(*reply), {}, ""};
  };
  co_return parsed(co_await effect(std::move(call)));
}

Task<Result<Json>> LiveContext::use_tool(std::string step, ToolUse use) {
  Call call;
  call.key = {index_, std::move(step), 1};
  call.kind = "tool";
  call.request = canonical_text(to_json(use));
  call.limit_key = fmt::format("tool {}", kind_word(*use.tool));
  call.most_at_once = most_at_once(*use.tool);
  call.send = [this, &use]() -> Task<TryResult> {
    auto result = co_await means_.tools.use(use);
    co_return Try{to_text(result ? *result : tool_error(result.error().message)), {}, ""};
  };
  co_return parsed(co_await effect(std::move(call)));
}

Task<Result<Json>> LiveContext::list_tools(std::string step, std::shared_ptr<const ToolSpec> server) {
  Call call;
  call.key = {index_, std::move(step), 1};
  call.kind = "tools";
  call.request = canonical_text(to_json(*server));
  call.limit_key = "tool mcp";
  call.tries = means_.options.tries;
  call.send = [this, &server]() -> Task<TryResult> {
    auto list = co_await means_.tools.list(server);
    if (!list) co_return std::unexpected(TryFailure{std::move(list.error()), std::nullopt});
    co_return Try{to_text(*list), {}, ""};
  };
  co_return parsed(co_await effect(std::move(call)));
}

Random LiveContext::random(std::string_view step) const {
  return Random::keyed(means_.options.seed, id_, step);
}

// A call of a tool: asked once, limited by its kind.
template <class Request>
Call LiveContext::call_of(std::string step, const char* kind, const Request& request) const {
  Call call;
  call.key = {index_, std::move(step), 1};
  call.kind = kind;
  call.request = canonical_text(to_json(request));
  call.limit_key = kind;
  call.tries = request.tries;
  call.stubborn = request.stubborn;
  return call;
}

// An answer that cannot be kept must not count: the run ends here.
std::unexpected<Error> LiveContext::broken_journal(Error error) {
  halted_ = true;
  means_.effects.stop(RunEnd::stopped, error);
  return fail(std::move(error));
}

Task<Result<std::string>> LiveContext::effect(Call call) {
  const Digest hash = sha256(call.request);
  if (std::exchange(replay_, Replay::none) == Replay::from_journal) {
    auto rows = means_.journal.effects_of(index_);
    if (!rows) co_return broken_journal(std::move(rows.error()));
    journaled_ = std::move(*rows);
  }
  for (const EffectRow& row : journaled_) {
    if (!(row.key == call.key)) continue;
    if (row.request_hash != hash) {
      Error error{
          ErrorKind::changed,
          "the request differs from the one that was journaled: the config, the data or the prompts have "
          "changed since the run began; start a new run (with --reuse for the answers that still fit)",
          {{"case", id_}, {"step", call.key.step}}};
      halted_ = true;
      means_.effects.stop(RunEnd::stopped, error);
      co_return fail(std::move(error));
    }
    usage_.add(row);
    co_return row.reply;
  }
  if (means_.earlier_answers != nullptr) {
    auto earlier = means_.earlier_answers->find(hash, call.key.step, call.key.attempt);
    if (earlier && *earlier) {
      EffectRow row = std::move(**earlier);
      row.key = call.key;
      row.reused = true;
      row.cost_picousd = 0;
      std::string reply = row.reply;
      usage_.add(row);
      auto durable = co_await Durable(means_.journal, std::move(row));
      if (!durable) co_return broken_journal(std::move(durable.error()));
      co_return reply;
    }
  }
  auto row = co_await means_.effects.try_until_done(call);
  if (!row) {
    if (winds_down(row.error().kind)) halted_ = true;
    co_return fail(std::move(row.error()).with("step", call.key.step));
  }
  row->request_hash = hash;
  usage_.add(*row);
  std::string reply = row->reply;
  const double tokens_off =
      static_cast<double>(row->prompt_tokens + row->completion_tokens) - call.expected_tokens;
  auto durable = co_await Durable(means_.journal, std::move(*row));
  means_.effects.answered(call, tokens_off);
  if (!durable) co_return broken_journal(std::move(durable.error()));
  co_return reply;
}

}  // namespace assay
