#include "sim/answers/tool_user.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/example_answer.h"
#include "sim/answers/tool_arguments.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

// How often it does what.
constexpr double kStopsEarly = 0.15;
constexpr double kStopsAfterNudge = 0.05;
constexpr double kSideBySide = 0.35;
constexpr double kTriesAgain = 0.8;
constexpr double kRunsProgram = 0.6;
constexpr double kOnlyPlans = 0.5;

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Where the text has the name as a word of its own.
std::size_t find_name(std::string_view text, std::string_view name) {
  if (name.empty()) return std::string_view::npos;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]))) return at;
  }
  return std::string_view::npos;
}

bool is_failure(const Message& result) {
  if (result.is_error) return true;
  const std::string_view text = trim(result.text);
  if (lower_ascii(text.substr(0, 5)) == "error") return true;
  if (!text.starts_with('{')) return false;
  const auto value = parse_json(text);
  const Json* error = value ? find_member(*value, "error") : nullptr;
  return error != nullptr && !error->is_null();
}

}  // namespace

ToolUser::ToolUser(const ChatRequest& request, const Chance& chance, double noise)
    : request_(request), chance_(chance.fork("tool user")), noise_(noise) {
  for (std::size_t i = 0; i < request_.messages.size(); ++i) {
    const Message& message = request_.messages[i];
    if (message.role != Role::user) continue;
    last_question_ = i;
    question_ += without_fences(message.text) + "\n";
  }
  read_results();
}

void ToolUser::read_results() {
  std::map<std::string_view, std::string_view> names;  // of calls, by id
  for (const Message& message : request_.messages) {
    for (const ToolCall& call : message.tool_calls) names[call.id] = call.name;
    if (message.role != Role::tool) continue;
    const std::string_view name = names[message.tool_call_id];
    if (is_failure(message)) {
      failed_.insert(name);
    } else {
      failed_.erase(name);
      if (auto table = table_in_text(std::string(name), message.text)) tables_.push_back(std::move(*table));
    }
  }
}

ToolUser::Named ToolUser::named_tools() const {
  Named named;
  for (std::size_t i = request_.messages.size(); i-- > 0 && named.tools.empty();) {
    const Message& message = request_.messages[i];
    if (message.role != Role::user) continue;
    named.message = i;
    std::vector<std::pair<std::size_t, const Tool*>> found;
    for (const Tool& tool : request_.tools) {
      const std::size_t at = find_name(message.text, tool.name);
      if (at != std::string_view::npos) found.emplace_back(at, &tool);
    }
    std::ranges::sort(found, {}, &std::pair<std::size_t, const Tool*>::first);
    for (const auto& [at, tool] : found) named.tools.push_back(tool);
  }
  return named;
}

const Tool* ToolUser::find(std::string_view name) const {
  const auto tool = std::ranges::find(request_.tools, name, &Tool::name);
  return tool == request_.tools.end() ? nullptr : &*tool;
}

std::size_t ToolUser::times_called(std::string_view tool, std::size_t since) const {
  std::size_t times = 0;
  for (std::size_t i = since; i < request_.messages.size(); ++i) {
    times +=
        static_cast<std::size_t>(std::ranges::count(request_.messages[i].tool_calls, tool, &ToolCall::name));
  }
  return times;
}

const Tool* ToolUser::failed_query(std::size_t since) const {
  for (const std::string_view name : failed_) {
    const Tool* tool = find(name);
    if (tool != nullptr && times_called(name, since) == 1 && !argument_for(*tool, Language::sql).empty())
      return tool;
  }
  return nullptr;
}

const Tool* ToolUser::program_runner(std::size_t since) const {
  if (tables_.empty()) return nullptr;
  for (const Tool& tool : request_.tools) {
    if (!argument_for(tool, Language::python).empty() && times_called(tool.name, since) == 0) return &tool;
  }
  return nullptr;
}

ToolUser::Plan ToolUser::plan() const {
  if (request_.tools.empty() || request_.messages.empty()) return {};
  const Named named = named_tools();
  const bool after_results = request_.messages.back().role == Role::tool;
  const std::size_t since = named.tools.empty() ? last_question_ : named.message;
  if (after_results) {
    const Tool* again = failed_query(since);
    if (again != nullptr && chance_.fork("again").happens(kTriesAgain)) return {Plan::Kind::call, {again}};
  }
  std::vector<const Tool*> left;
  for (const Tool* tool : named.tools) {
    if (times_called(tool->name, since) == 0) left.push_back(tool);
  }
  if (!left.empty()) {
    const bool nudged = std::ranges::any_of(request_.messages, [](const Message& message) {
      return message.role == Role::assistant && message.tool_calls.empty();
    });
    if (chance_.fork("stop").happens(nudged ? kStopsAfterNudge : kStopsEarly))
      return {Plan::Kind::answer, {}};
    if (!chance_.fork("together").happens(kSideBySide)) left.resize(1);
    return {Plan::Kind::call, std::move(left)};
  }
  const Tool* runner = after_results ? program_runner(since) : nullptr;
  if (runner != nullptr && chance_.fork("program").happens(kRunsProgram)) return {Plan::Kind::call, {runner}};
  return named.tools.empty() ? Plan{} : Plan{Plan::Kind::answer, {}};
}

std::string ToolUser::visible_texts() const {
  std::string texts;
  for (const Message& message : request_.messages) {
    if (message.role == Role::system || message.role == Role::user) texts += message.text + "\n";
  }
  // A look at the catalogue shows how tables were made.
  for (const Table& table : tables_) {
    for (const Json& row : table.rows) {
      for (const auto& member : row.get_object()) {
        const auto text = as_text(member.value());
        if (text && lower_ascii(text->substr(0, 12)) == "create table") texts.append(*text).append("\n");
      }
    }
  }
  return texts;
}

void ToolUser::write_arguments(const Tool& tool, JsonObject& arguments) const {
  const Chance own = chance_.fork(tool.name);
  const std::string sql = argument_for(tool, Language::sql);
  const std::string python = argument_for(tool, Language::python);
  if (sql.empty() && python.empty()) return;
  const std::string visible = visible_texts();
  const Writing writing{question_, visible, tables_.empty() ? nullptr : &tables_.back(),
                        failed_.contains(tool.name)};
  if (!sql.empty()) arguments[sql] = write_sql(tool, writing, own);
  if (!python.empty()) arguments[python] = write_python(writing, own);
}

std::optional<std::string> ToolUser::last_words() const {
  std::optional<Json> example;
  for (auto message = request_.messages.rbegin(); message != request_.messages.rend() && !example;
       ++message) {
    if (message->role == Role::user) example = example_in(message->text);
  }
  const Named named = named_tools();
  if (tables_.empty() && !named.tools.empty() && chance_.fork("only plans").happens(kOnlyPlans)) {
    std::string steps;
    for (const Tool* tool : named.tools) steps += (steps.empty() ? "" : ", then ") + tool->name;
    return fmt::format("To answer this I would call {} and combine what they give.", steps);
  }
  if (example) {
    return written_answer(fill_example(*example, tables_, question_, noise_, chance_.fork("answer")),
                          chance_.fork("words"));
  }
  if (tables_.empty()) return std::nullopt;
  const Wish wish = wish_of(question_);
  if (wish.figure == Wish::Figure::none && !says(question_, "a number") &&
      !says(question_, "single number")) {
    return std::nullopt;
  }
  return fmt::format("The answer is {}.",
                     number_text(figure_of(tables_.back(), wish.figure, question_, chance_.fork("answer"))));
}

}  // namespace assay::sim
