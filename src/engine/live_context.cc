#include "engine/live_context.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <functional>
#include <string_view>

#include "core/sha256.h"
#include "core/time.h"

namespace assay {
namespace {

EffectRow row_of(EffectKey key, const Digest& hash, std::string_view kind, Terms& terms,
                 Account::Answer& answer) {
  EffectRow row;
  row.key = std::move(key);
  row.kind = kind;
  row.request_hash = hash;
  row.request = std::move(terms.request);
  row.request_prefixes = std::move(terms.request_prefixes);
  row.reply = answer.answer.reply;
  row.reply_prefixes = std::move(answer.answer.reply_prefixes);
  row.model = std::move(answer.answer.model);
  row.prompt_tokens = answer.answer.usage.prompt_tokens;
  row.completion_tokens = answer.answer.usage.completion_tokens;
  row.cached_tokens = answer.answer.usage.cached_tokens;
  row.reasoning_tokens = answer.answer.usage.reasoning_tokens;
  row.cost_picousd = answer.cost_picousd;
  row.latency_us = std::chrono::duration_cast<std::chrono::microseconds>(answer.latency).count();
  row.tries = answer.tries;
  row.finished = iso_time(std::chrono::system_clock::now());
  return row;
}

}  // namespace

LiveContext::LiveContext(RunMeans& means, std::string id, std::int64_t index,
                         std::vector<EffectRow> journaled)
    : means_(means),
      id_(std::move(id)),
      index_(index),
      turn_(means.account.next_turn()),
      journaled_(std::move(journaled)) {}

Random LiveContext::random(std::string_view step) const {
  return Random::keyed(means_.seed, id_, step);
}

std::unexpected<Error> LiveContext::end_run(Error error) {
  halted_ = true;
  means_.account.stop(error);
  return fail(std::move(error));
}

Task<Status> LiveContext::keep_file(std::string name, std::string text) {
  return means_.store.keep_file(std::move(name), std::move(text));
}

const EffectRow* LiveContext::journaled(const EffectKey& key) const {
  for (const EffectRow& row : journaled_) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

Task<Result<std::optional<EffectRow>>> LiveContext::reused(const EffectKey& key, const Digest& hash) {
  if (means_.earlier_answers == nullptr) co_return std::nullopt;
  auto found = co_await means_.earlier_answers->find_answer(hash, key.step, key.attempt);
  if (!found || !*found) co_return found;
  (*found)->key = key;
  (*found)->reused = true;
  (*found)->cost_picousd = 0;
  co_return found;
}

Task<Result<std::string>> LiveContext::perform(std::string step, int attempt, Effect& effect) {
  assert(!ended_);
  auto terms = means_.account.terms(effect);
  if (!terms) co_return fail(std::move(terms.error()));
  [[maybe_unused]] const std::size_t mark =
      std::hash<std::string_view>{}(step) + static_cast<std::size_t>(attempt);
  assert(std::ranges::find(asked_, mark) == asked_.end() &&
         "a step of a case is asked once for each attempt");
  asked_.push_back(mark);
  EffectKey key{index_, std::move(step), attempt};
  const Digest hash = sha256(terms->request);
  if (const EffectRow* row = journaled(key)) {
    if (row->request_hash != hash) {
      co_return end_run(
          {ErrorKind::changed,
           "the request differs from the one that was journaled: the config, the data or the prompts have "
           "changed since the run began; start a new run (with --reuse for the answers that still fit)",
           {{"case", id_}, {"step", key.step}}});
    }
    usage_.add(*row);
    co_return row->reply;
  }
  auto earlier = co_await reused(key, hash);
  if (!earlier) co_return end_run(std::move(earlier.error()));
  if (*earlier) {
    std::string reply = (*earlier)->reply;
    usage_.add(**earlier);
    // Another run's row comes without its request, which is this one.
    (*earlier)->request = std::move(terms->request);
    (*earlier)->request_prefixes = std::move(terms->request_prefixes);
    auto durable = co_await means_.store.put(std::move(**earlier));
    if (!durable) co_return end_run(std::move(durable.error()));
    co_return reply;
  }
  co_return co_await ask(std::move(key), hash, std::move(*terms), effect);
}

Task<Result<std::string>> LiveContext::ask(EffectKey key, const Digest& hash, Terms terms, Effect& effect) {
  auto answer = co_await means_.account.perform(effect, terms, {index_, key.step, key.attempt, turn_, id_});
  if (!answer) {
    if (winds_down(answer.error().kind)) halted_ = true;
    co_return fail(std::move(answer.error()).with("step", key.step));
  }
  EffectRow row = row_of(std::move(key), hash, effect.kind(), terms, *answer);
  usage_.add(row);
  auto durable = co_await means_.store.put(std::move(row));
  answer->settle();
  if (!durable) co_return end_run(std::move(durable.error()));
  co_return std::move(answer->answer.reply);
}

}  // namespace assay
