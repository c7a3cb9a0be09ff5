#include "engine/calibration_journal.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/sha256.h"
#include "core/time.h"
#include "engine/case_feed.h"
#include "engine/runner.h"

namespace assay {
namespace {

constexpr std::string_view kStep = "calibration/";

}  // namespace

Task<Status> CalibrationJournal::recall(RunCalibration& calibration) {
  auto rows = co_await store_.effects_of(kRunItself, Requests::left_out);
  if (!rows) co_return fail(std::move(rows.error()));
  while (const auto step = calibration.step()) {
    const std::string name = std::string(kStep) + *step;
    const auto row = std::ranges::find(*rows, name, [](const EffectRow& one) { return one.key.step; });
    if (row == rows->end()) co_return Status();
    if (row->request_hash != sha256(canonical_text(calibration.rests_on()))) {
      co_return fail(
          Error{ErrorKind::changed,
                "the labels, the judges or what they are to promise have changed since this run was "
                "calibrated; start a new run (with --reuse for the answers that still fit)",
                {{"step", name}}});
    }
    auto learnt = parse_json(row->reply);
    if (!learnt || !learnt->is_object())
      co_return fail(Error{ErrorKind::journal, "what was learnt cannot be read", {{"step", name}}});
    if (auto known = calibration.know(learnt->get_object()); !known)
      co_return fail(std::move(known.error()).with("step", name));
  }
  co_return Status();
}

Task<Status> CalibrationJournal::learn(RunCalibration& calibration,
                                       const std::vector<CalibrationCase>& cases) {
  const std::string name = std::string(kStep) + calibration.step().value_or("");
  auto learnt = calibration.learn(cases);
  if (!learnt) co_return fail(std::move(learnt.error()));
  EffectRow row;
  row.key = {kRunItself, name, 1};
  row.kind = "calibration";
  row.request = canonical_text(calibration.rests_on());
  row.request_hash = sha256(row.request);
  row.reply = to_text(*learnt);
  row.cost_picousd = 0;
  row.finished = iso_time(std::chrono::system_clock::now());
  if (auto durable = co_await store_.put(std::move(row)); !durable)
    co_return fail(std::move(durable.error()));
  co_return calibration.know(*learnt);
}

Task<Result<std::vector<CalibrationCase>>> calibration_cases(const CaseWork& work) {
  CaseFeed feed(work);
  std::vector<CalibrationCase> cases;
  for (;;) {
    auto next = co_await feed.next();
    if (!next) co_return fail(std::move(next.error()));
    if (!*next) co_return cases;
    if (work.calibration()->takes_part(**next)) cases.push_back({std::move(**next)});
  }
}

Status all_answered(const std::vector<CalibrationCase>& cases) {
  const std::vector<std::string> again = outcomes_to_retry();
  const auto failed = [&again](const CalibrationCase& one) {
    return std::ranges::find(again, to_string(one.outcome.kind)) != again.end();
  };
  const auto first = std::ranges::find_if(cases, failed);
  if (first == cases.end()) return {};
  return fail(
      Error{ErrorKind::network,
            fmt::format(
                "{} of {} labelled cases have no answer ({}): thresholds are learnt from all of them or not "
                "at all",
                std::ranges::count_if(cases, failed), cases.size(), first->outcome.error),
            {{"case", first->input.id}}});
}

}  // namespace assay
