#include "sim/answers/answer.h"

#include <algorithm>
#include <bit>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include "core/text.h"
#include "sim/answers/judge.h"
#include "sim/answers/manner.h"
#include "sim/answers/material.h"
#include "sim/answers/tool_user.h"

namespace assay::sim {
namespace {

constexpr std::int64_t kBytesPerToken = 4;
constexpr std::int64_t kTokensAround = 4;
constexpr std::size_t kLongestSchemaText = 1 << 16;

std::int64_t tokens_of(std::size_t bytes) {
  return (static_cast<std::int64_t>(bytes) + kBytesPerToken - 1) / kBytesPerToken;
}

// About as long as the compact text, without writing it.
std::size_t text_size(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::string:
      return value.get_string().size() + 2;
    case boost::json::kind::array: {
      std::size_t size = 2;
      for (const Json& element : value.get_array()) size += text_size(element) + 1;
      return size;
    }
    case boost::json::kind::object: {
      std::size_t size = 2;
      for (const auto& member : value.get_object())
        size += member.key().size() + 4 + text_size(member.value());
      return size;
    }
    default:
      return 4;
  }
}

std::uint64_t hash_number(std::uint64_t number, std::uint64_t state) {
  return hash_bytes({reinterpret_cast<const char*>(&number), sizeof number}, state);
}

std::uint64_t hash_optional(const std::optional<double>& value, std::uint64_t state) {
  return value ? hash_number(std::bit_cast<std::uint64_t>(*value), state) : hash_number(1, state + 1);
}

// The object that starts at `at`, by its brackets; empty if it does not end.
std::string_view object_at(std::string_view text, std::size_t at) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = at; i < text.size() && i - at < kLongestSchemaText; ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text.substr(at, i + 1 - at);
    }
  }
  return {};
}

bool looks_like_schema(const Json& value) {
  const JsonObject* object = value.if_object();
  if (object == nullptr) return false;
  if (object->contains("properties") || object->contains("$schema") || object->contains("anyOf")) return true;
  const Json* type = object->if_contains("type");
  return type != nullptr && type->is_string() &&
         (type->get_string() == "array" || type->get_string() == "object" || object->contains("enum"));
}

// A prompt that asks for JSON by a schema in its text.
std::optional<Json> schema_in_text(std::string_view text) {
  if (!contains_text(text, "json") || text.find("\"type\"") == std::string_view::npos) return std::nullopt;
  std::optional<Json> found;
  int looks_left = 64;  // a text full of brackets is not worth a quadratic search
  for (std::size_t at = text.find('{'); at != std::string_view::npos && looks_left > 0;
       at = text.find('{', at)) {
    --looks_left;
    const std::string_view object = object_at(text, at);
    auto value = object.empty() ? Result<Json>(fail(ErrorKind::parse, "")) : parse_json(object);
    if (value && looks_like_schema(*value)) found = std::move(*value);
    at += object.empty() || !value ? 1 : object.size();
  }
  return found;
}

// A form in words: {reason: string, pass: boolean, score: number}.
std::optional<Json> form_in_text(std::string_view text) {
  static const RE2 kForm(
      R"(\{\s*(\w+\s*:\s*(?:string|number|integer|boolean)\s*(?:,\s*\w+\s*:\s*(?:string|number|integer|boolean)\s*)*)\})");
  re2::StringPiece members;
  if (!contains_text(text, "json") ||
      !RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kForm, &members))
    return std::nullopt;
  JsonObject properties;
  JsonArray required;
  for (const std::string_view member : split({members.data(), members.size()}, ',')) {
    const std::size_t colon = member.find(':');
    const std::string name(trim(member.substr(0, colon)));
    properties[name] = JsonObject{{"type", std::string(trim(member.substr(colon + 1)))}};
    required.emplace_back(name);
  }
  return JsonObject{
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

std::optional<Json> schema_in_prompt(const ChatRequest& request) {
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message) {
    if (message->role != Role::user && message->role != Role::system) continue;
    if (auto schema = schema_in_text(message->text)) return schema;
    if (auto form = form_in_text(message->text)) return form;
  }
  return std::nullopt;
}

class Answering {
 public:
  Answering(const ChatRequest& request, const SimOptions& options)
      : request_(request),
        options_(options),
        chance_(hash_number(options.seed, hash_request(request))),
        material_(request),
        document_(request),
        judge_(material_, document_, chance_, options.noise, options.weak) {
    const bool results = std::ranges::any_of(
        request.messages, [](const Message& message) { return message.role == Role::tool; });
    if (results || !request.tools.empty()) user_.emplace(request, chance_, options.noise);
  }

  ChatReply reply() {
    ChatReply out;
    out.message.role = Role::assistant;
    out.model = answering_name(request_.model);
    const ToolUser::Plan plan = user_ && is_free() ? user_->plan() : ToolUser::Plan{};
    const bool decided = plan.kind != ToolUser::Plan::Kind::none;
    if (!plan.tools.empty()) {
      for (const Tool* tool : plan.tools) call(*tool, out);
    } else if (const Tool* tool = decided ? nullptr : tool_to_call()) {
      call(*tool, out);
    } else if (request_.output) {
      write_instance(request_.output->schema, out);
    } else if (auto words = user_ ? user_->last_words() : std::nullopt) {
      out.message.text = std::move(*words);
    } else if (after_results()) {
      write_result(out);
    } else if (const auto schema = schema_in_prompt(request_)) {
      write_instance(*schema, out);
      if (chance_.fork("fence").happens(0.5)) out.message.text = "```json\n" + out.message.text + "\n```";
    } else {
      out.message.text =
          in_manner(judge_.prose(), request_, material_.words(), chance_.fork("manner"), options_.noise);
    }
    if (out.message.tool_calls.empty()) stop_at(out.message.text);
    out.usage.prompt_tokens = prompt_tokens(request_);
    out.usage.completion_tokens = completion_tokens(out.message);
    if (request_.sampling.max_tokens && out.usage.completion_tokens > *request_.sampling.max_tokens) {
      cut_reply(out, *request_.sampling.max_tokens);
    }
    return out;
  }

 private:
  bool after_results() const {
    return !request_.messages.empty() && request_.messages.back().role == Role::tool;
  }

  bool is_free() const { return request_.tool_choice.mode == ToolChoice::Mode::automatic; }

  const Tool* tool_to_call() {
    if (request_.tools.empty() || request_.tool_choice.mode == ToolChoice::Mode::none) return nullptr;
    if (request_.tool_choice.mode == ToolChoice::Mode::named) {
      const auto named = std::ranges::find(request_.tools, request_.tool_choice.name, &Tool::name);
      return named == request_.tools.end() ? nullptr : &*named;
    }
    const bool forced = request_.tool_choice.mode == ToolChoice::Mode::any;
    if (after_results() && !forced) return nullptr;
    const WordSet subject(material_.subject());
    const Tool* best = nullptr;
    double most = -1;
    for (const Tool& tool : request_.tools) {
      std::string name = tool.name;
      std::ranges::replace(name, '_', ' ');
      const double shared = overlap(WordSet(name + " " + tool.description), subject);
      if (shared > most) most = shared, best = &tool;
    }
    if (forced) return best;
    return chance_.fork("tool").happens(std::min(0.95, 0.35 + 1.2 * most)) ? best : nullptr;
  }

  Result<Json> instance(const Json& schema, std::string_view label) {
    auto maker = options_.makers != nullptr ? options_.makers->get(schema) : InstanceMaker::prepare(schema);
    if (!maker) return fail(std::move(maker.error()));
    return (*maker)->make(chance_.fork(label), &judge_);
  }

  void write_instance(const Json& schema, ChatReply& out) {
    // {"type": "object"} says nothing: the prompt may say more.
    const bool bare = schema.is_object() && schema.get_object().size() <= 1;
    const auto better = bare && request_.output ? schema_in_prompt(request_) : std::nullopt;
    auto made = instance(better ? *better : schema, "output");
    out.message.text =
        made ? to_text(*made) : "I cannot answer in the form asked for: " + made.error().message + ".";
  }

  void call(const Tool& tool, ChatReply& out) {
    const bool bare = !tool.parameters.is_object();
    auto made = bare ? Result<Json>(JsonObject{}) : instance(tool.parameters, tool.name);
    if (!made) {
      out.message.text = fmt::format("I cannot call {}: {}.", tool.name, made.error().message);
      return;
    }
    write_arguments(tool, *made);
    const Chance ids = chance_.fork("call id");
    Chance id = out.message.tool_calls.empty() ? ids : ids.fork(out.message.tool_calls.size());
    out.message.tool_calls.push_back(
        {fmt::format("call_{:012x}{:012x}", id.below(1ULL << 48), id.below(1ULL << 48)),
         tool.name,
         std::move(*made),
         {}});
    out.finish = FinishReason::tool_calls;
  }

  // In a language where the tool takes one, unless the schema has more to say than that it is text.
  void write_arguments(const Tool& tool, Json& arguments) {
    // A tool that must be called by its name usually carries an answer, whose `query` is not for a database.
    const bool named = request_.tool_choice.mode == ToolChoice::Mode::named;
    if (!user_ || named || !arguments.is_object()) return;
    JsonObject written = arguments.get_object();
    user_->write_arguments(tool, written);
    if (arguments.get_object() == written) return;
    auto maker = options_.makers != nullptr ? options_.makers->get(tool.parameters)
                                            : InstanceMaker::prepare(tool.parameters);
    if (maker && (*maker)->valid(written)) arguments = std::move(written);
  }

  void write_result(ChatReply& out) const {
    const Message& result = request_.messages.back();
    const std::string shown = shorten(trim(result.text), 300);
    if (result.is_error) {
      out.message.text = fmt::format("The tool could not help: {}", shown);
    } else if (shown.empty()) {
      out.message.text = "The tool gave no result. " + judge_.prose();
    } else {
      out.message.text = fmt::format("According to the tool: {}", shown);
    }
  }

  void stop_at(std::string& text) const {
    std::size_t first = std::string::npos;
    for (const std::string& stop : request_.sampling.stop) {
      if (!stop.empty()) first = std::min(first, text.find(stop));
    }
    if (first != std::string::npos) text.resize(first);
  }

  const ChatRequest& request_;
  const SimOptions& options_;
  Chance chance_;
  Material material_;
  Document document_;
  Judge judge_;
  std::optional<ToolUser> user_;  // where there are tools or results of tools
};

// "sim/judge" and "judge" are the same model.
std::string_view own_name(std::string_view asked) {
  if (asked.starts_with("sim/")) asked.remove_prefix(4);
  return asked;
}

}  // namespace

ChatReply answer(const ChatRequest& request, const SimOptions& options) {
  return Answering(request, options).reply();
}

std::string answering_name(std::string_view asked) {
  return fmt::format("sim/{}", own_name(asked));
}

std::uint64_t hash_request(const ChatRequest& request) {
  std::uint64_t state = hash_bytes(own_name(request.model));
  for (const Message& message : request.messages) {
    state = hash_bytes(message.text, hash_number(static_cast<std::uint64_t>(message.role), state));
    for (const ToolCall& call : message.tool_calls) {
      state = hash_json(call.arguments, hash_bytes(call.name, state));
    }
  }
  for (const Tool& tool : request.tools) {
    state = hash_json(tool.parameters, hash_bytes(tool.description, hash_bytes(tool.name, state)));
  }
  state = hash_bytes(request.tool_choice.name,
                     hash_number(static_cast<std::uint64_t>(request.tool_choice.mode), state));
  if (request.output) state = hash_json(request.output->schema, hash_bytes(request.output->name, state));
  state = hash_optional(request.sampling.top_p, hash_optional(request.sampling.temperature, state));
  if (request.sampling.seed) state = hash_number(static_cast<std::uint64_t>(*request.sampling.seed), state);
  for (const std::string& stop : request.sampling.stop) state = hash_bytes(stop, state);
  return state;
}

std::int64_t prompt_tokens(const ChatRequest& request) {
  std::int64_t tokens = 0;
  for (const Message& message : request.messages) {
    std::size_t bytes = message.text.size();
    for (const ToolCall& call : message.tool_calls) bytes += call.name.size() + text_size(call.arguments);
    tokens += kTokensAround + tokens_of(bytes);
  }
  for (const Tool& tool : request.tools) {
    tokens +=
        kTokensAround + tokens_of(tool.name.size() + tool.description.size() + text_size(tool.parameters));
  }
  if (request.output) tokens += kTokensAround + tokens_of(text_size(request.output->schema));
  return tokens;
}

std::int64_t completion_tokens(const Message& message) {
  std::size_t bytes = message.text.size();
  for (const ToolCall& call : message.tool_calls) {
    bytes += call.name.size() +
             (call.arguments_text.empty() ? text_size(call.arguments) : call.arguments_text.size());
  }
  return std::max<std::int64_t>(1, tokens_of(bytes));
}

void cut_reply(ChatReply& reply, std::int64_t tokens) {
  const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(tokens, 1) * kBytesPerToken);
  if (!reply.message.tool_calls.empty()) {
    ToolCall& call = reply.message.tool_calls.back();
    const std::string written = call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
    call.arguments_text = cut(written, std::min(bytes, written.size() - 1));
    call.arguments = nullptr;
  }
  reply.message.text.resize(cut(reply.message.text, bytes).size());
  reply.finish = FinishReason::length;
  reply.usage.completion_tokens = std::max<std::int64_t>(tokens, 1);
}

}  // namespace assay::sim
