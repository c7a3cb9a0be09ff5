#include "engine/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/json/json.h"
#include "engine/effects/model.h"

namespace assay {
namespace {

constexpr std::size_t kPage = 512;

// Which model is meant, and the sampling in force, depend on surroundings that are not there any more; what
// was said to it does not.
bool says_the_same(const Effect& effect, const EffectRow& row) {
  const auto* model = dynamic_cast<const ModelEffect*>(&effect);
  if (model == nullptr) return true;
  const auto now = parse_json(canonical_text(model->request()).text);
  const auto then = parse_json(row.request);
  if (!now || !then) return false;
  for (const char* part : {"messages", "output"}) {
    const Json* one = find_member(*now, part);
    const Json* other = find_member(*then, part);
    if ((one == nullptr) != (other == nullptr)) return false;
    if (one != nullptr && canonical_text(*one) != canonical_text(*other)) return false;
  }
  return true;
}

}  // namespace

Task<Result<std::string>> ReplayContext::perform(std::string step, int attempt,
                                                 std::shared_ptr<Effect> effect) {
  const auto found = std::ranges::find_if(
      effects_, [&](const EffectRow& row) { return row.key.step == step && row.key.attempt == attempt; });
  if (found == effects_.end())
    co_return fail(ErrorKind::rejected, fmt::format("the journal holds no answer to {}", step));
  asked_.push_back(static_cast<std::size_t>(found - effects_.begin()));
  if (!says_the_same(*effect, *found)) differences_.push_back(step);
  co_return found->reply;
}

Task<Status> ReplayContext::keep_file(std::string /*name*/, std::string /*text*/) {
  co_return Status();
}

std::vector<std::string> ReplayContext::unasked() const {
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    if (std::ranges::find(asked_, i) == asked_.end()) steps.push_back(effects_[i].key.step);
  }
  return steps;
}

Result<std::unique_ptr<KeptJournal>> KeptJournal::open(const std::string& directory) {
  std::unique_ptr<KeptJournal> journal(new KeptJournal);
  auto store = RunStore::open(directory, nullptr);
  if (!store) return fail(std::move(store.error()));
  journal->store_ = std::move(*store);
  return journal;
}

Result<std::map<std::string, std::string>> KeptJournal::texts() {
  auto rows = run(store_->texts());
  if (!rows) return fail(std::move(rows.error()));
  std::map<std::string, std::string> texts;
  for (PlanText& row : *rows) texts.emplace(std::move(row.name), std::move(row.text));
  return texts;
}

Result<std::vector<OutcomeRow>> KeptJournal::outcomes() {
  std::vector<OutcomeRow> all;
  for (std::int64_t first = 0;;) {
    auto page = run(store_->outcomes(first, kPage));
    if (!page) return fail(std::move(page.error()));
    const std::size_t count = page->size();
    std::ranges::move(*page, std::back_inserter(all));
    if (count < kPage) return all;
    first = all.back().case_index + 1;
  }
}

Result<std::vector<EffectRow>> KeptJournal::effects_of(std::int64_t case_index) {
  return run(store_->effects_of(case_index, Requests::whole));
}

}  // namespace assay
