#include "engine/effects/program.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {
namespace {

int most_at_once(const ProgramSpec& program) {
  const auto most =
      static_cast<std::int64_t>(std::max(program.processes, 1)) * std::max(program.in_flight, 1);
  return static_cast<int>(std::min<std::int64_t>(most, std::numeric_limits<int>::max()));
}

}  // namespace

Json to_json(const ProgramCall& call) {
  Json tree = to_json(*call.program);
  tree.get_object().emplace("fingerprint", call.fingerprint);
  tree.get_object().emplace("question", call.question);
  return tree;
}

Result<Terms> ProgramEffect::terms(Outside& outside) const {
  return Terms{.request = canonical_text(outside.literals.hide_in(to_json(call_))),
               .lane = fmt::format("program {}", fmt::join(call_.program->command, " ")),
               .most_at_once = most_at_once(*call_.program),
               .tries = call_.tries,
               .stubborn = call_.tries > 1};
}

Task<TryResult> ProgramEffect::send(Outside& outside) {
  auto reply = co_await outside.programs.ask(*call_.program, call_.question);
  if (!reply) co_return std::unexpected(TryFailure{std::move(reply.error())});
  co_return Try{to_text(outside.secrets.hide_in(*reply))};
}

Task<Result<Json>> ask_program(CaseContext& context, std::string step, ProgramCall call) {
  co_return co_await perform_json(context, std::move(step), std::make_shared<ProgramEffect>(std::move(call)));
}

}  // namespace assay
