#include "evaluations/benchmark/resume.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::benchmark {
namespace {

constexpr std::string_view kNudgeBegins = "actually use the ";
constexpr std::string_view kNudgeEnds = " tools to get the answer";

Resume resume_promptql(const RunFile& file, const Present& present) {
  Resume plan;
  const bool done = !file.error && (!file.output.is_null() || file.answer);
  if (!done && file.proposed.is_null()) return plan;
  const bool waits = !file.answer && file.proposed.is_null() && only_proposes(file.output, present.artifact);
  plan.action = done && !waits ? Resume::Action::skip : Resume::Action::go_on;
  if (plan.action == Resume::Action::go_on) plan.proposal = done ? file.output : file.proposed;
  return plan;
}

Resume resume_conversation(const RunFile& file, const Present& present) {
  Resume plan;
  const auto& entries = file.conversation;
  std::size_t kept = entries.size();
  if (!entries.empty() && entries.back().kind == Entry::Kind::assistant_message) {
    const bool asks_again = file.cut_off && !file.answer && raised(*file.cut_off, present.max_tokens);
    if (!asks_again) {
      plan.action = Resume::Action::skip;
      return plan;
    }
    --kept;
  }
  while (kept > 0 && entries[kept - 1].kind == Entry::Kind::error) --kept;
  if (kept == 0) return plan;
  plan.action = Resume::Action::go_on;
  plan.conversation.assign(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept));
  return plan;
}

}  // namespace

Resume resume(const RunFile& file, const Present& present) {
  Resume plan =
      file.form == RunForm::promptql ? resume_promptql(file, present) : resume_conversation(file, present);
  if (plan.action == Resume::Action::again) return plan;
  for (const auto& [name, then] : file.asked) {
    const auto now = present.asked.find(name);
    if (now != present.asked.end() && now->second != then) plan.changed.push_back(name);
  }
  if (!plan.changed.empty() && !present.keep_changed) plan.action = Resume::Action::again;
  return plan;
}

bool raised(const CutOff& then, const std::optional<std::int64_t>& now) {
  if (then.max_tokens && now) return *now > *then.max_tokens;
  return then.max_tokens.has_value() != now.has_value();
}

bool only_proposes(const Json& reply, std::string_view artifact) {
  const JsonArray& actions = list_at(reply, "assistant_actions");
  const auto has_run = [](const Json& action) { return !text_at(action, "code").empty(); };
  if (actions.empty() || std::ranges::any_of(actions, has_run)) return false;
  return std::ranges::none_of(list_at(reply, "modified_artifacts"),
                              [&](const Json& made) { return text_at(made, "identifier") == artifact; });
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
