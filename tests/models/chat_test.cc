#include "models/chat.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

rc::Gen<std::string> some_text() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "a", "Z", "0", " ", "\n", "\"", "\\", "/", "\x01", "é", "漢", "😀", "null")),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const auto& part : parts) text += part;
                        return text;
                      });
}

rc::Gen<Json> some_json() {
  return rc::gen::element(Json(nullptr), Json(true), Json(3), Json(-0.25), Json("text"), json("{}"),
                          json("[]"), json(R"({"b":{"a":[1,null,"é"]},"a":1.5})"));
}

rc::Gen<ToolCall> some_call() {
  return rc::gen::build<ToolCall>(
      rc::gen::set(&ToolCall::id, some_text()), rc::gen::set(&ToolCall::name, some_text()),
      rc::gen::set(&ToolCall::arguments, some_json()), rc::gen::set(&ToolCall::arguments_text, some_text()));
}

rc::Gen<Message> some_message() {
  return rc::gen::build<Message>(
      rc::gen::set(&Message::role, rc::gen::element(Role::system, Role::user, Role::assistant, Role::tool)),
      rc::gen::set(&Message::text, some_text()),
      rc::gen::set(&Message::tool_calls, rc::gen::container<std::vector<ToolCall>>(some_call())),
      rc::gen::set(&Message::tool_call_id, some_text()), rc::gen::set(&Message::is_error));
}

std::optional<double> some_number() {
  return *rc::gen::element<std::optional<double>>(std::nullopt, 0.0, 0.1, 1.0, 1.5, 1e-9);
}

ChatRequest some_request() {
  ChatRequest request;
  request.model = *some_text();
  request.messages = *rc::gen::container<std::vector<Message>>(some_message());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    request.tools.push_back({*some_text(), *some_text(), *some_json()});
  }
  request.tool_choice.mode = *rc::gen::element(ToolChoice::Mode::automatic, ToolChoice::Mode::none,
                                               ToolChoice::Mode::any, ToolChoice::Mode::named);
  request.tool_choice.name = *some_text();
  if (*rc::gen::arbitrary<bool>()) request.output = OutputSchema{*some_text(), *some_text(), *some_json()};
  request.sampling.temperature = some_number();
  request.sampling.top_p = some_number();
  if (*rc::gen::arbitrary<bool>()) request.sampling.max_tokens = *rc::gen::arbitrary<int>();
  if (*rc::gen::arbitrary<bool>()) request.sampling.seed = *rc::gen::arbitrary<std::int64_t>();
  request.sampling.stop = *rc::gen::container<std::vector<std::string>>(some_text());
  return request;
}

ChatReply some_reply() {
  ChatReply reply;
  reply.message = *some_message();
  reply.finish = *rc::gen::element(FinishReason::stop, FinishReason::length, FinishReason::tool_calls,
                                   FinishReason::refusal, FinishReason::other);
  reply.refusal = *some_text();
  reply.raw_text = *some_text();
  reply.model = *some_text();
  const auto count = rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  reply.usage = {*count, *count, *count, *count, *count};
  reply.origin = {.id = *some_text(),
                  .finish_reason = *some_text(),
                  .fingerprint = *some_text(),
                  .created = *count,
                  .status = *rc::gen::inRange(0, 600),
                  .max_tokens = *rc::gen::inRange(1, 5000),
                  .way = *rc::gen::element(StructuredWay::json_schema, StructuredWay::tools)};
  return reply;
}

// Trees inside it have their members in the order of their names; around them stands what is shared first.
RC_GTEST_PROP(Chat, ARequestHasOneCanonicalText, ()) {
  const ChatRequest request = *rc::gen::resize(6, rc::gen::exec(some_request));
  const std::string text = canonical_text(request).text;
  RC_ASSERT(canonical_text(json(text)) == canonical_text(to_json(request)));
  RC_ASSERT(parse_json(text)->as_object().begin()->key() == "model");
}

RC_GTEST_PROP(Chat, PrefixesOfARequestEndBeforeItsFirstMessageAndAfterEach, ()) {
  ChatRequest request = *rc::gen::resize(6, rc::gen::exec(some_request));
  const PrefixedText whole = canonical_text(request);
  RC_ASSERT(whole.ends.size() == request.messages.size() + 1);
  for (std::size_t kept = request.messages.size(); kept > 0; --kept) {
    // What goes on from the same messages begins with the same bytes, whatever its sampling.
    request.messages.resize(kept - 1);
    request.messages.push_back({.role = Role::user, .text = "something else"});
    request.sampling.seed = 7;
    const PrefixedText other = canonical_text(request);
    RC_ASSERT(other.ends[kept - 1] == whole.ends[kept - 1]);
    RC_ASSERT(other.text.substr(0, other.ends[kept - 1]) == whole.text.substr(0, whole.ends[kept - 1]));
  }
  RC_ASSERT(whole.text.substr(whole.ends.back()).starts_with(']'));
}

RC_GTEST_PROP(Chat, TheTextOfAReplyBeginsWithWhatRepliesOfItsModelShare, ()) {
  ChatReply reply = *rc::gen::resize(6, rc::gen::exec(some_reply));
  const PrefixedText whole = to_text(reply);
  RC_ASSERT(whole.text == to_text(to_json(reply)));
  RC_ASSERT(whole.ends.size() == 1U);
  reply.message.text = "another answer";
  reply.usage.prompt_tokens = 1;
  reply.origin.created = 12;
  reply.origin.id = "another";
  const PrefixedText other = to_text(reply);
  RC_ASSERT(other.ends == whole.ends);
  RC_ASSERT(other.text.substr(0, other.ends[0]) == whole.text.substr(0, whole.ends[0]));
}

// `one`, with one thing from `other`: what could be forgotten in a text is told apart one by one.
ChatRequest with_one_part_of(const ChatRequest& other, ChatRequest one) {
  if (one.messages.empty()) one.messages.emplace_back();
  const Message message = other.messages.empty() ? Message{} : other.messages.front();
  Message& first = one.messages.front();
  const std::vector<std::function<void()>> changes{
      [&] { one.model = other.model; },
      [&] { one.messages = other.messages; },
      [&] { first.role = message.role; },
      [&] { first.text = message.text; },
      [&] { first.tool_calls = message.tool_calls; },
      [&] { first.tool_call_id = message.tool_call_id; },
      [&] { first.is_error = message.is_error; },
      [&] { one.tools = other.tools; },
      [&] { one.tool_choice.mode = other.tool_choice.mode; },
      [&] { one.tool_choice.name = other.tool_choice.name; },
      [&] { one.output = other.output; },
      [&] { one.sampling.temperature = other.sampling.temperature; },
      [&] { one.sampling.top_p = other.sampling.top_p; },
      [&] { one.sampling.max_tokens = other.sampling.max_tokens; },
      [&] { one.sampling.seed = other.sampling.seed; },
      [&] { one.sampling.stop = other.sampling.stop; },
  };
  changes.at (*rc::gen::inRange<std::size_t>(0, changes.size()))();
  return one;
}

RC_GTEST_PROP(Chat, RequestsThatDifferInOneThingHaveTextsThatDiffer, ()) {
  const auto any = rc::gen::resize(3, rc::gen::exec(some_request));
  const ChatRequest one = *any;
  const ChatRequest other = with_one_part_of(*any, one);
  RC_ASSERT((one == other) == (canonical_text(one) == canonical_text(other)));
}

RC_GTEST_PROP(Chat, AReplyIsTheSameAfterItsJsonAndText, ()) {
  const ChatReply reply = *rc::gen::resize(6, rc::gen::exec(some_reply));
  const auto back = reply_from_json(json(to_text(to_json(reply))));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == reply);
}

TEST(Chat, AbsentFieldsAreLeftOutOfTheJson) {
  EXPECT_EQ(to_text(to_json(ask("hello"))),
            R"({"model":"test","messages":[{"role":"user","text":"hello"}]})");
  ChatReply reply;
  reply.message = {.role = Role::assistant, .text = "hi"};
  EXPECT_EQ(to_text(to_json(reply)), R"({"finish":"stop","message":{"role":"assistant","text":"hi"},)"
                                     R"("usage":{"prompt_tokens":0,"completion_tokens":0}})");
}

TEST(Chat, EveryFieldOfARequestHasItsPlaceInTheJson) {
  ChatRequest request = ask("q");
  request.messages.push_back(
      {.role = Role::assistant,
       .tool_calls = {{"c1", "look", json(R"({"x":1})"), ""}, {"c2", "look", nullptr, "{x"}}});
  request.messages.push_back({.role = Role::tool, .text = "gone", .tool_call_id = "c1", .is_error = true});
  request.tools.push_back({"look", "looks", json(R"({"type":"object"})")});
  request.tool_choice = {ToolChoice::Mode::named, "look"};
  request.output = OutputSchema{"verdict", "the verdict", json(R"({"type":"object"})")};
  request.sampling = {0.5, 0.9, 100, 7, {"END"}};
  EXPECT_EQ(to_text(to_json(request)),
            R"({"model":"test",)"
            R"("output":{"description":"the verdict","name":"verdict","schema":{"type":"object"}},)"
            R"("tool_choice":{"mode":"named","name":"look"},)"
            R"("tools":[{"name":"look","description":"looks","parameters":{"type":"object"}}],)"
            R"("messages":[{"role":"user","text":"q"},)"
            R"({"role":"assistant","tool_calls":[{"id":"c1","name":"look","arguments":{"x":1}},)"
            R"({"id":"c2","name":"look","arguments_text":"{x"}]},)"
            R"({"role":"tool","text":"gone","tool_call_id":"c1","is_error":true}],)"
            R"("sampling":{"temperature":0.5,"top_p":0.9,"max_tokens":100,"seed":7,"stop":["END"]}})");
}

struct BadJson {
  std::string_view text;
  std::string_view field;
};

TEST(Chat, AForeignReplyIsRefusedAndTheFieldIsNamed) {
  const std::vector<BadJson> cases{
      {R"([])", "/"},
      {R"({"finish":"stop"})", "/message"},
      {R"({"message":{"role":"user"},"finish":"stop","model":1})", "/model"},
      {R"({"message":{"role":"user"},"finish":"stop","extra":1})", "/extra"},
      {R"({"message":{"role":"robot"}})", "/message/role"},
      {R"({"message":{"role":"user","text":3}})", "/message/text"},
      {R"({"message":{"role":"user","is_error":3}})", "/message/is_error"},
      {R"({"message":{"role":"user","tool_calls":{}}})", "/message/tool_calls"},
      {R"({"message":{"role":"user","tool_calls":[{},{"id":1}]}})", "/message/tool_calls/1/id"},
      {R"({"message":{"role":"user"},"finish":"stop","usage":{"prompt_tokens":0.5}})",
       "/usage/prompt_tokens"},
  };
  for (const auto& bad : cases) {
    const auto reply = reply_from_json(json(bad.text));
    ASSERT_FALSE(reply.has_value()) << bad.text;
    EXPECT_EQ(reply.error().kind, ErrorKind::schema);
    EXPECT_EQ(reply.error().context.front(), (std::pair<std::string, std::string>("field", bad.field)))
        << bad.text;
  }
}

TEST(Chat, AReplyWithoutItsMessageOrWithAnUnknownFinishIsRefused) {
  EXPECT_FALSE(reply_from_json(json(R"({"finish":"stop"})")).has_value());
  EXPECT_FALSE(reply_from_json(json(R"({"message":{"role":"assistant"},"finish":"bored"})")).has_value());
}

TEST(Chat, UsageAddsUpAndDoesNotOverflow) {
  Usage sum{1, 2, 3, 4, 5};
  sum += Usage{10, 20, 30, 40, 50};
  EXPECT_EQ(sum, (Usage{11, 22, 33, 44, 55}));
  sum += Usage{.prompt_tokens = std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(sum.prompt_tokens, std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace assay
