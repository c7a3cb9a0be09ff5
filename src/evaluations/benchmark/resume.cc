#include "evaluations/benchmark/resume.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::benchmark {
namespace {

constexpr std::string_view kNudgeBegins = "actually use the ";
constexpr std::string_view kNudgeEnds = " tools to get the answer";

}  // namespace

Resume resume(const RunFile& file) {
  Resume plan;
  if (file.form == RunForm::promptql) {
    const bool done = !file.error && (!file.output.is_null() || file.answer);
    plan.action = done ? Resume::Action::skip : Resume::Action::again;
    return plan;
  }
  const auto& entries = file.conversation;
  if (!entries.empty() && entries.back().kind == Entry::Kind::assistant_message) {
    plan.action = Resume::Action::skip;
    return plan;
  }
  std::size_t kept = entries.size();
  while (kept > 0 && entries[kept - 1].kind == Entry::Kind::error) --kept;
  if (kept == 0) return plan;
  plan.action = Resume::Action::go_on;
  plan.conversation.assign(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept));
  return plan;
}

bool continues_turn(std::span<const Entry> conversation, std::size_t index) {
  if (index == 0 || index >= conversation.size()) return false;
  const Entry& entry = conversation[index];
  const Entry& before = conversation[index - 1];
  return entry.kind == Entry::Kind::tool_call && before.kind == Entry::Kind::tool_call && entry.call.turn &&
         entry.call.turn == before.call.turn;
}

std::size_t rounds(std::span<const Entry> conversation) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < conversation.size(); ++i) {
    if (conversation[i].kind == Entry::Kind::tool_call && !continues_turn(conversation, i)) ++count;
  }
  return count;
}

std::int64_t next_turn(std::span<const Entry> conversation) {
  std::int64_t highest = 0;
  for (const Entry& entry : conversation) {
    // A number written by hand must not overflow.
    const std::int64_t turn = entry.call.turn.value_or(0);
    if (turn < 1'000'000'000) highest = std::max(highest, turn);
  }
  return highest + 1;
}

std::vector<std::string> uncalled(std::span<const std::string> expected,
                                  std::span<const Entry> conversation) {
  std::set<std::string_view> called;
  for (const Entry& entry : conversation) {
    if (entry.kind == Entry::Kind::tool_call) called.insert(entry.call.name);
  }
  std::vector<std::string> names;
  for (const std::string& name : expected) {
    if (called.insert(name).second) names.push_back(name);
  }
  return names;
}

std::optional<std::string> nudge(std::span<const std::string> expected, std::span<const Entry> conversation,
                                 std::int64_t nudges, std::int64_t most) {
  if (nudges >= most) return std::nullopt;
  const auto names = uncalled(expected, conversation);
  if (names.empty()) return std::nullopt;
  return fmt::format("{}{}{}", kNudgeBegins, fmt::join(names, ", "), kNudgeEnds);
}

bool is_nudge(std::string_view message) {
  return message.starts_with(kNudgeBegins) && message.ends_with(kNudgeEnds);
}

}  // namespace assay::benchmark
