#include "tools/mcp/mcp_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

Json json(std::string_view text) {
  return parse_json(text).value();
}

Result<McpMessage> one(std::string_view text) {
  auto messages = read_mcp_messages(text, Secrets());
  if (!messages) return fail(std::move(messages.error()));
  EXPECT_EQ(messages->size(), 1U);
  return std::move(messages->front());
}

std::string why_not(std::string_view text) {
  const auto messages = read_mcp_messages(text, Secrets());
  return messages ? "it was read" : messages.error().message;
}

TEST(McpMessage, RequestsAreOneLineOfJsonRpc) {
  EXPECT_EQ(mcp_request_text(3, "tools/list", list_tools_params(std::nullopt)),
            R"({"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}})");
  EXPECT_EQ(mcp_request_text(4, "tools/list", list_tools_params("abc")),
            R"({"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"abc"}})");
  EXPECT_EQ(mcp_request_text(5, "tools/call", call_tool_params("read", {{"path", "a\nb"}})),
            R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":)"
            R"({"name":"read","arguments":{"path":"a\nb"}}})");
  EXPECT_EQ(mcp_request_text(1, "initialize", initialize_params()),
            R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
            R"("capabilities":{},"clientInfo":{"name":"assay","version":"1"}}})");
}

TEST(McpMessage, NotificationsHaveNoId) {
  EXPECT_EQ(mcp_notification_text("notifications/initialized", {}),
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(
      mcp_notification_text("notifications/cancelled", cancelled_params(8, "late")),
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"late"}})");
}

TEST(McpMessage, TellsRepliesRequestsAndNotificationsApart) {
  const auto reply = std::get<McpReply>(one(R"({"jsonrpc":"2.0","id":3,"result":{"a":1}})").value());
  EXPECT_EQ(reply.id, 3);
  EXPECT_EQ(to_text(reply.result), R"({"a":1})");
  EXPECT_FALSE(reply.fault);

  const auto request = std::get<McpRequest>(one(R"({"jsonrpc":"2.0","id":"x","method":"ping"})").value());
  EXPECT_EQ(request.method, "ping");
  EXPECT_EQ(to_text(request.id), R"("x")");

  const auto told =
      std::get<McpNotification>(one(R"({"jsonrpc":"2.0","method":"notifications/progress"})").value());
  EXPECT_EQ(told.method, "notifications/progress");
}

TEST(McpMessage, AFaultIsAReplyEvenWithoutAnId) {
  const auto fault = std::get<McpReply>(
      one(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool","data":{"n":1}}})")
          .value());
  EXPECT_EQ(fault.id, 2);
  EXPECT_EQ(fault.fault, (McpFault{-32602, R"(Unknown tool ({"n":1}))"}));

  const auto unaddressed = std::get<McpReply>(
      one(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})").value());
  EXPECT_FALSE(unaddressed.id);
  EXPECT_EQ(unaddressed.fault->message, "Parse error");

  const auto mute = std::get<McpReply>(one(R"({"jsonrpc":"2.0","id":1,"error":{"code":5}})").value());
  EXPECT_EQ(mute.fault->message, R"({"code":5})");

  const std::string essay(5000, 'e');
  const auto wordy = std::get<McpReply>(
      one(R"({"jsonrpc":"2.0","id":1,"error":{"code":5,"message":")" + essay + R"("}})").value());
  EXPECT_LE(wordy.fault->message.size(), 2000U);
}

TEST(McpMessage, ReadsSeveralAtOnce) {
  const auto messages = read_mcp_messages(
      R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"notifications/x"}])", Secrets());
  ASSERT_TRUE(messages) << messages.error().text();
  ASSERT_EQ(messages->size(), 2U);
  EXPECT_TRUE(std::holds_alternative<McpReply>((*messages)[0]));
  EXPECT_TRUE(std::holds_alternative<McpNotification>((*messages)[1]));
}

TEST(McpMessage, SaysWhatIsWrongWithRubbish) {
  EXPECT_EQ(read_mcp_messages(R"({"jsonrpc": "2.0", "id")", Secrets()).error().kind, ErrorKind::parse);
  EXPECT_EQ(why_not("7"), "a message is an object; found number");
  EXPECT_EQ(why_not(R"([{"jsonrpc":"2.0","id":1,"result":{}}, null])"), "a message is an object; found null");
  EXPECT_EQ(why_not(R"({"id":1,"result":{}})"), R"(a message lacks "jsonrpc": "2.0")");
  EXPECT_EQ(why_not(R"({"jsonrpc":"1.0","id":1,"result":{}})"), R"(a message lacks "jsonrpc": "2.0")");
  EXPECT_EQ(why_not(R"({"jsonrpc":"2.0","id":1})"), "a message has neither method nor result nor error");
  EXPECT_EQ(why_not(R"({"jsonrpc":"2.0","result":{}})"), "a reply has no id");
  EXPECT_EQ(why_not(R"({"jsonrpc":"2.0","id":"a","result":{}})"),
            R"(a reply has the id "a", which was never given)");
  EXPECT_EQ(why_not(R"({"jsonrpc":"2.0","id":1,"method":4})"), "the method of a message is text; found 4");
  EXPECT_EQ(why_not(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"),
            "the id of a request is text or a number; found null");
}

TEST(McpMessage, AnswersAPingAndNothingElse) {
  EXPECT_EQ(mcp_answer_text({.id = "x", .method = "ping"}), R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_EQ(mcp_answer_text({.id = 4, .method = "sampling/createMessage"}),
            R"({"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}})");
}

TEST(McpMessage, ReadsAGreetingOfEachKnownRevision) {
  for (const std::string version : {"2025-06-18", "2025-03-26", "2024-11-05"}) {
    const auto greeting =
        read_greeting(json(R"({"protocolVersion":")" + version +
                           R"(","capabilities":{"tools":{"listChanged":true}},"instructions":"be brief",)"
                           R"("serverInfo":{"name":"files","version":"1.4"}})"));
    ASSERT_TRUE(greeting) << greeting.error().text();
    EXPECT_EQ(greeting->version, version);
    EXPECT_EQ(greeting->server_name, "files");
    EXPECT_EQ(greeting->server_version, "1.4");
    EXPECT_EQ(greeting->instructions, "be brief");
    EXPECT_TRUE(greeting->has_tools);
  }
  EXPECT_FALSE(read_greeting(json(R"({"protocolVersion":"2025-06-18","capabilities":{}})"))->has_tools);
  EXPECT_EQ(read_greeting(json(R"({"protocolVersion":"1.0"})")).error().message,
            "the server speaks revision 1.0 of the protocol; known are 2025-06-18, 2025-03-26, 2024-11-05");
  EXPECT_EQ(read_greeting(json("[]")).error().message, "the server's greeting has no protocolVersion");
}

TEST(McpMessage, ReadsAPageOfTools) {
  const auto page = read_tools_page(json(R"({"tools":[
      {"name":"read","title":"Read","description":"Reads","inputSchema":{"type":"object","required":["a"]},
       "outputSchema":{"type":"object"}},
      {"name":"bare"}],"nextCursor":"2"})"));
  ASSERT_TRUE(page) << page.error().text();
  ASSERT_EQ(page->tools.size(), 2U);
  EXPECT_EQ(page->tools[0].name, "read");
  EXPECT_EQ(page->tools[0].title, "Read");
  EXPECT_EQ(page->tools[0].description, "Reads");
  EXPECT_EQ(to_text(page->tools[0].input_schema), R"({"type":"object","required":["a"]})");
  EXPECT_TRUE(page->tools[0].output_schema);
  EXPECT_EQ(to_text(page->tools[1].input_schema), R"({"type":"object"})");
  EXPECT_FALSE(page->tools[1].output_schema);
  EXPECT_EQ(page->next_cursor, "2");
  EXPECT_FALSE(read_tools_page(json(R"({"tools":[],"nextCursor":null})"))->next_cursor);
}

TEST(McpMessage, SaysWhatIsWrongWithAPageOfTools) {
  const auto why = [](std::string_view text) { return read_tools_page(json(text)).error().message; };
  EXPECT_EQ(why("{}"), "the list of tools has no list `tools`");
  EXPECT_EQ(why(R"({"tools":{}})"), "the list of tools has no list `tools`");
  EXPECT_EQ(why(R"({"tools":[{"name":"a"},{"title":"b"}]})"), "tool 2 of the list has no name");
  EXPECT_EQ(why(R"({"tools":[{"name":"a","inputSchema":[]}]})"),
            "the inputSchema of the tool a is list, expected an object");
  EXPECT_EQ(why(R"({"tools":[],"nextCursor":3})"), "the nextCursor of the list of tools is not text");
}

TEST(McpMessage, ReadsTheResultOfATool) {
  const auto result = read_tool_result(
      json(R"({"content":[{"type":"text","text":"a"}],"structuredContent":{"n":1},"isError":true})"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->content.size(), 1U);
  EXPECT_EQ(to_text(*result->structured), R"({"n":1})");
  EXPECT_TRUE(result->is_error);
  EXPECT_FALSE(read_tool_result(json(R"({"content":[]})"))->is_error);

  const auto why = [](std::string_view text) { return read_tool_result(json(text)).error().message; };
  EXPECT_EQ(why("{}"), "the result of the tool has no content");
  EXPECT_EQ(why("3"), "the result of the tool has no content");
  EXPECT_EQ(why(R"({"content":"a"})"), "the content of the tool's result is text, expected a list");
  EXPECT_EQ(why(R"({"content":[{"type":"text","text":"a"},3]})"), "part 2 of the tool's result has no type");
  EXPECT_EQ(why(R"({"content":[{"type":"text"}]})"), "part 1 of the tool's result has no text");
  EXPECT_EQ(why(R"({"content":[],"isError":"no"})"), "isError of the tool's result is not true or false");
}

TEST(McpMessage, AResultBecomesTextForAModel) {
  const auto text = [](std::string_view result) { return text_of(read_tool_result(json(result)).value()); };
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})"), "a\nb");
  // "QUJD" is base64 of 3 bytes, "QUI=" of 2.
  EXPECT_EQ(text(R"({"content":[{"type":"image","data":"QUJD","mimeType":"image/png"},
                                {"type":"audio","data":"QUI=","mimeType":"audio/wav"}]})"),
            "[image, image/png, 3 bytes]\n[audio, audio/wav, 2 bytes]");
  EXPECT_EQ(text(R"({"content":[{"type":"resource","resource":{"uri":"file:///a","text":"inside"}},
                                {"type":"resource","resource":{"uri":"file:///b","blob":"QUJD"}},
                                {"type":"resource_link","uri":"file:///c","name":"c"},
                                {"type":"hologram"}]})"),
            "inside\n[resource, file:///b, 3 bytes]\n[resource_link, c, file:///c]\n[hologram]");
  EXPECT_EQ(text(R"({"structuredContent":{"n":[1,2]}})"), R"({"n":[1,2]})");
  EXPECT_EQ(text(R"({"content":[]})"), "");
}

}  // namespace
}  // namespace assay
