#include "engine/live_context.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "core/time.h"
#include "net/on_loop.h"

namespace assay {
namespace {

// An answer on its way into the journal, on the loop where it came; the case reads it afterwards, on its own.
struct PendingAnswer {
  RunStore& store;
  EffectRow row = {};        // without its texts; complete when the answer is there
  std::string request = {};  // until then, with what it shares with others
  PrefixEnds request_prefixes = {};
  std::string reply = {};
  bool lost = false;  // it could not be kept

  static Task<Status> keep(std::shared_ptr<PendingAnswer> asked, Answer answer) {
    EffectRow& row = asked->row;
    row.model = std::move(answer.answer.model);
    row.prompt_tokens = answer.answer.usage.prompt_tokens;
    row.completion_tokens = answer.answer.usage.completion_tokens;
    row.cached_tokens = answer.answer.usage.cached_tokens;
    row.reasoning_tokens = answer.answer.usage.reasoning_tokens;
    row.cost_picousd = answer.cost_picousd;
    row.latency_us = std::chrono::duration_cast<std::chrono::microseconds>(answer.latency).count();
    row.tries = answer.tries;
    row.finished = iso_time(std::chrono::system_clock::now());
    EffectRow whole = row;
    whole.request = std::move(asked->request);
    whole.request_prefixes = std::move(asked->request_prefixes);
    whole.reply = answer.answer.reply;
    whole.reply_prefixes = std::move(answer.answer.reply_prefixes);
    asked->reply = std::move(answer.answer.reply);
    auto durable = co_await asked->store.put(std::move(whole));
    asked->lost = !durable;
    if (!durable) co_return fail(std::move(durable.error()));
    co_return *durable ? asked->take(std::move(**durable)) : Status();
  }

  // Another worker was asked for the same case and was first: its answer is the one that counts.
  Status take(EffectRow standing) {
    if (standing.request_hash != row.request_hash) {
      lost = true;
      return fail(
          Error{ErrorKind::changed,
                "another worker has journaled an answer to another request under the same key: it works "
                "with another config, other data or another version of assay",
                {{"step", row.key.step}}});
    }
    reply = std::move(standing.reply);
    standing.request.clear();
    row = std::move(standing);
    return {};
  }
};

// Only answers of models: what a tool, a target or a command says may change with the world. What the
// built-in simulator says costs nothing, and rests on the seed of its process, which no request has.
bool is_shared(std::string_view kind, std::string_view lane) {
  const bool simulated = lane == "sim" || lane.starts_with("sim ");
  return (kind == "model" || kind == "embedding") && !simulated;
}

CachedAnswer shared_form(const EffectRow& row, std::string reply) {
  return {cache_key(row.kind, row.request_hash, row.key.step, row.key.attempt),
          std::move(reply),
          row.model,
          row.prompt_tokens,
          row.completion_tokens,
          row.cached_tokens,
          row.reasoning_tokens};
}

void add(StepSpending& spent, const EffectRow& row) {
  spent.latency_ms += static_cast<double>(row.latency_us) / 1e3;
  spent.prompt_tokens += row.prompt_tokens;
  spent.completion_tokens += row.completion_tokens;
  const bool paid = row.kind == "model" || row.kind == "promptql" || row.kind == "embedding";
  if (row.reused || (paid && !row.cost_picousd)) spent.cost_usd.reset();
  if (spent.cost_usd && row.cost_picousd) *spent.cost_usd += static_cast<double>(*row.cost_picousd) / 1e12;
}

}  // namespace

LiveContext::LiveContext(RunMeans& means, const Case& input, const CaseStart& start,
                         std::vector<EffectRow> journaled)
    : means_(means), id_(input.id), index_(input.index), start_(start), journaled_(std::move(journaled)) {}

Random LiveContext::random(std::string_view step) const {
  return Random::keyed(means_.seed, id_, step);
}

std::unexpected<Error> LiveContext::end_run(Error error) {
  halted_ = true;
  means_.account.stop(error);
  return fail(std::move(error));
}

void LiveContext::spend(const EffectRow& row) {
  usage_.add(row);
  for (auto& [step, spent] : spent_) {
    if (step == row.key.step) return add(spent, row);
  }
  add(spent_.emplace_back(row.key.step, StepSpending()).second, row);
}

StepSpending LiveContext::spending_of(std::string_view step) const {
  const auto found = std::ranges::find(spent_, step, &std::pair<std::string, StepSpending>::first);
  return found == spent_.end() ? StepSpending() : found->second;
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
  if (means_.earlier_answers == nullptr || is_beside(index_)) co_return std::nullopt;
  auto found = co_await means_.earlier_answers->find_answer(hash, key.step, key.attempt);
  if (!found || !*found) co_return found;
  (*found)->key = key;
  (*found)->reused = true;
  (*found)->cost_picousd = 0;
  co_return found;
}

Task<std::optional<EffectRow>> LiveContext::shared(const Effect& effect, const Terms& terms,
                                                   const EffectKey& key, const Digest& hash) {
  if (means_.cache == nullptr || !is_shared(effect.kind(), terms.lane) || is_beside(index_))
    co_return std::nullopt;
  auto found = co_await means_.cache->find(cache_key(effect.kind(), hash, key.step, key.attempt));
  if (!found) co_return std::nullopt;
  EffectRow row;
  row.key = key;
  row.kind = effect.kind();
  row.request_hash = hash;
  row.reply = std::move(found->reply);
  row.model = std::move(found->model);
  row.prompt_tokens = found->prompt_tokens;
  row.completion_tokens = found->completion_tokens;
  row.cached_tokens = found->cached_tokens;
  row.reasoning_tokens = found->reasoning_tokens;
  row.cost_picousd = 0;
  row.finished = iso_time(std::chrono::system_clock::now());
  row.reused = true;
  co_return row;
}

Task<Result<std::string>> LiveContext::perform(std::string step, int attempt,
                                               std::shared_ptr<Effect> effect) {
  assert(!ended_);
  auto terms = means_.account.terms(*effect, start_.branch);
  if (!terms) co_return fail(std::move(terms.error()));
  [[maybe_unused]] const std::size_t mark =
      std::hash<std::string_view>{}(step) + static_cast<std::size_t>(attempt);
  assert(std::ranges::find(asked_, mark) == asked_.end() &&
         "a step of a case is asked once for each attempt");
  asked_.push_back(mark);
  EffectKey key{index_, std::move(step), attempt};
  const Digest hash = means_.hashes[start_.branch].whole(terms->request, terms->request_prefixes);
  if (const EffectRow* row = journaled(key)) {
    if (row->request_hash != hash) {
      co_return end_run(
          {ErrorKind::changed,
           "the request differs from the one that was journaled: the config, the data or the prompts have "
           "changed since the run began; start a new run (with --reuse for the answers that still fit)",
           {{"case", id_}, {"step", key.step}}});
    }
    spend(*row);
    co_return row->reply;
  }
  auto earlier = co_await reused(key, hash);
  if (!earlier) co_return end_run(std::move(earlier.error()));
  if (!*earlier) *earlier = co_await shared(*effect, *terms, key, hash);
  if (*earlier) {
    // It goes on without a permit; others need not wait for it.
    if (start_.lease) means_.account.home().post([lease = start_.lease] { lease->begin(); });
    const auto taken = std::make_shared<PendingAnswer>(means_.store);
    taken->row = **earlier;
    taken->reply = std::exchange(taken->row.reply, {});
    // Another run's row comes without its request, which is this one.
    (*earlier)->request = std::move(terms->request);
    (*earlier)->request_prefixes = std::move(terms->request_prefixes);
    auto durable = co_await means_.store.put(std::move(**earlier));
    if (!durable) co_return end_run(std::move(durable.error()));
    if (*durable) {
      if (auto same = taken->take(std::move(**durable)); !same) co_return end_run(std::move(same.error()));
    }
    spend(taken->row);
    co_return std::move(taken->reply);
  }
  co_return co_await ask(std::move(key), hash, std::move(*terms), std::move(effect));
}

Task<Result<std::string>> LiveContext::ask(EffectKey key, const Digest& hash, Terms terms,
                                           std::shared_ptr<Effect> effect) {
  const auto asked = std::make_shared<PendingAnswer>(means_.store);
  asked->row.key = std::move(key);
  asked->row.kind = effect->kind();
  asked->row.request_hash = hash;
  asked->request = std::move(terms.request);
  asked->request_prefixes = std::move(terms.request_prefixes);
  const EffectKey& place = asked->row.key;
  const bool shares = means_.cache != nullptr && is_shared(asked->row.kind, terms.lane);
  auto call = std::make_shared<Call>();
  call->effect = std::move(effect);
  call->terms = std::move(terms);
  call->place = {index_, place.step, place.attempt, start_.turn, id_};
  if (start_.lease) call->begin = [lease = start_.lease] { return lease->begin(); };
  call->keep = [asked](Answer answer) { return PendingAnswer::keep(asked, std::move(answer)); };
  auto done = co_await on(means_.account.home(), means_.account.perform(std::move(call), start_.branch));
  if (!done) {
    if (winds_down(done.error().kind) || asked->lost) halted_ = true;
    co_return fail(std::move(done.error()).with("step", place.step));
  }
  spend(asked->row);
  ++answers_;
  // It is durable in the journal.
  if (shares) means_.cache->put(shared_form(asked->row, asked->reply));
  co_return std::move(asked->reply);
}

}  // namespace assay
