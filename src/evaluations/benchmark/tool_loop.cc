#include "evaluations/benchmark/tool_loop.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/sha256.h"
#include "core/text.h"
#include "engine/effects/model.h"
#include "engine/effects/tool.h"
#include "evaluations/benchmark/python_tool.h"
#include "evaluations/benchmark/resume.h"
#include "models/structured/structured.h"

namespace assay::benchmark {
namespace {

constexpr const char* kLastRequest =
    "You have used all your rounds of tool calls. Give your final answer now, in the form that was asked "
    "for, "
    "from what you have found so far.";

// A tool as the model is told of it, and who carries it out.
struct Offered {
  Tool tool;
  std::shared_ptr<const ToolSpec> spec;
  std::shared_ptr<const Schema> arguments;  // null: whatever the model sends
};

class Offer {
 public:
  // Error of kind config if two tools have one name.
  Status add(Tool tool, std::shared_ptr<const ToolSpec> spec) {
    if (find(tool.name) != nullptr) {
      return fail(
          ErrorKind::config,
          fmt::format("two tools are called {}; name one of them otherwise, or leave it out with `only`",
                      tool.name));
    }
    Offered offered;
    // A server's schema may use what we do not know; it checks its arguments itself.
    if (auto schema = Schema::compile(tool.parameters))
      offered.arguments = std::make_shared<const Schema>(std::move(*schema));
    offered.tool = std::move(tool);
    offered.spec = std::move(spec);
    list_.push_back(std::move(offered));
    return {};
  }
  const Offered* find(const std::string& name) const {
    const auto found =
        std::ranges::find_if(list_, [&](const Offered& offered) { return offered.tool.name == name; });
    return found == list_.end() ? nullptr : &*found;
  }
  std::vector<Tool> tools() const {
    std::vector<Tool> tools;
    tools.reserve(list_.size());
    for (const Offered& offered : list_) tools.push_back(offered.tool);
    return tools;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(list_.size());
    for (const Offered& offered : list_) names.push_back(offered.tool.name);
    return names;
  }

 private:
  std::vector<Offered> list_;
};

// Why a call cannot be run; "" if it can.
std::string unusable(const CallRecord& call, const Offered* offered, const Offer& offer) {
  if (offered == nullptr) {
    const auto names = offer.names();
    return names.empty() ? fmt::format("there is no tool {}, and no other", shorten(call.name, 100))
                         : fmt::format("there is no tool {}; known: {}", shorten(call.name, 100),
                                       fmt::join(names, ", "));
  }
  if (!call.params.is_object())
    return fmt::format("the arguments are not a JSON object: {}", excerpt(call.params));
  if (offered->arguments == nullptr) return "";
  const auto defects = offered->arguments->validate(call.params);
  return defects.empty() ? "" : "the arguments do not fit the tool's schema: " + describe(defects);
}

class Conversation {
 public:
  Conversation(const ToolLoop& loop, CaseContext& context, RunFile& file, Keep keep)
      : loop_(loop), context_(context), file_(file), keep_(std::move(keep)) {}

  Task<Status> run() {
    if (file_.conversation.empty()) file_.conversation.push_back(Entry::user(loop_.prompt));
    rounds_before_ = rounds_before_hand();
    auto offered = co_await offer();
    if (!offered) co_return co_await failed(std::move(offered.error()));
    for (;;) {
      if (auto ran = co_await run_pending(); !ran) co_return fail(std::move(ran.error()));
      if (stopped()) {
        // An error came after the model's last word, and was taken away.
        if (!add_nudge()) co_return co_await keep_(file_);
      }
      const std::size_t used = rounds(file_.conversation) - rounds_before_;
      const bool last = static_cast<std::int64_t>(used) >= loop_.max_turns;
      if (last && !asked_for_the_end()) file_.conversation.push_back(Entry::user(kLastRequest));
      auto reply = co_await ask(last);
      if (!reply) co_return co_await failed(std::move(reply.error()));
      file_.refused = !reply->refusal.empty();
      const bool cut_off = reply->finish == FinishReason::length && !file_.refused;
      if (last) reply->message.tool_calls.clear();
      add_reply(file_.conversation, *reply);
      // The nudge goes into the file together with the words that it answers: a file that ends with the
      // model's words is finished.
      if (stopped() && cut_off) file_.cut_off = CutOff{loop_.token_limit};
      const bool done = stopped() && (last || file_.refused || cut_off || !add_nudge());
      if (auto kept = co_await keep_(file_); !kept) co_return kept;
      if (done) co_return Status();
    }
  }

 private:
  Task<Status> offer() {
    for (const auto& spec : loop_.tools) {
      if (!is_server(*spec)) {
        if (auto added = offer_.add({spec->name, spec->description, spec->parameters}, spec); !added)
          co_return added;
        continue;
      }
      auto list = co_await list_tools(
          context_, step_name(fmt::format("{}tools/{}", loop_.steps, spec->name), to_json(*spec)), spec,
          loop_.session);
      if (!list) co_return fail(std::move(list.error()));
      if (!list->is_array()) co_return fail(ErrorKind::schema, "the list of tools is no list");
      for (const Json& tool : list->get_array()) {
        const Json* schema = find_member(tool, "inputSchema");
        Tool told{text_at(tool, "name"), text_at(tool, "description"),
                  schema != nullptr ? *schema : Json(JsonObject{{"type", "object"}})};
        if (auto added = offer_.add(std::move(told), spec); !added) co_return added;
      }
    }
    // Only a tool that is offered can be asked for.
    for (const std::string& name : loop_.expected_tool_calls) {
      if (offer_.find(name) != nullptr) {
        expected_.push_back(name);
      } else if (loop_.unoffered != nullptr && name != kPythonTool) {
        loop_.unoffered->push_back(name);
      }
    }
    co_return Status();
  }

  bool stopped() const {
    return !file_.conversation.empty() && file_.conversation.back().kind == Entry::Kind::assistant_message;
  }
  bool asked_for_the_end() const {
    const Entry& entry = file_.conversation.back();
    return entry.kind == Entry::Kind::user_message && entry.text == kLastRequest;
  }

  // Whoever nudges by hand wants the model to go on, so its rounds begin anew there.
  std::size_t rounds_before_hand() const {
    const std::span<const Entry> entries = file_.conversation;
    for (std::size_t i = entries.size(); i-- > 1;) {
      const Entry& entry = entries[i];
      const bool by_hand =
          entry.kind == Entry::Kind::user_message && entry.text != kLastRequest && !is_nudge(entry.text);
      if (by_hand) return rounds(entries.first(i));
    }
    return 0;
  }

  bool add_nudge() {
    auto words = nudge(expected_, file_.conversation, file_.nudges, loop_.max_nudges);
    if (!words) return false;
    file_.conversation.push_back(Entry::user(std::move(*words)));
    ++file_.nudges;
    return true;
  }

  Task<Status> run_pending() {
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < file_.conversation.size(); ++i) {
      const Entry& entry = file_.conversation[i];
      if (entry.kind == Entry::Kind::tool_call && !entry.call.result) pending.push_back(i);
    }
    if (pending.empty()) co_return Status();
    std::vector<Task<Result<Json>>> calls;
    calls.reserve(pending.size());
    for (const std::size_t i : pending) calls.push_back(run_call(file_.conversation[i].call));
    std::vector<Result<Json>> results = co_await all(std::move(calls));
    std::optional<Error> stop;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (results[i]) {
        file_.conversation[pending[i]].call.result = std::move(*results[i]);
      } else if (!stop) {
        stop = std::move(results[i].error());
      }
    }
    if (stop) co_return fail(std::move(*stop));
    co_return co_await keep_(file_);
  }

  Task<Result<Json>> run_call(const CallRecord& call) {
    const Offered* offered = offer_.find(call.name);
    if (auto why = unusable(call, offered, offer_); !why.empty()) co_return tool_error(why);
    ToolUse use{offered->spec, call.name, call.params.get_object(), loop_.session};
    const Json request = JsonObject{{"id", call.id}, {"use", to_json(use)}};
    std::string step =
        step_name(fmt::format("{}turn{}/{}", loop_.steps, call.turn.value_or(0), call.name), request);
    co_return co_await use_tool(context_, std::move(step), std::move(use));
  }

  Task<Result<ChatReply>> ask(bool last) {
    ChatRequest request;
    request.model = loop_.model;
    request.messages = messages_of(loop_.system_prompt, file_.conversation);
    request.tools = offer_.tools();
    if (last) request.tool_choice.mode = ToolChoice::Mode::none;
    request.sampling = loop_.sampling;
    std::string step =
        step_name(fmt::format("{}turn{}", loop_.steps, next_turn(file_.conversation)), to_json(request));
    co_return co_await complete(context_, std::move(step), 1, std::move(request));
  }

  // Into the file, unless the run only stops here for now.
  Task<Status> failed(Error error) {
    if (winds_down(error.kind)) co_return fail(std::move(error));
    file_.conversation.push_back(Entry::error(error.text()));
    if (auto kept = co_await keep_(file_); !kept) co_return kept;
    co_return fail(std::move(error));
  }

  const ToolLoop& loop_;
  CaseContext& context_;
  RunFile& file_;
  Keep keep_;
  Offer offer_;
  std::vector<std::string> expected_;
  std::size_t rounds_before_ = 0;  // that do not count any more
};

}  // namespace

std::string step_name(const std::string& name, const Json& request) {
  return fmt::format("{}/{}", name, hex(sha256(canonical_text(request))).substr(0, 12));
}

std::vector<Message> messages_of(const std::string& system_prompt, std::span<const Entry> conversation) {
  std::vector<Message> messages;
  if (!system_prompt.empty()) messages.push_back({.role = Role::system, .text = system_prompt});
  for (std::size_t i = 0; i < conversation.size();) {
    const Entry& entry = conversation[i];
    if (entry.kind == Entry::Kind::error) {
      ++i;
      continue;
    }
    if (entry.kind == Entry::Kind::user_message) {
      messages.push_back({.role = Role::user, .text = entry.text});
      ++i;
      continue;
    }
    Message said{.role = Role::assistant};
    if (entry.kind == Entry::Kind::assistant_message) {
      said.text = entry.text;
      ++i;
    }
    const std::size_t first = i;
    while (i < conversation.size() && conversation[i].kind == Entry::Kind::tool_call &&
           (i == first || continues_turn(conversation, i))) {
      const CallRecord& call = conversation[i].call;
      ToolCall made{call.id, call.name, call.params, {}};
      if (!call.params.is_object()) {
        made.arguments = nullptr;
        made.arguments_text = text_or_json(call.params);
      }
      said.tool_calls.push_back(std::move(made));
      ++i;
    }
    messages.push_back(std::move(said));
    for (std::size_t at = first; at < i; ++at) {
      const CallRecord& call = conversation[at].call;
      const Json result = call.result.value_or(tool_error("the call was not carried out"));
      messages.push_back({.role = Role::tool,
                          .text = text_or_json(result),
                          .tool_call_id = call.id,
                          .is_error = is_tool_error(result)});
    }
  }
  return messages;
}

void add_reply(std::vector<Entry>& conversation, const ChatReply& reply) {
  const std::string& text = reply.refusal.empty() ? reply.message.text : reply.refusal;
  const auto& calls = reply.message.tool_calls;
  if (!text.empty() || calls.empty()) conversation.push_back(Entry::assistant(text));
  std::set<std::string> ids;
  for (const Entry& entry : conversation) ids.insert(entry.call.id);
  const std::int64_t turn = next_turn(conversation);
  for (const ToolCall& call : calls) {
    CallRecord record;
    record.id = call.id;
    for (int n = 1; record.id.empty() || !ids.insert(record.id).second; ++n)
      record.id = fmt::format("call_{}_{}", turn, n);
    record.name = call.name;
    record.params =
        call.arguments_text.empty() ? call.arguments : Json(boost::json::string(call.arguments_text));
    if (record.params.is_null()) record.params = JsonObject{};
    record.turn = turn;
    conversation.push_back(Entry::tool_call(std::move(record)));
  }
}

Task<Status> converse(const ToolLoop& loop, CaseContext& context, RunFile& file, Keep keep) {
  Conversation conversation(loop, context, file, std::move(keep));
  co_return co_await conversation.run();
}

}  // namespace assay::benchmark
