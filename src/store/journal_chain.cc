#include "store/journal_chain.h"

#include <bit>
#include <cstring>

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as little-endian bytes");

constexpr std::size_t kSmall = 1024;  // texts up to this size are gathered, longer ones hashed in place

}  // namespace

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

OutcomeValues values_of(const OutcomeRow& row) {
  return {row.case_index, row.case_id, row.outcome, row.result};
}

JournalChain::JournalChain(const Digest& head) {
  text(bytes_of(head));
}

JournalChain::JournalChain(const RunIdentity& identity, const std::vector<PlanText>& texts) {
  text("assay journal");
  for (const std::string* part : {&identity.run_id, &identity.evaluation, &identity.assay, &identity.started,
                                  &identity.config, &identity.data_path, &identity.data_hash})
    text(*part);
  number(identity.cases);
  number(static_cast<std::int64_t>(texts.size()));
  for (const PlanText& one : texts) {
    text(one.name);
    text(one.text);
  }
}

void JournalChain::add_word(std::int64_t row, std::string_view word) {
  text("word");
  number(row);
  text(word);
}

void JournalChain::add(std::int64_t row, const SharedTextValues& shared) {
  text("shared text");
  number(row);
  number(shared.before);
  text(shared.text);
  text(shared.hash);
}

void JournalChain::add(std::int64_t row, const EffectValues& effect) {
  text("effect");
  for (const std::int64_t value :
       {row, effect.case_index, effect.step, effect.attempt, effect.kind, effect.model, effect.prompt_tokens,
        effect.completion_tokens, effect.cached_tokens, effect.reasoning_tokens, effect.latency_us,
        effect.tries, effect.reused})
    number(value);
  for (const auto& value : {effect.cost_picousd, effect.request_before, effect.reply_before}) number(value);
  for (const std::string_view value : {effect.request_hash, effect.request, effect.reply, effect.finished})
    text(value);
}

void JournalChain::add(std::int64_t row, const OutcomeValues& outcome) {
  text("outcome");
  number(row);
  number(outcome.case_index);
  for (const std::string_view value : {outcome.case_id, outcome.outcome, outcome.result}) text(value);
}

Digest JournalChain::commit(const JournalCommit& commit) {
  text("commit");
  for (const std::int64_t value :
       {commit.number, commit.last_row, commit.sitting, commit.worked_ms, std::int64_t{commit.anew}})
    number(value);
  text(commit.note);
  flush();
  const Digest head = hash_.finish();
  hash_ = Sha256();
  text(bytes_of(head));
  return head;
}

void JournalChain::number(std::int64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  small_.append(bytes, sizeof bytes);
}

void JournalChain::number(const std::optional<std::int64_t>& value) {
  number(std::int64_t{value.has_value()});
  number(value.value_or(0));
}

void JournalChain::text(std::string_view value) {
  number(static_cast<std::int64_t>(value.size()));
  if (value.size() <= kSmall) {
    small_.append(value);
    return;
  }
  flush();
  hash_.update(value);
}

void JournalChain::flush() {
  hash_.update(small_);
  small_.clear();
}

}  // namespace assay
