#include "core/text.h"
#include "models/providers/openai.h"
#include "models/providers/openai_content.h"
#include "models/providers/wire_text.h"

namespace assay {
namespace {

// A stream could name any index; more than this in one reply is rubbish.
constexpr std::size_t kMostCalls = 1024;
constexpr std::size_t kMostDetails = 4096;

}  // namespace

void OpenAiStream::take(const ServerSentEvent& event) {
  if (done_ || error_ || broken_) return;
  const std::string_view data = trim(event.data);
  if (data == "[DONE]") {
    done_ = true;
    return;
  }
  if (data.empty()) return;
  const auto chunk = parse_json(data);
  if (!chunk) {
    broken_ = std::string(data);
    return;
  }
  const Json* error = find_member(*chunk, "error");
  if ((error != nullptr && !error->is_null()) || event.event == "error") {
    error_ = *chunk;
    return;
  }
  // Every chunk repeats what the reply is called; some servers leave it out of the last ones.
  for (const std::string_view key : {"id", "model", "system_fingerprint", "created"}) {
    if (const std::string value = text_of(*chunk, key); !value.empty())
      head_[key] = *find_member(*chunk, key);
  }
  if (const Json* usage = find_member(*chunk, "usage"); usage != nullptr && usage->is_object())
    usage_ = *usage;
  const Json* choices = find_member(*chunk, "choices");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) return;
  const Json& choice = choices->get_array().front();
  any_choice_ = true;
  if (const Json* failed = find_member(choice, "error"); failed != nullptr && !failed->is_null()) {
    error_ = JsonObject{{"error", *failed}};
    return;
  }
  if (const Json* delta = find_member(choice, "delta")) take_delta(*delta);
  if (const std::string reason = text_of(choice, "finish_reason"); !reason.empty()) finish_reason_ = reason;
}

void OpenAiStream::take_delta(const Json& delta) {
  const Content content = content_of(find_member(delta, "content"));
  text_ += content.text;
  refusal_ += content.refusal;
  refusal_ += text_of(delta, "refusal");
  const std::string thoughts = thoughts_of(delta) + content.thoughts;
  thoughts_ += thoughts;
  named_content_ = named_content_ || find_member(delta, "reasoning_content") != nullptr;
  take_details(find_member(delta, "reasoning_details"));
  count(content.text);
  count(thoughts);
  const Json* calls = find_member(delta, "tool_calls");
  if (calls == nullptr || !calls->is_array()) return;
  for (const auto& call : calls->get_array()) take_call(call);
}

// The pieces of one thought have the same index and type; what else they say (a signature) comes with one.
void OpenAiStream::take_details(const Json* details) {
  if (details == nullptr || !details->is_array()) return;
  for (const Json& piece : details->get_array()) {
    if (!piece.is_object() || details_.size() >= kMostDetails) continue;
    const bool continues = !details_.empty() && text_of(details_.back(), "type") == text_of(piece, "type") &&
                           text_of(details_.back(), "index") == text_of(piece, "index");
    if (!continues) {
      details_.push_back(piece);
      continue;
    }
    JsonObject& whole = details_.back().get_object();
    for (const auto& member : piece.get_object()) {
      Json* before = whole.if_contains(member.key());
      const bool grows = member.key() == "text" || member.key() == "summary" || member.key() == "data";
      if (grows && before != nullptr && before->is_string() && member.value().is_string()) {
        before->get_string().append(member.value().get_string());
      } else if (!member.value().is_null()) {
        whole[member.key()] = member.value();
      }
    }
  }
}

void OpenAiStream::take_call(const Json& delta) {
  const std::string id = text_of(delta, "id");
  const Json* numbered = find_member(delta, "index");
  // A server that does not number its calls continues the last one, and starts a new one with a new id. There
  // are also servers that give the same number to every call.
  const std::int64_t index = numbered == nullptr ? -1 : as_integer(*numbered).value_or(-1);
  const auto known = call_at_.find(index);
  const bool starts = known == call_at_.end() ||
                      (!id.empty() && !calls_[known->second].id.empty() && calls_[known->second].id != id);
  if (starts) {
    if (calls_.size() >= kMostCalls) return;
    call_at_[index] = calls_.size();
    calls_.emplace_back();
  }
  Call& call = calls_[call_at_[index]];
  if (!id.empty()) call.id = id;
  const Json* function = find_member(delta, "function");
  if (function == nullptr) return;
  if (call.name.empty()) call.name = text_of(*function, "name");
  const Json* arguments = find_member(*function, "arguments");
  if (arguments == nullptr || arguments->is_null()) return;
  const auto part = as_text(*arguments);
  const std::string more = part ? std::string(*part) : to_text(*arguments);
  count(more);
  call.arguments += more;
}

Result<ChatReply> OpenAiStream::reply() const {
  if (!any_choice_) return fail(ErrorKind::parse, "it has no choices");
  JsonObject from{{"role", "assistant"}, {"content", text_}};
  if (!refusal_.empty()) from["refusal"] = refusal_;
  if (!thoughts_.empty()) from[named_content_ ? "reasoning_content" : "reasoning"] = thoughts_;
  if (!details_.empty()) from["reasoning_details"] = details_;
  JsonArray calls;
  for (const auto& call : calls_) {
    calls.push_back(JsonObject{{"id", call.id},
                               {"function", JsonObject{{"name", call.name}, {"arguments", call.arguments}}}});
  }
  from["tool_calls"] = std::move(calls);
  JsonObject choice{{"message", std::move(from)}, {"finish_reason", finish_reason_}};
  JsonObject whole = head_;
  whole["choices"] = JsonArray{std::move(choice)};
  whole["usage"] = usage_;
  return openai_reply(Json(std::move(whole)));
}

}  // namespace assay
